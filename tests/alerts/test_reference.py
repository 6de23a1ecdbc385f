"""The documents on alerts say what the code does."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

from streaming.alerts.delivery.alertmanager import labels
from streaming.alerts.reference import reference
from streaming.settings.alerts import DEFAULTS, MEANINGS, UNITS
from streaming.settings.loading import load_settings
from tests.alerts.parts import alert

ROOT = Path(__file__).parents[2]
ALERTS = (ROOT / "docs" / "alerts.md").read_text()
RUN_BOOK = (ROOT / "docs" / "runbook.md").read_text()


def sections(text: str) -> dict[str, str]:
    """Heading of the second level to what stands below it."""
    _, *found = re.split(r"^## ", text, flags=re.MULTILINE)
    return dict(section.split("\n", 1) for section in found)


def test_the_table_of_rules_is_the_one_that_the_defaults_make() -> None:
    assert reference() in ALERTS
    assert DEFAULTS.keys() == UNITS.keys() == MEANINGS.keys()


@pytest.mark.parametrize("rule", DEFAULTS)
def test_the_run_book_has_a_section_for_every_rule_and_its_name_at_alertmanager(rule: str) -> None:
    name = labels(alert(1, rule=rule, group_id="" if rule == "monitor_behind" else "g"))[
        "alertname"
    ]
    section = sections(RUN_BOOK)[f"`{rule}` ({name})"]
    assert all(f"**{word}" in section for word in ("Means", "Look at", "Do"))


def prometheus_names() -> list[str]:
    document = yaml.safe_load((ROOT / "conf" / "prometheus" / "rules.yml").read_text())
    return [rule["alert"] for group in document["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("name", prometheus_names())
def test_the_run_book_has_a_section_for_every_alert_of_prometheus(name: str) -> None:
    assert any(name in heading for heading in sections(RUN_BOOK))


@pytest.mark.parametrize("example", re.findall(r"```toml\n(.*?)```", ALERTS, flags=re.DOTALL))
def test_examples_can_be_used_as_they_stand(example: str, tmp_path: Path) -> None:
    path = tmp_path / "monitor.toml"
    path.write_text(example)
    assert load_settings(path, env={}).alerts != load_settings(None, env={}).alerts


def test_the_example_in_the_environment_can_be_used_as_it_stands() -> None:
    ((name, value),) = re.findall(r"`(REBALANCE_MONITOR__\w+)='(.*?)'`", ALERTS)
    settings = load_settings(None, env={name: value})
    assert settings.alerts.sinks.apprise[0].get_secret_value() == "slack://..."


@pytest.mark.parametrize("document", ["alerts", "metrics", "runbook", "advice"])
def test_links_lead_somewhere(document: str) -> None:
    docs = ROOT / "docs"
    for target in re.findall(r"\]\((?!http)([^)]+)\)", (docs / f"{document}.md").read_text()):
        path, _, anchor = unquote(target).partition("#")
        text = (docs / (path or f"{document}.md")).read_text()
        headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}
        assert not anchor or anchor in anchors, target
