"""The table of rules in ``docs/alerts.md``, made from the defaults."""

from streaming.settings.alerts import DEFAULTS, MEANINGS, UNITS


def reference() -> str:
    """One line per rule, as Markdown."""
    head = (
        "| rule | value | unit | above | for | severity |\n| --- | --- | --- | --- | --- | --- |\n"
    )
    lines = (
        f"| `{name}` | {MEANINGS[name]} | {UNITS[name]} | {rule.threshold:g} "
        f"| {rule.for_seconds:g} s | {rule.severity} |\n"
        for name, rule in DEFAULTS.items()
    )
    return head + "".join(lines)
