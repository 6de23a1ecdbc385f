"""PySpark's daemon with our modules loaded, by ``spark.python.daemon.module``.

Spark forks its Python workers from the daemon: what it has imported they need not import again, and
they share the memory that it takes.
"""

from pyspark.daemon import manager

import streaming.query.task  # noqa: F401 - loaded for the workers that are forked from here

if __name__ == "__main__":
    manager()  # type: ignore[no-untyped-call] # PySpark's own, not typed
