"""`rebalance-monitor maintain`: compaction, retention and clean-up of the tables."""

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
    shown = Table("table", "files", "rows deleted", "files deleted", "seconds", "postponed")
    for done in maintain(Location.of(settings.query), Upkeep.of(settings.maintenance)):
        shown.add_row(
            done.table,
            f"{done.files_before} → {done.files_after}",
            str(done.rows_deleted),
            str(done.files_deleted),
            f"{done.seconds:.2f}",
            done.postponed,
        )
    Console().print(shown)
