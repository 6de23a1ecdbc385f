"""The Kafka client properties of a run, and the forms in which its clients want them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from streaming.errors import ConfigurationError
from streaming.settings.client.java_format import parse_properties
from streaming.settings.client.librdkafka import ONLY_LIBRDKAFKA, UntranslatableError, translate
from streaming.settings.cluster import ClusterSettings

# Spark sets these itself and refuses them from outside.
_SPARK_SETS = frozenset(
    {
        "auto.offset.reset",
        "enable.auto.commit",
        "group.id",
        "interceptor.classes",
        "key.deserializer",
        "key.serializer",
        "value.deserializer",
        "value.serializer",
    }
)


@dataclass(frozen=True, slots=True)
class ClientProperties:
    """Client properties by their Java names; their values are never shown.

    Attributes:
        values: Property name to value.
    """

    values: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, settings: ClusterSettings) -> "ClientProperties":
        """Return the properties of a cluster: its file's, and those of the settings over them.

        Raises:
            ConfigurationError: The file cannot be read.
        """
        stated = {name: value.get_secret_value() for name, value in settings.properties.items()}
        servers = {"bootstrap.servers": settings.bootstrap_servers}
        return cls({**_read(settings.command_config), **stated, **servers})

    def for_librdkafka(self) -> dict[str, str]:
        """Return the configuration for confluent-kafka's clients.

        Raises:
            ConfigurationError: librdkafka cannot do what a property asks for.
        """
        try:
            return translate(self.values)
        except UntranslatableError as error:
            raise ConfigurationError(f"cluster.properties.{error.name}", error.advice) from None

    def for_spark(self) -> dict[str, str]:
        """Return the options of Spark's Kafka source and sink."""
        hidden = _SPARK_SETS | ONLY_LIBRDKAFKA
        return {f"kafka.{name}": text for name, text in self.values.items() if name not in hidden}

    def secrets(self) -> Iterator[str]:
        """Yield the values that must not be shown: the passwords, keys and logins."""
        for name, value in self.values.items():
            if _is_secret(name):
                yield value
        words = self.for_librdkafka()
        yield from (words[name] for name in words if _is_secret(name))


def _is_secret(name: str) -> bool:
    marks = ("password", "secret", "jaas", "keystore.key", "key.pem", "token")
    return any(mark in name for mark in marks) and not name.endswith((".location", ".url"))


def _read(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    try:
        return parse_properties(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigurationError(
            "cluster.command_config",
            f"{path} cannot be read ({reason}); name a Kafka client properties file",
        ) from None
