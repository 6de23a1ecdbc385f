"""`rebalance-monitor what-if`: a monitored group under another policy, or with other members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from assignors import POLICIES
from streaming.cli.reading import Reading, plain_console, reads_tables
from streaming.dashboard.json_form import encode
from streaming.dashboard.pages.group import find_group
from streaming.dashboard.pages.what_if import usual_policy
from streaming.dashboard.render import runs
from streaming.dashboard.site import Site
from streaming.dashboard.words import counted, number
from streaming.whatif.comparing import fairness_curve
from streaming.whatif.form import as_json
from streaming.whatif.live import LiveGroup, read_group
from streaming.whatif.moves import Stream, streams
from streaming.whatif.outcome import Outcome, evaluate
from streaming.whatif.scenario import Scenario, parse_partitions

if TYPE_CHECKING:
    from rich.console import Console

    from assignors.curve import Point

_FIGURES = (
    ("members", "member_count"),
    ("partitions", "partition_count"),
    ("largest load", "max_load"),
    ("smallest load", "min_load"),
    ("balance score", "balance_score"),
    ("moves to fair", "moves_to_fairest"),
    ("topic skew", "topic_skew"),
    ("split joins", "join_violations"),
    ("without owner", "unassigned_count"),
)
_STREAMS_SHOWN = 20


@click.command(name="what-if")
@click.argument("group")
@click.option("--cluster", default="", help="Its cluster, where several hold such a group.")
@click.option(
    "--policy",
    type=click.Choice(POLICIES),
    help="Policy that assigns; the group's own assignor by default.",
)
@click.option("--add-members", "added", default=0, help="Members that join.")
@click.option(
    "--remove-member",
    "removed",
    multiple=True,
    help="Member id or group instance id that leaves; may be given more than once.",
)
@click.option(
    "--partitions",
    multiple=True,
    metavar="TOPIC=+N|TOPIC=N",
    help="Partitions added to a topic, or its partitions in all; may be given more than once.",
)
@click.option("--json", "as_json_", is_flag=True, help="The whole answer as one JSON object.")
@reads_tables
def command(reading: Reading, *, group: str, cluster: str, as_json_: bool, **asked: Any) -> None:
    """Try another policy, other members or more partitions on a monitored group.

    Shows what would move and how good the assignment would be, beside how it is now, and what each
    step towards fairness costs. Nothing is changed in Kafka.
    """
    row = find_group(Site(reader=reading.reader), cluster=cluster, group_id=group)
    live = read_group(
        reading.reader,
        cluster=row["cluster"],
        group_id=row["group_id"],
        generation=row["generation"] or 0,
    )
    scenario = Scenario(
        policy=asked["policy"] or usual_policy(row),
        added=asked["added"],
        removed=tuple(dict.fromkeys(asked["removed"])),
        partitions=parse_partitions(asked["partitions"], live.topics),
    )
    join_sets = reading.joins_of(live.group_id)
    protocol = row["protocol"] or "eager"
    outcome = evaluate(live, scenario, protocol=protocol, join_sets=join_sets)
    curve = fairness_curve(live, scenario, join_sets=join_sets)
    if as_json_:
        click.echo(encode(as_json(live, outcome, curve)))
    else:
        _show(plain_console(), live, outcome, curve)


def _show(console: Console, live: LiveGroup, outcome: Outcome, curve: tuple[Point, ...]) -> None:
    console.print(_headline(live, outcome))
    console.print(_figures(outcome))
    if outcome.moves:
        console.print(_moves(streams(outcome.moves)))
    if len(curve) > 1:
        console.print("\nMoves against fairness, from the live assignment on:")
        console.print(_curve(curve))


def _headline(live: LiveGroup, outcome: Outcome) -> str:
    given = len(outcome.moves) - outcome.churn
    parts = [counted(outcome.churn, "move")]
    if given:
        parts.append(f"{counted(given, 'partition')} given out")
    parts.append(f"{counted(outcome.revoked, 'partition')} of staying members stopped meanwhile")
    return f"{live.group_id} under {outcome.scenario.policy}: {', '.join(parts)}"


def _figures(outcome: Outcome) -> Table:
    table = _plain("", "now", "then")
    for name, attribute in _FIGURES:
        before, after = getattr(outcome.before, attribute), getattr(outcome.after, attribute)
        table.add_row(name, number(before), number(after))
    table.add_row(
        "fair", *("yes" if each.fair else "no" for each in (outcome.before, outcome.after))
    )
    return table


def _moves(found: list[Stream]) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    for name in ("from", "to"):
        table.add_column(name, overflow="fold")
    table.add_column("partitions", overflow="fold", ratio=1)
    for stream in found[:_STREAMS_SHOWN]:
        which = ", ".join(f"{topic} {runs(each)}" for topic, each in stream.by_topic.items())
        table.add_row(stream.source or "nobody", stream.target or "nobody", which)
    if len(found) > _STREAMS_SHOWN:
        table.add_row("…", "…", f"{len(found) - _STREAMS_SHOWN} more pairs of members: --json")
    return table


def _curve(curve: tuple[Point, ...]) -> Table:
    table = _plain("moves", "largest - smallest", "balance score")
    for point in curve:
        table.add_row(*map(number, (point.moves_count, point.max_minus_min, point.balance_score)))
    return table


def _plain(*names: str) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    for place, name in enumerate(names):
        table.add_column(name, justify="left" if place == 0 and not name else "right")
    return table
