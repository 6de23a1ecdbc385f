"""spark-submit on a cluster of two executors, each a process of its own with its own Python."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pyspark
import pytest
from confluent_kafka import Producer

from streaming.embedded.broker import EmbeddedBroker
from streaming.records import write_assignment, write_key, write_subscription, write_value
from streaming.session.spark import connector_jars
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("spark")]

ROOT = Path(__file__).parents[2]
SPARK_HOME = Path(pyspark.__file__).parent
MASTER = "local-cluster[2,1,1024]"
TOPIC = "cluster-mode"
PARTITIONS = 4
GROUPS = [f"group-{number}" for number in range(8)]
GENERATIONS = 3


@dataclass(frozen=True)
class Submitted:
    """What a submitted run left behind."""

    reader: TableReader
    events: list[dict[str, Any]]


def generation(group: str, number: int) -> tuple[bytes, bytes]:
    """Two members that swap their partitions from one generation to the next."""
    members = [
        {
            "member_id": f"{group}-{name}",
            "client_id": name,
            "client_host": "/h",
            "session_timeout": 10_000,
            "subscription": write_subscription(1, {"topics": ["t"], "owned_partitions": []}),
            "assignment": write_assignment(
                1, {"assigned_partitions": [{"topic": "t", "partitions": [(number + place) % 2]}]}
            ),
        }
        for place, name in enumerate("ab")
    ]
    fields = {
        "protocol_type": "consumer",
        "generation": number,
        "protocol": "range",
        "leader": members[0]["member_id"],
        "current_state_timestamp": 1,
        "members": members,
    }
    return write_key(2, {"group": group}), write_value(2, 3, fields)


def fill(broker: EmbeddedBroker) -> None:
    broker.create_topics({TOPIC: PARTITIONS, "t": 2})
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for place, group in enumerate(GROUPS):
        for number in range(1, GENERATIONS + 1):
            key, value = generation(group, number)
            producer.produce(TOPIC, value, key, partition=place % PARTITIONS)
        key = write_key(1, {"group": group, "topic": "t", "partition": 0})
        commit = {"offset": 0, "metadata": "", "commit_timestamp": 1}
        producer.produce(TOPIC, write_value(1, 3, commit), key, partition=place % PARTITIONS)
    assert producer.flush(60) == 0


def submit(broker: EmbeddedBroker, folder: Path) -> None:
    config = folder / "monitor.toml"
    config.write_text(
        f'[source]\ntopic = "{TOPIC}"\n[query]\nshards = 4\n[metrics]\nenabled = false\n'
    )
    log = folder / "events"
    log.mkdir()
    conf = {
        "spark.jars": ",".join(map(str, connector_jars())),
        "spark.executor.memory": "512m",
        "spark.driver.memory": "512m",
        "spark.pyspark.python": sys.executable,
        "spark.executorEnv.PYTHONPATH": str(ROOT),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.compress": "false",
    }
    command = [
        *(str(SPARK_HOME / "bin" / "spark-submit"), "--master", MASTER),
        *(part for name, value in conf.items() for part in ("--conf", f"{name}={value}")),
        *(str(ROOT / "conf" / "spark_submit.py"), "run", "--once", "--config", str(config)),
        *("--bootstrap-servers", broker.bootstrap_servers),
        *("--tables", str(folder / "tables"), "--checkpoint", str(folder / "checkpoint")),
    ]
    environment = {**os.environ, "SPARK_HOME": str(SPARK_HOME), "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def submitted(shared_broker: EmbeddedBroker, tmp_path_factory: pytest.TempPathFactory) -> Submitted:
    folder = tmp_path_factory.mktemp("cluster-mode")
    fill(shared_broker)
    submit(shared_broker, folder)
    lines = (
        line
        for file in (folder / "events").rglob("events_*")
        for line in file.read_bytes().splitlines()
    )
    return Submitted(
        TableReader(Location(str(folder / "tables"))), [orjson.loads(line) for line in lines]
    )


def test_all_that_was_in_the_topic_is_in_the_tables(submitted: Submitted) -> None:
    rows = submitted.reader.rows(
        "SELECT group_id, generation, churn FROM rebalances ORDER BY group_id, generation"
    )
    assert [(row["group_id"], row["generation"], row["churn"]) for row in rows] == [
        (group, number, 0 if number == 1 else 2)
        for group in GROUPS
        for number in range(1, GENERATIONS + 1)
    ]
    (row,) = submitted.reader.rows("SELECT COUNT(*) AS offsets FROM offsets")
    assert row["offsets"] == len(GROUPS)


def test_both_executors_worked_on_groups(submitted: Submitted) -> None:
    tasks = [event for event in submitted.events if event["Event"] == "SparkListenerTaskEnd"]
    assert {event["Task Info"]["Executor ID"] for event in tasks} == {"0", "1"}
