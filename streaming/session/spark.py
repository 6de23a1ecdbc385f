"""Build the Spark session: local with everything set, or the one that is there already."""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

import streaming
from streaming.session.archive import ClassArchive
from streaming.session.jars import Say, quiet, resolve_jars
from streaming.session.java import find_java
from streaming.session.ours import ensure_ours

_SCALA = "2.13"
_LOOPBACK = "127.0.0.1"
_SECRETS = "(?i)secret|password|token|access[.]?key|jaas|keystore[.]key|url"
"""Names of options whose values Spark shows nowhere."""
_LOGGING = Path(__file__).with_name("log4j2.properties")
_QUICK_COMPILER = "-XX:TieredStopAtLevel=1"
_THROUGHPUT = (
    "-XX:+UseParallelGC",
    # Left to itself the optimising compiler takes a quarter of all CPU time in the first minute,
    # most of it for code that runs once; what is hot gets past four times the thresholds soon.
    "-XX:Tier4InvocationThreshold=20000",
    "-XX:Tier4MinInvocationThreshold=2400",
    "-XX:Tier4CompileThreshold=60000",
)

# What the query relies on, whoever made the session.
_NEEDED = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # The other offset reader silently drops internal topics such as __consumer_offsets.
    "spark.sql.streaming.kafka.useDeprecatedOffsetFetching": "true",
}

# What a session of our own is made with.
_OWN = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",  # it plans stage by stage; our batches are small
    "spark.python.worker.reuse": "true",
    "spark.python.daemon.module": "streaming.query.python_daemon",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "WARN",
    "spark.redaction.regex": _SECRETS,
    "spark.sql.redaction.options.regex": _SECRETS,
    "spark.executorEnv.PYTHONSAFEPATH": "1",  # else a types.py in the folder shadows Python's own
}


def build_session(
    *,
    master: str = "local[*]",
    short_run: bool = False,
    keep_classes: bool = False,
    conf: Mapping[str, str] | None = None,
    say: Say = quiet,
) -> SparkSession:
    """Return a session that can read Kafka and write Delta.

    Under spark-submit, on Databricks, or where a session is active, that one's context is used as
    it is: neither master nor jars are set, only what the query relies on.

    Args:
        master: Spark master of a session of our own.
        short_run: Spare the JVM's optimising compiler: starts some seconds sooner and runs slower
            after half a minute. For tests and demos.
        keep_classes: At the end of this process archive the classes it used, so that the next one
            starts sooner. For runs that use all of it: the stream and the tables.
        conf: Spark settings laid over ours.
        say: Told what is being downloaded and started.

    Raises:
        PackageClashError: `streaming` is another distribution's package.
        JavaError: Java is missing or too old (a session of our own only).
        JarsError: The connectors' jars cannot be resolved (a session of our own only).
    """
    ensure_ours()
    if _provided():
        return _adopted(conf or {})
    java = find_java()
    jars = connector_jars(say=say)
    archive = ClassArchive.matching(java, (*sorted(_spark_jars().iterdir()), *jars))
    jvm_options = [
        f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}",
        *_THROUGHPUT,
        *archive.jvm_options(make=keep_classes),
        *([_QUICK_COMPILER] if short_run else []),
    ]
    _prepare_environment(master)
    say("starting Spark")
    session = _start(
        master,
        {
            **_NEEDED,
            **_OWN,
            **_place(master, jars),
            "spark.driver.extraJavaOptions": " ".join(jvm_options),
            "spark.executorEnv.PYTHONPATH": str(Path(streaming.__path__[0]).parent),
            **(conf or {}),
        },
    )
    if keep_classes:
        archive.make_at_exit(session)
    return session


def connector_coordinates() -> tuple[str, ...]:
    """Return the Maven coordinates that fit the installed PySpark and delta-spark."""
    return (
        f"org.apache.spark:spark-sql-kafka-0-10_{_SCALA}:{pyspark.__version__}",
        f"io.delta:delta-spark_{_SCALA}:{metadata.version('delta-spark')}",
    )


def connector_jars(*, say: Say = quiet) -> tuple[Path, ...]:
    """Return the connectors' jars, without those that Spark brings along.

    Raises:
        JarsError: They cannot be resolved.
    """
    there = {jar.name for jar in _spark_jars().iterdir()}
    resolved = resolve_jars(*connector_coordinates(), say=say)
    return tuple(jar for jar in resolved if jar.name not in there)


def _provided() -> bool:
    """Whether somebody else starts Spark: an active session, spark-submit, or Databricks."""
    started = {"PYSPARK_GATEWAY_PORT", "DATABRICKS_RUNTIME_VERSION", "SPARK_REMOTE"}
    return SparkSession.getActiveSession() is not None or bool(started & os.environ.keys())


def _adopted(conf: Mapping[str, str]) -> SparkSession:
    """Return a session of its own settings on the context that is there."""
    session = SparkSession.builder.getOrCreate().newSession()
    for key, value in {**_NEEDED, **conf}.items():
        session.conf.set(key, value)
    return session


def _place(master: str, jars: Sequence[Path]) -> dict[str, str]:
    """Return how driver and executors find the jars and, on one machine, each other."""
    if not _one_machine(master):
        return {"spark.jars": ",".join(map(str, jars))}
    path = os.pathsep.join(map(str, jars))
    return {
        "spark.driver.extraClassPath": path,
        "spark.executor.extraClassPath": path,
        "spark.driver.host": _LOOPBACK,
        "spark.driver.bindAddress": _LOOPBACK,
    }


def _prepare_environment(master: str) -> None:
    """Tell Spark which Python its workers are and, on one machine, to stay on loopback."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if _one_machine(master):
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)


def _one_machine(master: str) -> bool:
    """Whether this is `local[..]` or `local-cluster[..]`."""
    return master.startswith("local")


def _start(master: str, settings: Mapping[str, str]) -> SparkSession:
    builder = SparkSession.builder.appName("rebalance-monitor").master(master)
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _spark_jars() -> Path:
    home = os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent
    return Path(home) / "jars"
