"""Replays of real groups: under its own assignor, a group's life costs what it really cost."""

from contextlib import ExitStack

import pytest
from pyspark.sql import SparkSession

from streaming.advice import advise, load_history, replay
from streaming.advice.replay import policy_of
from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.consumer import AssignmentProtocol
from streaming.embedded.group import Group
from streaming.query.service import running
from streaming.settings.loading import load_settings
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("spark")]

TOPICS = {"advice-x": 7, "advice-y": 5}
PROTOCOLS: tuple[AssignmentProtocol, ...] = (
    "range",
    "roundrobin",
    "cooperative-sticky",
    "consumer",
)
LIFE = ("+a", "+b", "+c", "-a", "+d", "+e", "-c", "-b", "+f")
"""Who joins and who leaves; each step is one rebalance."""


def live(group: Group) -> None:
    for step in LIFE:
        name = step[1:]
        if step.startswith("+"):
            group.start(name, tuple(TOPICS))
        else:
            group.leave(name)
        group.settle(step)


@pytest.fixture(scope="module")
def reader(
    shared_broker: EmbeddedBroker, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> TableReader:
    """Tables with the lives of four groups."""
    folder = tmp_path_factory.mktemp("advice")
    servers = shared_broker.bootstrap_servers
    shared_broker.create_topics(TOPICS)
    settings = load_settings(
        None,
        env={},
        overrides={
            "cluster.name": "test",
            "cluster.bootstrap_servers": servers,
            "query.tables": str(folder / "tables"),
            "query.checkpoint": str(folder / "checkpoint"),
            "metrics.enabled": False,
        },
    )
    with ExitStack() as alive:
        for protocol in PROTOCOLS:
            group = Group(servers, f"advice-{protocol}", protocol=protocol)
            live(alive.enter_context(group))
        with running(settings, say=print, once=True, spark=lambda: spark) as service:
            assert service.wait(seconds=120)
    return TableReader(Location.of(settings.query))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_under_its_own_assignor_a_real_life_costs_what_it_cost(
    reader: TableReader, protocol: str
) -> None:
    history = load_history(reader, cluster="test", group_id=f"advice-{protocol}")
    assert history.latest is not None
    own = policy_of(history.latest.snapshot.assignor)
    assert own is not None
    recorded = [generation.churn for generation in history.rebalances]
    assert len(recorded) == len(LIFE) - 1
    assert sum(recorded) > 0
    assert [step.churn for step in replay(history, own).steps] == recorded


def test_what_is_advised_is_what_the_replays_say(reader: TableReader) -> None:
    history = load_history(reader, cluster="test", group_id="advice-roundrobin")
    (advice,) = (each for each in advise(history) if each.kind == "assignor")
    recorded = sum(generation.churn for generation in history.rebalances)
    assert advice.policy == "cooperative-sticky"
    assert advice.total == recorded
    assert advice.saved == recorded - replay(history, "cooperative-sticky").churn
    assert advice.saved > recorded // 4
