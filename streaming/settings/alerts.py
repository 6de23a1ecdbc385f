"""Section ``[alerts]`` of the configuration: rules, overrides, silences and sinks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, field_validator

Severity = Literal["info", "warning", "critical"]
RuleName = Literal[
    "drift",
    "moves_to_fairest",
    "unfair",
    "avoidable_churn",
    "flapping",
    "join_violations",
    "topic_skew",
    "lag_skew",
    "unassigned",
    "unsettled",
    "commits_stopped",
    "monitor_behind",
]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Threshold = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """One rule: an alert opens when the value has been above the threshold for the duration.

    Attributes:
        threshold: in the rule's unit (`UNITS`); the value must exceed it.
        for_seconds: how long it must.
        severity: info, warning or critical.
        enabled: false to switch the rule off.
    """

    threshold: float
    for_seconds: float
    severity: Severity
    enabled: bool = True


DEFAULTS: Mapping[RuleName, AlertRule] = MappingProxyType(
    {
        "drift": AlertRule(threshold=0.25, for_seconds=600, severity="info"),
        "moves_to_fairest": AlertRule(threshold=0.1, for_seconds=300, severity="warning"),
        "unfair": AlertRule(threshold=0, for_seconds=300, severity="warning"),
        "avoidable_churn": AlertRule(threshold=0.2, for_seconds=0, severity="info"),
        "flapping": AlertRule(threshold=6, for_seconds=0, severity="warning"),
        "join_violations": AlertRule(threshold=0, for_seconds=120, severity="critical"),
        "topic_skew": AlertRule(threshold=1.5, for_seconds=600, severity="info"),
        "lag_skew": AlertRule(threshold=5, for_seconds=600, severity="warning"),
        "unassigned": AlertRule(threshold=0, for_seconds=120, severity="critical"),
        "unsettled": AlertRule(threshold=120, for_seconds=0, severity="warning"),
        "commits_stopped": AlertRule(threshold=600, for_seconds=0, severity="critical"),
        "monitor_behind": AlertRule(threshold=60, for_seconds=120, severity="warning"),
    }
)
"""The rules as they are unless the configuration says otherwise."""

UNITS: Mapping[RuleName, str] = MappingProxyType(
    {
        "drift": "share of the partitions, 0 to 1",
        "moves_to_fairest": "share of the partitions, 0 to 1",
        "unfair": "1 unfair, 0 fair",
        "avoidable_churn": "share of the partitions, 0 to 1",
        "flapping": "rebalances in the last hour",
        "join_violations": "partition numbers",
        "topic_skew": "times the even share",
        "lag_skew": "times the mean lag of a member",
        "unassigned": "partitions",
        "unsettled": "seconds",
        "commits_stopped": "seconds",
        "monitor_behind": "seconds",
    }
)
"""Unit of each rule's value and threshold."""

MEANINGS: Mapping[RuleName, str] = MappingProxyType(
    {
        "drift": "partitions that the reference policy would give to another member",
        "moves_to_fairest": "partitions that would have to move to a fairest assignment",
        "unfair": "whether a member could take a partition from one with two more (KIP-54)",
        "avoidable_churn": "what the last rebalance moved without need; for 15 minutes after it",
        "flapping": "rebalances, with the member that sets most of them off",
        "join_violations": "what is split of joined topics; groups held to joins only (KIP-315)",
        "topic_skew": "the largest share of a topic that one member owns",
        "lag_skew": "the largest lag of a member; groups that lag 1,000 records or more only",
        "unassigned": "partitions of subscribed topics without an owner",
        "unsettled": "time since a rebalance began that has not settled, under any protocol",
        "commits_stopped": "time since the last offset commit, while there are records to read",
        "monitor_behind": "age of the newest record read, while there are more to read",
    }
)
"""What each rule's value is."""


class _Section(BaseModel):
    # An address that is refused must not come to light in the message that refuses it.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class RuleChange(_Section):
    """What is changed in a rule; a key left out stays as it is."""

    threshold: Threshold | None = Field(
        default=None, description="the value must exceed it to alert"
    )
    for_seconds: Seconds | None = Field(default=None, description="how long it must, in seconds")
    severity: Severity | None = Field(default=None, description="info, warning or critical")
    enabled: bool | None = Field(default=None, description="false switches the rule off")

    def apply(self, rule: AlertRule) -> AlertRule:
        """The rule with the changes in it."""
        return AlertRule(
            threshold=rule.threshold if self.threshold is None else self.threshold,
            for_seconds=rule.for_seconds if self.for_seconds is None else self.for_seconds,
            severity=self.severity or rule.severity,
            enabled=rule.enabled if self.enabled is None else self.enabled,
        )


class RuleOverride(RuleChange):
    """A change for the groups that match; of several, the later ones win."""

    groups: str = Field(description="pattern of group ids, with * and ?")
    rule: RuleName | Literal["*"] = Field(default="*", description="name of a rule, * for all")

    def concerns(self, rule: str) -> bool:
        """Whether it changes this rule."""
        return self.rule in ("*", rule)

    def covers(self, group_id: str) -> bool:
        """Whether it holds for this group."""
        return fnmatchcase(group_id, self.groups)


class Silence(_Section):
    """Alerts that are recorded but not sent."""

    groups: str = Field(default="*", description="pattern of group ids, with * and ?")
    rule: RuleName | Literal["*"] = Field(default="*", description="name of a rule, * for all")
    until: AwareDatetime = Field(description="when it ends, with its time zone")
    reason: str = Field(default="", description="for those who wonder")

    @field_validator("until", mode="before")
    @classmethod
    def _in_utc(cls, value: Any) -> Any:
        """A TOML date-time without an offset is meant in UTC."""
        naive = isinstance(value, datetime) and value.tzinfo is None
        return value.replace(tzinfo=UTC) if naive else value

    def covers(self, *, group_id: str, rule: str, now: datetime) -> bool:
        """Whether it holds back this alert now."""
        return now < self.until and self.rule in ("*", rule) and fnmatchcase(group_id, self.groups)


class Sinks(_Section):
    """Where alerts are sent; each address may hold a password, so none is ever shown."""

    alertmanager: tuple[SecretStr, ...] = Field(
        default=(), description="base addresses of Alertmanagers, each told of every alert"
    )
    apprise: tuple[SecretStr, ...] = Field(
        default=(), description="Apprise addresses: webhook, Slack, e-mail and the rest"
    )

    @field_validator("alertmanager")
    @classmethod
    def _http(cls, urls: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        for url in urls:
            parts = urlsplit(url.get_secret_value())
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError("write an address like http://alertmanager:9093")
        return urls


class AlertsSettings(_Section):
    """Rules over the groups and over the monitor itself, and where their alerts go."""

    enabled: bool = Field(
        default=True, description="false: no rule is evaluated and nothing is sent"
    )
    rules: dict[RuleName, RuleChange] = Field(
        default_factory=dict, description="changes to the rules, by name"
    )
    overrides: tuple[RuleOverride, ...] = Field(
        default=(), description="changes for the groups that match a pattern"
    )
    silences: tuple[Silence, ...] = Field(default=(), description="alerts that are not sent")
    sinks: Sinks = Field(default=Sinks(), description="where alerts are sent")
    dashboard_url: str = Field(
        default="",
        description="address of the dashboard as its readers reach it, for links in alerts",
    )
    repost_seconds: Annotated[float, Field(gt=0, le=3600)] = Field(
        default=60, description="how often Alertmanager is told again of what still fires"
    )

    def rule(self, name: RuleName, group_id: str = "") -> AlertRule:
        """A rule as it holds for one group."""
        rule = DEFAULTS[name]
        if name in self.rules:
            rule = self.rules[name].apply(rule)
        for override in self.overrides:
            if override.concerns(name) and override.covers(group_id):
                rule = override.apply(rule)
        return rule
