"""A life written to the tables is read back as it was."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from streaming.advice import Generation, advise, load_history, loading
from streaming.tables.reader import TableReader
from streaming.tables.schemas import BY_NAME
from streaming.tables.storage import Location
from tests.advice.lives import Life, Person, people

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def write(folder: Path, life: Life, *, group_id: str = "orders", settled: bool = True) -> None:
    rows: dict[str, list[dict[str, Any]]] = {"rebalances": [], "member_load": [], "assignments": []}
    previous = None
    for number, generation in enumerate(life.generations):
        common = {
            "cluster": "shop",
            "group_id": group_id,
            "generation": generation.snapshot.generation,
            "batch_id": number // 2,
        }
        rows["rebalances"].append(common | rebalance(generation, previous, settled=settled))
        rows["member_load"] += [common | member for member in members(generation)]
        rows["assignments"] += [common | owner for owner in owners(generation)]
        previous = generation.snapshot.generation
    for name, found in rows.items():
        table = pa.Table.from_pylist(found, schema=BY_NAME[name].schema)
        write_deltalake(folder / name, table, mode="append")


def rebalance(generation: Generation, previous: int | None, *, settled: bool) -> dict[str, Any]:
    snapshot = generation.snapshot
    return {
        "group_type": snapshot.group_type,
        "previous_generation": previous,
        "event_time": BEGINNING + timedelta(milliseconds=snapshot.time_ms),
        "started_time": BEGINNING + timedelta(milliseconds=generation.started_ms),
        "settled": settled,
        "protocol": snapshot.protocol,
        "assignor": snapshot.assignor,
        "cause": generation.cause,
        "causes": list(generation.causes),
        "joined": [name_row(name) for name in generation.joined],
        "left": [name_row(name) for name in generation.left],
        "partition_count": sum(snapshot.counts.values()),
        "churn": generation.churn,
        "necessary_churn": generation.necessary_churn,
        "revoked": generation.revoked,
    }


def name_row(name: Any) -> dict[str, Any]:
    return {
        "member_id": name.member_id,
        "instance_id": name.instance_id,
        "client_id": name.client_id,
        "client_host": name.client_host,
    }


def members(generation: Generation) -> list[dict[str, Any]]:
    return [name_row(view) | {"topics": list(view.topics)} for view in generation.snapshot.members]


def owners(generation: Generation) -> list[dict[str, Any]]:
    snapshot = generation.snapshot
    owner = {
        (topic, partition): view.member_id
        for view in snapshot.members
        for topic, partitions in view.assigned.items()
        for partition in partitions
    }
    return [
        {"topic": topic, "partition": partition, "member_id": owner.get((topic, partition))}
        for topic, count in snapshot.counts.items()
        for partition in range(count)
    ]


def a_life() -> Life:
    life = Life("range", {"a": 4, "b": 2})
    static = Person("s-1", instance_id="s", host="i")
    for group in (people(0, 1), people(0, 1, 2), [*people(0, 1, 2), static], people(2)):
        life.rebalance(group)
    return life


def forget_timeouts(generation: Generation) -> Any:
    """What the tables do not hold is left out of the comparison."""
    snapshot = generation.snapshot
    return (
        [(v.key, v.member_id, v.topics, dict(v.assigned), v.client_host) for v in snapshot.members],
        dict(snapshot.counts),
        (snapshot.generation, snapshot.time_ms, snapshot.protocol, snapshot.assignor),
        (generation.cause, generation.causes, generation.joined, generation.left),
        (generation.churn, generation.necessary_churn, generation.first, generation.started_ms),
    )


def test_a_life_is_read_back(tmp_path: Path) -> None:
    life = a_life()
    write(tmp_path, life)
    write(tmp_path, coming_again(), group_id="another")
    history = load_history(TableReader(Location(str(tmp_path))), cluster="shop", group_id="orders")
    assert [*map(forget_timeouts, history.generations)] == [*map(forget_timeouts, life.generations)]
    assert advise(history) == advise(life.history)


def coming_again() -> Life:
    life = Life("sticky", {"a": 4, "b": 2})
    life.rebalance(people(0))
    return life


def test_only_the_last_generations_are_read_and_the_first_of_them_is_where_it_begins(
    tmp_path: Path,
) -> None:
    write(tmp_path, a_life())
    history = load_history(
        TableReader(Location(str(tmp_path))), cluster="shop", group_id="orders", generations=2
    )
    assert [each.snapshot.generation for each in history.generations] == [2, 3, 4]
    assert [each.first for each in history.generations] == [True, False, False]
    assert len(history.rebalances) == 2


def test_a_very_large_group_is_read_less_far_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_MOST_PARTITIONS", 13)
    write(tmp_path, a_life())
    history = load_history(TableReader(Location(str(tmp_path))), cluster="shop", group_id="orders")
    assert [each.snapshot.generation for each in history.generations] == [3, 4]


def test_rebalances_that_did_not_settle_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, a_life(), settled=False)
    history = load_history(TableReader(Location(str(tmp_path))), cluster="shop", group_id="orders")
    assert history.generations == ()
    assert history.latest is None
