"""Problems as JSON Lines in, assignments as JSON Lines out.

A problem: `{"id", "assignor", "topics": {topic: partitions}, "members": {id: {"topics": [..],
"owned": [[topic, partition], ..], "generation": int or null, "instance_id", "rack"}}}`; further,
optional, `join_sets` (`[[topic, ..], ..]`) and `partition_racks` (`{topic: [[rack, ..], ..]}`, the
racks of each partition's replicas). Other keys are left alone.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from assignors import measures
from assignors.policies import POLICIES, UnknownPolicyError, assign
from assignors.problem import IntArray, Member, Partition, Problem

MOST_PARTITIONS = 10_000_000
"""Partitions of one problem, so that a mistyped count does not take the machine's memory."""

Json = dict[str, Any]


class BadProblemError(ValueError):
    """A line that is no problem; the message says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a line gave.

    Attributes:
        value: The result, or `{"id", "error"}`.
        failed: Whether it is an error.
    """

    value: Json
    failed: bool

    def line(self) -> str:
        """The answer as one line, without its end."""
        return json.dumps(self.value, separators=(",", ":"))


class _Object(dict[str, Any]):
    """A JSON object that remembers a key it was given twice."""

    __slots__ = ("twice",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice = None if len(self) == len(pairs) else _first_repeated(pairs)


def answers(lines: Iterable[bytes]) -> Iterator[Answer]:
    """Answer line after line, in their order; blank lines are skipped."""
    for line in lines:
        if line.strip():
            yield answer(line)


def answer(line: bytes) -> Answer:
    """Answer one line."""
    parsed: Any = None
    try:
        parsed = _parsed(line)
        return Answer(_solved(parsed), failed=False)
    except (BadProblemError, UnknownPolicyError) as error:
        identity = parsed.get("id") if isinstance(parsed, dict) else None
        return Answer({"id": identity, "error": str(error)}, failed=True)


def read_problem(parsed: Mapping[str, Any]) -> Problem:
    """Make a problem from its JSON form.

    Raises:
        BadProblemError: If a part of it is missing or wrong.
    """
    topics = {name: _count(name, count) for name, count in _object(parsed, "topics").items()}
    if sum(topics.values()) > MOST_PARTITIONS:
        raise BadProblemError(f"topics: more than {MOST_PARTITIONS} partitions")
    members = {name: _member(name, given) for name, given in _object(parsed, "members").items()}
    return Problem.build(
        topics,
        members,
        join_sets=_join_sets(parsed.get("join_sets")),
        partition_racks=_partition_racks(parsed.get("partition_racks")),
    )


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line, object_pairs_hook=_Object, parse_constant=_no_constant)
    except RecursionError:
        raise BadProblemError("no JSON that can be read: nested too deeply") from None
    except ValueError as error:
        raise BadProblemError(f"no JSON: {error}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _solved(parsed: Any) -> Json:
    if not isinstance(parsed, _Object):
        raise BadProblemError("a problem must be a JSON object")
    _once(parsed, "the problem")
    policy = parsed.get("assignor")
    if not isinstance(policy, str):
        raise BadProblemError(f"assignor: must be a name, one of {', '.join(POLICIES)}")
    started = time.perf_counter()
    problem = read_problem(parsed)
    owner = assign(policy, problem)
    elapsed_ms = (time.perf_counter() - started) * 1000
    return {
        "id": parsed.get("id"),
        "assignor": policy,
        **_result(problem, owner),
        "elapsed_ms": round(elapsed_ms, 3),
    }


def _result(problem: Problem, owner: IntArray) -> Json:
    load = measures.loads(problem, owner)
    held = np.argsort(owner, kind="stable")
    held = held[len(held) - int(load.sum()) :]
    partitions = _named(problem, held)
    ends = np.cumsum(load).tolist()
    loads = load.tolist()
    return {
        "assignment": {
            member: partitions[end - size : end]
            for member, size, end in zip(problem.members, loads, ends, strict=True)
        },
        "unassigned": _named(problem, np.flatnonzero(owner < 0)),
        "loads": dict(zip(problem.members, loads, strict=True)),
        "balance_score": measures.balance_score(load),
        "max_minus_min": measures.max_minus_min(load),
        "fair": measures.is_fair(problem, owner),
        "preserved": measures.preserved(problem.previous, owner),
        "join_violations": measures.join_violations(problem, owner),
    }


def _named(problem: Problem, flats: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[list[Any]]:
    topics, numbers = problem.topic_of[flats].tolist(), problem.number_of[flats].tolist()
    return [[problem.topics[topic], number] for topic, number in zip(topics, numbers, strict=True)]


def _object(parent: Mapping[str, Any], key: str) -> _Object:
    given = parent.get(key)
    if not isinstance(given, _Object):
        raise BadProblemError(f"{key}: {'must be an object' if key in parent else 'is missing'}")
    _once(given, key)
    return given


def _once(given: _Object, where: str) -> None:
    if given.twice is not None:
        raise BadProblemError(f"{where}: {given.twice!r} stands there twice")


def _count(topic: str, count: Any) -> int:
    if not _whole(count) or count < 0:
        raise BadProblemError(f"topic {topic!r}: partitions must be a whole number from 0")
    return int(count)


def _member(name: str, given: Any) -> Member:
    if not isinstance(given, _Object):
        raise BadProblemError(f"member {name!r}: must be an object")
    _once(given, f"member {name!r}")
    topics = given.get("topics")
    if not isinstance(topics, list) or not _names(topics):
        raise BadProblemError(f"member {name!r}: topics must be a list of topic names")
    generation = given.get("generation")
    if generation is not None and not _whole(generation):
        raise BadProblemError(f"member {name!r}: generation must be a whole number or null")
    owned = given.get("owned", [])
    if not isinstance(owned, list):
        raise BadProblemError(f"member {name!r}: owned must be a list of [topic, partition]")
    return Member(
        topics=tuple(topics),
        owned=tuple([_partition(name, claim) for claim in owned]),
        generation=generation,
        instance_id=_text(name, given, "instance_id"),
        rack=_text(name, given, "rack"),
    )


def _partition(member: str, claim: Any) -> Partition:
    match claim:
        case [str(topic), number] if _whole(number) and number >= 0:
            return topic, number
        case [str(topic), _]:
            raise BadProblemError(
                f"member {member!r}: owned partition of {topic!r} must be a whole number from 0"
            )
    raise BadProblemError(f"member {member!r}: owned must be a list of [topic, partition]")


def _text(member: str, given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    if value is not None and not isinstance(value, str):
        raise BadProblemError(f"member {member!r}: {key} must be a string or null")
    return value


def _join_sets(given: Any) -> list[list[str]] | None:
    if given is None:
        return None
    if isinstance(given, list) and all(_names(joined) for joined in given):
        return given
    raise BadProblemError("join_sets: must be a list of lists of topics")


def _partition_racks(given: Any) -> dict[str, list[list[str]]] | None:
    if given is None:
        return None
    if isinstance(given, _Object) and given.twice is None:
        lists = list(given.values())
        if all(isinstance(each, list) and all(map(_names, each)) for each in lists):
            return given
    raise BadProblemError("partition_racks: must be lists of lists of racks, by topic")


def _names(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(name, str) for name in given)


def _whole(value: Any) -> bool:
    """JSON's true and false are no numbers, though Python takes them for such."""
    return isinstance(value, int) and not isinstance(value, bool)


def _first_repeated(pairs: list[tuple[str, Any]]) -> str | None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    return None
