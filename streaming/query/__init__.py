"""The streaming query: its source, its micro-batches, and the work of a shard on an executor."""
