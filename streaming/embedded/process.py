"""A child process that cannot outlive us."""

import contextlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from streaming.embedded import guardian

_TAIL_LINE_COUNT = 25


class TiedProcess:
    """A command that runs until it ends, is stopped, or this process is gone, however it went.

    Its output goes to a file; it runs in a session of its own, so that Ctrl-C on the terminal
    reaches us first and we end it when we are ready.
    """

    def __init__(self, command: Sequence[str | Path], *, log: Path) -> None:
        self.log = log
        with log.open("ab") as output:
            self._guardian = subprocess.Popen(
                [sys.executable, "-I", "-S", guardian.__file__, *map(str, command)],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    @property
    def ended(self) -> bool:
        """Whether the command has ended."""
        return self._guardian.poll() is not None

    @property
    def guardian_pid(self) -> int:
        """Process id of the guardian; the command is its only child."""
        return self._guardian.pid

    def stop(self, *, within_seconds: float) -> None:
        """Ask the command to end in order; kill it if it has not by then."""
        with contextlib.suppress(BrokenPipeError):  # it has just ended by itself
            self._leash.write(b".")
        try:
            self._guardian.wait(within_seconds)
        except subprocess.TimeoutExpired:
            self.kill()
        else:
            self._let_go()

    def kill(self) -> None:
        """End the command at once, as a power cut would; returns when it is gone."""
        self._let_go()
        self._guardian.wait()

    def tail(self) -> str:
        """Return the last lines of what the command wrote."""
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(lines[-_TAIL_LINE_COUNT:])

    def _let_go(self) -> None:
        self._leash.close()

    @property
    def _leash(self) -> IO[bytes]:
        leash = self._guardian.stdin
        if leash is None:
            raise AssertionError("the guardian is always started with a pipe")
        return leash
