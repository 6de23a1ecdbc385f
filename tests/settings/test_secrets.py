"""No secret shows: not in a repr, a dump, an error, nor a log."""

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from streaming.errors import ConfigurationError
from streaming.settings.client import ClientProperties
from streaming.settings.loading import load_settings
from streaming.settings.logs import LoggingSettings, configure_logging
from streaming.settings.redaction import redact, secrets_in

SECRET = "hunter2-hunter2"  # noqa: S105 - a secret to look for
FILE = f"""
[cluster.properties]
"security.protocol" = "SASL_SSL"
"sasl.jaas.config" = 'a.PlainLoginModule required username="u" password="{SECRET}";'
"ssl.key.password" = "{SECRET}"
[query.storage_options]
AWS_SECRET_ACCESS_KEY = "{SECRET}"
[alerts.sinks]
apprise = ["slack://{SECRET}/b/c"]
"""


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level
    logging.getLogger("streaming").setLevel(logging.NOTSET)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "monitor.toml"
    path.write_text(FILE)
    return path


def test_settings_do_not_show_them(path: Path) -> None:
    settings = load_settings(path, env={})
    for text in (repr(settings), str(settings), settings.model_dump_json(), repr(vars(settings))):
        assert SECRET not in text


def test_client_properties_do_not_show_them(path: Path) -> None:
    client = ClientProperties.of(load_settings(path, env={}).cluster)
    assert client.for_librdkafka()["sasl.password"] == SECRET
    assert SECRET not in repr(client)


@pytest.mark.parametrize(
    "wrong",
    [
        f"[query]\nshards = '{SECRET}'",
        f"[query.storage_options]\nkey = ['{SECRET}']",
        f"[cluster]\nproperties = '{SECRET}'",
        f"[alerts.sinks]\nalertmanager = ['{SECRET}']",
        f"[query]\n{SECRET.replace('-', '_')} = 1\nshards = '{SECRET}'",
    ],
)
def test_refusals_do_not_repeat_values(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(wrong)
    with pytest.raises(ConfigurationError) as caught:
        load_settings(path, env={})
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "jaas",
    [
        f"password={SECRET}",
        f'a.PlainLoginModule required password="{SECRET}";',
        f'a.OtherLoginModule required password="{SECRET}";',
        f'a.PlainLoginModule required username="u" password "{SECRET}";',
    ],
)
def test_a_bad_login_is_refused_without_repeating_it(jaas: str) -> None:
    with pytest.raises(ConfigurationError, match=r"sasl\.jaas\.config") as caught:
        ClientProperties({"sasl.jaas.config": jaas}).for_librdkafka()
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("form", ["console", "json"])
def test_logs_blot_them_out(path: Path, form: str) -> None:
    settings = load_settings(path, env={})
    secrets = [*secrets_in(settings), *ClientProperties.of(settings.cluster).secrets()]
    stream = io.StringIO()
    configure_logging(
        LoggingSettings.model_validate({"format": form}), secrets=secrets, stream=stream
    )
    log = structlog.get_logger("streaming.tests")
    log.info("ours", password=SECRET, nested={"deep": [SECRET]}, count=3)
    logging.getLogger("librdkafka").error("theirs: %s", SECRET)
    try:
        int(SECRET)
    except ValueError:
        log.exception("with a trace")
    assert SECRET not in stream.getvalue()
    assert stream.getvalue().count("***") >= 4


def test_json_logs_are_one_object_a_line() -> None:
    stream = io.StringIO()
    configure_logging(LoggingSettings(format="json"), stream=stream)
    structlog.get_logger("streaming.tests").info("said", group_count=3)
    logging.getLogger("other").info("below a warning, not ours")
    (line,) = stream.getvalue().splitlines()
    record = json.loads(line)
    assert (record["event"], record["group_count"], record["level"]) == ("said", 3, "info")
    assert record["logger"] == "streaming.tests"
    assert record["timestamp"].endswith("Z")


def test_the_level_holds_for_our_records() -> None:
    stream = io.StringIO()
    configure_logging(LoggingSettings(level="error", format="json"), stream=stream)
    structlog.get_logger("streaming.tests").warning("not this")
    structlog.get_logger("streaming.tests").error("this")
    assert len(stream.getvalue().splitlines()) == 1


def test_the_longest_secret_goes_first_and_short_ones_stay() -> None:
    assert redact("abcdef abcd ab", ["abcd", "abcdef", "ab"]) == "*** *** ab"
