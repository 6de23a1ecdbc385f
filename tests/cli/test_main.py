import subprocess
import sys

import pytest
from click.testing import CliRunner

from streaming.cli.main import COMMANDS, main

HEAVY = ("pyspark", "ortools", "pandas")


def test_help_lists_the_commands_without_importing_them() -> None:
    script = (
        "import sys; from click.testing import CliRunner; from streaming.cli.main import main; "
        "answer = CliRunner().invoke(main, ['--help']); print(answer.output); "
        "print('imported', [name for name in sys.modules if name.startswith('streaming.cli.')])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout
    for name in COMMANDS:
        assert f"\n  {name} " in answer
    assert "imported ['streaming.cli.main']" in answer


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    answer = CliRunner().invoke(main, [name, "--help"])
    assert answer.exit_code == 0
    assert answer.output.startswith(f"Usage: main {name} ")


@pytest.mark.parametrize("name", ["status", "decode", "assign", "check"])
def test_small_commands_stay_light(name: str) -> None:
    script = (
        f"import sys; from streaming.cli.main import main; main([{name!r}, '--help'], "
        "standalone_mode=False); print(*sys.modules, sep='\\n')"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert not {module.partition(".")[0] for module in answer.stdout.split()} & set(HEAVY)


def test_an_error_for_the_operator_is_one_line_and_status_1() -> None:
    answer = CliRunner().invoke(
        main, ["status", "--tables", "none"], env={"REBALANCE_MONITOR__QUERY__SHARDS": "no"}
    )
    assert answer.exit_code == 1
    assert answer.output.startswith("Error: query.shards: ")
    assert len(answer.output.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["no-such"], ["status", "--no-such"], ["--no-such"]])
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(main, arguments).exit_code == 2


def test_the_version_is_that_of_the_distribution() -> None:
    assert CliRunner().invoke(main, ["--version"]).output.startswith("main, version 0.")
