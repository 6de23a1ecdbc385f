"""Lives of groups made up for tests: members come and go, a policy answers, all is recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

import assignors
from assignors import measures
from streaming.advice import Generation, History, MemberName
from streaming.groups.snapshot import MemberView, Snapshot
from streaming.measuring.problems import live_problem

START_MS = 1_700_000_000_000


@dataclass(frozen=True, slots=True)
class Person:
    """Who is in the group: a process on a host, under a member id."""

    member_id: str
    client_id: str = "app"
    host: str = "h"
    instance_id: str | None = None
    topics: tuple[str, ...] = ("a", "b")

    @property
    def name(self) -> MemberName:
        return MemberName(self.member_id, self.instance_id, self.client_id, self.host)


def people(*numbers: int) -> list[Person]:
    """Members m0, m1, ... each on a host of its own."""
    return [Person(f"m{number}", host=f"h{number}") for number in numbers]


class Life:
    """A group under one assignor; `rebalance` adds a generation."""

    def __init__(
        self,
        policy: str,
        counts: Mapping[str, int],
        *,
        protocol: str = "eager",
        group_type: str = "classic",
        assignor: str | None = None,
    ) -> None:
        self.policy = policy
        self.counts = dict(counts)
        self.protocol = protocol
        self.group_type = group_type
        self.assignor = assignor or policy
        self.now: list[Person] = []
        self.generations: list[Generation] = []

    @property
    def history(self) -> History:
        return History(cluster="shop", group_id="orders", generations=tuple(self.generations))

    def rebalance(self, members: Sequence[Person], *, seconds: float = 60, cause: str = "") -> None:
        before = self.generations[-1].snapshot if self.generations else None
        empty = self._snapshot(members, seconds)
        live = live_problem(empty, before)
        owner = settle(self.policy, live.problem)
        snapshot = replace(empty, members=_assigned(empty, live.problem, owner))
        joined = [person.name for person in members if person not in self.now]
        left = [person.name for person in self.now if person not in members]
        self.generations.append(
            Generation(
                snapshot=snapshot,
                started_ms=snapshot.time_ms,
                cause=cause or ("left" if left else "joined"),
                causes=(cause,) if cause else ("left",) * bool(left) + ("joined",) * bool(joined),
                joined=tuple(joined),
                left=tuple(left),
                churn=measures.churn(live.problem.previous, owner),
                necessary_churn=measures.necessary_churn(live.problem),
                revoked=0,
                first=before is None,
            )
        )
        self.now = [*members]

    def _snapshot(self, members: Sequence[Person], seconds: float) -> Snapshot:
        last_ms = self.generations[-1].snapshot.time_ms if self.generations else START_MS
        views = [
            MemberView(
                member_id=person.member_id,
                instance_id=person.instance_id,
                client_id=person.client_id,
                client_host=person.host,
                rack=None,
                topics=person.topics,
                session_timeout_ms=45_000,
                assigned={},
            )
            for person in members
        ]
        subscribed = {topic for person in members for topic in person.topics}
        return Snapshot(
            generation=len(self.generations) + 1,
            time_ms=last_ms + round(1000 * seconds),
            group_type=self.group_type,
            protocol=self.protocol,
            assignor=self.assignor,
            members=tuple(sorted(views, key=lambda view: view.order)),
            counts={topic: self.counts[topic] for topic in sorted(subscribed)},
        )


def settle(policy: str, problem: assignors.Problem) -> assignors.IntArray:
    """What a rebalance ends with: a cooperative one needs a second phase."""
    owner = assignors.assign(policy, problem)
    if policy == "cooperative-sticky":
        return assignors.assign(policy, replace(problem, previous=owner))
    return owner


def _assigned(
    snapshot: Snapshot, problem: assignors.Problem, owner: assignors.IntArray
) -> tuple[MemberView, ...]:
    found: list[MemberView] = []
    for place, member in enumerate(snapshot.members):
        owned: dict[str, list[int]] = {}
        for flat in np.flatnonzero(owner == place).tolist():
            topic = problem.topics[problem.topic_of[flat]]
            owned.setdefault(topic, []).append(int(problem.number_of[flat]))
        found.append(replace(member, assigned={t: tuple(n) for t, n in owned.items()}))
    return tuple(found)
