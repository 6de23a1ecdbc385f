"""Errors that are meant for the operator: each says what is wrong and what to do about it.

A command prints the message of a `MonitorError` as one line and exits with status 1; anything else
that escapes is a defect and keeps its traceback.
"""


class MonitorError(Exception):
    """Base of all errors an operator can act upon."""


class ConfigurationError(MonitorError):
    """A configuration key is unknown, missing, or holds a value that cannot be used.

    Attributes:
        key: Dotted name of the key as written in the configuration file, e.g. `query.shards`.
        message: What is wrong with it and what to write instead. Never holds a secret.
    """

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key}: {message}" if key else message)
        self.key = key
        self.message = message


class JavaError(MonitorError):
    """Java is missing, too old, or did not run."""


class JarsError(MonitorError):
    """Jars could not be resolved from the Maven repositories."""


class BrokerError(MonitorError):
    """The embedded Kafka broker did not start, or died."""


class ClusterError(MonitorError):
    """The Kafka cluster could not be reached, or refused what was asked of it."""


class PackageClashError(MonitorError):
    """Another distribution's `streaming` package is found before ours."""
