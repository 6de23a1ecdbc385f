"""The rules over the monitor itself, held by the driver of the query after each micro-batch."""

from streaming.alerts.rules import (
    HEALTHY,
    AlertChange,
    AlertMemory,
    MonitorFacts,
    RuleBook,
    evaluate,
)
from streaming.tables.reader import TableReader, TablesNotFoundError

_OPEN = """
WITH last AS (
    SELECT *, row_number() OVER (PARTITION BY alert_id ORDER BY sequence DESC) AS place
    FROM alerts WHERE cluster = :cluster AND group_id = ''
)
SELECT * FROM last WHERE place = 1 AND status <> 'resolved'
"""


class MonitorWatch:
    """Remembers the alerts of the monitor itself, across restarts by what the table says of them.

    `look` may be called again for the same batch: what it gave is remembered only by `keep`, once
    the rows are in the table.
    """

    def __init__(self, book: RuleBook, *, cluster: str, memory: AlertMemory = HEALTHY) -> None:
        """Begin with what is remembered.

        Args:
            book: the rules.
            cluster: name of the Kafka cluster.
            memory: what fires already.
        """
        self._rules = book.for_monitor()
        self._cluster = cluster
        self._memory = memory
        self._next = memory

    @classmethod
    def resume(cls, reader: TableReader, book: RuleBook, *, cluster: str) -> "MonitorWatch":
        """Begin with the alerts that the table has as open.

        Raises:
            TablesError: the table is there and cannot be read.
        """
        try:
            rows = reader.rows(_OPEN, cluster=cluster)
        except TablesNotFoundError:
            rows = []
        return cls(book, cluster=cluster, memory=AlertMemory.from_rows(rows))

    def look(
        self, *, now_ms: int, behind_seconds: float | None, behind_records: int | None
    ) -> tuple[AlertChange, ...]:
        """Hold the rules against one micro-batch.

        Args:
            now_ms: its clock, milliseconds of Unix time.
            behind_seconds: age of the newest record that it read; None if it read none.
            behind_records: records that were not read yet when it began.

        Returns:
            Rows for the ``alerts`` table, to be committed with those of the groups.
        """
        facts = MonitorFacts(
            cluster=self._cluster,
            now_ms=now_ms,
            behind_seconds=behind_seconds,
            behind_records=behind_records,
        )
        evaluation = evaluate(self._rules, facts, self._memory)
        self._next = evaluation.memory
        return evaluation.changes

    def keep(self) -> None:
        """The rows that `look` gave are in the table."""
        self._memory = self._next
