"""Metrics of groups: of the worst and of those chosen by pattern, and sums over all."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from streaming.metrics import catalogue
from streaming.metrics.samples import Samples
from streaming.settings.serving import MetricsSettings
from streaming.tables.reader import TableReader, like

Row = Mapping[str, Any]
Key = tuple[str, str]
"""(cluster, group)."""

_SEVERITIES = ("info", "warning", "critical")

_STATES = """
SELECT cluster, state, count(*) AS groups
FROM group_state WHERE state <> 'removed' GROUP BY cluster, state ORDER BY cluster, state
"""
_TOTALS = """
SELECT cluster,
       count(*) FILTER (WHERE fair = false) AS unfair,
       sum(moves_to_fairest) AS moves,
       sum(unassigned_count) AS unassigned,
       sum(lag) AS lag
FROM group_state WHERE state <> 'removed' GROUP BY cluster ORDER BY cluster
"""
_OPEN = """
WITH last AS (
    SELECT cluster, group_id, rule, severity, status,
           row_number() OVER (PARTITION BY cluster, alert_id ORDER BY sequence DESC) AS place
    FROM alerts
)
SELECT cluster, group_id, rule, severity FROM last WHERE place = 1 AND status <> 'resolved'
"""
_WORST = """
SELECT cluster, group_id FROM group_state
WHERE group_id NOT IN :chosen AND state <> 'removed'
ORDER BY group_id IN :critical DESC, group_id IN :warning DESC, group_id IN :info DESC,
         coalesce(unassigned_count, 0) / greatest(coalesce(partition_count, 1), 1.0) DESC,
         coalesce(moves_to_fairest, 0) / greatest(coalesce(partition_count, 1), 1.0) DESC,
         coalesce(last_avoidable_churn, 0) DESC, coalesce(rebalances_last_hour, 0) DESC,
         coalesce(lag, 0) DESC, group_id
LIMIT :limit
"""
_CHOSEN = "SELECT cluster, group_id FROM group_state WHERE {patterns} ORDER BY group_id"
_DETAILS = f"""
SELECT cluster, group_id, group_type, state, protocol, assignor, policy, members,
       {", ".join(each.column for each in catalogue.GROUP_COLUMNS)}
FROM group_state WHERE group_id IN :groups AND state <> 'removed'
"""  # noqa: S608 - names of columns, from the catalogue
_LAGS = """
SELECT cluster, group_id, topic, member_id, sum(lag) AS lag, max(lag) AS max_lag,
       max(time_lag_seconds) AS max_seconds
FROM offsets WHERE group_id IN :groups GROUP BY cluster, group_id, topic, member_id
"""


def add_groups(samples: Samples, reader: TableReader, limits: MetricsSettings) -> None:
    """Add everything that comes from ``group_state``, ``offsets`` and ``alerts``.

    Args:
        samples: added to.
        reader: the tables.
        limits: what bounds the number of series, whatever the cluster holds.
    """
    alerts = reader.rows(_OPEN)
    _add_totals(samples, reader, alerts)
    keys = _exported(reader, limits, alerts)
    groups = sorted({group for _, group in keys})
    lags = _by_group(reader.rows(_LAGS, groups=groups))
    firing = _by_group(alerts)
    exported: defaultdict[str, int] = defaultdict(int)
    for row in reader.rows(_DETAILS, groups=groups):
        key = (row["cluster"], row["group_id"])
        if key in keys:
            exported[row["cluster"]] += 1
            _add_group(samples, row)
            _add_lags(samples, row, lags[key], limits)
            for rule, severity in sorted({(a["rule"], a["severity"]) for a in firing[key]}):
                samples.add(catalogue.GROUP_ALERT, (*key, rule, severity), 1)
    for cluster, count in sorted(exported.items()):
        samples.add(catalogue.GROUPS_EXPORTED, (cluster,), count)


def _add_totals(samples: Samples, reader: TableReader, alerts: Iterable[Row]) -> None:
    for row in reader.rows(_STATES):
        samples.add(catalogue.GROUPS, (row["cluster"], row["state"]), row["groups"])
    for row in reader.rows(_TOTALS):
        cluster = (row["cluster"],)
        samples.add(catalogue.GROUPS_UNFAIR, cluster, row["unfair"])
        samples.add(catalogue.CLUSTER_MOVES, cluster, row["moves"])
        samples.add(catalogue.CLUSTER_UNASSIGNED, cluster, row["unassigned"])
        samples.add(catalogue.CLUSTER_LAG, cluster, row["lag"])
    counted: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    for alert in alerts:
        counted[alert["cluster"], alert["rule"], alert["severity"]] += 1
    for labels, count in sorted(counted.items()):
        samples.add(catalogue.ALERTS, labels, count)


def _exported(reader: TableReader, limits: MetricsSettings, alerts: Iterable[Row]) -> set[Key]:
    """The groups that have metrics of their own."""
    chosen = _chosen(reader, limits.patterns)
    ill = {severity: set[str]() for severity in _SEVERITIES}
    for alert in alerts:
        ill[alert["severity"]].add(alert["group_id"])
    worst = reader.rows(
        _WORST,
        chosen=sorted({group for _, group in chosen}) or [""],
        limit=limits.groups,
        **{severity: sorted(groups) or [""] for severity, groups in ill.items()},
    )
    return chosen | {(row["cluster"], row["group_id"]) for row in worst}


def _chosen(reader: TableReader, patterns: tuple[str, ...]) -> set[Key]:
    if not patterns:
        return set()
    values = {f"p{number}": like(pattern) for number, pattern in enumerate(patterns)}
    conditions = " OR ".join(f"group_id LIKE :{name} ESCAPE '\\'" for name in values)
    rows = reader.rows(_CHOSEN.format(patterns=conditions), **values)
    return {(row["cluster"], row["group_id"]) for row in rows}


def _by_group(rows: Iterable[Row]) -> defaultdict[Key, list[Row]]:
    found: defaultdict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["cluster"], row["group_id"]].append(row)
    return found


def _add_group(samples: Samples, row: Row) -> None:
    key = (row["cluster"], row["group_id"])
    samples.add_columns(catalogue.GROUP_COLUMNS, key, row)
    kind = (row["group_type"], row["protocol"], row["assignor"], row["policy"])
    samples.add(catalogue.GROUP_INFO, (*key, *kind), 1)
    samples.add(catalogue.GROUP_STATE, (*key, row["state"]), 1)


def _add_lags(samples: Samples, row: Row, lags: list[Row], limits: MetricsSettings) -> None:
    key = (row["cluster"], row["group_id"])
    samples.add(catalogue.GROUP_MAX_LAG, key, _largest(lags, "max_lag"))
    samples.add(catalogue.GROUP_MAX_LAG_SECONDS, key, _largest(lags, "max_seconds"))
    topics = _summed(lags, "topic")
    for topic in _top(topics, limits.topics):
        samples.add(catalogue.TOPIC_LAG, (*key, topic), topics[topic])
    behind = _summed(lags, "member_id")
    loads = {member["member_id"]: member["partition_count"] for member in row["members"] or ()}
    shown = set(_top(loads, limits.members))
    for member in row["members"] or ():
        name = member["member_id"]
        if name in shown:
            labels = (*key, name, member["client_id"], member["client_host"])
            samples.add(catalogue.MEMBER_PARTITIONS, labels, member["partition_count"])
            samples.add(catalogue.MEMBER_LAG, labels, behind.get(name))


def _largest(rows: Iterable[Row], column: str) -> float | None:
    return max((row[column] for row in rows if row[column] is not None), default=None)


def _summed(rows: Iterable[Row], column: str) -> dict[str, int]:
    sums: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        if row[column] is not None and row["lag"] is not None:
            sums[row[column]] += row["lag"]
    return sums


def _top(values: Mapping[str, int], count: int) -> list[str]:
    """The names with the largest values."""
    return sorted(values, key=lambda name: (-values[name], name))[:count]
