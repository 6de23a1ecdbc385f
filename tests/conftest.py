"""What all tests share: one broker and one Spark session per test process."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from streaming.embedded.broker import EmbeddedBroker


# The same examples on every run, and no verdict that depends on how busy the machine is.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")

# The same examples at every run, and none refused for the time it took on a busy machine.
settings.register_profile(
    "project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")


@pytest.fixture(scope="session")
def shared_broker() -> Iterator["EmbeddedBroker"]:
    """A running broker for tests that name their own topics and groups, and do not stop it."""
    from streaming.embedded.broker import EmbeddedBroker  # noqa: PLC0415 - not for unit tests

    with EmbeddedBroker() as broker:
        yield broker


@pytest.fixture(scope="session")
def spark() -> "SparkSession":
    """A local session; it ends with the test process."""
    from streaming.session.spark import build_session  # noqa: PLC0415 - slow to import

    return build_session(master="local[2]", short_run=True)
