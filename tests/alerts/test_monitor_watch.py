"""The monitor's own alert, across a batch that is tried twice and a restart."""

from pathlib import Path

from streaming.alerts.monitor import MonitorWatch
from streaming.alerts.rules import AlertChange, RuleBook
from streaming.settings.alerts import AlertsSettings
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location
from tests.alerts.parts import START, append

BOOK = RuleBook(AlertsSettings())
START_MS = round(START.timestamp() * 1000)


def look(watch: MonitorWatch, minute: int, *, behind: float | None = 90) -> tuple[AlertChange, ...]:
    records = 500 if behind else 0
    return watch.look(
        now_ms=START_MS + 60_000 * minute, behind_seconds=behind, behind_records=records
    )


def write(folder: Path, changes: tuple[AlertChange, ...]) -> None:
    append(folder, *(change.row() | {"processed_time": START, "batch_id": 0} for change in changes))


def test_it_opens_after_its_duration_and_resolves_after_a_restart(tmp_path: Path) -> None:
    watch = MonitorWatch.resume(TableReader(Location(str(tmp_path))), BOOK, cluster="shop")
    assert look(watch, 0) == ()
    watch.keep()
    (opened,) = look(watch, 2)
    assert (opened.status, opened.group_id) == ("opened", "")
    assert look(watch, 2) == (opened,)  # the batch died before its commit
    write(tmp_path, (opened,))
    watch.keep()
    assert look(watch, 3) == ()

    again = MonitorWatch.resume(TableReader(Location(str(tmp_path))), BOOK, cluster="shop")
    assert look(again, 4) == ()
    (resolved,) = look(again, 5, behind=None)
    assert (resolved.alert_id, resolved.status) == (opened.alert_id, "resolved")
    write(tmp_path, (resolved,))
    over = MonitorWatch.resume(TableReader(Location(str(tmp_path))), BOOK, cluster="shop")
    assert look(over, 6, behind=None) == ()


def test_alerts_of_groups_and_of_other_clusters_are_not_its_own(tmp_path: Path) -> None:
    watch = MonitorWatch(BOOK, cluster="elsewhere")
    look(watch, 0)
    watch.keep()
    write(tmp_path, look(watch, 2))
    mine = MonitorWatch.resume(TableReader(Location(str(tmp_path))), BOOK, cluster="shop")
    assert look(mine, 3, behind=None) == ()
