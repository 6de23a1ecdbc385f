"""Size of the state: files, bytes and rows of the tables that hold it."""

from deltalake.exceptions import TableNotFoundError

from streaming.metrics import catalogue
from streaming.metrics.samples import Samples
from streaming.tables.schemas import TABLES
from streaming.tables.storage import Location


def add_state(samples: Samples, location: Location) -> None:
    """Add the size of every table of current state, as its log has it."""
    for spec in TABLES:
        if spec.keyed:
            _add_table(samples, location, spec.name)


def _add_table(samples: Samples, location: Location, name: str) -> None:
    try:
        table = location.open(name)
    except TableNotFoundError:
        return
    files = table.get_add_actions(flatten=True)
    sizes, rows = (files.column(column).to_pylist() for column in ("size_bytes", "num_records"))
    samples.add(catalogue.STATE_FILES, (name,), len(sizes))
    samples.add(catalogue.STATE_BYTES, (name,), sum(sizes))
    samples.add(catalogue.STATE_ROWS, (name,), sum(count or 0 for count in rows))
