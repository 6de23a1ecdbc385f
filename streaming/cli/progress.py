"""How far a run has caught up: a bar on a terminal, lines in the log elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars

from streaming.query.catching_up import OnProgress, Progress

log = structlog.get_logger(__name__)


@contextmanager
def catching_up() -> Iterator[OnProgress]:
    """Show how far a run is, on standard error."""
    if not sys.stderr.isatty():
        yield _log
        return
    columns = (
        TextColumn("records read"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bar(bars)


class _Bar:
    """A bar that appears when there is something to catch up on, and goes when it is done."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._task = bars.add_task("", visible=False)

    def __call__(self, progress: Progress) -> None:
        self._bars.update(
            self._task,
            completed=progress.read,
            total=progress.there,
            visible=not progress.is_over,
        )


def _log(progress: Progress) -> None:
    share = progress.read / progress.there if progress.there else 1.0
    log.info(
        "catching up",
        records_read=progress.read,
        records_there=progress.there,
        percent=round(100 * share, 1),
    )
