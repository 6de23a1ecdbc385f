"""`rebalance-monitor dead-letters`: records that could not be read, and whether they can be now."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from streaming.cli.reading import Reading, plain_console, reads_tables
from streaming.dashboard.json_form import encode
from streaming.dashboard.words import counted, number
from streaming.events import reader_of
from streaming.records.errors import UnreadableRecordError

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]
_OFFSETS_TOPIC = "__consumer_offsets"

_REASONS = """
select reason, count(*) as records, min(event_time) as first_time, max(event_time) as last_time
from dead_letters
where :reason = '' or reason = :reason
group by reason order by records desc, reason
"""
_LETTERS = """
select cluster, reason, detail, topic, partition, "offset", key, value, event_time, processed_time
from dead_letters
where :reason = '' or reason = :reason
order by processed_time desc, topic, partition, "offset" desc
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """What the present decoder makes of a stored record.

    Attributes:
        readable: whether it can be read now.
        reads_as: name of the event; '' if it carries none or cannot be read.
        reason: why it cannot be read; '' if it can.
        detail: what is wrong with it; '' if nothing.
    """

    readable: bool
    reads_as: str = ""
    reason: str = ""
    detail: str = ""


@click.command(name="dead-letters")
@click.option("--reason", default="", help="Only those with this reason code.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Records to list, the newest; 0 for all.",
)
@click.option(
    "--reread",
    is_flag=True,
    help="Read the stored bytes of all of them again with this version's decoder.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per record and line.")
@reads_tables
def command(reading: Reading, *, reason: str, limit: int, reread: bool, as_json: bool) -> None:
    """List the records that could not be read, with how many there are of each reason."""
    counts = reading.reader.rows(_REASONS, reason=reason)
    bound = f"limit {limit}" if limit and not reread else ""
    letters = reading.reader.rows(_LETTERS + bound, reason=reason)
    results = [read_again(letter) for letter in letters] if reread else None
    if as_json:
        for place, letter in enumerate(letters):
            click.echo(encode(_json_form(letter, results[place] if results else None)))
        return
    console = plain_console()
    if not counts:
        console.print("Every record could be read.")
        return
    console.print(_reason_table(counts, letters, results))
    console.print(_letter_table(letters[: limit or None], results))
    console.print(_summary(counts, results))


def read_again(letter: Row) -> Reread:
    """Read the stored bytes with the present decoder."""
    read = reader_of(json_events=letter["topic"] != _OFFSETS_TOPIC)
    try:
        event = read(letter["key"], letter["value"])
    except UnreadableRecordError as error:
        return Reread(readable=False, reason=str(error.reason), detail=error.detail)
    return Reread(readable=True, reads_as=type(event).__name__ if event is not None else "")


def _json_form(letter: Row, result: Reread | None) -> Row:
    binary = {name: letter[name].hex() if letter[name] is not None else None for name in _BINARY}
    return letter | binary | ({"reread": result} if result else {})


_BINARY = ("key", "value")


def _reason_table(
    counts: Sequence[Row], letters: Sequence[Row], results: Sequence[Reread] | None
) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    for name in ("Reason", "First", "Last"):
        table.add_column(name, no_wrap=True)
    table.add_column("Records", justify="right")
    if results is not None:
        table.add_column("Readable now", justify="right")
    readable = _readable(letters, results or ())
    for row in counts:
        now = [number(readable[row["reason"]])] if results is not None else []
        table.add_row(
            row["reason"],
            f"{row['first_time']:%Y-%m-%d %H:%M:%S}",
            f"{row['last_time']:%Y-%m-%d %H:%M:%S}",
            number(row["records"]),
            *now,
        )
    return table


def _readable(letters: Sequence[Row], results: Sequence[Reread]) -> Counter[str]:
    both = zip(letters, results, strict=False)
    return Counter(letter["reason"] for letter, result in both if result.readable)


def _letter_table(letters: Sequence[Row], results: Sequence[Reread] | None) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False, title_justify="left")
    for name in ("Time", "Record", "Reason"):
        table.add_column(name, no_wrap=True)
    table.add_column("What was wrong", overflow="fold", ratio=1)
    for place, letter in enumerate(letters):
        detail = letter["detail"] or ""
        if results is not None:
            detail += f" → {_now(results[place])}"
        table.add_row(
            f"{letter['event_time']:%m-%d %H:%M:%S}",
            f"{letter['topic']}-{letter['partition']} @ {letter['offset']}",
            letter["reason"],
            detail,
        )
    return table


def _now(result: Reread) -> str:
    if result.readable:
        return f"now read as {result.reads_as}" if result.reads_as else "now read, and of no use"
    return f"still unreadable: {result.detail}"


def _summary(counts: Sequence[Row], results: Sequence[Reread] | None) -> str:
    total = sum(row["records"] for row in counts)
    if results is None:
        return (
            f"{counted(total, 'record')} could not be read; --reread tries them with this version."
        )
    readable = sum(result.readable for result in results)
    return f"{number(readable)} of {counted(total, 'record')} can be read by this version."
