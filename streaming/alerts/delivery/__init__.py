"""Delivery of alerts by the driver: to Alertmanager, and to channels through Apprise.

`AlertDelivery` reads the ``alerts`` table, where the last row of an alert is its state, and tells
every sink what it has not acknowledged yet.
"""

from streaming.alerts.delivery.service import AlertDelivery, configured_sinks
from streaming.alerts.delivery.worker import SinkStatus

__all__ = ["AlertDelivery", "SinkStatus", "configured_sinks"]
