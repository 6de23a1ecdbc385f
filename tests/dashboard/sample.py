"""A night at a small shop, as tables: groups that are ill in different ways, many that are well.

The measures are worked out here with the plainest code there is, so that they can stand against
the pages as independent figures. All groups subscribe equally, so the fairest loads are the quotas.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from deltalake import write_deltalake

from streaming.tables.schemas import BY_NAME, TableSpec

if TYPE_CHECKING:
    from pathlib import Path

Partition = tuple[str, int]
Owners = dict[Partition, str | None]
Row = dict[str, Any]
Assign = Callable[[Mapping[str, int], Sequence[str], Owners], Owners]

CLUSTER = "shop-eu"
EVENING = datetime(2026, 3, 14, 2, 51, 20, tzinfo=UTC)
POLICIES = ("sticky", "cooperative-sticky", "range")


def partitions(topics: Mapping[str, int]) -> list[Partition]:
    return [(topic, number) for topic in sorted(topics) for number in range(topics[topic])]


def deal_ranges(topics: Mapping[str, int], members: Sequence[str], _previous: Owners) -> Owners:
    """Contiguous ranges topic by topic: the first members get one more of each topic."""
    owners: Owners = {}
    for topic, count in sorted(topics.items()):
        size, extra = divmod(count, len(members))
        numbers = iter(range(count))
        for place, member in enumerate(sorted(members)):
            for _ in range(size + (place < extra)):
                owners[topic, next(numbers)] = member
    return owners


def stick(topics: Mapping[str, int], members: Sequence[str], previous: Owners) -> Owners:
    """Fairest and stickiest for equal subscriptions: quotas, the extra ones to the fullest."""
    owned: dict[str, list[Partition]] = {member: [] for member in members}
    for partition in partitions(topics):
        owner = previous.get(partition)
        if owner in owned:
            owned[owner].append(partition)
    size, extra = divmod(sum(topics.values()), len(members))
    fullest = sorted(members, key=lambda member: (-len(owned[member]), member))
    quota = {member: size + (place < extra) for place, member in enumerate(fullest)}
    owners: Owners = {}
    for member in members:
        for partition in owned[member][: quota[member]]:
            owners[partition] = member
    loads = Counter(owners.values())
    for partition in partitions(topics):
        if partition not in owners:
            heir = min(members, key=lambda member: (loads[member] - quota[member], member))
            owners[partition] = heir
            loads[heir] += 1
    return owners


def moves(before: Owners, after: Owners) -> int:
    """Partitions with an owner on both sides, and not the same one."""
    return sum(
        before[partition] is not None and owner is not None and before[partition] != owner
        for partition, owner in after.items()
        if partition in before
    )


def loads_of(owners: Owners, members: Sequence[str]) -> dict[str, int]:
    counted = Counter(owner for owner in owners.values() if owner)
    return {member: counted[member] for member in members}


def measures(topics: Mapping[str, int], members: Sequence[str], live: Owners, ideal: Owners) -> Row:
    loads = loads_of(live, members)
    total = len(live)
    values = list(loads.values()) or [0]
    drifted = sum(live[partition] != ideal[partition] for partition in live)
    return {
        "member_count": len(members),
        "partition_count": total,
        "drift_count": drifted,
        "drift_share": drifted / total if total else 0.0,
        "moves_to_fairest": _moves_to_fairest(topics, members, live),
        "balance_score": sum(abs(a - b) for a, b in combinations(values, 2)),
        "ideal_balance_score": sum(
            abs(a - b) for a, b in combinations(loads_of(ideal, members).values(), 2)
        ),
        "max_minus_min": max(values) - min(values),
        "min_load": min(values),
        "max_load": max(values),
        "fair": max(values) - min(values) <= 1,
        "fairest": max(values) - min(values) <= 1,
        "join_violations": 0,
        "topic_skew": _topic_skew(topics, members, live),
        "unassigned_count": sum(owner is None for owner in live.values()),
    }


def _topic_skew(topics: Mapping[str, int], members: Sequence[str], live: Owners) -> float:
    if not members:
        return 1.0
    held = Counter((partition[0], owner) for partition, owner in live.items() if owner)
    return max(
        max(held[topic, member] for member in members) / -(-count // len(members))
        for topic, count in topics.items()
    )


def _moves_to_fairest(topics: Mapping[str, int], members: Sequence[str], live: Owners) -> int:
    """A partition without an owner must move too."""
    if not members:
        return 0
    ownerless = sum(owner is None for owner in live.values())
    return ownerless + moves(live, stick(topics, members, live))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebalance:
    at: datetime
    cause: str
    joined: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    owners: Owners | None = None
    settled: bool = True


@dataclass(slots=True)
class Group:
    """A group that lives through generations; each appends the rows the monitor would write."""

    group_id: str
    topics: dict[str, int]
    members: list[str]
    assign: Assign = stick
    assignor: str = "sticky"
    protocol: str = "eager"
    group_type: str = "classic"
    state: str = "stable"
    cluster: str = CLUSTER
    static: bool = False
    left_behind: int = 0
    lags: dict[str, int] = field(default_factory=dict)
    generation: int = 0
    live: Owners = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in BY_NAME})
    times: list[datetime] = field(default_factory=list)

    def settle(self, at: datetime, cause: str, **more: Any) -> Group:
        """One rebalance that ends at ``at``; the rest are fields of `Rebalance`."""
        what = Rebalance(at=at, cause=cause, **more)
        gone = set(what.left)
        self.members = [m for m in self.members if m not in gone] + list(what.joined)
        before = self.live
        ideal = stick(self.topics, self.members, before) if self.members else {}
        self.live = self._next(what.owners)
        self.generation += 1
        base = self._base(at)
        self.rows["rebalances"].append(base | self._rebalance(what, before, ideal))
        self._append_assignment(base, before, ideal)
        self.times.append(at)
        return self

    def _next(self, owners: Owners | None) -> Owners:
        if owners is not None:
            return owners
        return self.assign(self.topics, self.members, self.live) if self.members else {}

    def _base(self, at: datetime) -> Row:
        return {
            "cluster": self.cluster,
            "group_id": self.group_id,
            "group_type": self.group_type,
            "generation": self.generation,
            "assignor": self.assignor,
            "event_time": at,
            "processed_time": at + timedelta(seconds=1),
            "batch_id": 1,
        }

    def _rebalance(self, what: Rebalance, before: Owners, ideal: Owners) -> Row:
        churn, necessary = moves(before, self.live), moves(before, ideal)
        since = (what.at - self.times[-1]).total_seconds() if self.times else None
        close = since is not None and since <= 60
        last = self.rows["rebalances"][-1] if close else None
        return {
            "previous_generation": self.generation - 1 or None,
            "started_time": what.at - timedelta(seconds=3),
            "seconds_since_previous": since,
            "duration_seconds": 3.0,
            "settled": what.settled,
            "protocol": self.protocol,
            "phase_generations": [self.generation],
            "phase_withheld": [0],
            "cause": what.cause,
            "causes": [what.cause],
            "joined": [self.name(member) for member in what.joined],
            "left": [self.name(member) for member in what.left],
            "member_count": len(self.members),
            "partition_count": len(self.live),
            "policy": "sticky",
            "churn": churn,
            "necessary_churn": necessary,
            "avoidable_churn": max(0, churn - necessary),
            "revoked": churn if self.protocol != "eager" else len(before),
            "episode": last["episode"] if last else f"{self.group_id}-{self.generation}",
            "episode_rebalances": last["episode_rebalances"] + 1 if last else 1,
            "episode_churn": (last["episode_churn"] if last else 0) + churn,
            "episode_necessary_churn": necessary,
        }

    def _append_assignment(self, base: Row, before: Owners, ideal: Owners) -> None:
        for policy in POLICIES:
            target = self._target(policy, before, ideal)
            self.rows["drift"].append(
                base
                | measures(self.topics, self.members, self.live, target)
                | {"policy": policy, "reference": policy == "sticky"}
                | self._lag()
            )
        wanted = loads_of(ideal, self.members)
        for member, load in loads_of(self.live, self.members).items():
            mine = {p for p, owner in self.live.items() if owner == member}
            had = {p for p, owner in before.items() if owner == member}
            self.rows["member_load"].append(
                base
                | self.name(member)
                | {
                    "topics": sorted(self.topics),
                    "partition_count": load,
                    "ideal_partition_count": wanted[member],
                    "gained_count": len(mine - had),
                    "lost_count": len(had - mine),
                    "lag": self.lags.get(member, 0),
                }
            )
        for (topic, number), owner in self.live.items():
            self.rows["assignments"].append(
                base
                | {
                    "topic": topic,
                    "partition": number,
                    "member_id": owner,
                    "previous_member_id": before.get((topic, number)),
                    "ideal_member_id": ideal.get((topic, number)),
                }
            )

    def _target(self, policy: str, before: Owners, ideal: Owners) -> Owners:
        if policy != "range" or not self.members:
            return ideal
        return deal_ranges(self.topics, self.members, before)

    def _lag(self) -> Row:
        lags = list(self.lags.values())
        mean = sum(lags) / len(lags) if lags else 0
        return {"lag": sum(lags), "lag_skew": max(lags) / mean if mean else 1.0}

    def name(self, member: str) -> Row:
        client = member.rsplit("-", 1)[0]
        number = "".join(filter(str.isdigit, client)) or "1"
        return {
            "member_id": member,
            "instance_id": client if self.static else None,
            "client_id": client,
            "client_host": f"/10.0.{len(self.group_id)}.{number}",
        }

    def finish(self, now: datetime) -> dict[str, list[Row]]:
        """Append the current state and the offsets, and give all rows."""
        last = self.rows["rebalances"][-1]
        drift = self.rows["drift"][-len(POLICIES)]
        hour = sum(now - at <= timedelta(hours=1) for at in self.times)
        self.rows["group_state"].append(
            drift
            | {
                "state": self.state,
                "lag": drift["lag"] + self.left_behind * len(partitions(self.topics)),
                "protocol_type": "consumer",
                "protocol": self.protocol,
                "members": [
                    self.name(member) | {"topics": sorted(self.topics), "partition_count": load}
                    for member, load in loads_of(self.live, self.members).items()
                ],
                "topics": sorted(self.topics),
                "settled_time": last["event_time"],
                "rebalance_count": len(self.times),
                "rebalances_last_hour": hour,
                "last_cause": last["cause"],
                "last_churn": last["churn"],
                "last_necessary_churn": last["necessary_churn"],
                "last_avoidable_churn": last["avoidable_churn"],
                "last_commit_time": now - timedelta(seconds=7),
                "machine": b"\x00",
                "event_time": now,
                "processed_time": now,
                "shard": len(self.group_id) % 4,
            }
        )
        self._append_offsets(now)
        return self.rows

    def _append_offsets(self, now: datetime) -> None:
        loads = loads_of(self.live, self.members)
        for topic, number in partitions(self.topics):
            owner = self.live.get((topic, number))
            lag = self.left_behind + self.lags.get(owner or "", 0) // loads.get(owner or "", 1)
            self.rows["offsets"].append(
                {
                    "cluster": self.cluster,
                    "group_id": self.group_id,
                    "topic": topic,
                    "partition": number,
                    "committed_offset": 100_000 + number,
                    "leader_epoch": 3,
                    "commit_time": now - timedelta(seconds=7),
                    "end_offset": 100_000 + number + lag,
                    "lag": lag,
                    "time_lag_seconds": lag / 50,
                    "member_id": owner,
                    "record_offset": 5_000 + number,
                    "event_time": now,
                    "processed_time": now,
                    "batch_id": 1,
                    "shard": len(self.group_id) % 4,
                }
            )


def lopsided(now: datetime) -> Group:
    """Range over many topics: the first member gets one more of each."""
    members = [f"fulfilment-{number}-{number * 7919:08x}" for number in range(1, 7)]
    topics = dict.fromkeys(("cancelled", "invoiced", "packed", "paid", "placed", "shipped"), 7)
    group = Group("orders-fulfilment", topics, members[:5], deal_ranges, "range")
    group.lags = dict.fromkeys(members, 900) | {members[0]: 184_000}
    group.settle(now - timedelta(hours=9), "first")
    group.settle(now - timedelta(hours=3, minutes=12), "joined", joined=(members[5],))
    group.settle(now - timedelta(hours=1, minutes=31), "left", left=(members[2],))
    return group.settle(now - timedelta(minutes=26), "joined", joined=(members[2],))


def flapping(now: datetime) -> Group:
    """One member comes back under a new member id again and again."""
    members = [f"click-{number}-{number * 104_729:08x}" for number in range(1, 9)]
    topics = {"clicks": 24, "sessions": 24}
    group = Group("clickstream-enricher", topics, members, deal_ranges, "roundrobin")
    group.lags = {member: 4_000 + place * 300 for place, member in enumerate(members)}
    group.settle(now - timedelta(hours=20), "first")
    gone = members[-1]
    for step in range(14):
        # None near the end of the hour: the tests may run long after the rows were made.
        at = now - timedelta(minutes=44 - step * 3)
        back = f"click-8-{(step + 77) * 15_485_863 % 2**32:08x}"
        group.lags[back] = 31_000
        group.lags.pop(gone)
        group.settle(
            at, "restarted", joined=(back,), left=(gone,), owners=_handed(group, gone, back)
        )
        gone = back
    return group


def _handed(group: Group, gone: str, back: str) -> Owners:
    """What an assignor without a memory does: everybody gets other partitions than before."""
    names = [back if member == gone else member for member in group.members]
    dealt = list(partitions(group.topics))
    shift = group.generation % len(names)
    return {p: names[(place + shift) % len(names)] for place, p in enumerate(dealt)}


def stuck(now: datetime) -> Group:
    """A KIP-848 group whose last rebalance did not settle: partitions have nobody."""
    members = [f"index-{number}-{number * 1_299_709:08x}" for number in range(1, 5)]
    group = Group("search-indexer", {"products": 16, "stock": 16}, members, stick, "uniform")
    group.protocol, group.group_type, group.state = "consumer", "consumer", "unsettled"
    group.lags = dict.fromkeys(members, 12_000)
    group.settle(now - timedelta(hours=30), "first")
    at = now - timedelta(minutes=4)
    halted = {p: (None if o == members[3] else o) for p, o in group.live.items()}
    return group.settle(at, "timed_out", left=(members[3],), owners=halted, settled=False)


def skewed(now: datetime) -> Group:
    """Balanced by count, as skewed as can be by topic (librdkafka issue 4044)."""
    members = ["cdc-a-5f1d02aa", "cdc-b-77c0de11"]
    group = Group("cdc-sync", {"customers": 10, "orders": 10}, members, stick)
    group.assignor, group.protocol = "cooperative-sticky", "cooperative"
    group.lags = {members[0]: 60, members[1]: 71_500}
    owners: Owners = {p: members[p[0] == "orders"] for p in partitions(group.topics)}
    return group.settle(now - timedelta(hours=6), "first", owners=owners)


def empty(now: datetime) -> Group:
    """Everybody has left, with records still to read."""
    group = Group("nightly-report", {"ledger": 12}, ["report-1-0badcafe"], stick)
    group.settle(now - timedelta(hours=8), "first")
    group.settle(now - timedelta(hours=5), "emptied", left=("report-1-0badcafe",))
    group.state, group.left_behind = "empty", 1_500
    return group


def healthy(now: datetime, number: int, chance: random.Random) -> Group:
    names = ("payments", "shipping", "mailer", "fraud", "loyalty", "search", "stock", "tax")
    group_id = f"{names[number % len(names)]}-service-{number:03d}"
    members = [f"svc-{m}-{chance.getrandbits(32):08x}" for m in range(1, chance.randint(3, 6))]
    group = Group(group_id, {f"topic-{number:03d}": len(members) * 4}, members, stick)
    group.static = number % 3 == 0
    group.lags = {member: chance.randint(0, 200) for member in members}
    group.settle(now - timedelta(hours=chance.randint(1, 23), minutes=number % 60), "first")
    return group


def hostile(now: datetime) -> Group:
    """Names as an attacker would choose them; Kafka allows nearly anything in a group id."""
    name = "<script>alert(1)</script>'; DROP TABLE drift; --"
    group = Group(name, {"t": 4}, ['"><img src=x onerror=alert(2)>', "{{7*7}}"], stick)
    return group.settle(now - timedelta(hours=2), "first")


def groups(now: datetime, *, healthy_count: int = 40) -> list[Group]:
    chance = random.Random(848)
    ill = [lopsided(now), flapping(now), stuck(now), skewed(now), empty(now), hostile(now)]
    return ill + [healthy(now, number, chance) for number in range(healthy_count)]


def alerts(now: datetime) -> list[Row]:
    def alert(rule: str, severity: str, group: str, minutes: int, summary: str, **more: Any) -> Row:
        opened = now - timedelta(minutes=minutes)
        return {
            "cluster": CLUSTER,
            "alert_id": f"{rule}/{group}/{more.get('subject', '')}/{minutes}",
            "sequence": 0,
            "status": "opened",
            "rule": rule,
            "severity": severity,
            "group_id": group,
            "subject": "",
            "value": 1.0,
            "threshold": 0.0,
            "summary": summary,
            "opened_time": opened,
            "event_time": opened,
            "processed_time": opened,
            "batch_id": 1,
        } | more

    old = alert("drift", "warning", "payments-service-000", 300, "drift above 20 %", value=0.3)
    return [
        alert(
            "unassigned",
            "critical",
            "search-indexer",
            3,
            "8 of 32 partitions have had no owner for 3 minutes",
            value=8.0,
        ),
        alert("unfair", "warning", "orders-fulfilment", 20, "not fair by KIP-54 for 20 minutes"),
        alert(
            "flapping",
            "warning",
            "clickstream-enricher",
            31,
            "14 rebalances in an hour, all by click-8",
            subject="click-8",
            value=14.0,
            threshold=6.0,
        ),
        old,
        old
        | {
            "sequence": 1,
            "status": "resolved",
            "resolved_time": now - timedelta(minutes=200),
            "event_time": now - timedelta(minutes=200),
        },
    ]


def dead_letters(now: datetime) -> list[Row]:
    unknown = {"reason": "unknown_version", "detail": "key version 99 is not known"}
    short = {"reason": "truncated", "detail": "value ends after 3 of 4 bytes"}
    return [
        {
            "cluster": CLUSTER,
            "topic": "__consumer_offsets",
            "partition": number % 3,
            "offset": 1_000 + number,
            "key": bytes([0, 99, number]),
            "value": b"\x00\x03",
            "event_time": now - timedelta(hours=1, seconds=number),
            "processed_time": now - timedelta(hours=1),
            "batch_id": 1,
        }
        | (unknown if number < 4 else short)
        for number in range(6)
    ]


def batches(now: datetime, *, behind_seconds: float = 0.4) -> list[Row]:
    return [
        {
            "cluster": CLUSTER,
            "batch_id": number,
            "start_offsets": "{}",
            "end_offsets": "{}",
            "records_read": 900 + number,
            "events": 12,
            "ignored": 3,
            "dead_letters": 0,
            "groups_changed": 4,
            "groups_total": 46,
            "settled_generations": 2,
            "seconds": 0.61,
            "cluster_seconds": 0.05,
            "groups_seconds": 0.3,
            "commit_seconds": 0.1,
            "behind_records": 0 if behind_seconds < 60 else 48_000,
            "behind_seconds": behind_seconds,
            "event_time": now - timedelta(seconds=2 * (30 - number)),
            "processed_time": now - timedelta(seconds=2 * (30 - number)),
        }
        for number in range(31)
    ]


def write(location: Path | str, rows: Mapping[str, Sequence[Row]]) -> None:
    """Append the rows to the tables below the location; every table is made."""
    for name, spec in BY_NAME.items():
        table = pa.Table.from_pylist([_whole(row, spec) for row in rows.get(name, [])], spec.schema)
        write_deltalake(
            f"{location}/{name}", table, mode="append", partition_by=list(spec.partition_by) or None
        )


def _whole(row: Row, spec: TableSpec) -> Row:
    return {name: row.get(name) for name, _, _ in spec.columns}


def rows_of(
    now: datetime, *, healthy_count: int = 40, behind_seconds: float = 0.4
) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {name: [] for name in BY_NAME}
    for group in groups(now, healthy_count=healthy_count):
        for name, more in group.finish(now).items():
            rows[name].extend(more)
    rows["alerts"] = alerts(now)
    rows["dead_letters"] = dead_letters(now)
    rows["batches"] = batches(now, behind_seconds=behind_seconds)
    return rows
