"""The sample file and the documentation say what the code does."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from streaming.settings.loading import load_settings
from streaming.settings.model import Settings, sections
from streaming.settings.rendering import key_tables, sample_file

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "conf" / "monitor.toml"
EXAMPLES = [
    (f"{section}.{key}", example)
    for section, model in sections().items()
    for key, field in model.model_fields.items()
    for example in field.examples or ()
]


def test_the_sample_file_is_that_of_the_code() -> None:
    assert SAMPLE.read_text() == sample_file()


def test_the_sample_file_holds_the_defaults() -> None:
    assert load_settings(SAMPLE, env={}) == Settings()


def test_every_line_of_the_sample_file_may_be_put_in_force(tmp_path: Path) -> None:
    """Rules of alerts, which stand there as comments, give the defaults when put in force."""
    text = re.sub(
        r"^# (?=\[alerts\.rules|(threshold|for_seconds|severity|enabled) = )",
        "",
        sample_file(),
        flags=re.MULTILINE,
    )
    path = tmp_path / "all.toml"
    path.write_text(text)
    alerts = load_settings(path, env={}).alerts
    assert len(alerts.rules) > 5
    assert all(alerts.rule(name) == Settings().alerts.rule(name) for name in alerts.rules)


@pytest.mark.parametrize(("key", "example"), EXAMPLES)
def test_examples_are_accepted(key: str, example: object) -> None:
    assert load_settings(env={}, overrides={key: example}) != Settings()


def test_every_key_is_explained() -> None:
    for section, model in sections().items():
        for key, field in model.model_fields.items():
            is_table = isinstance(field.annotation, type) and issubclass(
                field.annotation, BaseModel
            )
            assert field.description or is_table, f"{section}.{key}"


def test_the_documentation_lists_every_key() -> None:
    assert key_tables() in (ROOT / "docs" / "configuration.md").read_text()
