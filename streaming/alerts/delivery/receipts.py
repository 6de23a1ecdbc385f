"""What a sink has been told, kept beside the tables so that a restart neither forgets nor repeats.

One small JSON object per sink, below ``_delivery`` at the tables' location: renamed into place on a
local disk, put as a whole into an object store.
"""

import os
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from urllib.parse import quote

import orjson
import pyarrow.fs as pafs

from streaming.tables.storage import Location

FOLDER = "_delivery"

_BUFFER = 1 << 16

Told = Literal["firing", "resolved"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """One alert that the sink has taken.

    Attributes:
        told: what it was told last.
        at: when it was first told so.
    """

    told: Told
    at: datetime


@dataclass(slots=True)
class Receipts:
    """All that one sink has taken.

    Attributes:
        baseline: alerts that resolved by then are done, told or not.
        by_alert: receipts by alert id, of the others.
    """

    baseline: datetime
    by_alert: dict[str, Receipt] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """As JSON; times in ISO 8601."""
        return orjson.dumps(
            {
                "baseline": self.baseline,
                "alerts": {name: [r.told, r.at] for name, r in self.by_alert.items()},
            }
        )

    @classmethod
    def from_json(cls, text: bytes) -> "Receipts":
        """Read what `to_json` wrote."""
        found = orjson.loads(text)
        return cls(
            baseline=datetime.fromisoformat(found["baseline"]),
            by_alert={
                name: Receipt(told, datetime.fromisoformat(at))
                for name, (told, at) in found["alerts"].items()
            },
        )


class ReceiptFile:
    """Where the receipts of one sink are kept; one process writes them."""

    def __init__(self, location: Location, *, cluster: str, sink: str) -> None:
        """Open nothing yet.

        Args:
            location: where the tables lie.
            cluster: name of the Kafka cluster.
            sink: name of the sink.
        """
        self._local = location.local_path
        self._filesystem = location.filesystem(FOLDER)
        self._name = f"{quote(cluster, safe='')}.{quote(sink, safe='')}.json"

    def load(self) -> Receipts | None:
        """The receipts; None for a sink that has never been told anything.

        Raises:
            OSError: the storage cannot be read.
            ValueError: what is there cannot be understood.
        """
        info = self._filesystem.get_file_info(self._name)
        if info.type == pafs.FileType.NotFound:
            return None
        with self._filesystem.open_input_file(self._name) as stream:
            return Receipts.from_json(stream.read())

    def save(self, receipts: Receipts) -> None:
        """Keep the receipts, whole or not at all.

        Raises:
            OSError: the storage cannot be written.
        """
        text = receipts.to_json()
        if self._local is None:
            # Unbuffered, pyarrow hands over a kind of buffer that delta-rs does not take.
            with self._filesystem.open_output_stream(self._name, buffer_size=_BUFFER) as stream:
                stream.write(text)
            return
        path = self._local / FOLDER / self._name
        draft = path.with_suffix(".draft")
        with draft.open("wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
