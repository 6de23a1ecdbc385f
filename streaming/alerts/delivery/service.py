"""Delivery as the driver starts it: one thread reads the table, one per sink sends.

The stream is never waited for and never waits: it writes the ``alerts`` table, and all that is
known here comes from there. So a crash, a restart or a sink that is down loses nothing.
"""

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Self

import structlog

from streaming.alerts.delivery.alertmanager import AlertmanagerSink
from streaming.alerts.delivery.alerts import AlertFeed
from streaming.alerts.delivery.channels import AppriseSink
from streaming.alerts.delivery.outbox import Repeating
from streaming.alerts.delivery.receipts import ReceiptFile
from streaming.alerts.delivery.sinks import Sink
from streaming.alerts.delivery.worker import SinkStatus, SinkWorker, wall_clock
from streaming.errors import ConfigurationError
from streaming.settings.alerts import AlertsSettings
from streaming.tables.reader import TableReader, TablesError
from streaming.tables.storage import Location

log = structlog.get_logger(__name__)

_POLL_SECONDS = 10.0
_LEAST_FIRING = timedelta(seconds=45)
"""Longer than Alertmanager's usual ``group_wait`` of 30 s."""
_CLOSE_SECONDS = 5.0


def configured_sinks(
    settings: AlertsSettings, *, least_firing: timedelta = _LEAST_FIRING
) -> tuple[Sink, ...]:
    """The sinks of the configuration.

    Args:
        settings: section ``[alerts]``.
        least_firing: how long Alertmanager knows an alert before it is told that it resolved.

    Raises:
        ConfigurationError: an Apprise address that Apprise cannot read.
    """
    repeating = Repeating(every=timedelta(seconds=settings.repost_seconds), at_least=least_firing)
    sinks: list[Sink] = [
        AlertmanagerSink(
            url.get_secret_value(), repeating=repeating, dashboard_url=settings.dashboard_url
        )
        for url in settings.sinks.alertmanager
    ]
    for number, url in enumerate(settings.sinks.apprise):
        try:
            sinks.append(AppriseSink(url.get_secret_value(), dashboard_url=settings.dashboard_url))
        except ValueError as error:
            raise ConfigurationError(f"alerts.sinks.apprise[{number}]", str(error)) from None
    return tuple(sinks)


class AlertDelivery:
    """Sends what the ``alerts`` table says to every sink.

    Use it as a context, or call `start` and `close`. Without sinks it does nothing.
    """

    def __init__(
        self,
        settings: AlertsSettings,
        *,
        cluster: str,
        location: Location,
        sinks: Sequence[Sink] | None = None,
    ) -> None:
        """Read the sinks of the configuration.

        Args:
            settings: section ``[alerts]``.
            cluster: name of the Kafka cluster; alerts of other clusters are left alone.
            location: where the tables lie.
            sinks: instead of those of the configuration.

        Raises:
            ConfigurationError: an address that cannot be read.
        """
        self._settings = settings
        self._cluster = cluster
        self._location = location
        self._sinks = configured_sinks(settings) if sinks is None else tuple(sinks)
        reader = TableReader(location)
        self._feed = AlertFeed(reader, cluster=cluster)
        self._workers: tuple[SinkWorker, ...] = ()
        self._woken = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="alerts-feed", daemon=True)

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def start(self) -> None:
        """Deliver in the background; returns at once."""
        if self._sinks and self._settings.enabled:
            self._thread.start()

    def wake(self) -> None:
        """Say that the ``alerts`` table has new rows; without it they are found a little later."""
        self._woken.set()

    def close(self) -> None:
        """Stop within seconds; what is not delivered is delivered after the next start."""
        self._stopped.set()
        self._woken.set()
        if self._thread.ident is not None:
            self._thread.join(_CLOSE_SECONDS)
        for worker in self._workers:
            worker.close(wait_seconds=_CLOSE_SECONDS)

    @property
    def statuses(self) -> tuple[SinkStatus, ...]:
        """How delivery goes, sink by sink."""
        return tuple(worker.status for worker in self._workers)

    def _run(self) -> None:
        started = wall_clock()
        while not self._stopped.is_set():
            try:
                if not self._workers:
                    self._workers = self._open(started)
                self._poll()
            except (TablesError, OSError) as error:
                log.warning("alerts cannot be read, will be tried again", error=str(error))
            except Exception:
                # A defect, but one that must not end delivery without a word.
                log.exception("alerts cannot be read, will be tried again")
            self._woken.wait(_POLL_SECONDS)
            self._woken.clear()

    def _open(self, started: datetime) -> tuple[SinkWorker, ...]:
        """The workers with their receipts; their threads begin when all receipts are read."""
        workers = tuple(
            SinkWorker(
                sink,
                ReceiptFile(self._location, cluster=self._cluster, sink=sink.name),
                silences=self._settings.silences,
                started=started,
            )
            for sink in self._sinks
        )
        for worker in workers:
            worker.start()
        return workers

    def _poll(self) -> None:
        alerts = self._feed.poll(since=min(worker.baseline for worker in self._workers))
        if alerts:
            for worker in self._workers:
                worker.offer(alerts)
