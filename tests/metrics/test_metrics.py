"""What a scrape says of tables, over HTTP."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from streaming.alerts.delivery import SinkStatus
from streaming.embedded.ports import free_ports
from streaming.metrics import MetricsServer, MetricsServerError, start_metrics_server
from streaming.metrics.catalogue import CATALOGUE, GROUP_COLUMNS
from streaming.metrics.collector import TablesCollector
from streaming.settings.serving import MetricsSettings
from streaming.tables.schemas import BY_NAME
from streaming.tables.storage import Location
from tests.metrics.parts import NOW, append, batch, group, offset

Values = dict[tuple[str, tuple[str, ...]], float]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., MetricsServer]]:
    servers: list[MetricsServer] = []

    def start(**limits: Any) -> MetricsServer:
        (port,) = free_ports(1)
        settings = MetricsSettings(port=port, **limits)
        servers.append(start_metrics_server(settings, Location(str(tmp_path))))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def scrape(server: MetricsServer) -> Values:
    """Values by (name, label values in the order of their names)."""
    text = httpx.get(server.url, timeout=60).raise_for_status().text
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def groups_of(values: Values, name: str = "kafka_consumergroup_members") -> set[str]:
    return {labels[1] for metric, labels in values if metric == name}


def test_a_group_has_the_values_of_its_row(
    tmp_path: Path, serve: Callable[..., MetricsServer]
) -> None:
    row = group("orders", drift_count=4, drift_share=0.4, fair=False, last_commit_time=NOW)
    append(tmp_path, "group_state", row)
    values = scrape(serve())
    for each in GROUP_COLUMNS:
        expected = row[each.column]
        assert values[each.metric.name, ("shop", "orders")] == each.convert(expected)
    kind = ("range", "shop", "orders", "sticky", "eager", "classic")
    assert values["kafka_consumergroup_info", kind] == 1
    assert values["kafka_consumergroup_state", ("shop", "orders", "stable")] == 1
    assert values["rebalance_monitor_groups_unfair", ("shop",)] == 1


def test_what_is_not_known_is_left_out(tmp_path: Path, serve: Callable[..., MetricsServer]) -> None:
    append(tmp_path, "group_state", group("orders", lag=None, fair=None, members=None))
    names = {name for name, _ in scrape(serve())}
    assert "kafka_consumergroup_group_sum_lag" not in names
    assert "kafka_consumergroup_fair" not in names
    assert "kafka_consumergroup_members" in names


def test_lags_are_summed_by_topic_and_member(
    tmp_path: Path, serve: Callable[..., MetricsServer]
) -> None:
    append(tmp_path, "group_state", group("orders"))
    append(
        tmp_path,
        "offsets",
        offset("orders", 0, 5),
        offset("orders", 1, 20, member_id="m-1"),
        offset("orders", 0, 5, topic="views"),
        offset("orders", 1, 7, topic="views", member_id=None),
    )
    values = scrape(serve())
    assert values["kafka_consumergroup_group_max_lag", ("shop", "orders")] == 20
    assert values["kafka_consumergroup_group_max_lag_seconds", ("shop", "orders")] == 2.0
    assert values["kafka_consumergroup_group_topic_sum_lag", ("shop", "orders", "clicks")] == 25
    assert values["kafka_consumergroup_group_topic_sum_lag", ("shop", "orders", "views")] == 12
    labels = ("app", "shop", "orders", "m-0", "/10.0.0.1")
    assert values["kafka_consumergroup_member_lag", labels] == 10
    assert values["kafka_consumergroup_member_partitions", labels] == 5


def test_the_worst_groups_and_the_chosen_ones_are_shown_and_all_are_counted(
    tmp_path: Path, serve: Callable[..., MetricsServer]
) -> None:
    healthy = [group(f"well-{number}") for number in range(30)]
    append(
        tmp_path,
        "group_state",
        *healthy,
        group("lopsided", moves_to_fairest=5, fair=False),
        group("unread", unassigned_count=1),
        group("alerted"),
        group("pay_1"),
        group("payX1"),
        group("gone", state="removed", moves_to_fairest=9),
    )
    alert = {
        "cluster": "shop",
        "alert_id": "unfair-1",
        "sequence": 0,
        "status": "opened",
        "rule": "unfair",
        "severity": "critical",
        "group_id": "alerted",
        "event_time": NOW,
    }
    over = alert | {"alert_id": "unfair-2", "group_id": "well-3"}
    append(tmp_path, "alerts", alert, over, over | {"sequence": 1, "status": "resolved"})
    values = scrape(serve(groups=3, patterns=("pay_*",)))
    assert groups_of(values) == {"alerted", "unread", "lopsided", "pay_1"}
    assert values["rebalance_monitor_groups", ("shop", "stable")] == 35
    assert values["rebalance_monitor_groups_exported", ("shop",)] == 4
    assert values["rebalance_monitor_moves_to_fairest", ("shop",)] == 5
    assert values["rebalance_monitor_lag", ("shop",)] == 35 * 30
    assert values["rebalance_monitor_alerts", ("shop", "unfair", "critical")] == 1
    labels = ("shop", "alerted", "unfair", "critical")
    assert values["kafka_consumergroup_alert", labels] == 1
    assert "well-3" not in groups_of(values, "kafka_consumergroup_alert")


def test_the_number_of_series_is_bounded_whatever_a_group_holds(
    tmp_path: Path, serve: Callable[..., MetricsServer]
) -> None:
    members = [
        {"member_id": f"m-{n}", "client_id": "a", "client_host": "h", "partition_count": n}
        for n in range(40)
    ]
    append(tmp_path, "group_state", *(group(f"g-{n}", members=members) for n in range(40)))
    rows = [offset(f"g-{n}", t, t, topic=f"t-{t}") for n in range(40) for t in range(40)]
    append(tmp_path, "offsets", *rows)
    values = scrape(serve(groups=5, members=4, topics=3))
    counted = Counter(name for name, _ in values)
    assert counted["kafka_consumergroup_members"] == 5
    assert counted["kafka_consumergroup_member_partitions"] == 20
    assert counted["kafka_consumergroup_group_topic_sum_lag"] == 15
    shown = {
        labels[3] for name, labels in values if name == "kafka_consumergroup_member_partitions"
    }
    assert shown == {"m-36", "m-37", "m-38", "m-39"}


def test_counters_grow_with_the_batches_and_gauges_are_those_of_the_last(
    tmp_path: Path, serve: Callable[..., MetricsServer]
) -> None:
    append(tmp_path, "batches", batch(0), batch(1))
    append(tmp_path, "batches", batch(0, cluster="bank", event_time=NOW + timedelta(days=1)))
    server = serve()
    assert scrape(server)["rebalance_monitor_records_total", ("shop",)] == 200
    append(tmp_path, "batches", batch(2, records_read=60, seconds=0.25, behind_seconds=None))
    values = scrape(server)
    assert values["rebalance_monitor_records_total", ("shop",)] == 260
    assert values["rebalance_monitor_batches_total", ("shop",)] == 3
    assert values["rebalance_monitor_records_per_second", ("shop",)] == 240
    last = NOW + timedelta(seconds=2)
    assert values["rebalance_monitor_last_batch_timestamp_seconds", ("shop",)] == last.timestamp()
    assert ("rebalance_monitor_behind_seconds", ("shop",)) not in values
    assert values["rebalance_monitor_behind_seconds", ("bank",)] == 3
    assert values["rebalance_monitor_batches_total", ("bank",)] == 1


def test_the_state_has_a_size(tmp_path: Path, serve: Callable[..., MetricsServer]) -> None:
    append(tmp_path, "group_state", group("a"), group("b", shard=1))
    values = scrape(serve())
    assert values["rebalance_monitor_state_rows", ("group_state",)] == 2
    assert values["rebalance_monitor_state_files", ("group_state",)] == 2
    assert values["rebalance_monitor_state_bytes", ("group_state",)] > 1000


def test_without_tables_it_says_so_and_serves_them_once_they_are_there(
    tmp_path: Path, serve: Callable[..., MetricsServer]
) -> None:
    server = serve()
    assert scrape(server) == {("rebalance_monitor_tables_readable", ()): 0}
    append(tmp_path, "group_state", group("orders"))
    values = scrape(server)
    assert values["rebalance_monitor_tables_readable", ()] == 1
    assert groups_of(values) == {"orders"}


def test_the_same_version_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(tmp_path, "group_state", group("orders"))
    collector = TablesCollector(Location(str(tmp_path)), MetricsSettings())
    first = [*collector.collect()]
    monkeypatch.delattr(TablesCollector, "_read")
    assert [*collector.collect()][:-1] == first[:-1]


def test_delivery_of_alerts_is_served_where_it_runs(tmp_path: Path) -> None:
    status = SinkStatus(sink="slack", waiting=2, sent=5, failures=3, error="down")
    collector = TablesCollector(Location(str(tmp_path)), MetricsSettings(), sinks=lambda: [status])
    values = {family.name: family.samples[0].value for family in collector.collect()}
    assert values["rebalance_monitor_alert_sink_waiting"] == 2
    assert values["rebalance_monitor_alert_sink_failures"] == 3
    assert values["rebalance_monitor_alert_sink_notices"] == 5


def test_a_port_that_is_taken_is_an_error_that_says_what_to_do(
    tmp_path: Path, serve: Callable[..., MetricsServer]
) -> None:
    taken = MetricsSettings(host="127.0.0.1", port=serve().port)
    with pytest.raises(MetricsServerError, match=r"metrics\.port"):
        start_metrics_server(taken, Location(str(tmp_path)))


def test_names_and_columns_are_sound() -> None:
    names = [metric.name for metric in CATALOGUE]
    assert len(set(names)) == len(names)
    for metric in CATALOGUE:
        assert re.fullmatch(r"(kafka_consumergroup|rebalance_monitor)_[a-z_]+", metric.name)
        assert metric.name.endswith("_total") == (metric.kind == "counter")
        assert metric.meaning.endswith(".")
    columns = {name for name, _, _ in BY_NAME["group_state"].columns}
    assert {each.column for each in GROUP_COLUMNS} <= columns
