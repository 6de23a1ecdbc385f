"""A real Prometheus scrapes what we serve, with the rules that we ship.

Needs Debian's ``prometheus``, which brings ``promtool``. It runs by hand on loopback.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from streaming.alerts.delivery import SinkStatus
from streaming.embedded.ports import LOOPBACK, free_ports
from streaming.embedded.process import TiedProcess
from streaming.embedded.waiting import until
from streaming.metrics import MetricsServer, start_metrics_server
from streaming.metrics.catalogue import CATALOGUE
from streaming.settings.serving import MetricsSettings
from streaming.tables.storage import Location
from tests.metrics.parts import NOW, append, batch, group, offset

pytestmark = pytest.mark.integration
CONF = Path(__file__).parents[2] / "conf"
SOON_SECONDS = 60.0
LATE = (
    "increase(",
    "rate(",
    "changes(",
)
"""Functions over a range, which know nothing after a single scrape."""


def tool(*arguments: str | Path, stdin: bytes = b"") -> str:
    """Run promtool; its complaints are the failure."""
    promtool = shutil.which("promtool")
    assert promtool, "install Debian's prometheus for this test"
    done = subprocess.run(
        [promtool, *map(str, arguments)], input=stdin, capture_output=True, check=False
    )
    output = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, output
    return output


@pytest.fixture
def served(tmp_path: Path) -> Iterator[MetricsServer]:
    """Metrics of a small cluster, every one of them with a value."""
    tables = tmp_path / "tables"
    ill = {"fair": False, "moves_to_fairest": 4, "unassigned_count": 1, "last_commit_time": NOW}
    append(tables, "group_state", group("orders", **ill), group("clicks"))
    append(tables, "offsets", offset("orders", 0, 5), offset("orders", 1, 2000))
    append(tables, "batches", batch(0), batch(1))
    alert = {
        "cluster": "shop",
        "alert_id": "unfair-1",
        "sequence": 0,
        "status": "opened",
        "rule": "unfair",
        "severity": "warning",
        "group_id": "orders",
        "event_time": NOW,
    }
    append(tables, "alerts", alert)
    sinks = [SinkStatus(sink="slack")]
    (port,) = free_ports(1)
    settings = MetricsSettings(port=port)
    with start_metrics_server(settings, Location(str(tables)), sinks=lambda: sinks) as server:
        yield server


class Prometheus:
    """Its HTTP API."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str, **parameters: str) -> Any:
        answer = httpx.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=60)
        assert answer.is_success, f"{parameters}: {answer.text}"
        return answer.json()["data"]

    def values(self, expression: str) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.get("query", query=expression)["result"]
        return result

    def wait_for(self, expression: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []

        def is_there() -> bool:
            found[:] = self.values(expression)
            return bool(found)

        until(is_there, awaited=expression)
        return found


@contextmanager
def scraping(server: MetricsServer, folder: Path) -> Iterator[Prometheus]:
    """A Prometheus with the configuration that we ship, at a pace for tests."""
    binary = shutil.which("prometheus")
    assert binary, "install Debian's prometheus for this test"
    shipped = yaml.safe_load((CONF / "prometheus" / "prometheus.yml").read_text())
    shipped["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    shipped["scrape_configs"][0]["static_configs"][0]["targets"] = [f"{LOOPBACK}:{server.port}"]
    del shipped["alerting"]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(shipped))
    shutil.copy(CONF / "prometheus" / "rules.yml", folder)
    (port,) = free_ports(1)
    command = [
        binary,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={LOOPBACK}:{port}",
    ]
    prometheus = Prometheus(f"http://{LOOPBACK}:{port}")
    with TiedProcess(command, log=folder / "prometheus.log") as process:
        until(lambda: process.ended or _is_ready(prometheus.url), awaited="Prometheus")
        assert not process.ended, process.tail()
        yield prometheus
        process.stop(within_seconds=SOON_SECONDS)


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/-/ready", timeout=60).is_success
    except httpx.TransportError:
        return False


def test_promtool_finds_nothing_in_what_we_ship() -> None:
    assert "SUCCESS" in tool("check", "rules", CONF / "prometheus" / "rules.yml")
    assert "SUCCESS" in tool("check", "config", CONF / "prometheus" / "prometheus.yml")


def test_promtool_finds_nothing_in_what_we_serve(served: MetricsServer) -> None:
    text = httpx.get(served.url, timeout=60).raise_for_status().content
    tool("check", "metrics", stdin=text)
    for metric in CATALOGUE:
        assert f"# TYPE {metric.name} {metric.kind}\n".encode() in text


def test_prometheus_scrapes_and_judges(served: MetricsServer, tmp_path: Path) -> None:
    folder = tmp_path / "prometheus"
    folder.mkdir()
    with scraping(served, folder) as prometheus:
        (sample,) = prometheus.wait_for('kafka_consumergroup_moves_to_fairest{group="orders"}')
        assert sample["value"][1] == "4"
        assert sample["metric"]["cluster"] == "shop"
        prometheus.wait_for('ALERTS{alertname="KafkaGroupUnfair", group="orders"}')
        prometheus.wait_for('ALERTS{alertname="RebalanceMonitorSilent"}')
        assert not prometheus.values('ALERTS{group="clicks", alertname="KafkaGroupUnfair"}')
        for rules in prometheus.get("rules")["groups"]:
            assert [rule["lastError"] for rule in rules["rules"] if "lastError" in rule] == []
        for panel in dashboard_panels():
            for target in panel.get("targets", ()):
                expression = filled_in(target["expr"])
                if any(name in expression for name in LATE):
                    prometheus.values(expression)
                else:
                    prometheus.wait_for(expression)


def dashboard_panels() -> list[dict[str, Any]]:
    document = json.loads((CONF / "grafana" / "dashboard.json").read_text())
    panels: list[dict[str, Any]] = document["panels"]
    return panels


def filled_in(expression: str) -> str:
    """The expression with the dashboard's variables at «all»."""
    return expression.replace("$cluster", ".*").replace("$group", ".*")
