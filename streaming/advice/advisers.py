"""The pieces of advice: each reads a recorded life and speaks only where it has a figure."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from streaming.advice.advice import Advice
from streaming.advice.history import History
from streaming.advice.replay import Replay, Replayer, policy_of
from streaming.advice.restarts import leavers, restarts
from streaming.advice.verdict import counted
from streaming.groups.snapshot import Snapshot
from streaming.measuring.policies import is_joined

_CLASSIC = ("cooperative-sticky", "sticky", "range", "roundrobin")
_BROKER_SIDE = ("sticky", "range")
_JOIN = "stream-join-sticky"
_NAMES_ON_BROKER = {"sticky": "uniform"}
_STICKY = frozenset({"sticky", "cooperative-sticky"})

_LEAST_SHARE = 0.1
"""A saving below this share is within what a tie broken otherwise may cost."""
_WORTH_MOST = ("moves", "rebalances")
_LEAST_RESTARTS = 2
_LEAST_LEAVES = 3
_MOST_LEAVERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A recorded life, and what it would have been under each candidate."""

    history: History
    latest: Snapshot
    real: Replay
    candidates: Mapping[str, Replay]

    @property
    def churn(self) -> int:
        return sum(rebalance.churn for rebalance in self.history.rebalances)

    @property
    def eager(self) -> bool:
        return self.latest.group_type == "classic" and self.latest.protocol == "eager"

    @property
    def spared(self) -> int:
        """Partitions that need not have stopped, had the group been cooperative."""
        cooperative = self.candidates.get("cooperative-sticky")
        if cooperative is None or not self.keeps_joins(cooperative):
            return 0
        return max(0, self.real.stopped - cooperative.stopped)

    def keeps_joins(self, replay: Replay) -> bool:
        """Whether a policy splits no more than was split of what the group joins, if it joins."""
        joins = is_joined(policy_of(self.latest.assignor) or "") or self.history.join_sets
        return not joins or replay.join_violations <= self.real.join_violations


def advise(history: History) -> tuple[Advice, ...]:
    """Everything worth saying about a group: what saves moves or rebalances, then the rest.

    Within each, the largest saving comes first.

    Args:
        history: its recorded life; the longer, the more the figures mean.
    """
    latest = history.latest
    if latest is None:
        return ()
    case = _case(history, latest.snapshot)
    found = [advice for adviser in _ADVISERS for advice in adviser(case)]
    return tuple(sorted(found, key=lambda advice: (advice.unit not in _WORTH_MOST, -advice.share)))


def _case(history: History, latest: Snapshot) -> _Case:
    replayer = Replayer(history)
    policies = _candidates(history, latest) if history.rebalances else ()
    return _Case(
        history=history,
        latest=latest,
        real=replayer.recorded(),
        candidates={policy: replayer.under(policy) for policy in policies},
    )


def _candidates(history: History, latest: Snapshot) -> tuple[str, ...]:
    """Policies that a user of the group could choose."""
    if latest.group_type != "classic":
        return _BROKER_SIDE
    return (*_CLASSIC, _JOIN) if history.join_sets is not None else _CLASSIC


def _assignor(case: _Case) -> Iterator[Advice]:
    own = policy_of(case.latest.assignor)
    # Compared with itself, or its twin, a group would only hear about broken ties.
    rivals = [
        replay
        for policy, replay in case.candidates.items()
        if policy != own
        and not {policy, own} <= _STICKY
        and replay.balance_score <= case.real.balance_score
        and case.keeps_joins(replay)
    ]
    best = min(rivals, key=lambda replay: (replay.churn, replay.stopped), default=None)
    if best is None or case.churn - best.churn <= _LEAST_SHARE * case.churn:
        return
    saved = case.churn - best.churn
    name = _name(best.policy, case.latest)
    gist = f"`{name}` would have saved {saved:,} of {counted(case.churn, 'move')}"
    yield Advice(
        kind="assignor",
        gist=gist,
        sentence=(
            f"{gist} over {counted(len(case.history.rebalances), 'rebalance')}, no less fairly than"
            f" `{case.latest.assignor}`. {_how_to_switch(name, case.latest)}"
        ),
        saved=saved,
        total=case.churn,
        unit="moves",
        policy=name,
        costs=_costs(case),
    )


def _name(policy: str, latest: Snapshot) -> str:
    return policy if latest.group_type == "classic" else _NAMES_ON_BROKER.get(policy, policy)


def _how_to_switch(name: str, latest: Snapshot) -> str:
    if latest.group_type != "classic":
        return f"Set `group.remote.assignor={name}` in its members."
    if name == "cooperative-sticky":
        return (
            "Set `partition.assignment.strategy` to it beside the present one in a first rolling"
            " restart, alone in a second."
        )
    return "Set `partition.assignment.strategy` to it."


def _costs(case: _Case) -> dict[str, int]:
    replayed = {
        _name(policy, case.latest): replay.churn for policy, replay in case.candidates.items()
    }
    return {**replayed, case.latest.assignor: case.churn}


def _cooperative(case: _Case) -> Iterator[Advice]:
    total, spared = case.real.stopped, case.spared
    if not case.eager or spared <= _LEAST_SHARE * total:
        return
    gist = (
        f"`cooperative-sticky` would have left {spared:,} of {counted(total, 'partition')} running"
    )
    yield Advice(
        kind="cooperative",
        gist=gist,
        sentence=(
            f"{gist}: each of {counted(len(case.history.rebalances), 'rebalance')} stopped every"
            " partition of every member, because the assignor is eager."
        ),
        saved=spared,
        total=total,
        unit="partitions",
        policy="cooperative-sticky",
    )


def _consumer_protocol(case: _Case) -> Iterator[Advice]:
    total, spared = case.real.stopped, case.spared
    if not case.history.broker_assigns or not case.eager or spared <= _LEAST_SHARE * total:
        return
    gist = f"KIP-848 would have left {spared:,} of {counted(total, 'partition')} running"
    yield Advice(
        kind="consumer_protocol",
        gist=gist,
        sentence=(
            f"{gist}, and nobody would have waited for the slowest member. The brokers offer it:"
            " set `group.protocol=consumer`."
        ),
        saved=spared,
        total=total,
        unit="partitions",
    )


def _static_membership(case: _Case) -> Iterator[Advice]:
    rebalances = case.history.rebalances
    found = restarts(rebalances)
    saved, total = len(found.rebalances), len(rebalances)
    if saved < _LEAST_RESTARTS:
        return
    gist = f"static membership would have avoided {saved:,} of {counted(total, 'rebalance')}"
    members = len({absence.place for absence in found.absences})
    yield Advice(
        kind="static_membership",
        gist=gist,
        sentence=(
            f"{gist[0].upper()}{gist[1:]}: {counted(members, 'member')} came back under new member"
            f" ids, at the latest after {found.longest_ms / 1000:,.0f} s. Give each its own"
            " `group.instance.id`, and a longer `session.timeout.ms` than that."
        ),
        saved=saved,
        total=total,
        unit="rebalances",
    )


def _repeated_leaver(case: _Case) -> Iterator[Advice]:
    rebalances = case.history.rebalances
    found = leavers(rebalances)
    usual = _usual_leaves(found, case.latest)
    often = [
        (place, indexes)
        for place, indexes in found.items()
        if len(indexes) >= max(_LEAST_LEAVES, _LEAST_SHARE * len(rebalances), 3 * usual + 1)
    ]
    for place, indexes in sorted(often, key=lambda item: -len(item[1]))[:_MOST_LEAVERS]:
        timed_out = sum("timed_out" in rebalances[index].causes for index in indexes)
        gist = f"`{place}` left in {len(indexes):,} of {counted(len(rebalances), 'rebalance')}"
        yield Advice(
            kind="repeated_leaver",
            gist=gist,
            sentence=f"{gist}{_why_it_leaves(timed_out)}",
            saved=len(indexes),
            total=len(rebalances),
            unit="rebalances",
            member=place,
        )


def _usual_leaves(found: Mapping[str, tuple[int, ...]], latest: Snapshot) -> float:
    """Leaves of the usual member: in a rolling restart everybody leaves, and nobody is odd."""
    leaves = Counter({place: len(indexes) for place, indexes in found.items()})
    for member in latest.members:
        leaves.setdefault(member.place, 0)
    return median(leaves.values()) if leaves else 0.0


def _why_it_leaves(timed_out: int) -> str:
    if timed_out:
        return (
            f", {timed_out:,} times by time-out. It is paused, cut off or dies: look at its pauses"
            " and its network, then at `session.timeout.ms`."
        )
    return (
        ". If nobody restarts it, one poll takes longer than `max.poll.interval.ms`: fetch less"
        " with `max.poll.records`, or raise the interval."
    )


def _idle_members(case: _Case) -> Iterator[Advice]:
    sizes = Counter(member.topics for member in case.latest.members)
    surplus = sum(
        max(0, members - sum(case.latest.counts.get(topic, 0) for topic in topics))
        for topics, members in sizes.items()
    )
    total = len(case.latest.members)
    if not surplus:
        return
    gist = f"{surplus:,} of {counted(total, 'member')} can never have a partition"
    yield Advice(
        kind="idle_members",
        gist=gist,
        sentence=(
            f"{gist}: their topics have fewer partitions than members. Run {surplus:,} fewer, or"
            " add partitions."
        ),
        saved=surplus,
        total=total,
        unit="members",
    )


_ADVISERS: tuple[Callable[[_Case], Iterator[Advice]], ...] = (
    _assignor,
    _static_membership,
    _cooperative,
    _consumer_protocol,
    _repeated_leaver,
    _idle_members,
)
