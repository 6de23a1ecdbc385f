"""Delivery from a real table to a real HTTP server, through the threads."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from streaming.alerts.delivery import AlertDelivery, configured_sinks
from streaming.alerts.delivery.alerts import AlertFeed
from streaming.alerts.delivery.receipts import Receipt, ReceiptFile, Receipts
from streaming.errors import ConfigurationError
from streaming.settings.alerts import AlertsSettings
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location
from tests.alerts.inbox import Inbox, receiving
from tests.alerts.parts import START, append, resolution, row


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with receiving() as server:
        yield server


def to_webhook(inbox: Inbox) -> AlertsSettings:
    return AlertsSettings.model_validate({"sinks": {"apprise": [f"json://{inbox.host}/hook"]}})


def to_alertmanager(inbox: Inbox, **settings: Any) -> AlertsSettings:
    sinks = {"alertmanager": [f"http://user:secret@{inbox.host}/am"]}
    return AlertsSettings.model_validate({"sinks": sinks, **settings})


def deliver(settings: AlertsSettings, folder: Path) -> AlertDelivery:
    return AlertDelivery(settings, cluster="shop", location=Location(str(folder)))


def soon(seconds: float = 0) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


def test_a_webhook_hears_of_opening_and_end_across_a_restart(inbox: Inbox, tmp_path: Path) -> None:
    settings = to_webhook(inbox)
    opened = soon(-600)
    append(tmp_path, row(1, at=opened), row(2, at=opened, cluster="elsewhere"))
    with deliver(settings, tmp_path):
        ((path, message),) = inbox.wait_for(1)
    assert path == "/hook"
    assert message["title"] == "[FIRING] unfair: group-1 (shop)"
    assert message["message"] == "It is unfair.\nunfair-1.0"
    assert message["type"] == "warning"
    append(tmp_path, resolution(1, opened=opened, at=soon()), row(3, at=soon()))
    with deliver(settings, tmp_path):
        messages = inbox.wait_for(3)
    assert [message["title"] for _, message in messages[1:]] == [
        "[RESOLVED] unfair: group-1 (shop)",
        "[FIRING] unfair: group-3 (shop)",
    ]


def test_rows_that_come_while_it_runs_are_found(inbox: Inbox, tmp_path: Path) -> None:
    with deliver(to_webhook(inbox), tmp_path) as delivery:
        for number in range(3):
            append(tmp_path, row(number, at=soon(number)))
            delivery.wake()
            inbox.wait_for(number + 1)
        titles = [message["title"] for _, message in inbox.wait_for(3)]
    assert titles == [f"[FIRING] unfair: group-{n} (shop)" for n in range(3)]


def test_many_alerts_at_once_come_as_a_digest(inbox: Inbox, tmp_path: Path) -> None:
    append(tmp_path, *(row(n, at=START + timedelta(seconds=n)) for n in range(60)))
    with deliver(to_webhook(inbox), tmp_path):
        messages = inbox.wait_for(2)
    titles = [message["title"] for _, message in messages]
    assert titles[:2] == ["50 alerts: 50 firing, 0 over", "10 alerts: 10 firing, 0 over"]
    assert messages[0][1]["message"].count("\n") == 49


def test_a_sink_that_fails_gets_the_same_again(inbox: Inbox, tmp_path: Path) -> None:
    inbox.answers = [500]
    append(tmp_path, row(1))
    with deliver(to_webhook(inbox), tmp_path):
        assert len(inbox.wait_for(1)) == 1


def test_alertmanager_gets_labels_that_stay_and_annotations_that_change(
    inbox: Inbox, tmp_path: Path
) -> None:
    settings = to_alertmanager(inbox, dashboard_url="https://board/")
    append(tmp_path, row(1, rule="topic_skew", subject="clicks", group_id="a/b", value=2.5))
    with deliver(settings, tmp_path):
        ((path, body),) = inbox.wait_for(1)
    assert path == "/am/api/v2/alerts"
    (posted,) = body
    assert posted["labels"] == {
        "alertname": "KafkaGroupTopicSkew",
        "rule": "topic_skew",
        "severity": "warning",
        "cluster": "shop",
        "group": "a/b",
        "topic": "clicks",
    }
    assert posted["annotations"]["value"] == "2.5"
    assert posted["generatorURL"] == "https://board/group?cluster=shop&id=a%2Fb"
    assert datetime.fromisoformat(posted["startsAt"]) == START
    assert datetime.fromisoformat(posted["endsAt"]) > soon(200)


def test_one_alert_that_alertmanager_refuses_does_not_hold_up_the_others(
    inbox: Inbox, tmp_path: Path
) -> None:
    inbox.answers = [400, 200, 400, 200]
    append(tmp_path, *(row(n, at=START + timedelta(seconds=n)) for n in range(3)))
    with deliver(to_alertmanager(inbox), tmp_path):
        posted = inbox.wait_for(2)
    assert [body[0]["labels"]["group"] for _, body in posted] == ["group-0", "group-2"]


def test_the_monitor_itself_has_an_alert_without_a_group(inbox: Inbox, tmp_path: Path) -> None:
    append(tmp_path, row(1, rule="monitor_behind", group_id=""))
    with deliver(to_alertmanager(inbox), tmp_path):
        ((_, body),) = inbox.wait_for(1)
    assert body[0]["labels"] == {
        "alertname": "RebalanceMonitorBehind",
        "rule": "monitor_behind",
        "severity": "warning",
        "cluster": "shop",
    }


def test_without_sinks_or_switched_off_nothing_is_started(tmp_path: Path) -> None:
    for settings in (AlertsSettings(), AlertsSettings(enabled=False)):
        with deliver(settings, tmp_path) as delivery:
            delivery.wake()
        assert delivery.statuses == ()
    assert not any(tmp_path.iterdir())


def test_no_name_and_no_error_gives_an_address_away() -> None:
    settings = AlertsSettings.model_validate(
        {"sinks": {"alertmanager": ["http://me:hush@host:1"], "apprise": ["json://me:hush@host"]}}
    )
    assert "hush" not in "".join(sink.name for sink in configured_sinks(settings)) + repr(settings)
    wrong = AlertsSettings.model_validate({"sinks": {"apprise": ["nosuch://hush"]}})
    with pytest.raises(ConfigurationError) as error:
        configured_sinks(wrong)
    assert error.value.key == "alerts.sinks.apprise[0]"
    assert "hush" not in str(error.value)


def test_the_feed_reads_an_open_alert_however_old_it_is(tmp_path: Path) -> None:
    append(tmp_path, row(1), row(2), row(3))
    append(
        tmp_path,
        row(1, sequence=1, status="open", summary="Worse.", at=START + timedelta(minutes=1)),
        resolution(2, opened=START, at=START + timedelta(minutes=1)),
        resolution(3, opened=START, at=START + timedelta(days=1)),
    )
    feed = AlertFeed(TableReader(Location(str(tmp_path))), cluster="shop")
    found = feed.poll(since=START + timedelta(hours=1))
    assert sorted(found) == ["unfair-1", "unfair-3"]
    assert found["unfair-1"].summary == "Worse."
    assert found["unfair-3"].resolved == START + timedelta(days=1)
    assert feed.poll(since=START) == {}
    append(tmp_path, resolution(1, opened=START, at=START + timedelta(days=2), sequence=2))
    (ended,) = (a for a in feed.poll(since=START).values() if a.alert_id == "unfair-1")
    assert (ended.sequence, ended.outcome) == (2, "Over after 3 min.")


def test_the_feed_waits_for_tables_that_are_not_there_yet(tmp_path: Path) -> None:
    assert AlertFeed(TableReader(Location(str(tmp_path))), cluster="shop").poll(since=START) == {}


@pytest.mark.parametrize("place", ["local", "object store"])
def test_receipts_are_kept_where_the_tables_are(place: str, tmp_path: Path) -> None:
    location = Location(str(tmp_path) if place == "local" else "memory:///tables")
    file = ReceiptFile(location, cluster="a/b", sink="slack")
    assert file.load() is None
    for receipt in (Receipt("firing", START), Receipt("resolved", START)):
        receipts = Receipts(START, {"unfair-1": receipt})
        file.save(receipts)
        assert file.load() == receipts
