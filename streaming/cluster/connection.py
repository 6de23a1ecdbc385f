"""A connection to the cluster whose failures say what to do."""

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, TypeVar

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from streaming.errors import ClusterError, ConfigurationError
from streaming.settings.client import ClientProperties
from streaming.settings.redaction import redact

T = TypeVar("T")

_GRACE_SECONDS = 2.0
"""How much longer than the request we wait for librdkafka to say that it timed out."""

_UNREACHABLE = frozenset(
    {KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT}  # noqa: SLF001 - librdkafka's own codes are spelled so
)
_REFUSED = frozenset(
    {
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
    }
)


class Connection:
    """An AdminClient with time-outs, and errors in the operator's words.

    Attributes:
        admin: The client.
        timeout_seconds: How long a request may take.
    """

    def __init__(self, client: ClientProperties, *, timeout_seconds: float) -> None:
        """Set up a client; nothing is connected yet.

        Raises:
            ConfigurationError: A property is unknown to librdkafka or its value is no good.
        """
        self.timeout_seconds = timeout_seconds
        self._servers = client.values.get("bootstrap.servers", "")
        self._secrets = tuple(client.secrets())
        self._last_error = ""
        quiet = {"log_level": 0}  # what matters comes back as an error of a request
        try:
            self.admin = AdminClient(
                {**client.for_librdkafka(), **quiet}, error_cb=self._note, throttle_cb=_ignore
            )
        except KafkaException as error:
            raise ConfigurationError("cluster.properties", self._clean(_reason(error))) from None

    def ask(self, what: str, request: Callable[[], T]) -> T:
        """Carry out a request.

        Args:
            what: What it is for, to begin the error with.
            request: Calls the client, and may use `answer`.

        Raises:
            ClusterError: It failed; says what to do.
        """
        try:
            return request()
        except (KafkaException, FutureTimeoutError) as error:
            self.admin.poll(0)
            raise ClusterError(self._clean(self._explained(what, error))) from None

    def answer(self, future: "Future[T]") -> T:
        """Return what a request of the AdminClient came to, within the time-out."""
        return future.result(self.timeout_seconds + _GRACE_SECONDS)

    def _note(self, error: KafkaError) -> None:
        self._last_error = error.str()

    def _explained(self, what: str, error: Exception) -> str:
        code = _code(error)
        reason = _reason(error)
        if code in _REFUSED:
            return f"{what}: {reason}; the rights it takes are listed in docs/rights.md"
        if code not in _UNREACHABLE and not isinstance(error, FutureTimeoutError):
            return f"{what}: {reason}"
        seen = f" ({self._last_error})" if self._last_error else ""
        return (
            f"{what}: the cluster at {self._servers} did not answer in "
            f"{self.timeout_seconds:.0f} s{seen}; check cluster.bootstrap_servers, the network, "
            "and the security properties"
        )

    def _clean(self, text: str) -> str:
        return redact(text, self._secrets)


def _code(error: Exception) -> int | None:
    return error.args[0].code() if isinstance(error, KafkaException) else None


def _reason(error: Exception) -> str:
    return str(error.args[0].str()) if isinstance(error, KafkaException) else str(error)


def _ignore(_event: Any) -> None:
    """Take a throttling notice; requests just take longer then."""
