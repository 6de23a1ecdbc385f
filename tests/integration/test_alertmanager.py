"""Alerts from the Delta table through a real Alertmanager to a webhook behind it.

Needs Debian's ``prometheus-alertmanager``. It runs by hand on loopback, without a cluster.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from pyspark.sql import SparkSession

from streaming.alerts.delivery import AlertDelivery, configured_sinks
from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.group import Group
from streaming.embedded.ports import LOOPBACK, free_ports
from streaming.embedded.process import TiedProcess
from streaming.embedded.waiting import until
from streaming.query.service import running
from streaming.settings.alerts import AlertsSettings
from streaming.settings.loading import load_settings
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location
from tests.alerts.inbox import WAIT_SECONDS, Inbox, receiving
from tests.alerts.parts import append, resolution, row

pytestmark = pytest.mark.integration
CONFIGURATION = """
route:
  receiver: hook
  group_by: ['...']
  group_wait: 100ms
  group_interval: 100ms
  repeat_interval: 1h
receivers:
  - name: hook
    webhook_configs:
      - url: http://{host}/hook
        send_resolved: true
"""


class Alertmanager:
    """A real one, whose notifications end in `inbox`."""

    def __init__(self, folder: Path, inbox: Inbox) -> None:
        binary = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
        assert binary, "install Debian's prometheus-alertmanager for this test"
        self.inbox = inbox
        self.folder = folder
        (port,) = free_ports(1)
        self.url = f"http://{LOOPBACK}:{port}"
        configuration = folder / "alertmanager.yml"
        configuration.write_text(CONFIGURATION.format(host=inbox.host))
        self.command = [
            binary,
            f"--config.file={configuration}",
            f"--storage.path={folder / 'storage'}",
            f"--web.listen-address={LOOPBACK}:{port}",
            "--cluster.listen-address=",
        ]

    @contextmanager
    def running(self) -> Iterator[None]:
        with TiedProcess(self.command, log=self.folder / "alertmanager.log") as process:
            self._wait_until_ready(process)
            yield
            process.stop(within_seconds=WAIT_SECONDS)

    def active(self) -> list[dict[str, Any]]:
        alerts: list[dict[str, Any]] = httpx.get(f"{self.url}/api/v2/alerts", timeout=60).json()
        return alerts

    def notified(self, rule: str = "unfair") -> Counter[tuple[str, str]]:
        """How often the webhook heard of each (status, group) under a rule."""
        return Counter(
            (alert["status"], alert["labels"]["group"])
            for _, message in self.inbox.wait_for(0)
            for alert in message["alerts"]
            if alert["labels"]["rule"] == rule
        )

    def wait_until_notified(self, *expected: tuple[str, str]) -> None:
        with self.inbox.changed:
            assert self.inbox.changed.wait_for(
                lambda: self.notified().keys() >= {*expected}, timeout=WAIT_SECONDS
            ), f"{expected} not in {self.notified()}"

    def _wait_until_ready(self, process: TiedProcess) -> None:
        until(lambda: process.ended or self._is_ready(), awaited="Alertmanager")
        assert not process.ended, process.tail()

    def wait_until_noted(self) -> None:
        """Wait until it has written down what it has told: killed before, it would not know.

        It looks into its log of notifications at every flush, and flushes one after the other.
        """
        flushes = self._flushes() + 20
        until(lambda: self._flushes() >= flushes, awaited="flushes of Alertmanager")

    def _flushes(self) -> float:
        metrics = httpx.get(f"{self.url}/metrics", timeout=60).text
        (line,) = (
            line for line in metrics.splitlines() if line.startswith("alertmanager_nflog_queries")
        )
        return float(line.split()[1])

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/-/ready", timeout=60).is_success
        except httpx.TransportError:
            return False


@pytest.fixture
def alertmanager(tmp_path: Path) -> Iterator[Alertmanager]:
    folder = tmp_path / "alertmanager"
    folder.mkdir()
    with receiving() as inbox:
        yield Alertmanager(folder, inbox)


@contextmanager
def delivering(alertmanager: Alertmanager, folder: Path) -> Iterator[AlertDelivery]:
    settings = AlertsSettings.model_validate(
        {
            "sinks": {"alertmanager": [alertmanager.url]},
            "repost_seconds": 1,
            "dashboard_url": "http://board",
        }
    )
    sinks = configured_sinks(settings, least_firing=timedelta(seconds=1))
    location = Location(str(folder))
    with AlertDelivery(settings, cluster="shop", location=location, sinks=sinks) as delivery:
        yield delivery


def now() -> datetime:
    return datetime.now(UTC)


def test_an_alert_opens_and_resolves(alertmanager: Alertmanager, tmp_path: Path) -> None:
    opened = now()
    append(tmp_path, row(1, at=opened, value=0.25, summary="It is unfair."))
    with alertmanager.running(), delivering(alertmanager, tmp_path) as delivery:
        alertmanager.wait_until_notified(("firing", "group-1"))
        (active,) = alertmanager.active()
        assert active["labels"] == {
            "alertname": "KafkaGroupUnfair",
            "rule": "unfair",
            "severity": "warning",
            "cluster": "shop",
            "group": "group-1",
        }
        assert active["annotations"]["value"] == "0.25"
        assert active["annotations"]["summary"] == "It is unfair."
        assert active["generatorURL"] == "http://board/group?cluster=shop&id=group-1"
        append(tmp_path, resolution(1, opened=opened, at=now()))
        delivery.wake()
        alertmanager.wait_until_notified(("resolved", "group-1"))
        assert alertmanager.active() == []


def test_stopped_for_a_while_nothing_is_lost_and_nothing_comes_twice(
    alertmanager: Alertmanager, tmp_path: Path
) -> None:
    opened = now()
    append(tmp_path, row(1, at=opened), row(2, at=opened))
    with delivering(alertmanager, tmp_path) as delivery:
        with alertmanager.running():
            alertmanager.wait_until_notified(("firing", "group-1"), ("firing", "group-2"))
            alertmanager.wait_until_noted()
        append(tmp_path, row(3, at=now()), row(4, at=now()))
        append(tmp_path, resolution(1, opened=opened, at=now()))
        append(tmp_path, resolution(4, opened=opened, at=now()))
        delivery.wake()
        wait_until_failing(delivery)
        with alertmanager.running():
            alertmanager.wait_until_notified(
                ("resolved", "group-1"), ("firing", "group-3"), ("resolved", "group-4")
            )
            # A fence: what comes before it would have come twice by now.
            append(tmp_path, row(5, at=now()), resolution(3, opened=opened, at=now()))
            delivery.wake()
            alertmanager.wait_until_notified(("firing", "group-5"), ("resolved", "group-3"))
    assert alertmanager.notified() == Counter(
        {
            ("firing", "group-1"): 1,
            ("resolved", "group-1"): 1,
            ("firing", "group-2"): 1,
            ("firing", "group-3"): 1,
            ("resolved", "group-3"): 1,
            ("firing", "group-4"): 1,
            ("resolved", "group-4"): 1,
            ("firing", "group-5"): 1,
        }
    )


def test_one_that_lost_its_memory_still_passes_on_the_end_of_what_it_knew(
    alertmanager: Alertmanager, tmp_path: Path
) -> None:
    opened = now()
    append(tmp_path, row(1, at=opened))
    with delivering(alertmanager, tmp_path) as delivery:
        with alertmanager.running():
            alertmanager.wait_until_notified(("firing", "group-1"))
        shutil.rmtree(alertmanager.folder / "storage")
        append(tmp_path, resolution(1, opened=opened, at=now()))
        delivery.wake()
        wait_until_failing(delivery)
        with alertmanager.running():
            alertmanager.wait_until_notified(("resolved", "group-1"))
    # Without its log it cannot know that it has told of the opening before.
    assert alertmanager.notified() == Counter(
        {("firing", "group-1"): 2, ("resolved", "group-1"): 1}
    )


def test_a_monitor_started_again_neither_repeats_nor_forgets(
    alertmanager: Alertmanager, tmp_path: Path
) -> None:
    opened = now()
    append(tmp_path, row(1, at=opened), row(2, at=opened))
    with alertmanager.running():
        with delivering(alertmanager, tmp_path):
            alertmanager.wait_until_notified(("firing", "group-1"), ("firing", "group-2"))
        append(tmp_path, resolution(1, opened=opened, at=now()), row(3, at=now()))
        with delivering(alertmanager, tmp_path):
            alertmanager.wait_until_notified(("resolved", "group-1"), ("firing", "group-3"))
    assert max(alertmanager.notified().values()) == 1


@pytest.mark.xdist_group("spark")
def test_a_lopsided_real_group_raises_an_alert_and_resolves_once_it_is_balanced(
    alertmanager: Alertmanager, tmp_path: Path, shared_broker: EmbeddedBroker, spark: SparkSession
) -> None:
    """Range over eight topics of three partitions: two members own 16 and 8, three own 8 each."""
    topics = {f"lopsided-{number}": 3 for number in range(8)}
    shared_broker.create_topics(topics)
    settings = load_settings(
        None,
        env={},
        overrides={
            "cluster.name": "test",
            "cluster.bootstrap_servers": shared_broker.bootstrap_servers,
            "query.tables": str(tmp_path / "tables"),
            "query.checkpoint": str(tmp_path / "checkpoint"),
            "query.trigger_seconds": 1,
            "metrics.enabled": False,
            "alerts.overrides": [{"groups": "*", "for_seconds": 0}],
            "alerts.sinks": {"alertmanager": [alertmanager.url]},
        },
    )
    with ExitStack() as stack:
        stack.enter_context(alertmanager.running())
        group = stack.enter_context(
            Group(shared_broker.bootstrap_servers, "lopsided", protocol="range")
        )
        group.start("a", tuple(topics))
        group.start("b", tuple(topics))
        group.settle("lopsided")
        stack.enter_context(running(settings, say=print, spark=lambda: spark))
        alertmanager.wait_until_notified(("firing", "lopsided"))
        group.start("c", tuple(topics))
        group.settle("balanced")
        alertmanager.wait_until_notified(("resolved", "lopsided"))
    rows = TableReader(Location.of(settings.query)).rows(
        """
        SELECT a.status, a.batch_id - r.batch_id AS later, r.member_count
        FROM alerts a JOIN rebalances r ON a.group_id = r.group_id AND a.batch_id >= r.batch_id
        WHERE a.group_id = 'lopsided' AND a.rule = 'unfair'
          AND r.member_count = CASE a.status WHEN 'opened' THEN 2 ELSE 3 END
        ORDER BY a.sequence
        """
    )
    assert [(row["status"], row["member_count"]) for row in rows] == [
        ("opened", 2),
        ("resolved", 3),
    ]
    assert all(row["later"] <= 1 for row in rows)


def wait_until_failing(delivery: AlertDelivery) -> None:
    until(lambda: any(status.failures for status in delivery.statuses), awaited="a failure")
