"""status, watch, what-if, dead-letters and dashboard over real tables."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from click.testing import CliRunner

from streaming.cli import dead_letters, status, watch, what_if
from streaming.cli.main import main
from streaming.cli.reading import Span
from streaming.events import OffsetCommit, to_json
from tests.dashboard import sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime.now(UTC).replace(microsecond=0)
ROWS = sample.rows_of(NOW, healthy_count=30)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("tables")
    sample.write(folder, ROWS)
    return str(folder)


def run(tables: str, *arguments: str) -> str:
    result = CliRunner().invoke(main, [*arguments, "--tables", tables], terminal_width=200)
    assert result.exit_code == 0, result.output
    return result.output


@contextmanager
def started(command: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own, ended with the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "streaming.cli.main", command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def lines(tables: str, *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(tables, *arguments, "--json").splitlines()]


def test_status_shows_the_worst_first(tables: str) -> None:
    output = run(tables, "status")
    names = re.findall(r"^(?:critical|warning|notice|ok|idle) +(\S+)", output, re.MULTILINE)
    assert names[:3] == ["search-indexer", "orders-fulfilment", "clickstream-enricher"]
    assert "20 of 36 groups, the worst first" in output
    assert "nobody reads 8 of 32" in output


def test_status_as_json_has_the_figures_of_the_tables(tables: str) -> None:
    found = lines(tables, "status", "--limit", "0")
    state = {row["group_id"]: row for row in ROWS["group_state"]}
    assert len(found) == len(state)
    for row in found:
        assert row["drift_count"] == state[row["group_id"]]["drift_count"]
        assert row["lag"] == state[row["group_id"]]["lag"]
    assert found[0]["level"] == "critical"
    assert found[0]["problems"][0]["code"] == "unassigned"


def test_status_takes_a_pattern(tables: str) -> None:
    assert [row["group_id"] for row in lines(tables, "status", "--group", "cdc-*")] == ["cdc-sync"]
    assert "No group matches x*." in run(tables, "status", "--group", "x*")


def test_status_of_no_tables_says_what_to_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["status", "--tables", str(tmp_path / "none")])
    assert result.exit_code == 1
    assert "rebalance-monitor run" in result.output


def test_names_are_no_markup(tmp_path: Path) -> None:
    group = sample.Group("[red]x[/red] :boom:", {"t": 2}, ["[bold]m-1"])
    sample.write(tmp_path, group.settle(NOW, "first").finish(NOW))
    assert "[red]x[/red] :boom:" in run(str(tmp_path), "status")
    assert "[red]x[/red] :boom:" in run(str(tmp_path), "watch", "--since", "1h", "--once")


def test_the_configuration_names_the_tables(tables: str, tmp_path: Path) -> None:
    config = tmp_path / "monitor.toml"
    config.write_text(f'[query]\ntables = "{tables}"\n')
    result = CliRunner().invoke(main, ["status", "--config", str(config), "--json"])
    assert len(result.output.splitlines()) == 20


def test_watch_gives_one_line_per_rebalance(tables: str) -> None:
    output = run(tables, "watch", "--since", "1h", "--once").splitlines()
    recent = [row for row in ROWS["rebalances"] if row["processed_time"] > NOW - timedelta(hours=1)]
    assert len(output) == len(recent)
    flapping = [line for line in output if "clickstream-enricher" in line]
    assert len(flapping) == 14
    assert flapping[-1].endswith(
        "click-8 at 10.0.20.8 came back under a new member id  48 moves, 42 of them avoidable"
    )
    assert any("(has not settled)" in line for line in output if "search-indexer" in line)


def test_watch_as_json(tables: str) -> None:
    found = lines(tables, "watch", "--since", "1h", "--once", "--group", "orders-*")
    assert [(row["cause"], row["churn"], row["avoidable_churn"]) for row in found] == [
        ("joined", 6, 0)
    ]


def test_watch_follows_until_interrupted_and_waits_for_tables(tmp_path: Path) -> None:
    tables = tmp_path / "later"
    options = ["--since", "1h", "--poll-seconds", "0.1", "--json"]
    with started("watch", "--tables", str(tables), *options) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "Waiting for them." in process.stderr.readline()
        for number in range(3):
            group = sample.Group(f"g{number}", {"t": 2}, ["m-1"])
            sample.write(tables, group.settle(NOW + timedelta(seconds=number), "first").rows)
            assert json.loads(process.stdout.readline())["group_id"] == f"g{number}"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def test_what_if_tells_moves_figures_and_curve(tables: str) -> None:
    output = run(tables, "what-if", "orders-fulfilment", "--policy", "sticky")
    assert "orders-fulfilment under sticky: 5 moves" in output
    assert re.search(r"^largest load +12 +7$", output, re.MULTILINE)
    assert re.search(r"^ *5 +0 +0$", output, re.MULTILINE)


def test_what_if_as_json(tables: str) -> None:
    [answer] = lines(
        tables, "what-if", "cdc-sync", "--policy", "range", "--add-members", "1",
        "--remove-member", "cdc-a-5f1d02aa", "--partitions", "orders=+5",
    )  # fmt: skip
    assert answer["scenario"]["partitions"] == {"orders": 15}
    assert sorted(answer["assignment"]) == ["cdc-b-77c0de11", "new-1"]
    assert answer["after"]["partition_count"] == 25


def test_what_if_uses_the_groups_own_assignor(tables: str) -> None:
    [answer] = lines(tables, "what-if", "orders-fulfilment")
    assert answer["scenario"]["policy"] == "range"
    assert answer["moves"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody"], "There is no group 'nobody'"),
        (["cdc-sync", "--remove-member", "x"], "There is no member 'x'"),
        (["cdc-sync", "--partitions", "orders"], "Write TOPIC=+4"),
    ],
)
def test_what_if_refuses_in_one_line(tables: str, arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(main, ["what-if", *arguments, "--tables", tables])
    assert result.exit_code == 1
    assert words in result.output


def test_dead_letters_are_counted_by_reason(tables: str) -> None:
    output = run(tables, "dead-letters")
    assert re.search(r"^unknown_version .* 4$", output, re.MULTILINE)
    assert re.search(r"^truncated .* 2$", output, re.MULTILINE)
    assert "6 records could not be read" in output
    assert len(lines(tables, "dead-letters", "--reason", "truncated")) == 2
    assert len(lines(tables, "dead-letters", "--limit", "1")) == 1


def test_dead_letters_that_can_be_read_now_are_told(tmp_path: Path) -> None:
    letter = sample.dead_letters(NOW)[0]
    commit = OffsetCommit(
        group_id="g", topic="t", partition=0, offset=7, leader_epoch=-1, metadata="",
        commit_time_ms=1, expire_time_ms=None, topic_id=None,
    )  # fmt: skip
    better = letter | {"topic": "events", "offset": 2, "value": to_json(commit)}
    tombstone = letter | {"topic": "events", "offset": 3, "value": None}
    sample.write(tmp_path, {"dead_letters": [letter, better, tombstone]})
    found = {row["offset"]: row for row in lines(str(tmp_path), "dead-letters", "--reread")}
    assert found[1_000]["reread"]["readable"] is False
    assert found[1_000]["key"] == "006300"
    assert found[2]["reread"] == {
        "readable": True, "reads_as": "OffsetCommit", "reason": "", "detail": "",
    }  # fmt: skip
    assert found[3]["value"] is None
    assert "2 of 3 records can be read by this version." in run(
        str(tmp_path), "dead-letters", "--reread"
    )


def test_no_dead_letters_is_good_news(tmp_path: Path) -> None:
    sample.write(tmp_path, {})
    assert "Every record could be read." in run(str(tmp_path), "dead-letters")


def test_dashboard_serves_until_interrupted(tables: str) -> None:
    with started("dashboard", "--tables", tables, "--port", "0") as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        address = re.search(r"http://\S+", said)
        assert address, said
        assert "needs you now" in httpx.get(address[0], timeout=60).text
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def test_a_port_that_is_taken_is_said(tables: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(main, ["dashboard", "--tables", tables, "--port", port])
    assert result.exit_code == 1
    assert f"Cannot listen on 127.0.0.1 port {port}" in result.output


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90.0), ("10m", 600.0), ("6h", 21_600.0), ("2d", 172_800.0)]
)
def test_spans_of_time(text: str, seconds: float) -> None:
    assert Span()(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "10", "10y", "-1h", "٣h"])
def test_spans_that_are_none(text: str) -> None:
    result = CliRunner().invoke(watch.command, ["--since", text])
    assert result.exit_code == 2
    assert "write 90s, 10m, 6h or 2d" in result.output


def test_commands_bear_the_names_of_the_documentation() -> None:
    modules = (status, watch, what_if, dead_letters)
    names = [module.command.name for module in modules]
    assert names == ["status", "watch", "what-if", "dead-letters"]
