"""What if: another policy, other members, more partitions, tried on a group as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from assignors import POLICIES
from streaming.dashboard.members import labels
from streaming.dashboard.pages.group import find_group
from streaming.dashboard.query import choice, text, whole
from streaming.errors import MonitorError
from streaming.measuring.policies import is_joined
from streaming.whatif.comparing import compare, fairness_curve
from streaming.whatif.form import as_json
from streaming.whatif.live import LiveGroup, read_group
from streaming.whatif.moves import Stream, streams
from streaming.whatif.outcome import Outcome, evaluate
from streaming.whatif.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from starlette.datastructures import QueryParams

    from assignors.curve import Point
    from streaming.dashboard.site import Site

Row = dict[str, Any]
TOPIC = "topic:"
"""Before a topic's name in the query, for its partitions in all."""
MOST_ADDED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What the what-if page shows.

    Attributes:
        now: time of the answer.
        row: the group as the overview has it.
        scenario: the question.
        live: the group's members and owners; None if the tables do not hold them.
        labels: short name of each member.
        error: why there is no answer; '' if there is one.
        outcome: the answer.
        streams: its moves by giver and receiver.
        comparison: the same scenario under every policy.
        curve: moves against fairness.
        links: link to the same scenario under each policy.
    """

    now: datetime
    row: Row
    scenario: Scenario
    live: LiveGroup | None = None
    labels: Mapping[str, str]
    error: str = ""
    outcome: Outcome | None = None
    streams: Sequence[Stream] = ()
    comparison: Sequence[Outcome] = ()
    curve: Sequence[Point] = ()
    links: Mapping[str, str]

    @property
    def joined(self) -> bool:
        """Whether the policy asked for moves partition numbers of joined topics as one."""
        return is_joined(self.scenario.policy)


def what_if(site: Site, query: QueryParams) -> WhatIf:
    """Make the page.

    Args:
        site: the tables.
        query: cluster, id, policy, added, remove (may be given more than once), ``topic:NAME``
            (partitions in all).

    Raises:
        GroupNotFoundError: no such group.
        TablesError: the tables cannot be read.
    """
    row = find_group(site, cluster=text(query, "cluster"), group_id=query.get("id", ""))
    scenario = _scenario(query, row, {})
    links = {policy: _link(query, policy) for policy in POLICIES}
    try:
        live = _live(site, row)
    except MonitorError as error:
        return WhatIf(
            now=site.clock(), row=row, scenario=scenario, labels={}, error=str(error), links=links
        )
    scenario = _scenario(query, row, live.topics)
    names = labels(live.members)
    try:
        outcome, comparison, points = _answer(site, row, live, scenario)
    except MonitorError as error:
        return WhatIf(
            now=site.clock(),
            row=row,
            scenario=scenario,
            live=live,
            labels=names,
            error=str(error),
            links=links,
        )
    return WhatIf(
        now=site.clock(),
        row=row,
        scenario=scenario,
        live=live,
        labels=names,
        outcome=outcome,
        streams=streams(outcome.moves),
        comparison=comparison,
        curve=points,
        links=links,
    )


def json_of(page: WhatIf) -> Row:
    """The answer as `rebalance-monitor what-if --json` gives it, and the other policies'."""
    if page.live is None or page.outcome is None:
        return {"error": page.error}
    return as_json(page.live, page.outcome, page.curve) | {
        "policies": {
            each.scenario.policy: {
                "moves_count": len(each.moves),
                "churn": each.churn,
                "revoked": each.revoked,
                "after": each.after,
            }
            for each in page.comparison
        }
    }


def usual_policy(row: Mapping[str, Any]) -> str:
    """The group's own assignor if we have it, else its reference policy."""
    for name in (row["assignor"], row["policy"]):
        if name in POLICIES:
            return str(name)
    return "sticky"


def _scenario(query: QueryParams, row: Row, topics: Mapping[str, int]) -> Scenario:
    return Scenario(
        policy=choice(query, "policy", POLICIES, usual_policy(row)),
        added=min(whole(query, "added", 0), MOST_ADDED),
        removed=tuple(dict.fromkeys(query.getlist("remove"))),
        partitions={
            topic: whole(query, TOPIC + topic, count)
            for topic, count in topics.items()
            if whole(query, TOPIC + topic, count) != count
        },
    )


def _live(site: Site, row: Row) -> LiveGroup:
    key = row["cluster"], row["group_id"]
    return site.kept(
        (*key, "what-if"),
        lambda: read_group(
            site.reader, cluster=key[0], group_id=key[1], generation=row["generation"] or 0
        ),
        basis=(row["generation"], row["settled_time"]),
    )


def _answer(
    site: Site, row: Row, live: LiveGroup, scenario: Scenario
) -> tuple[Outcome, list[Outcome], tuple[Point, ...]]:
    protocol, join_sets = row["protocol"] or "eager", site.joins_of(live.group_id)

    def work() -> tuple[Outcome, list[Outcome], tuple[Point, ...]]:
        return (
            evaluate(live, scenario, protocol=protocol, join_sets=join_sets),
            compare(live, scenario, protocol=protocol, join_sets=join_sets),
            fairness_curve(live, scenario, join_sets=join_sets),
        )

    asked = scenario.policy, scenario.added, scenario.removed, tuple(scenario.partitions.items())
    key = live.cluster, live.group_id, "answer", asked
    return site.kept(key, work, basis=(live.generation, live.time))


def _link(query: QueryParams, policy: str) -> str:
    kept = [(name, value) for name, value in query.multi_items() if name != "policy" and value]
    return "/what-if?" + urlencode([*kept, ("policy", policy)])
