"""Kafka's own Java assignors, run on our problems by a small harness (`KafkaAssignors.java`)."""

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assignors import NOBODY, IntArray, Member
from streaming.errors import JavaError
from streaming.session.jars import resolve_jars
from streaming.session.java import find_java

KAFKA_CLIENTS = "org.apache.kafka:kafka-clients:4.3.1"
_HARNESS = Path(__file__).parent / "KafkaAssignors.java"
_DID_NOT_RETURN_STATUS = 3


@dataclass(frozen=True, slots=True)
class Question:
    """A problem for one of Kafka's assignors.

    Attributes:
        assignor: `range`, `roundrobin`, `sticky` or `cooperative-sticky`.
        topics: Partitions by topic.
        members: Members by id; names must be free of the harness's separators.
        partition_racks: Racks of each partition's replicas, by topic.
        deadline_ms: When to give up on it.
        runs: Most timed runs, of which the quickest counts; three seconds' worth at most.
    """

    assignor: str
    topics: Mapping[str, int]
    members: Mapping[str, Member]
    partition_racks: Mapping[str, Sequence[Sequence[str]]] | None = None
    deadline_ms: int = 10_000
    runs: int = 1


@dataclass(frozen=True, slots=True)
class Said:
    """What Kafka's assignor said.

    Attributes:
        owner: (P,) index of the owner in the order of the question's members, partitions in the
            order of its topics; None if it did not return in time.
        seconds: Least time of one assignment.
    """

    owner: IntArray | None
    seconds: float


def ask(
    questions: Sequence[Question],
    *,
    options: Sequence[str] = (),
    warm_up: Sequence[Question] = (),
) -> Iterator[Said]:
    """Ask Kafka's assignors, in order, in one process; a new one after each that did not return.

    Args:
        questions: The problems.
        options: Options for the Java virtual machine.
        warm_up: Problems that each process solves first, unanswered.

    Raises:
        JavaError: If Java cannot run the harness, or an assignor threw.
    """
    at = 0
    while at < len(questions):
        said = _run([*warm_up, *questions[at:]], options)
        for _ in warm_up:
            next(said)
        for answer in said:
            at += 1
            yield answer


def _run(questions: Sequence[Question], options: Sequence[str]) -> Iterator[Said]:
    with tempfile.TemporaryFile("w+") as problems, tempfile.TemporaryFile("w+") as errors:
        problems.writelines(map(_line, questions))
        problems.seek(0)
        with subprocess.Popen(
            _command(options), stdin=problems, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as java:
            for line in java.stdout or ():
                yield _said(line)
        if java.returncode not in {0, _DID_NOT_RETURN_STATUS}:
            errors.seek(0)
            raise JavaError(_explained(errors.read()))


def _command(options: Sequence[str]) -> list[str]:
    jars = ":".join(str(jar) for jar in resolve_jars(KAFKA_CLIENTS))
    return [str(find_java().command), *options, "-cp", jars, str(_HARNESS)]


def _explained(errors: str) -> str:
    if "jdk.compiler" in errors:
        return (
            "this Java has no compiler module, which runs the harness from its source: install a "
            "JDK (Debian: apt-get install openjdk-17-jdk-headless)"
        )
    return f"the harness failed: {errors.strip()[-500:]}"


def _said(line: str) -> Said:
    _, status, *rest = line.rstrip("\n").split("|", 3)
    if status == "did-not-return":
        return Said(None, float("inf"))
    if status != "ok":
        raise JavaError(f"Kafka's assignor threw: {' '.join(rest)}")
    nanos, owners = rest
    return Said(np.array(owners.split(), dtype=np.int32), int(nanos) / 1e9)


def _line(question: Question) -> str:
    names = {topic: position for position, topic in enumerate(question.topics)}
    racks = question.partition_racks or {}
    topics = (
        f"{topic}:{count}" + (":" + "/".join(map("+".join, racks[topic])) if topic in racks else "")
        for topic, count in question.topics.items()
    )
    members = (_member(name, member, names) for name, member in question.members.items())
    head = ("", question.assignor, str(question.deadline_ms), str(question.runs))
    return "|".join((*head, ",".join(topics), *members)) + "\n"


def _member(name: str, member: Member, names: Mapping[str, int]) -> str:
    topics = " ".join(str(names[topic]) for topic in member.topics)
    owned = " ".join(f"{names[topic]}:{number}" for topic, number in member.owned)
    generation = "" if member.generation is None else str(member.generation)
    return ";".join((name, member.instance_id or "", generation, member.rack or "", topics, owned))


def in_problem_order(said: IntArray, members: Sequence[str], ours: Sequence[str]) -> IntArray:
    """Renumber owners from the question's order of members to a problem's."""
    position = {name: index for index, name in enumerate(ours)}
    renumbered = np.array([*(position[name] for name in members), NOBODY], dtype=np.int32)
    return renumbered[said]
