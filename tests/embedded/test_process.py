"""The guardian: what it holds never outlives us."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from streaming.embedded.process import TiedProcess
from streaming.embedded.waiting import until

SOON_SECONDS = 30
SLEEPER = ("sleep", "600")
STUBBORN = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
signal.pause()
"""
ASKER = """
import sys, pathlib
from streaming.embedded.process import TiedProcess
tied = TiedProcess(["sleep", "600"], log=pathlib.Path(sys.argv[1]))
print(tied.guardian_pid, flush=True)
sys.stdin.read()
"""
FORKING_ASKER = ASKER.replace(
    "sys.stdin", "import os\nos.fork() or os.execlp('sleep', 'sleep', '600')\nsys.stdin"
)


def command_of(guardian_pid: int) -> psutil.Process:
    """Return the process that a guardian holds, once it is there."""
    guardian = psutil.Process(guardian_pid)
    until(lambda: bool(guardian.children()), awaited="the guardian's child")
    return guardian.children()[0]


def wait_gone(process: psutil.Process) -> None:
    gone, alive = psutil.wait_procs([process], timeout=SOON_SECONDS)
    assert gone
    assert not alive


def test_kill_ends_the_command(tmp_path: Path) -> None:
    with TiedProcess(SLEEPER, log=tmp_path / "log") as tied:
        command = command_of(tied.guardian_pid)
        tied.kill()
        wait_gone(command)
        assert tied.ended


def test_stop_lets_the_command_end_in_order(tmp_path: Path) -> None:
    script = "trap 'echo tidied; exit 0' TERM; echo ready; while :; do read _ < fifo; done"
    os.mkfifo(tmp_path / "fifo")
    log = tmp_path / "log"
    with TiedProcess(("sh", "-c", f"cd {tmp_path}; {script}"), log=log) as tied:
        until(lambda: "ready" in tied.tail(), awaited="the shell")
        tied.stop(within_seconds=SOON_SECONDS)
        assert tied.ended
        assert "tidied" in tied.tail()


def test_stop_kills_what_does_not_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with TiedProcess((sys.executable, "-c", STUBBORN), log=log) as tied:
        until(lambda: "up" in tied.tail(), awaited="the stubborn one")
        command = command_of(tied.guardian_pid)
        tied.stop(within_seconds=0.2)
        wait_gone(command)


def test_a_command_that_ends_is_seen_and_its_last_words_kept(tmp_path: Path) -> None:
    with TiedProcess(("sh", "-c", "echo farewell >&2; exit 3"), log=tmp_path / "log") as tied:
        psutil.Process(tied.guardian_pid).wait(SOON_SECONDS)
        assert tied.ended
        assert tied.tail() == "farewell"
        tied.stop(within_seconds=1)


@pytest.mark.parametrize("asker", [ASKER, FORKING_ASKER], ids=["alone", "with a forked child"])
def test_the_command_dies_with_a_killed_asker(tmp_path: Path, asker: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", asker, tmp_path / "log"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        command = command_of(int(process.stdout.readline()))
        forked = [each for each in psutil.Process(process.pid).children() if each.name() == "sleep"]
        process.kill()
        wait_gone(command)
        for each in forked:
            each.kill()
