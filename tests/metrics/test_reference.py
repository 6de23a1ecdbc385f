"""The document on metrics says what is served."""

from pathlib import Path

from streaming.metrics.catalogue import GROUP_COLUMNS
from streaming.metrics.reference import reference
from streaming.settings.alerts import DEFAULTS
from streaming.settings.serving import MetricsSettings

DOCUMENT = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()


def test_the_tables_are_those_that_the_catalogue_makes() -> None:
    assert reference() in DOCUMENT


def test_the_bound_of_series_is_as_stated() -> None:
    limits = MetricsSettings()
    single = len(GROUP_COLUMNS) + 4 + len(DEFAULTS) - 1  # information, state, two lags, alerts
    series = limits.groups * (single + 2 * limits.members + limits.topics)
    assert round(series, -3) == 32_000
    assert "some 32,000" in DOCUMENT


def test_the_address_is_the_default_one() -> None:
    assert f"http://{MetricsSettings().host}:{MetricsSettings().port}/metrics" in DOCUMENT
