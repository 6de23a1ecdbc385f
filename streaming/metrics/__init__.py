"""Metrics for Prometheus, read from the Delta tables.

They are the same whether served by `run` or by a process beside it, because all of them but those
of alert delivery come from the tables.
"""

from streaming.metrics.server import MetricsServer, MetricsServerError, start_metrics_server

__all__ = ["MetricsServer", "MetricsServerError", "start_metrics_server"]
