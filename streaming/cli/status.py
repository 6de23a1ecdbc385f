"""`rebalance-monitor status`: the groups, worst first, from the tables."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from streaming.cli.reading import Reading, plain_console, reads_tables
from streaming.dashboard import words
from streaming.dashboard.activity import LONGEST_DEFAULT
from streaming.dashboard.groups import Page, Selection
from streaming.dashboard.health import Level
from streaming.dashboard.json_form import encode
from streaming.dashboard.monitor import monitors
from streaming.dashboard.site import Site

_COLOURS = {
    Level.CRITICAL: "bold red",
    Level.WARNING: "yellow",
    Level.NOTICE: "cyan",
    Level.OK: "green",
    Level.IDLE: "dim",
}


@click.command(name="status")
@click.option("--group", "pattern", default="", help="Only groups that match, with * and ?.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Groups to show; 0 for all.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per group and line.")
@reads_tables
def command(reading: Reading, *, pattern: str, limit: int, as_json: bool) -> None:
    """Show the groups, worst first: how far each is from its ideal, and what moved in vain."""
    site = Site(reader=reading.reader)
    groups = site.groups(LONGEST_DEFAULT)
    page = groups.page(Selection(pattern=pattern), size=limit or max(len(groups.level), 1))
    if as_json:
        for row in page.rows:
            click.echo(encode(row))
        return
    console = plain_console()
    for each in monitors(reading.reader, now=datetime.now(UTC)):
        if each.warning:
            console.print(Text(each.warning.replace("`", ""), style="yellow"))
    console.print(_table(page.rows))
    console.print(_summary(page, pattern))


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("State", no_wrap=True)
    table.add_column("Group", overflow="fold", ratio=1)
    for name in ("Drift", "To fair", "Avoidable\n24h", "Rebalances\n1h", "Lag"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: dict[str, Any]) -> list[Text]:
    level = row["level"]
    wrong = "; ".join(problem.sentence for problem in row["problems"]) or next(
        (alert["summary"] for alert in row["alerts"]), ""
    )
    figures = (
        words.share(row["drift_share"]),
        words.number(row["moves_to_fairest"]),
        words.number(row["avoidable_churn"]),
        words.number(row["rebalances_last_hour"]),
        words.compact(row["lag"]),
    )
    return [
        Text(level.word, style=_COLOURS[level]),
        Text.assemble((row["group_id"], "bold"), (f"\n{wrong}" if wrong else "", "dim")),
        *map(Text, figures),
    ]


def _summary(page: Page, pattern: str) -> str:
    if not page.found:
        return f"No group matches {pattern}." if pattern else "No group has been seen yet."
    shown = f"{len(page.rows)} of " if len(page.rows) < page.found else ""
    return f"{shown}{words.counted(page.found, 'group')}, the worst first"
