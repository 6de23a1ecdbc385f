import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from streaming.cli.main import main
from streaming.embedded.ports import LOOPBACK, free_ports
from streaming.settings.rendering import sample_file


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a cluster that nobody serves, and a folder of our own."""
    (port,) = free_ports(1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REBALANCE_MONITOR__CLUSTER__BOOTSTRAP_SERVERS", f"{LOOPBACK}:{port}")
    monkeypatch.setenv("REBALANCE_MONITOR__CLUSTER__REQUEST_TIMEOUT_SECONDS", "0.5")


def check(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", *arguments])


def test_the_example_is_the_sample_file() -> None:
    answer = check("--example")
    assert (answer.exit_code, answer.output) == (0, sample_file())


@pytest.mark.usefixtures("nowhere")
def test_a_cluster_out_of_reach_fails_and_the_rest_is_checked_all_the_same() -> None:
    answer = check("--json")
    assert answer.exit_code == 1
    states = {}
    for line in answer.output.splitlines():
        finding = json.loads(line)
        states[finding["subject"]] = finding["state"]
    assert states == {
        "configuration": "ok",
        "java": "ok",
        "cluster": "failed",
        "tables": "ok",
        "checkpoint": "ok",
    }
    assert "check cluster.bootstrap_servers" in answer.output


@pytest.mark.usefixtures("nowhere")
def test_each_finding_is_one_line_for_people() -> None:
    lines = check().output.splitlines()
    assert len(lines) == 6
    assert all(line.split()[0] in {"ok", "failed"} for line in lines)


@pytest.mark.usefixtures("nowhere")
def test_places_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "monitor.toml").write_text("[query]\ntables = 'file/t'\ncheckpoint = 'file/c'\n")
    output = check("--config", "monitor.toml").output
    assert "tables        file/t cannot be written" in output
    assert "checkpoint    file/c cannot be written" in output


@pytest.mark.usefixtures("nowhere")
def test_an_object_store_that_refuses_is_named_without_its_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (port,) = free_ports(1)
    options = {
        "AWS_ENDPOINT_URL": f"http://{LOOPBACK}:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "nowhere",
        "AWS_ACCESS_KEY_ID": "me",
        "AWS_SECRET_ACCESS_KEY": "hunter2-hunter2",
        "max_retries": "0",
    }
    monkeypatch.setenv("REBALANCE_MONITOR__QUERY__TABLES", "s3://bucket/tables")
    monkeypatch.setenv("REBALANCE_MONITOR__QUERY__STORAGE_OPTIONS", json.dumps(options))
    answer = check()
    assert answer.exit_code == 1
    assert "s3://bucket/tables cannot be written" in answer.output
    assert "hunter2" not in answer.output


def test_a_faulty_configuration_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "monitor.toml"
    path.write_text("[query]\nshardz = 1\n")
    answer = check("--config", str(path))
    assert answer.exit_code == 1
    assert answer.output == "Error: query.shardz: unknown key; did you mean shards?\n"
