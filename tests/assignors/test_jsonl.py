import gc
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assignors.jsonl import answer, answers

EXAMPLE = {
    "id": "one",
    "assignor": "sticky",
    "topics": {"t": 3},
    "members": {
        "a": {"topics": ["t"], "owned": [["t", 1]], "generation": 2},
        "b": {"topics": ["t"]},
    },
}


def line(**changes: Any) -> bytes:
    return json.dumps({**EXAMPLE, **changes}).encode()


def error_of(text: bytes) -> str:
    given = answer(text)
    assert given.failed
    assert set(given.value) == {"id", "error"}
    return str(given.value["error"])


def test_a_result_has_the_assignment_and_its_measures() -> None:
    given = answer(line())
    assert not given.failed
    elapsed_ms = given.value.pop("elapsed_ms")
    assert elapsed_ms >= 0
    assert given.value == {
        "id": "one",
        "assignor": "sticky",
        "assignment": {"a": [["t", 0], ["t", 1]], "b": [["t", 2]]},
        "unassigned": [],
        "loads": {"a": 2, "b": 1},
        "balance_score": 1,
        "max_minus_min": 1,
        "fair": True,
        "preserved": 1,
        "join_violations": 0,
    }
    assert json.loads(given.line()) == given.value


def test_partitions_without_owner_are_named() -> None:
    given = answer(
        line(
            assignor="stream-join-sticky",
            topics={"t": 3, "s": 1},
            members={"a": {"topics": ["s", "t"]}},
        )
    )
    assert given.value["unassigned"] == [["t", 1], ["t", 2]]
    assert given.value["assignment"] == {"a": [["s", 0], ["t", 0]]}


@pytest.mark.parametrize("identity", [None, 7, "seven", 1.5, ["x"], {"a": 1}])
def test_the_id_comes_back_as_it_was(identity: Any) -> None:
    assert answer(line(id=identity)).value["id"] == identity
    assert answer(line(id=identity, assignor="nope")).value["id"] == identity


def test_a_line_without_id_has_null() -> None:
    without = {key: value for key, value in EXAMPLE.items() if key != "id"}
    assert answer(json.dumps(without).encode()).value["id"] is None


MEMBER = {"topics": ["t"]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"assignor": "nope"}, "unknown assignor 'nope': use one of range, "),
        ({"assignor": 3}, "assignor: must be a name, one of range, "),
        ({"topics": [["t", 1]]}, "topics: must be an object"),
        ({"topics": {"t": -1}}, "topic 't': partitions must be a whole number from 0"),
        ({"topics": {"t": 1.0}}, "topic 't': partitions must be a whole number from 0"),
        ({"topics": {"t": "1"}}, "topic 't': partitions must be a whole number from 0"),
        ({"topics": {"t": True}}, "topic 't': partitions must be a whole number from 0"),
        ({"topics": {"t": 10**12}}, "topics: more than 10000000 partitions"),
        ({"members": []}, "members: must be an object"),
        ({"members": {"m": ["t"]}}, "member 'm': must be an object"),
        ({"members": {"m": {}}}, "member 'm': topics must be a list of topic names"),
        ({"members": {"m": {"topics": "t"}}}, "member 'm': topics must be a list of topic names"),
        ({"members": {"m": {"topics": [1]}}}, "member 'm': topics must be a list of topic names"),
        (
            {"members": {"m": {**MEMBER, "owned": {"t": [0]}}}},
            "member 'm': owned must be a list of [topic, partition]",
        ),
        (
            {"members": {"m": {**MEMBER, "owned": ["t"]}}},
            "member 'm': owned must be a list of [topic, partition]",
        ),
        (
            {"members": {"m": {**MEMBER, "owned": [[0, "t"]]}}},
            "member 'm': owned must be a list of [topic, partition]",
        ),
        *[
            (
                {"members": {"m": {**MEMBER, "owned": [["t", wrong]]}}},
                "member 'm': owned partition of 't' must be a whole number from 0",
            )
            for wrong in (0.5, "0", None, True, -1)
        ],
        *[
            (
                {"members": {"m": {**MEMBER, "generation": wrong}}},
                "member 'm': generation must be a whole number or null",
            )
            for wrong in (1.5, "1", True)
        ],
        (
            {"members": {"m": {**MEMBER, "instance_id": 1}}},
            "member 'm': instance_id must be a string or null",
        ),
        ({"members": {"m": {**MEMBER, "rack": []}}}, "member 'm': rack must be a string or null"),
        ({"join_sets": [["s"], "t"]}, "join_sets: must be a list of lists of topics"),
        ({"join_sets": "t"}, "join_sets: must be a list of lists of topics"),
        (
            {"partition_racks": {"t": ["r"]}},
            "partition_racks: must be lists of lists of racks, by topic",
        ),
    ],
)
def test_what_is_wrong_is_said(changes: dict[str, Any], message: str) -> None:
    assert error_of(line(**changes)).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"nonsense", "no JSON: "),
        (b'{"id": 1', "no JSON: "),
        (b"\xff\xfe\xfd", "no JSON: "),
        (b'{"id": NaN}', "no JSON: NaN is no JSON value"),
        (b"[" * 100_000, "no JSON that can be read: nested too deeply"),
        (b"[]", "a problem must be a JSON object"),
        (b"null", "a problem must be a JSON object"),
        (b'{"id": 1}', "assignor: must be a name"),
        (b'{"assignor": "range"}', "topics: is missing"),
        (b'{"assignor": "range", "topics": {}}', "members: is missing"),
        (
            b'{"assignor": "range", "assignor": "fair"}',
            "the problem: 'assignor' stands there twice",
        ),
        (
            b'{"assignor": "range", "topics": {"t": 1, "t": 2}, "members": {}}',
            "topics: 't' stands there twice",
        ),
        (
            b'{"assignor": "range", "topics": {}, "members": {"m": {}, "n": {}, "m": {}}}',
            "members: 'm' stands there twice",
        ),
        (
            b'{"assignor": "range", "topics": {}, "members": {"m": {"topics": [], "topics": []}}}',
            "member 'm': 'topics' stands there twice",
        ),
    ],
)
def test_what_is_no_problem_at_all_is_said(text: bytes, message: str) -> None:
    assert error_of(text).startswith(message)


def test_racks_and_named_joins_are_read() -> None:
    racked = line(
        assignor="range",
        topics={"t": 2},
        members={"a": {"topics": ["t"], "rack": "r2"}, "b": {"topics": ["t"], "rack": "r1"}},
        partition_racks={"t": [["r1"], ["r2"]]},
    )
    assert answer(racked).value["assignment"] == {"a": [["t", 1]], "b": [["t", 0]]}
    joined = line(
        assignor="roundrobin",
        topics={"s": 1, "t": 2},
        members={"a": {"topics": ["s", "t"]}, "b": {"topics": ["s", "t"]}},
        join_sets=[["s", "t"]],
    )
    assert answer(joined).value["join_violations"] == 1


def test_answers_come_in_the_order_of_the_lines_and_go_on_after_errors() -> None:
    lines = [line(id=0), b"oops\n", b"\n", b"  ", line(id=1)]
    given = list(answers(lines))
    assert [each.failed for each in given] == [False, True, False]
    assert [each.value["id"] for each in given] == [0, None, 1]


def test_one_line_is_held_at_a_time() -> None:
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield line(id=read)

    stream = answers(endless())
    next(stream)
    assert read == 1
    tracemalloc.start()
    for _ in range(500):
        next(stream)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(3000):
        next(stream)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 100_000  # interpreter free lists; a kept line would be 400 bytes


def test_all_worked_examples_are_read() -> None:
    text = (Path(__file__).parent / "seed_examples.jsonl").read_bytes()
    assert not any(each.failed for each in answers(text.splitlines()))
