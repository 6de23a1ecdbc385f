"""The rules of the configuration, group by group, ready for the executors."""

from dataclasses import dataclass, field
from typing import cast

from streaming.alerts.rules.conditions import GROUP, MONITOR, Condition
from streaming.alerts.rules.evaluation import Rule
from streaming.settings.alerts import AlertsSettings, RuleName, Sinks


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Which rules hold for which group; goes to the executors as it is.

    Attributes:
        settings: section ``[alerts]``, without the sinks.
    """

    settings: AlertsSettings
    _known: dict[tuple[int, ...], tuple[Rule, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """Leave out the sinks: their addresses are secrets, and no concern of the executors."""
        object.__setattr__(self, "settings", self.settings.model_copy(update={"sinks": Sinks()}))

    def for_group(self, group_id: str) -> tuple[Rule, ...]:
        """The rules that are switched on for a group; groups with the same overrides share them."""
        overrides = self.settings.overrides
        if not self.settings.enabled:
            return ()
        matching = tuple(
            number for number, override in enumerate(overrides) if override.covers(group_id)
        )
        if matching not in self._known:
            rules = (self._rule(name, group_id, condition) for name, condition in GROUP.items())
            self._known[matching] = tuple(rule for rule in rules if rule is not None)
        return self._known[matching]

    def for_monitor(self) -> tuple[Rule, ...]:
        """The rules over the monitor itself."""
        if not self.settings.enabled:
            return ()
        rules = (self._rule(name, "", condition) for name, condition in MONITOR.items())
        return tuple(rule for rule in rules if rule is not None)

    def _rule(self, name: str, group_id: str, condition: Condition) -> Rule | None:
        rule = self.settings.rule(cast("RuleName", name), group_id)
        if not rule.enabled:
            return None
        return Rule(
            name=name,
            threshold=rule.threshold,
            for_ms=round(rule.for_seconds * 1000),
            severity=rule.severity,
            condition=condition,
        )
