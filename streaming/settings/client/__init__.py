"""Kafka client properties by their Java names, said to each of the clients in its own words."""

from streaming.settings.client.properties import ClientProperties

__all__ = ["ClientProperties"]
