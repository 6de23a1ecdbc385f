"""Begin a session in the background: a JVM takes seconds to start, which others can use."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from pyspark.sql import SparkSession

from streaming.session.jars import Say
from streaming.session.spark import build_session


def begin_session(*, master: str, conf: Mapping[str, str], say: Say) -> Future[SparkSession]:
    """Begin to build a session as `build_session` does, and then to start its Python workers.

    Args:
        master: Spark master of a session of our own.
        conf: Spark settings laid over ours.
        say: told what is being downloaded and started, from another thread.

    Returns:
        The session, or what `build_session` raised.
    """
    one_after_the_other = ThreadPoolExecutor(max_workers=1, thread_name_prefix="session")
    session = one_after_the_other.submit(
        build_session, master=master, keep_classes=True, conf=conf, say=say
    )
    one_after_the_other.submit(lambda: _start_workers(session.result()))
    one_after_the_other.shutdown(wait=False)
    return session


def _start_workers(session: SparkSession) -> None:
    """Have the Python workers started, which takes most of a second, before a batch needs them."""
    tasks = session.sparkContext.defaultParallelism
    session.range(tasks, numPartitions=tasks).mapInArrow(lambda each: each, "id bigint").collect()
