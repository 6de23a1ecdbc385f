"""`rebalance-monitor maintain`: compaction, retention and clean-up of the tables."""

from datetime import timedelta
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from streaming.settings.loading import load_settings
from streaming.tables.maintenance import Upkeep, maintain
from streaming.tables.storage import Location


@click.command(name="maintain")
@click.option(
    "-c",
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="REBALANCE_MONITOR_CONFIG",
    help="Configuration file (TOML).",
)
@click.option("--tables", help="Where the Delta tables lie, over `query.tables`.")
@click.option("--history-days", type=float, help="Over `maintenance.history_days`.")
@click.option("--vacuum-hours", type=float, help="Over `maintenance.vacuum_hours`.")
def maintain_tables(
    *,
    config: Path | None,
    tables: str | None,
    history_days: float | None,
    vacuum_hours: float | None,
) -> None:
    """Compact the histories, delete rows and files that are over their time.

    Safe beside a running monitor, which does the same by itself at an interval.
    """
    settings = load_settings(
        config,
        overrides={
            "query.tables": tables,
            "maintenance.history_days": history_days,
            "maintenance.vacuum_hours": vacuum_hours,
        },
    )
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
