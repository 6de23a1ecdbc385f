"""A real Kafka broker, and real consumer groups on it, for the demo and the tests."""
