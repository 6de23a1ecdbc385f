"""`rebalance-monitor maintain`: compaction, retention and clean-up of the tables."""

from datetime import timedelta

import click
from rich.console import Console
from rich.table import Table

from streaming.cli.configured import configured
from streaming.settings.model import Settings
from streaming.tables.maintenance import Upkeep, maintain
from streaming.tables.storage import Location


@click.command(name="maintain")
@configured("query.tables", "maintenance.history_days", "maintenance.vacuum_hours")
def maintain_tables(settings: Settings) -> None:
    """Compact the histories, delete rows and files that are over their time.

    Safe beside a running monitor, which does the same by itself at an interval.
    """
    options = settings.query.storage_options
    location = Location(
        settings.query.tables, {name: value.get_secret_value() for name, value in options.items()}
    )
    upkeep = Upkeep(
        history=timedelta(days=settings.maintenance.history_days),
        vacuum=timedelta(hours=settings.maintenance.vacuum_hours),
    )
    shown = Table("table", "files", "rows deleted", "files deleted", "seconds", "postponed")
    for done in maintain(location, upkeep):
        shown.add_row(
            done.table,
            f"{done.files_before} → {done.files_after}",
            str(done.rows_deleted),
            str(done.files_deleted),
            f"{done.seconds:.2f}",
            done.postponed,
        )
    Console().print(shown)
