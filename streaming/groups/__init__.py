"""State of consumer groups: events in, settled generations out.

Plain functions over plain state, without Spark, Kafka or a clock of their own: whoever calls them
says what time it is.
"""
