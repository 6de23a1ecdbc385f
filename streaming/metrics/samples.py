"""Values of metrics on their way to Prometheus."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric as Family

from streaming.metrics.catalogue import CATALOGUE, ColumnMetric, Metric

_SUFFIX = "_total"


class Samples:
    """Samples by metric; values that are not known are left out."""

    def __init__(self) -> None:
        self._found: defaultdict[str, list[tuple[tuple[str, ...], float]]] = defaultdict(list)

    def add(self, metric: Metric, labels: tuple[str | None, ...], value: float | None) -> None:
        """Add one sample.

        Args:
            metric: its metric.
            labels: label values in the order of `Metric.labels`; None counts as ''.
            value: the value; None for not known.
        """
        if value is not None:
            self._found[metric.name].append((tuple(label or "" for label in labels), float(value)))

    def add_columns(
        self,
        columns: tuple[ColumnMetric, ...],
        labels: tuple[str | None, ...],
        row: Mapping[str, Any],
    ) -> None:
        """Add one sample for each column of a row."""
        for each in columns:
            value = row[each.column]
            if value is not None:
                self.add(each.metric, labels, each.convert(value))

    def families(self) -> Iterator[Family]:
        """In Prometheus' form, in the order of the catalogue."""
        for metric in CATALOGUE:
            samples = self._found.get(metric.name)
            if samples:
                family = _family(metric)
                for labels, value in samples:
                    family.add_metric(labels, value)
                yield family


def _family(metric: Metric) -> GaugeMetricFamily | CounterMetricFamily:
    if metric.kind == "counter":
        name = metric.name.removesuffix(_SUFFIX)
        return CounterMetricFamily(name, metric.meaning, labels=metric.labels)
    return GaugeMetricFamily(metric.name, metric.meaning, labels=metric.labels)
