"""`rebalance-monitor assign`, as a process of its own would run it."""

import json

from click.testing import CliRunner

from streaming.cli.assign import assign

GOOD = '{"id": 1, "assignor": "range", "topics": {"t": 2}, "members": {"m": {"topics": ["t"]}}}\n'


def test_every_line_is_answered_and_all_well_is_0() -> None:
    result = CliRunner().invoke(assign, input=GOOD * 3)
    assert result.exit_code == 0
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["loads"] for answer in answers] == [{"m": 2}] * 3


def test_any_failed_line_is_1() -> None:
    result = CliRunner().invoke(assign, input=GOOD + "nonsense\n" + GOOD)
    assert result.exit_code == 1
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, False]


def test_no_input_is_no_failure() -> None:
    result = CliRunner().invoke(assign, input="")
    assert (result.exit_code, result.stdout) == (0, "")


def test_wrong_usage_is_2() -> None:
    assert CliRunner().invoke(assign, ["--no-such-option"]).exit_code == 2
    assert CliRunner().invoke(assign, ["a-file"]).exit_code == 2
