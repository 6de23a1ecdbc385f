"""Tables of a large cluster: 10,000 groups and 1,000,000 rows of drift over three days.

Made with arrays, not by the monitor: the figures need only be as many and as varied as real ones.
Histories lie in ten files by time, as maintenance leaves them; current state in eight shards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from deltalake import write_deltalake

from streaming.tables.schemas import BY_NAME, TableSpec

if TYPE_CHECKING:
    from pathlib import Path

Columns = dict[str, Any]
Ints = npt.NDArray[np.int64]

POLICIES = ("sticky", "cooperative-sticky", "range", "stream-join-sticky")
ASSIGNORS = ("range", "cooperative-sticky", "roundrobin", "sticky", "uniform")
CAUSES = ("joined", "left", "restarted", "timed_out", "subscription", "partitions")
FILES = 10
SHARDS = 8
MEMBERS = 6
PARTITIONS = 50
KEPT_GENERATIONS = 3
"""Generations whose assignment is written; older ones would only make the files larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How large the tables are.

    Attributes:
        groups: consumer groups.
        generations: settled generations of each.
        now: end of the recorded time.
    """

    groups: int = 10_000
    generations: int = 25
    now: datetime

    @property
    def rebalances(self) -> int:
        """Rows of ``rebalances``; ``drift`` has four times as many."""
        return self.groups * self.generations


def write_tables(location: Path, scale: Scale) -> None:
    """Write all tables below a folder."""
    chance = np.random.default_rng(848)
    histories = _histories(scale, chance)
    for name, columns in histories.items():
        _write_history(location, BY_NAME[name], columns)
    for name, columns in _states(scale, chance).items():
        _write(location, BY_NAME[name], columns)
    _write(location, BY_NAME["alerts"], _alerts(scale))
    _write(location, BY_NAME["batches"], _batches(scale))


def _histories(scale: Scale, chance: np.random.Generator) -> dict[str, Columns]:
    rows = scale.rebalances
    order = np.sort(chance.integers(0, 72 * 3600 * 1_000_000, rows))
    times = _micros(scale.now) - order[::-1]
    group = chance.permutation(np.repeat(np.arange(scale.groups), scale.generations))
    generation = _running(group)
    base = _common(group, times, generation)
    churn = chance.integers(0, PARTITIONS, rows)
    necessary = np.minimum(churn, chance.integers(0, PARTITIONS // 2, rows))
    cause = np.array(CAUSES)[chance.integers(0, len(CAUSES), rows)]
    rebalances = base | {
        "settled": np.ones(rows, dtype=bool),
        "protocol": np.full(rows, "eager"),
        "cause": cause,
        "member_count": np.full(rows, MEMBERS),
        "partition_count": np.full(rows, PARTITIONS),
        "policy": np.full(rows, "sticky"),
        "churn": churn,
        "necessary_churn": necessary,
        "avoidable_churn": churn - necessary,
        "revoked": np.full(rows, PARTITIONS),
        "duration_seconds": chance.random(rows) * 9,
        "episode": np.full(rows, "e"),
    }
    recent = generation > scale.generations - KEPT_GENERATIONS
    return {
        "rebalances": rebalances,
        "drift": _drift(base, chance),
        "member_load": _members(_chosen(base, recent), chance),
        "assignments": _assignments(_chosen(base, recent), chance),
    }


def _common(group: Ints, times: Ints, generation: Ints) -> Columns:
    return {
        "cluster": np.full(len(group), "big"),
        "group_id": _names(group),
        "group_type": np.full(len(group), "classic"),
        "generation": generation,
        "assignor": np.array(ASSIGNORS)[group % len(ASSIGNORS)],
        "event_time": times,
        "processed_time": times + 400_000,
        "batch_id": np.arange(len(group)) // 40,
    }


def _drift(base: Columns, chance: np.random.Generator) -> Columns:
    columns = {name: np.repeat(values, len(POLICIES)) for name, values in base.items()}
    rows = len(columns["group_id"])
    return (
        columns
        | {
            "policy": np.tile(np.array(POLICIES), rows // len(POLICIES)),
            "reference": np.tile(np.array(POLICIES) == "sticky", rows // len(POLICIES)),
        }
        | _measures(rows, chance)
    )


def _measures(rows: int, chance: np.random.Generator) -> Columns:
    ill = chance.random(rows) < 0.03
    drift = np.where(chance.random(rows) < 0.2, chance.integers(0, PARTITIONS, rows), 0)
    return {
        "member_count": np.full(rows, MEMBERS),
        "partition_count": np.full(rows, PARTITIONS),
        "drift_count": drift,
        "drift_share": drift / PARTITIONS,
        "moves_to_fairest": np.where(ill, chance.integers(1, 12, rows), 0),
        "balance_score": np.where(ill, 40, 5),
        "ideal_balance_score": np.full(rows, 5),
        "max_minus_min": np.where(ill, 7, 1),
        "min_load": np.where(ill, 5, 8),
        "max_load": np.where(ill, 12, 9),
        "fair": ~ill,
        "fairest": ~ill,
        "join_violations": np.zeros(rows, dtype=np.int64),
        "topic_skew": np.ones(rows),
        "unassigned_count": np.where(chance.random(rows) < 0.001, 4, 0),
        "lag": chance.integers(0, 100_000, rows),
        "lag_skew": 1 + chance.random(rows),
    }


def _members(base: Columns, chance: np.random.Generator) -> Columns:
    columns = {name: np.repeat(values, MEMBERS) for name, values in base.items()}
    rows = len(columns["group_id"])
    number = np.tile(np.arange(MEMBERS), rows // MEMBERS)
    return columns | {
        "member_id": _members_of(columns["group_id"], number),
        "client_id": np.char.add("client-", number.astype(str)),
        "client_host": np.char.add("/10.0.0.", number.astype(str)),
        "topics": [["events", "orders"]] * rows,
        "partition_count": chance.integers(5, 12, rows),
        "ideal_partition_count": np.full(rows, 8),
        "gained_count": np.zeros(rows, dtype=np.int64),
        "lost_count": np.zeros(rows, dtype=np.int64),
        "lag": chance.integers(0, 20_000, rows),
    }


def _assignments(base: Columns, chance: np.random.Generator) -> Columns:
    columns = {name: np.repeat(values, PARTITIONS) for name, values in base.items()}
    rows = len(columns["group_id"])
    topic, number = _partitions(rows)
    del columns["group_type"], columns["assignor"]

    def owner() -> npt.NDArray[Any]:
        return _members_of(columns["group_id"], chance.integers(0, MEMBERS, rows))

    return columns | {
        "topic": topic,
        "partition": number,
        "member_id": owner(),
        "previous_member_id": owner(),
        "ideal_member_id": owner(),
    }


def _states(scale: Scale, chance: np.random.Generator) -> dict[str, Columns]:
    group = np.arange(scale.groups)
    now = np.full(scale.groups, _micros(scale.now))
    base = _common(group, now, np.full(scale.groups, scale.generations))
    names = base["group_id"]
    state = (
        base
        | _measures(scale.groups, chance)
        | {
            "state": np.full(scale.groups, "stable"),
            "protocol": np.full(scale.groups, "eager"),
            "policy": np.full(scale.groups, "sticky"),
            "topics": [["events", "orders"]] * scale.groups,
            "members": [_member_structs(name) for name in names],
            "settled_time": now - chance.integers(0, 3600 * 1_000_000, scale.groups),
            "rebalance_count": np.full(scale.groups, scale.generations),
            "last_cause": np.full(scale.groups, "joined"),
            "last_commit_time": now,
            "machine": [b"\x00" * 2_000] * scale.groups,
            "shard": group % SHARDS,
        }
    )
    return {"group_state": state, "offsets": _offsets(base, chance)}


def _offsets(base: Columns, chance: np.random.Generator) -> Columns:
    columns = {name: np.repeat(values, PARTITIONS) for name, values in base.items()}
    rows = len(columns["group_id"])
    topic, number = _partitions(rows)
    lag = chance.integers(0, 2_000, rows)
    for name in ("group_type", "generation", "assignor"):
        del columns[name]
    return columns | {
        "topic": topic,
        "partition": number,
        "committed_offset": np.full(rows, 1_000_000),
        "end_offset": 1_000_000 + lag,
        "lag": lag,
        "commit_time": columns["event_time"],
        "member_id": _members_of(columns["group_id"], number % MEMBERS),
        "shard": np.repeat(np.arange(rows // PARTITIONS) % SHARDS, PARTITIONS),
    }


def _alerts(scale: Scale) -> Columns:
    count = scale.groups // 50
    opened = _micros(scale.now) - np.arange(count) * 60_000_000
    return {
        "cluster": np.full(count, "big"),
        "alert_id": np.char.add("alert-", np.arange(count).astype(str)),
        "sequence": np.zeros(count, dtype=np.int32),
        "status": np.full(count, "opened"),
        "rule": np.full(count, "unfair"),
        "severity": np.full(count, "warning"),
        "group_id": _names(np.arange(count) * 50),
        "subject": np.full(count, ""),
        "value": np.ones(count),
        "threshold": np.zeros(count),
        "summary": np.full(count, "not fair by KIP-54"),
        "opened_time": opened,
        "event_time": opened,
        "processed_time": opened,
        "batch_id": np.arange(count),
    }


def _batches(scale: Scale) -> Columns:
    count = 2_000
    times = _micros(scale.now) - np.arange(count)[::-1] * 2_000_000
    return {
        "cluster": np.full(count, "big"),
        "batch_id": np.arange(count),
        "seconds": np.full(count, 0.8),
        "behind_seconds": np.full(count, 0.5),
        "behind_records": np.zeros(count, dtype=np.int64),
        "event_time": times,
        "processed_time": times,
    }


def _write_history(location: Path, spec: TableSpec, columns: Columns) -> None:
    rows = len(columns["group_id"])
    edges = np.linspace(0, rows, FILES + 1).astype(int)
    for start, end in pairwise(edges):
        _write(location, spec, {name: values[start:end] for name, values in columns.items()})


def _write(location: Path, spec: TableSpec, columns: Columns) -> None:
    rows = len(columns["cluster"])
    arrays = [_array(columns.get(name), kind, rows) for name, kind, _ in spec.columns]
    write_deltalake(
        location / spec.name,
        pa.Table.from_arrays(arrays, schema=spec.schema),
        mode="append",
        partition_by=list(spec.partition_by) or None,
    )


def _array(values: Any, kind: pa.DataType, rows: int) -> pa.Array:
    if values is None:
        return pa.nulls(rows, kind)
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, kind)


def _chosen(columns: Columns, which: npt.NDArray[np.bool_]) -> Columns:
    return {name: values[which] for name, values in columns.items()}


def _running(group: Ints) -> Ints:
    """1, 2, 3, .. within each group, in order of time."""
    order = np.argsort(group, kind="stable")
    starts = np.r_[0, np.cumsum(np.bincount(group))[:-1]]
    running = np.empty_like(group)
    running[order] = np.arange(len(group)) - starts[group[order]] + 1
    return running


def _partitions(rows: int) -> tuple[npt.NDArray[Any], Ints]:
    half = PARTITIONS // 2
    topics = np.repeat(np.array(["events", "orders"]), half)
    return np.tile(topics, rows // PARTITIONS), np.tile(np.arange(half), 2 * rows // PARTITIONS)


def _names(group: Ints) -> npt.NDArray[Any]:
    return np.char.add("service-", np.char.zfill(group.astype(str), 5))


def _members_of(groups: npt.NDArray[Any], number: Ints) -> npt.NDArray[Any]:
    return np.char.add(np.char.add(groups, "-client-"), number.astype(str))


def _member_structs(group: str) -> list[dict[str, Any]]:
    return [
        {"member_id": f"{group}-client-{number}", "topics": ["events", "orders"]}
        for number in range(MEMBERS)
    ]


def _micros(time: datetime) -> int:
    return (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
