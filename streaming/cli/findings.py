"""What the monitor found, group by group, for a terminal; every figure is from `group_state`."""

from typing import Any

from rich.console import Console
from rich.table import Table

from streaming.tables.reader import TableReader

_QUERY = """
SELECT group_id, group_type, assignor, state, policy, member_count, partition_count, drift_count,
  moves_to_fairest, balance_score, join_violations, topic_skew, rebalance_count, last_cause,
  last_churn, last_necessary_churn, last_avoidable_churn
FROM group_state WHERE state <> 'removed'
ORDER BY moves_to_fairest DESC NULLS LAST, join_violations DESC NULLS LAST, group_id
"""
_COLUMNS = (
    "group",
    "assignor",
    "members",
    "partitions",
    "drift",
    "moves to fairest",
    "join violations",
    "topic skew",
    "rebalances",
    "last cause",
    "churn",
    "necessary",
    "avoidable",
)
_WIDTH = 160
_TEXTS = ("group", "assignor", "last cause")


def findings(reader: TableReader) -> Table:
    """The groups, worst first."""
    table = Table(title="What was found", title_justify="left")
    for name in _COLUMNS:
        text = name in _TEXTS
        table.add_column(name, justify="left" if text else "right", no_wrap=text)
    for row in reader.rows(_QUERY):
        table.add_row(*_cells(row))
    return table


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    assignor = row["assignor"] or "-"
    return (
        row["group_id"],
        f"{assignor} (KIP-848)" if row["group_type"] == "consumer" else assignor,
        _number(row["member_count"]),
        _number(row["partition_count"]),
        _number(row["drift_count"]),
        _number(row["moves_to_fairest"]),
        _number(row["join_violations"]),
        "-" if row["topic_skew"] is None else f"{row['topic_skew']:.2f}",
        _number(row["rebalance_count"]),
        row["last_cause"] or "-",
        _number(row["last_churn"]),
        _number(row["last_necessary_churn"]),
        _number(row["last_avoidable_churn"]),
    )


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def show(reader: TableReader) -> None:
    """Print the groups, in full width where the output is no terminal."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    console.print(findings(reader))
