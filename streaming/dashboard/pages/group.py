"""One group: verdict, who reads what, the moves that would help, and how it came to this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from streaming.dashboard.activity import window_start
from streaming.dashboard.alerts import alerts_of
from streaming.dashboard.group import GroupTables, History, Offsets
from streaming.dashboard.heatmap import Heatmap, heatmap
from streaming.dashboard.members import labels
from streaming.dashboard.query import choice, text, whole
from streaming.dashboard.verdict import Verdict, verdict
from streaming.errors import MonitorError
from streaming.measuring.policies import is_joined
from streaming.whatif.live import AssignmentMissingError, LiveGroup, Owners, read_group
from streaming.whatif.moves import Move, Stream, moves_between, streams
from streaming.whatif.outcome import evaluate
from streaming.whatif.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from datetime import datetime

    from streaming.advice import Advice
    from streaming.dashboard.site import Site

T = TypeVar("T")
Row = dict[str, Any]
FAIREST, IDEAL = "fairest", "ideal"
MOST_MEMBERS, MOST_TOPICS = 400, 100


class GroupNotFoundError(MonitorError):
    """No such group in the tables."""

    def __init__(self, cluster: str, group_id: str) -> None:
        super().__init__(
            f"There is no group {group_id!r} in cluster {cluster!r}: it has never been seen, or "
            "was deleted from Kafka."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPage:
    """What the page of a group shows.

    Attributes:
        now: time of the answer.
        window: over which history is shown.
        row: the group as the overview has it; at an earlier generation, its measures then.
        generation: the settled generation that is shown.
        current: whether that is the group's present one.
        verdict: in words, as of now.
        advice: what would help, the best first.
        live: members and owners; None if the tables no longer hold them.
        labels: short name of each member.
        joined: whether it is held against a join policy: moves then unite joins too.
        target: `FAIREST` (least moves from live) or `IDEAL` (the reference policy's, as recorded).
        moves: what differs between live and target.
        streams: the same by giver and receiver.
        heatmap: members by topics; None without `live`.
        whole: whether the heat map was asked for in full.
        policies: drift by policy.
        history: rebalances and drift over the window.
        offsets: commits and lag now.
        alerts: the group's last alerts.
    """

    now: datetime
    window: str
    row: Row
    generation: int
    current: bool
    verdict: Verdict
    advice: Sequence[Advice]
    live: LiveGroup | None
    labels: Mapping[str, str]
    joined: bool
    target: str
    moves: Sequence[Move]
    streams: Sequence[Stream]
    heatmap: Heatmap | None
    whole: bool
    policies: Sequence[Row]
    history: History
    offsets: Offsets
    alerts: Sequence[Row]


@dataclass(frozen=True, slots=True)
class _Subject:
    """A group whose parts are kept as long as it has not rebalanced."""

    site: Site
    cluster: str
    group_id: str
    now: Row

    @property
    def tables(self) -> GroupTables:
        return GroupTables(self.site.reader, self.cluster, self.group_id)

    def kept(self, what: Hashable, make: Callable[[], T], *extra: Hashable) -> T:
        # The monitor commits group_state last: once that has a generation, all tables have it.
        state = self.now["generation"], self.now["settled_time"], self.now["state"], extra
        return self.site.kept((self.cluster, self.group_id, what), make, basis=state)


def group_page(site: Site, query: Mapping[str, str]) -> GroupPage:
    """Make a group's page.

    Args:
        site: the tables.
        query: cluster, id, generation, window, target, whole.

    Raises:
        GroupNotFoundError: no such group.
        TablesError: the tables cannot be read.
    """
    window = site.window(query)
    subject = _subject(site, query, window)
    now = subject.now
    generation = whole(query, "generation", now["generation"] or 0)
    history = _history(subject, window)
    live = _live(subject, generation)
    target = choice(query, "target", (FAIREST, IDEAL), FAIREST)
    owners = _target(subject, live, target) if live else {}
    # Partitions that a join policy leaves to nobody are no advice.
    moves = [move for move in moves_between(live.live if live else {}, owners) if move.target]
    shown_whole = query.get("whole") == "1"
    advice = _advice(subject)
    return GroupPage(
        now=site.clock(),
        window=window,
        row=_row(subject, generation),
        generation=generation,
        current=generation == now["generation"],
        verdict=verdict(now, history, advice, window=window),
        advice=advice,
        live=live,
        labels=labels(live.members) if live else {},
        joined=is_joined(now["policy"] or ""),
        target=target,
        moves=moves,
        streams=streams(moves),
        heatmap=_heatmap(live, owners, whole=shown_whole) if live else None,
        whole=shown_whole,
        policies=subject.kept(
            ("policies", generation), lambda: subject.tables.policies(generation)
        ),
        history=history,
        offsets=_offsets(subject),
        alerts=_alerts(subject),
    )


def find_group(site: Site, *, cluster: str, group_id: str, window: str = "") -> Row:
    """A group as the overview has it.

    Args:
        site: the tables.
        cluster: its cluster; '' for the only one that has it.
        group_id: its id.
        window: over which rebalances are counted; '' for the usual one.

    Raises:
        GroupNotFoundError: no such group.
    """
    groups = site.groups(window or site.usual_window())
    for each in [cluster] if cluster else groups.clusters():
        row = groups.find((each, group_id))
        if row is not None:
            return row
    raise GroupNotFoundError(cluster, group_id)


def _subject(site: Site, query: Mapping[str, str], window: str) -> _Subject:
    # A group id may begin or end with blanks, so it is taken as it is.
    row = find_group(
        site, cluster=text(query, "cluster"), group_id=query.get("id", ""), window=window
    )
    return _Subject(site, row["cluster"], row["group_id"], row)


def _row(subject: _Subject, generation: int) -> Row:
    if generation == subject.now["generation"]:
        return subject.now
    then = subject.kept(("standing", generation), lambda: subject.tables.standing(generation))
    return {**subject.now, **(then or {})}


def _history(subject: _Subject, window: str) -> History:
    until = subject.site.clock()
    since = window_start(window, until)

    def load() -> History:
        return subject.tables.history(since=since, until=until)

    return subject.kept(("history", window), load, since)


def _live(subject: _Subject, generation: int) -> LiveGroup | None:
    def load() -> LiveGroup | None:
        try:
            return read_group(
                subject.site.reader,
                cluster=subject.cluster,
                group_id=subject.group_id,
                generation=generation,
            )
        except AssignmentMissingError:
            return None

    return subject.kept(("live", generation), load)


def _target(subject: _Subject, live: LiveGroup, target: str) -> Owners:
    if target == IDEAL:
        return live.ideal
    policy = "optimal-join" if is_joined(subject.now["policy"] or "") else "optimal"
    return subject.kept(
        ("fairest", live.generation),
        lambda: (
            evaluate(
                live, Scenario(policy=policy), join_sets=subject.site.joins_of(subject.group_id)
            ).assignment
        ),
    )


def _heatmap(live: LiveGroup, owners: Owners, *, whole: bool) -> Heatmap:
    if whole:
        return heatmap(live, owners, members=MOST_MEMBERS, topics=MOST_TOPICS)
    return heatmap(live, owners)


def _advice(subject: _Subject) -> Sequence[Advice]:
    site = subject.site
    return subject.kept(
        "advice",
        lambda: site.advise(
            site.reader,
            subject.cluster,
            subject.group_id,
            site.joins_of(subject.group_id),
        ),
    )


def _offsets(subject: _Subject) -> Offsets:
    return subject.kept("offsets", subject.tables.offsets, subject.site.basis("offsets"))


def _alerts(subject: _Subject) -> list[Row]:
    return subject.kept(
        "alerts",
        lambda: alerts_of(subject.site.reader, cluster=subject.cluster, group_id=subject.group_id),
        subject.site.basis("alerts"),
    )
