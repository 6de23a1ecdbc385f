"""The Spark session: ours, and one that somebody else made."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyspark
import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from streaming.embedded.broker import EmbeddedBroker
from streaming.session.spark import build_session

pytestmark = pytest.mark.integration
SUBMITTED = """
from streaming.session.spark import build_session
session = build_session(conf={"spark.sql.shuffle.partitions": "7"})
conf = session.sparkContext.getConf()
print(
    conf.get("spark.master"),
    conf.get("spark.driver.extraClassPath"),
    session.conf.get("spark.sql.session.timeZone"),
    session.conf.get("spark.sql.shuffle.partitions"),
)
"""
SHADOWED = """
from streaming.session.spark import build_session
session = build_session(master="local[1]", short_run=True)
rows = session.range(3).mapInArrow(lambda batches: batches, "id long").count()
print("rows", rows)
"""


def interpreters(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
    for _ in batches:
        yield pa.RecordBatch.from_pydict({"path": [sys.executable]})


def run(script: str, *, folder: Path, command: tuple[str, ...]) -> str:
    (folder / "job.py").write_text(script)
    return subprocess.run(
        [*command, "job.py"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


def test_workers_run_our_interpreter(spark: SparkSession) -> None:
    rows = spark.range(1).mapInArrow(interpreters, "path string").collect()
    assert {row.path for row in rows} == {sys.executable}


def test_it_reads_kafka_and_writes_delta(
    spark: SparkSession, shared_broker: EmbeddedBroker, tmp_path: Path
) -> None:
    shared_broker.create_topics({"session-check": 1})
    producer = Producer({"bootstrap.servers": shared_broker.bootstrap_servers})
    producer.produce("session-check", b"value")
    assert producer.flush(60) == 0
    records = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", shared_broker.bootstrap_servers)
        .option("assign", '{"session-check": [0]}')
        .load()
    )
    table = str(tmp_path / "table")
    records.select("value").write.format("delta").save(table)
    assert [row.value for row in spark.read.format("delta").load(table).collect()] == [b"value"]


def test_an_active_session_is_shared_with_settings_of_its_own(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    second = build_session(conf={"spark.sql.shuffle.partitions": "5"})
    assert second.sparkContext is spark.sparkContext
    assert second.conf.get("spark.sql.shuffle.partitions") == "5"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"


def test_under_spark_submit_master_and_jars_stay_theirs(tmp_path: Path) -> None:
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    answer = run(SUBMITTED, folder=tmp_path, command=(str(submit), "--master", "local[1]"))
    assert answer.split() == ["local[1]", "None", "UTC", "7"]


def test_a_file_named_like_a_standard_module_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "types.py").write_text("raise SystemExit('shadowed')\n")
    answer = run(SHADOWED, folder=tmp_path, command=(sys.executable, "-P"))
    assert answer.split() == ["rows", "3"]
