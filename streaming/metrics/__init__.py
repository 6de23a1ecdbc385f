"""Metrics for Prometheus, read from the Delta tables.

They are the same whether served by `run` or by a process beside it, because all of them but those
of alert delivery come from the tables.
"""

from streaming.metrics.groups import Limits
from streaming.metrics.server import MetricsServer, MetricsServerError, start_metrics_server

__all__ = ["Limits", "MetricsServer", "MetricsServerError", "start_metrics_server"]
