"""Lags taken anew for all groups of a shard: on columns, opening only groups that need more."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.alerts.rules import RuleBook
from streaming.alerts.rules.conditions import LEAST_LAG
from streaming.query.job import BatchJob

_LASTING = ("lag_skew", "commits_stopped", "unsettled")
"""Rules whose value changes without an event and without a deadline of its own."""
_UNDER_WAY = ("rebalancing", "unsettled")
_COLUMNS = ("lag", "lag_skew", "last_commit_time")
_NEVER = np.iinfo(np.int64).max

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


def with_lags(rows: pa.Table, offsets: pa.Table, job: BatchJob) -> pa.Table:
    """Rows of ``group_state`` with the lags of now; the same table if they are as they were.

    Args:
        rows: the groups of a shard.
        offsets: their rows of ``offsets``, lags and owners in them.
        job: the micro-batch.
    """
    lags = _lags(offsets)
    places = pc.index_in(rows["group_id"], value_set=lags["group_id"].combine_chunks())
    found = lags.take(places.combine_chunks())
    columns = {
        "lag": found["lag_sum"],
        "lag_skew": _skew(rows, found),
        "last_commit_time": found["commit_time_max"],
    }
    if all(rows[name].equals(pa.chunked_array(columns[name])) for name in _COLUMNS):
        return rows
    count = rows.num_rows
    for name in ("processed_time", "batch_id"):
        scalar = pa.scalar(job.shared_columns[name], rows.schema.field(name).type)
        columns[name] = pa.repeat(scalar, count)
    for name, column in columns.items():
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, rows.schema.field(place), column)
    return rows


def _lags(offsets: pa.Table) -> pa.Table:
    """Per group: lag_sum, commit_time_max, and over its members share_max and share_sum."""
    groups = offsets.group_by("group_id").aggregate([("lag", "sum"), ("commit_time", "max")])
    owned = offsets.filter(offsets["member_id"].is_valid())
    members = owned.group_by(["group_id", "member_id"]).aggregate([("lag", "sum")])
    members = members.rename_columns({"lag_sum": "share"})
    shares = members.group_by("group_id").aggregate([("share", "max"), ("share", "sum")])
    places = pc.index_in(groups["group_id"], value_set=shares["group_id"].combine_chunks())
    found = shares.take(places.combine_chunks())
    for name in ("share_max", "share_sum"):
        groups = groups.append_column(name, found[name])
    return groups


def _skew(rows: pa.Table, lags: pa.Table) -> pa.Array:
    """Largest lag of a member over the mean: 1 where there is no lag, null without members."""
    members = pc.fill_null(pc.list_value_length(rows["members"]), 0).to_numpy()
    largest, total = (pc.fill_null(lags[name], 0).to_numpy() for name in ("share_max", "share_sum"))
    skew = np.where(total > 0, largest * members / np.maximum(total, 1), 1.0)
    return pa.array(skew, mask=members == 0)


def groups_to_open(rows: pa.Table, offsets: pa.Table, rules: RuleBook) -> set[str]:
    """Groups for which new lags may change more than their lags.

    Args:
        rows: rows of ``group_state``, with the lags of now.
        offsets: their rows of ``offsets``.
        rules: the alert rules.
    """
    if not rows.num_rows:
        return set()
    skews, stops_ms = _thresholds(rows["group_id"].to_pylist(), rules)
    mask = _is_watched(rows) | _is_skewed(rows, skews) | _may_have_stopped(rows, stops_ms)
    mask |= pc.is_in(rows["state"], value_set=pa.array(_UNDER_WAY)).to_numpy()
    mask |= _lacks_owners(rows, offsets)
    return set(rows["group_id"].filter(pa.array(mask)).to_pylist())


def _thresholds(group_ids: list[str], rules: RuleBook) -> tuple[npt.NDArray[np.float64], Numbers]:
    """Of each group, above which skew and after how many milliseconds of silence a rule holds."""
    found = []
    for group_id in group_ids:
        known = {rule.name: rule.threshold for rule in rules.for_group(group_id)}
        found.append((known.get("lag_skew", np.inf), known.get("commits_stopped", np.inf)))
    skews, stops = np.array(found).T
    return skews, np.where(np.isfinite(stops), stops * 1000, _NEVER // 4000).astype(np.int64)


def _is_watched(rows: pa.Table) -> Mask:
    pattern = "|".join(_LASTING)
    watched = pc.match_substring_regex(pc.fill_null(rows["alert_memory"], ""), pattern)
    return np.asarray(watched.to_numpy())


def _is_skewed(rows: pa.Table, skews: npt.NDArray[np.float64]) -> Mask:
    lag, skew = (pc.fill_null(rows[name], 0).to_numpy() for name in ("lag", "lag_skew"))
    return np.asarray((lag >= LEAST_LAG) & (skew > skews))


def _may_have_stopped(rows: pa.Table, stops_ms: Numbers) -> Mask:
    """Groups with something to read that nobody would look at when their commits stop."""
    committed, settled = (
        _microseconds(rows[name], 0) for name in ("last_commit_time", "settled_time")
    )
    deadline = _microseconds(rows["deadline_time"], _NEVER)
    stopped = np.maximum(committed, settled) + (stops_ms + 1) * 1000
    waiting = pc.fill_null(rows["lag"], 0).to_numpy() > 0
    return np.asarray(waiting & (committed > 0) & (stopped < deadline))


def _microseconds(column: pa.ChunkedArray, absent: int) -> Numbers:
    return np.asarray(pc.fill_null(column.cast(pa.int64()), absent).to_numpy())


def _lacks_owners(rows: pa.Table, offsets: pa.Table) -> Mask:
    """Groups with members that committed for a partition whose owner is not looked up yet."""
    unowned = pc.unique(offsets["group_id"].filter(offsets["member_id"].is_null()))
    found = pc.is_in(rows["group_id"], value_set=unowned).to_numpy()
    return np.asarray(found & (pc.fill_null(rows["member_count"], 0).to_numpy() > 0))
