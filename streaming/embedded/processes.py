"""A member in a process of its own, which can be killed."""

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import IO

from streaming.embedded.consumer import ConsumerPlan, Owned

_END_WITHIN_SECONDS = 30.0


class ProcessMember:
    """A real consumer in another process, which ends when this one does."""

    def __init__(self, plan: ConsumerPlan) -> None:
        self.plan = plan
        self._said: tuple[str, Owned] = ("", ())
        self._process = subprocess.Popen(
            [sys.executable, "-m", "streaming.embedded.member_program", json.dumps(asdict(plan))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            start_new_session=True,  # Ctrl-C is for us; we end it when we are ready
        )
        self._listener = threading.Thread(target=self._listen, name=plan.name, daemon=True)
        self._listener.start()

    @property
    def member_id(self) -> str:
        """The id it has in the group; empty before it joined."""
        return self._said[0]

    @property
    def assignment(self) -> Owned:
        """What the consumer's own `assignment()` said last."""
        return self._said[1]

    def subscribe(self, topics: Sequence[str]) -> None:
        """Change its subscription."""
        self.plan = replace(self.plan, topics=tuple(topics))
        self._orders.write(json.dumps(list(topics)) + "\n")

    def leave(self) -> None:
        """Leave the group in order, and end."""
        self._orders.close()
        self._process.wait(_END_WITHIN_SECONDS)
        self._listener.join()

    def kill(self) -> None:
        """Die without leaving."""
        self._process.kill()
        self._process.wait()
        self._listener.join()

    def _listen(self) -> None:
        if self._process.stdout is None:
            raise AssertionError("it is always started with pipes")
        for line in self._process.stdout:
            member_id, assignment = json.loads(line)
            self._said = (member_id, tuple((topic, number) for topic, number in assignment))

    @property
    def _orders(self) -> IO[str]:
        if self._process.stdin is None:
            raise AssertionError("it is always started with pipes")
        return self._process.stdin
