"""A webhook that keeps what is posted to it, and lets a test wait for it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WAIT_SECONDS = 90.0


class Inbox(ThreadingHTTPServer):
    """The server; `answers` holds the statuses of the next requests, 200 once it is empty."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[int] = []
        self.got: list[tuple[str, Any]] = []
        self.changed = threading.Condition()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def wait_for(self, count: int) -> list[tuple[str, Any]]:
        with self.changed:
            self.changed.wait_for(lambda: len(self.got) >= count, timeout=WAIT_SECONDS)
            return [*self.got]


class _Handler(BaseHTTPRequestHandler):
    server: Inbox

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.changed:
            status = self.server.answers.pop(0) if self.server.answers else 200
            if status == 200:
                self.server.got.append((self.path, body))
            self.server.changed.notify_all()
        self.send_response(status)
        self.end_headers()

    def do_GET(self) -> None:
        """It takes what an Alertmanager takes, and has nothing to say of itself."""
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""


@contextmanager
def receiving() -> Iterator[Inbox]:
    """A webhook on a free port."""
    server = Inbox()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
