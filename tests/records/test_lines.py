from __future__ import annotations

import orjson
import pytest
from click.testing import CliRunner

from streaming.cli.decode import decode
from streaming.records import to_kafka_json, write_key, write_value
from streaming.records.lines import decode_line

KEY = write_key(3, {"group_id": "g"})
VALUE = write_value(3, 0, {"epoch": 5})


def line(key: bytes | None, value: bytes | None) -> bytes:
    shown = {
        "key": None if key is None else key.hex(),
        "value": None if value is None else value.hex(),
    }
    return orjson.dumps(shown) + b"\n"


@pytest.mark.parametrize("value", [VALUE, None])
def test_a_record(value: bytes | None) -> None:
    assert orjson.loads(decode_line(line(KEY, value))) == to_kafka_json(KEY, value)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (b"{", "bad_line"),
        (b"[]", "bad_line"),
        (b"7", "bad_line"),
        (b'{"key":"00"}', "bad_line"),
        (b'{"key":"0","value":null}', "bad_line"),
        (b'{"key":"zz","value":null}', "bad_line"),
        (b'{"key":3,"value":null}', "bad_line"),
        (b'{"key":null,"value":null}', "missing_key"),
        (b'{"key":"","value":null}', "truncated"),
        (b'{"key":"0009","value":null}', "unknown_type"),
        (b'{"key":"ffff","value":null}', "unknown_type"),
        (b'{"key":"00030001ff","value":null}', "bad_text"),
        (b'{"key":"00030001","value":null}', "truncated"),
        (b'{"key":"0003ffff","value":null}', "unexpected_null"),
        (b'{"key":"0003fffe","value":null}', "bad_length"),
        (b'{"key":"0003000167","value":"0001"}', "unknown_version"),
        (b'{"key":"0003000167","value":""}', "truncated"),
    ],
)
def test_what_cannot_be_read_says_why(wrong: bytes, reason: str) -> None:
    shown = orjson.loads(decode_line(wrong))
    assert shown.keys() == {"error", "reason"}
    assert shown["reason"] == reason
    assert shown["error"]


def test_the_command_goes_on_after_a_bad_record() -> None:
    result = CliRunner().invoke(
        decode, input=line(KEY, VALUE) + b"nonsense\n\n" + line(b"\x00", None) + line(KEY, None)
    )
    assert result.exit_code == 0
    shown = [orjson.loads(text) for text in result.stdout_bytes.splitlines()]
    assert [sorted(record) for record in shown] == [
        ["key", "value"],
        ["error", "reason"],
        ["error", "reason"],
        ["key", "value"],
    ]


def test_arguments_are_wrong_usage() -> None:
    assert CliRunner().invoke(decode, ["file"]).exit_code == 2
