"""The HTTP endpoint, inside `run` or alone."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from prometheus_client import CollectorRegistry, start_http_server

from streaming.errors import MonitorError
from streaming.metrics.collector import SinkHealth, TablesCollector, no_sinks
from streaming.settings.serving import MetricsSettings
from streaming.tables.storage import Location


class MetricsServerError(MonitorError):
    """The endpoint cannot be opened."""


class MetricsServer:
    """A running endpoint; a context that closes it."""

    def __init__(self, collector: TablesCollector, settings: MetricsSettings) -> None:
        """Start to listen.

        Raises:
            MetricsServerError: the address is not ours, or the port is taken.
        """
        registry = CollectorRegistry()
        registry.register(collector)
        try:
            self._server, self._thread = start_http_server(
                settings.port, addr=settings.host, registry=registry
            )
        except OSError as error:
            raise MetricsServerError(
                f"metrics cannot be served at {settings.host}:{settings.port} ({error.strerror}): "
                "set `metrics.host` and `metrics.port`, or `metrics.enabled = false`"
            ) from error
        self.host = settings.host
        self.port: int = self._server.server_port

    def __enter__(self) -> Self:
        """Nothing more to do."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    @property
    def url(self) -> str:
        """Address of the metrics."""
        return f"http://{self.host}:{self.port}/metrics"

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def start_metrics_server(
    settings: MetricsSettings,
    location: Location,
    *,
    sinks: Callable[[], Sequence[SinkHealth]] = no_sinks,
) -> MetricsServer:
    """Serve metrics from the tables, in threads of their own.

    Args:
        settings: section ``[metrics]``: where to listen, and what bounds the number of series.
        location: where the tables lie; they need not exist yet.
        sinks: how delivery of alerts goes (`AlertDelivery.statuses`), where it runs here.

    Raises:
        MetricsServerError: the address is not ours, or the port is taken.
    """
    return MetricsServer(TablesCollector(location, settings, sinks=sinks), settings)
