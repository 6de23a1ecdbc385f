"""``docs/dashboard.md`` says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from streaming.cli import dashboard, dead_letters, status, watch, what_if
from streaming.dashboard.activity import WINDOWS
from streaming.dashboard.health import (
    FLAPPING_PER_HOUR,
    RULES,
    SILENT_SECONDS,
    TOPIC_SKEW,
)
from streaming.dashboard.web import PAGES
from streaming.whatif.comparing import MOST_PARTITIONS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/dashboard.md").read_text()


def test_every_problem_is_listed_with_its_level() -> None:
    listed = re.findall(r"^\| (critical|warning|notice) \| ([a-z ]+?) \|", TEXT, re.MULTILINE)
    assert listed == [(rule.level.word, rule.code) for rule in RULES]


def test_the_limits_are_those_of_the_code() -> None:
    assert f"more than {FLAPPING_PER_HOUR} rebalances within the hour" in TEXT
    assert f"more than {TOPIC_SKEW} times its even share" in TEXT
    assert f"no commit for {SILENT_SECONDS / 60:.0f} minutes" in TEXT
    assert f"more than {MOST_PARTITIONS:,} partitions" in TEXT
    assert all(f"`{window}`" in TEXT for window in WINDOWS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_every_page_is_listed_with_its_parameters(page: object) -> None:
    path, api, known = page.path, page.api_path, page.parameters  # type: ignore[attr-defined] # private class
    [(parameters, json)] = re.findall(
        rf"^\| .* \| `{path}` \| (.*) \| (.*) \|$", TEXT, re.MULTILINE
    )
    assert json == f"`{api}`"
    assert set(known) <= set(re.findall(r"`([a-z:A-Z]+)`", parameters))


def test_every_view_is_listed() -> None:
    listed = set(re.findall(r"^\| `([a-z_]+)` \|", TEXT, re.MULTILINE))
    views = {path.stem for path in (ROOT / "conf/sql").glob("*.sql")} - {"tables"}
    assert views <= listed


@pytest.mark.parametrize("module", [status, watch, what_if, dead_letters, dashboard])
def test_options_that_are_named_exist(module: object) -> None:
    command = module.command  # type: ignore[attr-defined] # a module
    options = {option for parameter in command.params for option in parameter.opts}
    [line] = re.findall(rf"^\| `{command.name}[^|]*\|(.*)\|$", TEXT, re.MULTILINE) or [""]
    assert set(re.findall(r"--[a-z-]+", line)) <= options
    if command.name == "dashboard":
        assert {"--public-name", "--tables"} <= options
