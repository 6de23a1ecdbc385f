"""The worked examples of the KIPs and of the introduction to assignors."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assignors import POLICIES, IntArray, Member, Problem, assign, measures

EXAMPLES = [
    json.loads(line)
    for line in (Path(__file__).parent / "seed_examples.jsonl").read_text().splitlines()
]
Assignment = dict[str, list[list[Any]]]


def problem_of(example: dict[str, Any]) -> Problem:
    members = {
        name: Member(
            topics=tuple(member["topics"]),
            owned=tuple((topic, number) for topic, number in member["owned"]),
            generation=member["generation"],
        )
        for name, member in example["members"].items()
    }
    return Problem.build(example["topics"], members)


def by_member(problem: Problem, owner: IntArray) -> Assignment:
    return {
        name: [
            [problem.topics[problem.topic_of[flat]], int(problem.number_of[flat])]
            for flat in np.flatnonzero(owner == index)
        ]
        for index, name in enumerate(problem.members)
    }


def named(problem: Problem, flats: IntArray) -> list[list[Any]]:
    return [
        [problem.topics[topic], number]
        for topic, number in zip(
            problem.topic_of[flats], problem.number_of[flats].tolist(), strict=True
        )
    ]


def _sorted(assignment: Assignment) -> Assignment:
    return {name: sorted(partitions) for name, partitions in assignment.items()}


def _loads_by_member(problem: Problem, owner: IntArray) -> dict[str, int]:
    return dict(zip(problem.members, measures.loads(problem, owner).tolist(), strict=True))


def _preserved_by(problem: Problem, owner: IntArray) -> dict[str, int]:
    """Partition numbers that the members of the zombie example kept."""
    kept = (owner == problem.previous) & (owner >= 0)
    return {
        name: len({*problem.number_of[kept & (owner == index)].tolist()})
        for index, name in enumerate(problem.members)
        if (kept & (owner == index)).any()
    }


def _moved(problem: Problem, owner: IntArray) -> list[int]:
    return sorted({*problem.number_of[owner != problem.previous].tolist()})


# What an example may expect, and how it is had from the answer.
READINGS: dict[str, Callable[[Problem, IntArray], Any]] = {
    "assignment": lambda p, owner: _sorted(by_member(p, owner)),
    "loads": lambda p, owner: sorted(measures.loads(p, owner).tolist()),
    "loads_by_member": _loads_by_member,
    "preserved": lambda p, owner: measures.preserved(p.previous, owner),
    "preserved_by": _preserved_by,
    "join_violations": measures.join_violations,
    "moved_partition_indexes": _moved,
    "unassigned": lambda p, owner: named(p, np.flatnonzero(owner < 0).astype(np.int32)),
    "unassigned_count": measures.unassigned,
}
REMARKS = {"one_published_answer", "note"}


@pytest.mark.parametrize(
    "example",
    [example for example in EXAMPLES if example["assignor"] in POLICIES],
    ids=lambda example: example["id"],
)
def test_answers_as_published(example: dict[str, Any]) -> None:
    problem = problem_of(example)
    owner = assign(example["assignor"], problem)
    expected = {key: value for key, value in example["expect"].items() if key not in REMARKS}
    if "assignment" in expected:
        expected["assignment"] = _sorted(expected["assignment"])
    assert {key: READINGS[key](problem, owner) for key in expected} == expected
