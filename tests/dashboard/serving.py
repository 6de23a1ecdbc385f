"""A dashboard on a free loopback port, in a thread of the test."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from streaming.dashboard.server import address_of, listen, make_server
from streaming.dashboard.site import Site
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path


def site_at(location: Path | str, now: Callable[[], datetime]) -> Site:
    return Site(reader=TableReader(Location(str(location))), clock=now)


@contextmanager
def serving(site: Site, *, refresh_seconds: int = 0) -> Iterator[str]:
    """Address of the dashboard; it ends with the block."""
    with listen("127.0.0.1", 0) as listening:
        server = make_server(site, host="127.0.0.1", refresh_seconds=refresh_seconds)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield address_of(listening).rstrip("/")
        finally:
            server.should_exit = True
            thread.join(timeout=10)
