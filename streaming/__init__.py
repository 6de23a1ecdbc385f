"""Everything that touches Spark, Kafka or Delta: the rebalance monitor itself."""

DISTRIBUTION = "kafka-rebalance-monitor"
"""Tells this package from another distribution's `streaming`; see `streaming.session.ours`."""
