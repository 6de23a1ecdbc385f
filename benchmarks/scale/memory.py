"""Memory and CPU time of a process and all that it started."""

import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

import psutil

_EVERY_SECONDS = 0.5
MEBIBYTE = 1024 * 1024


class PeakMemory:
    """Samples the memory of a process tree; pages that processes share count once (PSS).

    Attributes:
        peak_bytes: the largest sum seen.
        peak_by_name: what each program had of it.
        cpu_seconds: CPU time of all of them.
    """

    def __init__(self, pid: int) -> None:
        """Watch a process, its children and theirs.

        Args:
            pid: the process.
        """
        self.peak_bytes = 0
        self.peak_by_name: dict[str, int] = {}
        self.cpu_seconds = 0.0
        self._root = psutil.Process(pid)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(_EVERY_SECONDS):
            with suppress(psutil.NoSuchProcess):
                self._sample()
                self.cpu_seconds = max(self.cpu_seconds, cpu_seconds(self._root))

    def _sample(self) -> None:
        found: dict[str, int] = {}
        for process in (self._root, *self._root.children(recursive=True)):
            with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                name, memory = process.name(), process.memory_full_info()
                found[name] = found.get(name, 0) + memory.pss
        if sum(found.values()) > self.peak_bytes:
            self.peak_bytes, self.peak_by_name = sum(found.values()), found


def cpu_seconds(root: psutil.Process) -> float:
    """CPU time so far of a process and all that it started, as far as they run or were awaited."""
    total = 0.0
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total
