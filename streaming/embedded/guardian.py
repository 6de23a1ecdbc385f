"""Runs one command and sees to it that it never outlives the process that asked for it.

Started by path, as a program of its own, with nothing but the standard library: it stands between
the asker and the command because the asker may have threads, in which `preexec_fn` (and so
`prctl(PR_SET_PDEATHSIG)`) is unsafe and tied to the life of one thread.

Standard input is the leash: a byte asks the command to end in order (SIGTERM), end of file means
that the asker is gone and the command is killed. The parent's id is looked at too, because a
process forked from the asker may hold the other end of the leash open.
"""

import os
import select
import subprocess
import sys

LOOK_EVERY_SECONDS = 0.5


def main() -> int:
    """Run the command in `sys.argv[1:]` until it ends or the asker is gone.

    Returns:
        The command's exit status; 128 + n if signal n ended it.
    """
    asker = os.getppid()
    with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL) as command:
        watch(command, asker)
        status = command.wait()
    return status if status >= 0 else 128 - status


def watch(command: "subprocess.Popen[bytes]", asker: int) -> None:
    """Return once the command has ended or was killed."""
    leash = sys.stdin.fileno()
    while command.poll() is None:
        readable, _, _ = select.select([leash], [], [], LOOK_EVERY_SECONDS)
        if readable and os.read(leash, 1):
            command.terminate()
        elif readable or os.getppid() != asker:
            command.kill()
            return


if __name__ == "__main__":
    sys.exit(main())
