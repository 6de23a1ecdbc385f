"""Metrics of the stream itself, from the ``batches`` table."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from streaming.metrics import catalogue
from streaming.metrics.samples import Samples
from streaming.tables.reader import TableReader

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_SUMMED = [each.column for each in catalogue.BATCH_SUMS if each.column != "batches"]

_SUMS = f"""
SELECT cluster, max(event_time) AS event_time, count(*) AS batches,
       {", ".join(f"coalesce(sum({column}), 0) AS {column}" for column in _SUMMED)}
FROM batches GROUP BY cluster
"""  # noqa: S608 - names of columns, from the catalogue
_SINCE = """
SELECT *, 1 AS batches,
       records_read / seconds AS records_per_second,
       CAST(arrow_cast(event_time, 'Int64') AS DOUBLE) / 1000000 AS last_batch_seconds
FROM batches WHERE event_time >= :since ORDER BY event_time
"""


class BatchMetrics:
    """Counters that grow with the rows of ``batches``, and the last row of each cluster."""

    def __init__(self, reader: TableReader) -> None:
        """Read nothing yet.

        Args:
            reader: the tables.
        """
        self._reader = reader
        self._sums: defaultdict[str, defaultdict[str, float]] = defaultdict(_zeros)
        self._newest: dict[str, datetime] = {}
        self._last: dict[str, Mapping[str, Any]] = {}

    def add(self, samples: Samples) -> None:
        """Add what the table says; after the first time only its new rows are read."""
        if not self._newest:
            for row in self._reader.rows(_SUMS):
                self._count(row)
        if self._newest:
            self._read_new()
        for cluster, sums in sorted(self._sums.items()):
            samples.add_columns(catalogue.BATCH_SUMS, (cluster,), sums)
            if cluster in self._last:
                samples.add_columns(catalogue.BATCH_LAST, (cluster,), self._last[cluster])

    def _read_new(self) -> None:
        for row in self._reader.rows(_SINCE, since=min(self._newest.values())):
            cluster = row["cluster"]
            if row["event_time"] > self._newest.get(cluster, _BEGINNING):
                self._count(row)
            self._last[cluster] = row

    def _count(self, row: Mapping[str, Any]) -> None:
        sums = self._sums[row["cluster"]]
        for each in catalogue.BATCH_SUMS:
            sums[each.column] += row[each.column] or 0
        self._newest[row["cluster"]] = row["event_time"]


def _zeros() -> defaultdict[str, float]:
    return defaultdict(float)
