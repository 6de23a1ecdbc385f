"""Free ports on the loopback interface."""

import socket
from contextlib import ExitStack

LOOPBACK = "127.0.0.1"


def free_ports(count: int) -> tuple[int, ...]:
    """Return distinct ports nobody listens on.

    They are held together before they are let go, so that no two are the same; another process may
    still take one before the caller does, so a server that fails to bind is worth a second try.
    """
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return tuple(each.getsockname()[1] for each in sockets)
