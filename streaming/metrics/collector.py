"""The collector that Prometheus' library asks at every scrape."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import structlog
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from streaming.metrics import catalogue
from streaming.metrics.batches import BatchMetrics
from streaming.metrics.groups import add_groups
from streaming.metrics.samples import Samples
from streaming.metrics.state import add_state
from streaming.settings.serving import MetricsSettings
from streaming.tables.reader import TableReader, TablesError, TablesNotFoundError
from streaming.tables.storage import Location

log = structlog.get_logger(__name__)


class SinkHealth(Protocol):
    """How delivery of alerts to one sink goes."""

    @property
    def sink(self) -> str:
        """Name of the sink."""

    @property
    def waiting(self) -> int:
        """Notices that it has not taken yet."""

    @property
    def failures(self) -> int:
        """Failed attempts since the last success."""

    @property
    def sent(self) -> int:
        """Notices that it has taken."""


def no_sinks() -> Sequence[SinkHealth]:
    """Where alerts are not delivered from this process."""
    return ()


class TablesCollector(Collector):
    """Answers scrapes from the tables; reads them at most once per new version of any."""

    def __init__(
        self,
        location: Location,
        limits: MetricsSettings,
        *,
        sinks: Callable[[], Sequence[SinkHealth]] = no_sinks,
    ) -> None:
        """Read nothing yet.

        Args:
            location: where the tables lie.
            limits: what bounds the number of series.
            sinks: how delivery of alerts goes, asked at every scrape.
        """
        self._location = location
        self._limits = limits
        self._sinks = sinks
        self._reader = TableReader(location)
        self._batches = BatchMetrics(self._reader)
        self._lock = threading.Lock()
        self._versions: dict[str, int] = {}
        self._families: tuple[Family, ...] = ()

    def describe(self) -> Iterator[Family]:
        """Nothing: registering must not read the tables."""
        return iter(())

    def collect(self) -> Iterator[Family]:
        """The answer to one scrape."""
        with self._lock:
            readable = self._refresh()
        samples = Samples()
        for sink in self._sinks():
            samples.add(catalogue.SINK_WAITING, (sink.sink,), sink.waiting)
            samples.add(catalogue.SINK_FAILURES, (sink.sink,), sink.failures)
            samples.add(catalogue.SINK_SENT, (sink.sink,), sink.sent)
        samples.add(catalogue.READABLE, (), readable)
        if readable:
            yield from self._families
        yield from samples.families()

    def _refresh(self) -> bool:
        """Bring the families up to date; False if the tables cannot be read."""
        try:
            versions = self._reader.refresh()
            if versions != self._versions:
                self._families = self._read()
                self._versions = versions
        except TablesNotFoundError:
            return False
        except TablesError as error:
            log.warning("metrics cannot be read from the tables", error=str(error))
            return False
        return True

    def _read(self) -> tuple[Family, ...]:
        samples = Samples()
        add_groups(samples, self._reader, self._limits)
        self._batches.add(samples)
        add_state(samples, self._location)
        return tuple(samples.families())
