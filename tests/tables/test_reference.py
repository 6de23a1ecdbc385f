"""The tables reference says what the tables are."""

from pathlib import Path

from streaming.tables.reference import reference
from streaming.tables.schemas import TABLES

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_is_the_one_that_the_schemas_make() -> None:
    assert (DOCS / "tables.md").read_text(encoding="utf-8") == reference()


def test_every_table_has_cluster_and_both_times() -> None:
    for spec in TABLES:
        names = [name for name, _, _ in spec.columns]
        assert {"cluster", "event_time", "processed_time"} <= set(names)
        assert set(spec.key) <= set(names)
        assert len(names) == len(set(names))
