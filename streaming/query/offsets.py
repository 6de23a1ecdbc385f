"""The table of committed offsets of one shard: merged with new commits, owners and lags in it."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.groups.machine import GroupMachine
from streaming.query.job import BatchJob

_SEPARATOR = "\x00"


def merge(old: pa.Table, commits: pa.Table, removed: pa.Table) -> pa.Table:
    """Put new commits in the place of old ones, and drop those that are gone.

    Args:
        old: rows of ``offsets``.
        commits: new rows with the same columns, one per partition.
        removed: rows of offsets that expired or were deleted.
    """
    if not commits.num_rows and not removed.num_rows:
        return old
    keys, old_keys = keys_of(commits), keys_of(old)
    replaced = pa.chunked_array([*keys.chunks, *keys_of(removed).chunks], pa.string())
    kept = pc.invert(pc.is_in(old_keys, value_set=replaced.combine_chunks()))
    places = pc.index_in(keys, value_set=old_keys.combine_chunks())
    owned = _with_column(commits, "member_id", old["member_id"].take(places))
    return pa.concat_tables([old.filter(kept), owned])


def set_owners(table: pa.Table, machines: Iterable[GroupMachine]) -> pa.Table:
    """Put the live owner of each partition into the rows of some groups.

    Args:
        table: rows of ``offsets``.
        machines: the groups; other groups stay as they are.

    Returns:
        The same table if no owner is another.
    """
    groups = {machine.group_id: machine for machine in machines}
    mask = pc.is_in(table["group_id"], value_set=pa.array(list(groups), pa.string()))
    rows = table.filter(mask)
    if not rows.num_rows:
        return table
    committing = pc.unique(rows["group_id"]).to_pylist()
    owners = _owner_rows(groups[name] for name in committing)
    places = pc.index_in(keys_of(rows), value_set=keys_of(owners).combine_chunks())
    found = owners["member_id"].take(places)
    if found.equals(rows["member_id"]):
        return table
    column = pc.replace_with_mask(
        table["member_id"].combine_chunks(), mask.combine_chunks(), found.combine_chunks()
    )
    return _with_column(table, "member_id", column)


def _owner_rows(machines: Iterable[GroupMachine]) -> pa.Table:
    """Columns group_id, topic, partition and member_id of all that members of groups own."""
    claims = [
        (machine.group_id, topic, numbers, member.member_id)
        for machine in machines
        if machine.settled and not machine.emptied
        for member in machine.settled.members
        for topic, numbers in member.assigned.items()
    ]
    groups, topics, numbers, members = zip(*claims, strict=True) if claims else ((), (), (), ())
    claim_of = pa.array(np.repeat(np.arange(len(claims)), [len(each) for each in numbers]))
    return pa.table(
        {
            "group_id": pa.array(groups, pa.string()).take(claim_of),
            "topic": pa.array(topics, pa.string()).take(claim_of),
            "partition": pa.array([each for claim in numbers for each in claim], pa.int32()),
            "member_id": pa.array(members, pa.string()).take(claim_of),
        }
    )


def keys_of(table: pa.Table) -> pa.ChunkedArray:
    """Group, topic and partition of each row as one string."""
    if not table.num_rows:
        return pa.chunked_array([], pa.string())
    keys = pc.binary_join_element_wise(
        table["group_id"], table["topic"], table["partition"].cast(pa.string()), _SEPARATOR
    )
    return keys if isinstance(keys, pa.ChunkedArray) else pa.chunked_array([keys])


def with_lag(table: pa.Table, job: BatchJob) -> pa.Table:
    """The rows with end offsets and lags of now; the same table if they are as they were.

    ``time_lag_seconds`` is the age of the last commit where records wait and 0 where none do:
    commit timestamps allow no more.
    """
    if not table.num_rows:
        return table
    ends = _end_offsets(table, job)
    committed = table["committed_offset"].to_numpy()
    known = ends >= 0
    lag = np.maximum(ends - committed, 0)
    commit_us = table["commit_time"].cast(pa.int64()).to_numpy()
    age = np.maximum(job.now_ms * 1000 - commit_us, 0) / 1e6
    columns = {
        "end_offset": pa.array(ends, mask=~known),
        "lag": pa.array(lag, mask=~known),
        "time_lag_seconds": pa.array(np.where(lag > 0, age, 0.0), mask=~known),
    }
    for name, column in columns.items():
        if not table[name].equals(pa.chunked_array([column])):
            table = _with_column(table, name, column)
    return table


def _end_offsets(table: pa.Table, job: BatchJob) -> npt.NDArray[np.int64]:
    """End offset of each row, -1 where it is not known."""
    topics = table["topic"].combine_chunks().dictionary_encode()
    codes = topics.indices.to_numpy(zero_copy_only=False)
    partitions = table["partition"].to_numpy()
    ends = np.full(table.num_rows, -1, dtype=np.int64)
    for code, topic in enumerate(topics.dictionary.to_pylist()):
        known = job.end_offsets.get(topic)
        if known is not None:
            rows = np.flatnonzero((codes == code) & (partitions < len(known)))
            ends[rows] = known[partitions[rows]]
    return ends


def group_ids(table: pa.Table) -> list[str]:
    """Groups that have an offset."""
    names: list[str] = pc.unique(table["group_id"]).to_pylist()
    return names


def _with_column(table: pa.Table, name: str, column: pa.Array | pa.ChunkedArray) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema.field(place), column)
