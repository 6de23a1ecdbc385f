"""Maintenance in the background of a running query."""

import threading

import structlog

from streaming.tables.maintenance import Upkeep, maintain
from streaming.tables.storage import Location

log = structlog.get_logger(__name__)


class BackgroundUpkeep:
    """Maintains the tables at an interval, in a thread of its own."""

    def __init__(self, location: Location, upkeep: Upkeep, *, interval_seconds: float) -> None:
        """Set it up; `start` starts it.

        Args:
            location: where the tables lie.
            upkeep: what is to be kept.
            interval_seconds: pause between two runs; 0 for never.
        """
        self._location = location
        self._upkeep = upkeep
        self._interval_seconds = interval_seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        if self._interval_seconds:
            self._thread.start()

    def stop(self) -> None:
        """End the thread after the table that it is at."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._interval_seconds):
            try:
                self._once()
            except Exception:  # the stream must go on whatever happens to maintenance
                log.exception("maintenance failed; it is tried again at its next time")

    def _once(self) -> None:
        for done in maintain(self._location, self._upkeep):
            log.info(
                "table maintained",
                table=done.table,
                files_before=done.files_before,
                files_after=done.files_after,
                rows_deleted=done.rows_deleted,
                files_deleted=done.files_deleted,
                postponed=done.postponed,
            )
            if self._stopped.is_set():
                return
