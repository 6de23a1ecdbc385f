"""The rules and the dashboard that we ship speak of metrics that we serve, and nothing else."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from streaming.alerts.delivery.alertmanager import labels
from streaming.alerts.rules.conditions import AVOIDABLE_MS, LEAST_LAG
from streaming.metrics.catalogue import CATALOGUE
from streaming.settings.alerts import DEFAULTS, RuleName
from tests.alerts.parts import alert

CONF = Path(__file__).parents[2] / "conf"
NAMES = {metric.name: metric for metric in CATALOGUE}
NAME = re.compile(r"\b(?:kafka_consumergroup|rebalance_monitor)_\w+")
SELECTOR = re.compile(r"\b((?:kafka_consumergroup|rebalance_monitor)_\w+)\{([^}]*)\}")
LABEL = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"')


def expressions(node: Any) -> Iterator[str]:
    """Whatever is called ``expr`` or ``query`` in a JSON or YAML document."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("expr", "query", "definition") and isinstance(value, str):
                yield value
            yield from expressions(value)
    elif isinstance(node, list):
        for each in node:
            yield from expressions(each)


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((CONF / "prometheus" / "rules.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def group_rules() -> dict[str, dict[str, Any]]:
    return {rule["alert"]: rule for rule in rules() if rule["alert"].startswith("KafkaGroup")}


DASHBOARD = json.loads((CONF / "grafana" / "dashboard.json").read_text())
EXPRESSIONS = [*expressions(rules()), *expressions(DASHBOARD)]


def test_there_are_expressions() -> None:
    assert len(EXPRESSIONS) > 40


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_uses_only_metrics_and_labels_that_are_served(expression: str) -> None:
    assert {*NAME.findall(expression)} <= NAMES.keys()
    for name, selector in SELECTOR.findall(expression):
        assert {*LABEL.findall(selector)} <= {*NAMES[name].labels}


@pytest.mark.parametrize("rule", sorted(DEFAULTS.keys() - {"monitor_behind"}))
def test_prometheus_judges_by_the_default_thresholds(rule: RuleName) -> None:
    """The rules have the names of our own alerts, their severities, thresholds and durations."""
    default = DEFAULTS[rule]
    name = labels(alert(1, rule=rule))["alertname"]
    shipped = group_rules()[name]
    (threshold, *_) = re.findall(r"> ([\d.]+)", shipped["expr"])
    seconds = int(shipped["for"].removesuffix("s"))
    if rule == "unsettled":  # a state to Prometheus, seconds to us
        assert seconds == default.threshold
    else:
        assert (float(threshold), seconds) == (default.threshold, default.for_seconds)
    assert shipped["labels"]["severity"] == default.severity


def test_no_rule_is_without_its_twin() -> None:
    ours = {labels(alert(1, rule=rule))["alertname"] for rule in DEFAULTS}
    assert group_rules().keys() <= ours


def test_the_other_figures_of_the_rules_are_those_of_the_conditions() -> None:
    assert f"< {AVOIDABLE_MS // 1000})" in group_rules()["KafkaGroupAvoidableChurn"]["expr"]
    assert f">= {LEAST_LAG})" in group_rules()["KafkaGroupLagSkew"]["expr"]


def test_panels_have_titles_of_their_own_and_do_not_overlap() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["title"] for panel in panels}) == len(panels)
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for place in (panel["gridPos"] for panel in panels):
        cells = {
            (place["x"] + column, place["y"] + line)
            for column in range(place["w"])
            for line in range(place["h"])
        }
        assert not cells & taken
        taken |= cells
        assert place["x"] + place["w"] <= 24
