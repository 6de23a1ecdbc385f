"""The tables of ``docs/metrics.md``, made from the catalogue."""

from collections.abc import Iterable, Iterator

from streaming.metrics import catalogue
from streaming.metrics.catalogue import CATALOGUE, Metric

_GROUP_LABELS = " ".join(f"`{label}`" for label in catalogue.GROUP)


def reference() -> str:
    """Both tables, groups' and monitor's, as Markdown."""
    group = [metric for metric in CATALOGUE if metric.name.startswith("kafka_")]
    monitor = [metric for metric in CATALOGUE if not metric.name.startswith("kafka_")]
    return (
        f"### Groups\n\nAll of them have the labels {_GROUP_LABELS}.\n\n{_table(group, hide=2)}\n"
        f"### The monitor\n\n{_table(monitor)}"
    )


def _table(metrics: Iterable[Metric], *, hide: int = 0) -> str:
    head = "| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n"
    return head + "".join(_lines(metrics, hide))


def _lines(metrics: Iterable[Metric], hide: int) -> Iterator[str]:
    for metric in metrics:
        labels = " ".join(f"`{label}`" for label in metric.labels[hide:])
        yield f"| `{metric.name}` | {metric.kind} | {labels} | {metric.meaning} |\n"
