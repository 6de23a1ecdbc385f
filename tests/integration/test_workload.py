"""Real groups: what settles, and the faults that the workload is there to show."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict

import psutil
import pytest

from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.consumer import AssignmentProtocol, ConsumerPlan, Owned
from streaming.embedded.group import Group, Settled
from streaming.embedded.workload import JOINED, PARTITION_COUNTS, SCRIPTS, SENSORS, Workload

pytestmark = pytest.mark.integration
PROTOCOLS: tuple[AssignmentProtocol, ...] = (
    "range",
    "roundrobin",
    "cooperative-sticky",
    "consumer",
)


@pytest.fixture(scope="module")
def played() -> Iterator[Workload]:
    with EmbeddedBroker() as broker:
        broker.create_topics(PARTITION_COUNTS)
        with Workload(broker.bootstrap_servers) as workload:
            workload.play()
            yield workload


def last(workload: Workload, group_id: str) -> Settled:
    return [step for step in workload.steps if step.group_id == group_id][-1]


def by_name(settled: Settled) -> dict[str, Owned]:
    return {settled.names[member_id]: owned for member_id, owned in settled.assignments.items()}


def test_every_script_was_played(played: Workload) -> None:
    assert {step.group_id for step in played.steps} == set(SCRIPTS)
    assert {protocol for protocol, _ in SCRIPTS.values()} >= set(PROTOCOLS)
    kinds = {step.step.split()[1] for step in played.steps}
    assert kinds == {"joins", "leaves", "dies", "subscribes"}
    assert all(step.began_ms <= step.settled_ms for step in played.steps)


def test_each_step_gives_every_partition_one_owner(played: Workload) -> None:
    for step in played.steps:
        owned = [partition for part in step.assignments.values() for partition in part]
        assert len(owned) == len(set(owned))
        topics = {topic for topic, _ in owned}
        assert len(owned) == sum(PARTITION_COUNTS[topic] for topic in topics)


def test_members_are_told_apart_by_their_ids(played: Workload) -> None:
    for step in played.steps:
        assert step.assignments.keys() == step.names.keys()
        assert all(step.names)


def test_one_group_is_lopsided(played: Workload) -> None:
    loads = {name: len(owned) for name, owned in by_name(last(played, "sensors")).items()}
    assert loads == {"sensors-a": 2 * len(SENSORS), "sensors-b": len(SENSORS)}


def test_one_group_lost_its_joins(played: Workload) -> None:
    owner = {
        partition: name
        for name, owned in by_name(last(played, "attribution")).items()
        for partition in owned
    }
    clicks, impressions = JOINED
    assert all(owner[clicks, number] != owner[impressions, number] for number in range(10))


def test_the_groups_go_on_as_they_settled(played: Workload) -> None:
    for group_id, group in played.groups.items():
        assert group.settle().assignments == last(played, group_id).assignments


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_members_come_and_go_under_every_protocol(
    shared_broker: EmbeddedBroker, protocol: AssignmentProtocol
) -> None:
    topic = f"came-and-went-{protocol}"
    shared_broker.create_topics({topic: 6})
    with Group(shared_broker.bootstrap_servers, f"group-{protocol}", protocol=protocol) as group:
        group.start("a", [topic])
        assert by_name(group.settle()) == {"a": tuple((topic, number) for number in range(6))}
        group.start("b", [topic], own_process=True)
        assert sorted(map(len, group.settle().assignments.values())) == [3, 3]
        group.leave("b")
        assert by_name(group.settle()).keys() == {"a"}
        group.leave("a")
        assert group.settle().assignments == {}


def test_a_regular_expression_is_followed(shared_broker: EmbeddedBroker) -> None:
    shared_broker.create_topics({"pattern-a": 1, "pattern-b": 2})
    with Group(shared_broker.bootstrap_servers, "patterned", protocol="range") as group:
        group.start("a", ["^pattern-.*"])
        assert len(by_name(group.settle())["a"]) == 3
        shared_broker.create_topics({"pattern-c": 3})
        assert len(by_name(group.settle())["a"]) == 6


def test_a_member_in_a_process_dies_with_its_parent(shared_broker: EmbeddedBroker) -> None:
    plan = ConsumerPlan(
        servers=shared_broker.bootstrap_servers,
        group_id="orphaned",
        name="orphan",
        protocol="range",
        topics=("none",),
    )
    script = (
        "import json, sys; from streaming.embedded.consumer import ConsumerPlan; "
        "from streaming.embedded.processes import ProcessMember; "
        "member = ProcessMember(ConsumerPlan(**json.loads(sys.argv[1]))); "
        "print('started', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, json.dumps(asdict(plan))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "started\n"
        (member,) = psutil.Process(asker.pid).children()
        asker.kill()
        gone, _ = psutil.wait_procs([member], timeout=60)
    assert gone == [member]
