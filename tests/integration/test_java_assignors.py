"""Our assignors beside Kafka's own Java classes, on the same random groups."""

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from assignors import IntArray, Member, Problem, assign, measures
from benchmarks.assignors.kafka_java import Question, Said, ask, in_problem_order

pytestmark = pytest.mark.integration
COUNT = 2000
STUCK = Path(__file__).parents[1] / "assignors" / "kafka_does_not_return.json"


def group(rng: random.Random) -> tuple[dict[str, int], dict[str, Member]]:
    """Equal and different subscriptions, static members, claims of two generations.

    Left out is what makes Kafka's sticky assignor answer with an assignment that is none: a member
    that subscribes to nothing can get partitions, and one whose claim on a topic it gave up is of
    an older generation can get that topic back.
    """
    topics = {f"t{index}": rng.randint(1, 12) for index in range(rng.randint(1, 6))}
    names = rng.sample([*topics], len(topics))
    partitions = [(topic, number) for topic, count in topics.items() for number in range(count)]
    rng.shuffle(partitions)
    equal = rng.random() < 0.3
    members = {}
    for member_id in rng.sample(range(10**6), rng.randint(1, 8)):
        some = tuple(name for name in names if rng.random() < 0.6) or (names[0],)
        wanted = tuple(names) if equal else some
        claimed = partitions[: rng.randint(0, 8)]
        partitions = partitions[len(claimed) :]
        owned = tuple(p for p in claimed if p[0] in wanted or rng.random() < 0.1)
        current = not owned or any(topic not in wanted for topic, _ in owned)
        members[f"m{member_id}"] = Member(
            wanted,
            owned,
            5 if current else rng.choice([4, 5, 5, 5]),
            f"i{rng.randint(0, 10**6)}" if rng.random() < 0.3 else None,
        )
    return topics, members


def questions(seed: int, assignor: str) -> list[Question]:
    rng = random.Random(seed)
    return [Question(assignor, *group(rng)) for _ in range(COUNT)]


def in_our_order(question: Question, problem: Problem, owner: IntArray) -> IntArray:
    """Kafka's answer over our partitions: those of topics that somebody subscribes to, by name."""
    ends = dict(zip(question.topics, np.cumsum([*question.topics.values()]), strict=True))
    slices = [owner[ends[topic] - question.topics[topic] : ends[topic]] for topic in problem.topics]
    return in_problem_order(np.concatenate(slices), [*question.members], problem.members)


@pytest.mark.parametrize("assignor", ["range", "roundrobin"])
def test_range_and_roundrobin_equal_kafkas(assignor: str) -> None:
    asked = questions(2024, assignor)
    for question, said in zip(asked, ask(asked), strict=True):
        problem = Problem.build(question.topics, question.members)
        assert said.owner is not None
        kafkas = in_our_order(question, problem, said.owner)
        assert assign(assignor, problem).tolist() == kafkas.tolist()


def test_range_with_racks_equals_kafkas() -> None:
    rng = random.Random(881)
    asked = []
    for _ in range(COUNT):
        topics, members = group(rng)
        same_size = {
            topic: topics["t0"] if rng.random() < 0.6 else topics[topic] for topic in topics
        }
        racked = {
            name: Member(
                member.topics,
                (),
                None,
                member.instance_id,
                rng.choice(["a", "a", "b", "c", "d", None]),
            )
            for name, member in members.items()
        }
        racks = {
            topic: [rng.sample("abc", rng.randint(1, 3)) for _ in range(count)]
            for topic, count in same_size.items()
        }
        asked.append(Question("range", same_size, racked, partition_racks=racks))
    for question, said in zip(asked, ask(asked), strict=True):
        problem = Problem.build(
            question.topics, question.members, partition_racks=question.partition_racks
        )
        assert said.owner is not None
        kafkas = in_our_order(question, problem, said.owner)
        assert assign("range", problem).tolist() == kafkas.tolist()


def _compared(question: Question, said: Said) -> str:
    """Which of the two is fairer, or where equally fair stickier."""
    if said.owner is None:
        return "did not return"
    problem = Problem.build(question.topics, question.members)
    kafkas = in_our_order(question, problem, said.owner)
    ours = assign("sticky", problem)
    assert problem.claimable(kafkas).tolist() == kafkas.tolist()
    standing = [
        (
            int((measures.loads(problem, owner).astype(np.int64) ** 2).sum()),
            -measures.preserved(problem.previous, owner),
        )
        for owner in (ours, kafkas)
    ]
    if standing[0] == standing[1]:
        return "equal"
    if standing[0] > standing[1]:
        return "worse"
    return "fairer" if standing[0][0] < standing[1][0] else "stickier"


def test_sticky_is_never_less_fair_than_kafkas_and_where_equally_fair_never_less_sticky() -> None:
    asked = questions(2024, "sticky")
    compared = Counter(
        _compared(question, said) for question, said in zip(asked, ask(asked), strict=True)
    )
    assert compared["worse"] == 0, compared
    assert compared["fairer"] > 0, compared
    assert compared["stickier"] > 0, compared
    assert compared.total() == COUNT


def test_ours_returns_where_kafkas_does_not() -> None:
    """5 members, 4 topics, 56 partitions, on which Kafka 4.3.1 goes round in circles."""
    described = json.loads(STUCK.read_text())
    members = {
        name: Member(
            tuple(member["topics"]),
            tuple((topic, n) for topic, numbers in member["owned"].items() for n in numbers),
            5,
        )
        for name, member in described["members"].items()
    }
    problem = Problem.build(described["topics"], members)
    assert (len(problem.members), len(problem.topics), problem.size) == (5, 4, 56)
    owner = assign("sticky", problem)
    assert measures.is_fairest(problem, owner)
    stuck = Question("sticky", described["topics"], members, deadline_ms=3000)
    after = Question("sticky", {"t": 1}, {"m": Member(("t",))})
    first, second = ask([stuck, after])
    assert first.owner is None
    assert second.owner is not None
