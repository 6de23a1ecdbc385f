"""A real Kafka broker (KRaft, one node) that lives as long as a `with` block."""

import shutil
import subprocess
import tempfile
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec
from confluent_kafka.cimpl import NewTopic

from streaming.embedded.ports import LOOPBACK, free_ports
from streaming.embedded.process import TiedProcess
from streaming.embedded.properties import server_properties
from streaming.embedded.waiting import until
from streaming.errors import BrokerError
from streaming.session.jars import Say, quiet, resolve_jars
from streaming.session.java import Java, find_java

KAFKA_VERSION = "4.3.1"
_COORDINATES = (
    f"org.apache.kafka:kafka_2.13:{KAFKA_VERSION}",
    "org.slf4j:slf4j-simple:1.7.36",  # Kafka leaves the logger's other half to its start scripts
)
_JVM_OPTIONS = (
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Djava.awt.headless=true",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
)
_START_ATTEMPT_COUNT = 3
_START_WITHIN_SECONDS = 60.0
_STOP_WITHIN_SECONDS = 20.0
_ASK_TIMEOUT_SECONDS = 1.0
_PORT_TAKEN = "Address already in use"


class EmbeddedBroker:
    """Starts a broker on entering, ends it on leaving; `stop` and `start` in between keep the data.

    Attributes:
        bootstrap_servers: `host:port` to connect to; the same after a restart.
        folder: Scratch folder with the log and the data; removed on leaving.
    """

    def __init__(
        self,
        *,
        offsets_partition_count: int = 4,
        overrides: Mapping[str, str] | None = None,
        say: Say = quiet,
    ) -> None:
        """Set up a broker; nothing is started yet.

        Args:
            offsets_partition_count: Partitions of `__consumer_offsets`.
            overrides: Broker settings laid over the quick and small ones we set.
            say: Told what is being downloaded and started.
        """
        self.bootstrap_servers = ""
        self.folder = Path()
        self._offsets_partition_count = offsets_partition_count
        self._overrides = dict(overrides or {})
        self._say = say
        self._process: TiedProcess | None = None
        self._command: tuple[str | Path, ...] = ()

    def __enter__(self) -> Self:
        java = find_java()
        jars = resolve_jars(*_COORDINATES, say=self._say)
        self._command = _java_command(java, jars)
        self.folder = Path(tempfile.mkdtemp(prefix="embedded-kafka-"))
        try:
            self._format_and_start()
        except BaseException:
            self._clear()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._clear()

    def start(self) -> None:
        """Start again, on the same ports and data; returns once metadata is answered.

        Raises:
            BrokerError: It ended or gave no answer in time; holds the end of its log.
        """
        self._say(f"starting Kafka {KAFKA_VERSION} on {self.bootstrap_servers}")
        self._process = TiedProcess(
            (*self._command, "kafka.Kafka", self._properties), log=self.folder / "broker.log"
        )
        try:
            self._await_metadata(self._process)
        except BaseException:
            self._process.kill()
            raise

    def stop(self) -> None:
        """Stop in order (a controlled shutdown); the data stays."""
        if self._process is not None:
            self._process.stop(within_seconds=_STOP_WITHIN_SECONDS)
            self._process = None

    def kill(self) -> None:
        """End at once, as a power cut would; the data stays."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    @property
    def guardian_pid(self) -> int | None:
        """Process id of what holds the broker's process; None while stopped."""
        return None if self._process is None else self._process.guardian_pid

    def admin(self) -> AdminClient:
        """Return a new AdminClient for this broker."""
        return AdminClient(
            {
                "bootstrap.servers": self.bootstrap_servers,
                "log_level": 0,  # refused connections are expected while it starts
                "reconnect.backoff.ms": 20,
                "reconnect.backoff.max.ms": 200,
            },
            error_cb=lambda _error: None,
        )

    def create_topics(
        self, partition_counts: Mapping[str, int], *, config: Mapping[str, str] | None = None
    ) -> None:
        """Create topics and return once their partitions can be read and written.

        Args:
            partition_counts: Partitions per topic.
            config: Topic settings, for all of them.

        Raises:
            BrokerError: A topic was refused, e.g. because it exists.
        """
        admin = self.admin()
        wanted = [
            NewTopic(name, num_partitions=count, replication_factor=1, config=dict(config or {}))
            for name, count in partition_counts.items()
        ]
        for name, outcome in admin.create_topics(wanted).items():
            try:
                outcome.result()
            except KafkaException as error:
                raise BrokerError(f"topic {name} could not be created: {error}") from error
        until(
            lambda: _all_serve(admin, partition_counts),
            awaited="leaders of the new partitions",
            within_seconds=_START_WITHIN_SECONDS + sum(partition_counts.values()) / 20,
        )

    @property
    def _properties(self) -> Path:
        return self.folder / "server.properties"

    def _format_and_start(self) -> None:
        for attempts_left in reversed(range(_START_ATTEMPT_COUNT)):
            self._choose_ports()
            self._format()
            try:
                self.start()
            except BrokerError as error:
                if attempts_left == 0 or _PORT_TAKEN not in str(error):
                    raise
                shutil.rmtree(self.folder / "data")
            else:
                return

    def _choose_ports(self) -> None:
        port, controller_port = free_ports(2)
        self.bootstrap_servers = f"{LOOPBACK}:{port}"
        self._properties.write_text(
            server_properties(
                data=self.folder / "data",
                port=port,
                controller_port=controller_port,
                offsets_partition_count=self._offsets_partition_count,
                overrides=self._overrides,
            )
        )

    def _format(self) -> None:
        self._say("formatting its storage")
        outcome = subprocess.run(
            [
                *self._command,
                *("kafka.tools.StorageTool", "format", "--ignore-formatted"),
                *("--cluster-id", _new_cluster_id(), "--config", self._properties),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if outcome.returncode != 0:
            raise BrokerError(
                f"Kafka's storage could not be formatted:\n{outcome.stdout}{outcome.stderr}"
            )

    def _await_metadata(self, process: TiedProcess) -> None:
        admin = self.admin()
        try:
            until(
                lambda: process.ended or _answers(admin),
                awaited="metadata",
                within_seconds=_START_WITHIN_SECONDS,
            )
        except TimeoutError as error:
            raise BrokerError(f"the embedded Kafka broker: {error}:\n{process.tail()}") from error
        if process.ended:
            raise BrokerError(f"the embedded Kafka broker ended:\n{process.tail()}")

    def _clear(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def _java_command(java: Java, jars: tuple[Path, ...]) -> tuple[str | Path, ...]:
    return (java.command, *_JVM_OPTIONS, "-cp", ":".join(map(str, jars)))


def _new_cluster_id() -> str:
    """Return 16 random bytes in Kafka's base-64 form; a leading dash would look like a flag."""
    return urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=").replace("-", "A", 1)


def _answers(admin: AdminClient) -> bool:
    try:
        return bool(admin.list_topics(timeout=_ASK_TIMEOUT_SECONDS).brokers)
    except KafkaException:
        return False


def _all_serve(admin: AdminClient, partition_counts: Mapping[str, int]) -> bool:
    """Whether every partition answers; metadata names leaders before they know it themselves."""
    wanted = {
        TopicPartition(name, number): OffsetSpec.latest()
        for name, count in partition_counts.items()
        for number in range(count)
    }
    answers = admin.list_offsets(wanted, request_timeout=_ASK_TIMEOUT_SECONDS)
    return all(answer.exception() is None for answer in answers.values())
