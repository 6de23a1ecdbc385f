"""A little traffic, so that there are offsets to commit and lags to see."""

import threading
from collections.abc import Mapping
from itertools import count
from types import TracebackType
from typing import Self

from confluent_kafka import Producer

_PAUSE_SECONDS = 0.25
_FLUSH_SECONDS = 10.0


class Traffic:
    """Writes one record to every partition, four times a second, for the length of a block."""

    def __init__(self, servers: str, partition_counts: Mapping[str, int]) -> None:
        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 20, "log_level": 0})
        self._partitions = [
            (topic, number) for topic, total in partition_counts.items() for number in range(total)
        ]
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._write, name="traffic", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.set()
        self._thread.join()

    def _write(self) -> None:
        for number in count():
            for topic, partition in self._partitions:
                self._producer.produce(topic, f"record {number}".encode(), partition=partition)
            self._producer.poll(0)
            if self._ending.wait(_PAUSE_SECONDS):
                break
        self._producer.flush(_FLUSH_SECONDS)
