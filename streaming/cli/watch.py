"""`rebalance-monitor watch`: follows rebalances as they happen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from streaming.cli.reading import Reading, Span, plain_console, reads_tables
from streaming.dashboard.causes import cause_words, cost_words
from streaming.dashboard.following import Follower
from streaming.dashboard.json_form import encode
from streaming.tables.reader import TablesNotFoundError

if TYPE_CHECKING:
    from rich.console import Console

Row = Mapping[str, Any]


@click.command(name="watch")
@click.option("--group", default="*", help="Only groups that match, with * and ?.")
@click.option(
    "--since", type=Span(), default=0.0, help="Begin with those written since then: 10m, 6h, 2d."
)
@click.option(
    "--poll-seconds",
    type=click.FloatRange(min=0.1),
    default=1.0,
    show_default=True,
    help="How often to look at the log of the table.",
)
@click.option("--once", is_flag=True, help="Stop after what there is since --since.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per rebalance and line.")
@reads_tables
def command(  # noqa: PLR0913 - click hands every option over as a parameter
    reading: Reading,
    *,
    group: str,
    since: float,
    poll_seconds: float,
    once: bool,
    as_json: bool,
) -> None:
    """Follow rebalances as they happen: one line each, until interrupted.

    A line says when it settled, which group, what set it off and who, how many partitions changed
    owner and how many of those moves were avoidable.
    """
    begin = datetime.now(UTC) - timedelta(seconds=since)
    follower = Follower(reading.reader, begin, group)
    show = _as_json if as_json else _as_text(plain_console())
    if once:
        show(follower.look())
        return
    with suppress(KeyboardInterrupt):  # the usual end
        for rows in _looks(follower, lambda: time.sleep(poll_seconds)):
            show(rows)


def _as_json(rows: Sequence[Row]) -> None:
    for row in rows:
        click.echo(encode(row))


def _as_text(console: Console) -> Callable[[Sequence[Row]], None]:
    def show(rows: Sequence[Row]) -> None:
        for row in rows:
            console.print(_line(row), soft_wrap=True)

    return show


def _looks(follower: Follower, wait: Callable[[], None]) -> Iterator[list[dict[str, Any]]]:
    waiting = False
    while True:
        try:
            yield follower.look()
        except TablesNotFoundError as error:
            if not waiting:
                click.echo(f"{error} Waiting for them.", err=True)
            waiting = True
        wait()


def _line(row: Row) -> Text:
    settled = "" if row["settled"] else " (has not settled)"
    return Text.assemble(
        (f"{row['event_time'].astimezone():%H:%M:%S}", "dim"),
        "  ",
        (row["group_id"], "bold"),
        f"  {cause_words(row)}{settled}  ",
        (cost_words(row), "yellow" if row["avoidable_churn"] else "dim"),
    )
