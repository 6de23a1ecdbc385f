"""The work of one shard: records in, rows of every table out.

A shard is a slice of the groups: all records of a group lie in one partition of the source, and a
shard is made of whole partitions. Runs on an executor.
"""

from collections import deque
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from streaming.events import GroupEvent, OffsetCommit, OffsetRemoved, reader_of
from streaming.groups.apply import apply, deadline_ms, expire, is_gone, waits_for_names
from streaming.groups.causes import explain
from streaming.groups.machine import GroupMachine
from streaming.groups.snapshot import Settlement
from streaming.measuring import rows
from streaming.measuring.measures import Measured, measure
from streaming.measuring.state_rows import current_columns, hour_passes_ms, measured_columns
from streaming.query import offsets
from streaming.query.alerting import AlertWatch
from streaming.query.commit_buffer import CommitBuffer
from streaming.query.commit_columns import are_commits, read_commits
from streaming.query.group_commits import (
    CommitIndex,
    lag_columns,
    lags_of_members,
    last_signs,
    slowest_of,
)
from streaming.query.group_store import Group, GroupStore
from streaming.query.job import BatchJob, Tally
from streaming.query.outputs import Outputs
from streaming.query.record import Record, records_of
from streaming.query.refresh import groups_to_open, with_lags
from streaming.records.errors import UnreadableRecordError
from streaming.tables.schemas import ASSIGNMENTS, DRIFT, MEMBER_LOAD, REBALANCES

_BYTES_AT_ONCE = 16 << 20
"""Of group records that are events at the same time."""


class ShardWork:
    """One shard in one micro-batch."""

    def __init__(
        self,
        job: BatchJob,
        outputs: Outputs,
        *,
        state: pa.Table,
        committed: pa.Table,
    ) -> None:
        """Begin with the shard as the last batch left it.

        Args:
            job: the micro-batch.
            outputs: where the rows go.
            state: the shard's rows of ``group_state``.
            committed: the shard's rows of ``offsets``.
        """
        self._job = job
        self._outputs = outputs
        self._groups = GroupStore(state, job)
        self._old_state = state
        self._old_offsets = committed
        self._offsets = committed
        self._reader = reader_of(json_events=job.json_events)
        self._alerts = AlertWatch(job, outputs)
        self._commits = CommitBuffer(job)
        self._committed = CommitIndex(committed)
        self._committed_before = CommitIndex(committed)
        self.tally = Tally()
        self.newest_ms = 0
        self.names_missing = False

    def run(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Work through the records, and then what is due.

        Commits come first, since generations are measured with them. Group records wait as bytes
        meanwhile: as events they would take ten times the memory.

        Args:
            batches: columns partition, offset, time_ms, key, value and count, in the order of the
                offsets.
        """
        waiting = deque(self._without_commits(batch) for batch in batches)
        self._merge_offsets()
        while waiting:
            self._follow(waiting.popleft())
        self._look_at_due_groups()

    def _without_commits(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Take in the offset commits of a batch; give the other records."""
        rest = batch if self._job.json_events else self._without_plain_commits(batch)
        is_commit = are_commits(rest, json_events=self._job.json_events)
        for record in records_of(rest.filter(pa.array(is_commit))):
            self._event(record)
        return rest.filter(pa.array(~is_commit))

    def _without_plain_commits(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Take in commits without metadata, which most are, column by column; give the others."""
        if not batch.num_rows:
            return batch
        commits, kept, ignored = read_commits(batch, self._job.ignores)
        counts = batch.column("count").to_numpy()
        taken = kept | ignored
        self.tally.read += int(counts[taken].sum())
        self.tally.events += int(counts[kept].sum())
        self.tally.ignored += int(counts[ignored].sum())
        self.newest_ms = max(self.newest_ms, pc.max(batch.column("time_ms")).as_py())
        self._commits.add_columns(commits)
        return batch.filter(pa.array(~taken))

    def _follow(self, batch: pa.RecordBatch) -> None:
        """Take in group records, as many at once as have room as events."""
        step = max(1, _BYTES_AT_ONCE * batch.num_rows // max(batch.nbytes, 1))
        for start in range(0, batch.num_rows, step):
            records = records_of(batch.slice(start, step))
            events = [(each, event) for each in records if (event := self._event(each)) is not None]
            self._open({event.group_id for _, event in events})
            for record, event in events:
                self._apply(record, event)

    def _event(self, record: Record) -> GroupEvent | None:
        """What a record says of a group; None if nothing: it is set aside, and counted as what."""
        self.tally.read += record.count
        self.newest_ms = max(self.newest_ms, record.time_ms)
        try:
            event = self._reader(record.key, record.value)
        except UnreadableRecordError as error:
            self._outputs.dead_letter(record, error, topic=self._job.source_topic)
            self.tally.dead_letters += record.count
            return None
        if event is None or self._job.ignores(event.group_id):
            self.tally.ignored += record.count
            return None
        self.tally.events += record.count
        if isinstance(event, OffsetCommit | OffsetRemoved):
            self._commits.add(record, event)
            return None
        return event

    def _merge_offsets(self) -> None:
        merged = offsets.merge(self._old_offsets, *self._commits.take())
        if self._job.refresh or merged is not self._old_offsets:
            self._offsets = offsets.with_lag(merged, self._job)
            self._committed = CommitIndex(self._offsets)

    def _open(self, group_ids: set[str]) -> None:
        self._groups.open_all(group_ids)
        self._committed.find(group_ids)
        self._committed_before.find(group_ids)

    def _apply(self, record: Record, event: GroupEvent) -> None:
        group = self._groups.open(event.group_id)
        machine = group.machine
        if machine.already_applied(offset=record.offset, time_ms=record.time_ms):
            self.tally.events -= record.count
            self.tally.ignored += record.count
            return
        machine.record_offset, machine.record_time_ms = record.offset, record.time_ms
        group.last_event_ms = max(group.last_event_ms, record.time_ms)
        settlement = apply(
            machine,
            event,
            time_ms=record.time_ms,
            topology=self._job.topology,
            timing=self._job.timing,
        )
        if settlement is not None:
            self._settle(group, settlement)

    def _settle(self, group: Group, settlement: Settlement) -> None:
        """Measure a settlement and write its rows."""
        group_id = settlement.group_id
        committed = self._committed.of(group_id)
        signs = last_signs(settlement, committed, self._committed_before.of(group_id))
        cause = explain(settlement, last_commits_ms=signs)
        if settlement.settled:
            group.machine.remember(time_ms=settlement.snapshot.time_ms, culprit=cause.culprit)
            self.tally.settled_generations += 1
        if settlement.snapshot.group_type == "share":
            return  # no partition of a share group has one owner, so nothing here can be measured
        measured = measure(settlement, self._job.policies, lags=committed.lags)
        self._write(measured, rows.rebalance_row(measured, cause))
        group.columns.update(measured_columns(measured, cause))
        if settlement.settled:
            settlement.episode.rebalances += 1
            settlement.episode.churn = measured.cost.episode_churn

    def _write(self, measured: Measured, rebalance: rows.Row) -> None:
        identity = rows.identity_columns(measured)
        self._outputs.add(REBALANCES, rebalance)
        for row in rows.drift_rows(measured):
            self._outputs.add(DRIFT, row)
        self._outputs.extend(MEMBER_LOAD, rows.member_columns(measured), identity)
        self._outputs.extend(ASSIGNMENTS, rows.assignment_columns(measured), identity)

    def _look_at_due_groups(self) -> None:
        """Rebalances that ran out of time, groups that are gone, and, on a refresh, every group."""
        opened = {group.machine.group_id for group in self._groups.open_groups}
        self.tally.groups_changed = len(opened)
        due = opened.union(self._groups.due())
        if self._job.refresh:
            due |= self._refresh()
        self._open(due)
        for group_id in sorted(due):
            self._conclude(self._groups.open(group_id))

    def _refresh(self) -> set[str]:
        """Take all lags anew; gives the groups that must be looked at for it."""
        groups = self._groups
        if self._job.every_group:
            return {*groups.group_ids(), *offsets.group_ids(self._offsets)}
        groups.rows = with_lags(groups.rows, self._offsets, self._job)
        unknown = {name for name in offsets.group_ids(self._offsets) if not groups.knows(name)}
        return unknown | groups_to_open(groups.rows, self._offsets, self._job.rules)

    def _conclude(self, group: Group) -> None:
        """Bring a group's row up to the batch's clock."""
        job, machine = self._job, group.machine
        settlement = expire(machine, now_ms=job.now_ms, topology=job.topology, timing=job.timing)
        if settlement is not None:
            self._settle(group, settlement)
        columns = group.columns
        columns.update(current_columns(machine, now_ms=job.now_ms))
        committed = self._committed.of(machine.group_id)
        behind = lags_of_members(machine, committed)
        columns.update(lag_columns(committed, behind))
        columns["event_time"] = max(group.last_event_ms, machine.record_time_ms, 0) * 1000
        alert_deadline_ms = self._alerts.look(group, slowest_member=slowest_of(behind))
        columns["deadline_time"] = self._deadline_us(machine, alert_deadline_ms)
        columns["gone"] = is_gone(machine, now_ms=job.now_ms, timing=job.timing)

    def _deadline_us(self, machine: GroupMachine, alert_deadline_ms: int | None) -> int | None:
        if waits_for_names(machine):
            self.names_missing = True
            return self._job.now_ms * 1000
        times = (
            alert_deadline_ms,
            deadline_ms(machine, timing=self._job.timing),
            hour_passes_ms(machine, now_ms=self._job.now_ms),
        )
        return min((time * 1000 for time in times if time is not None), default=None)

    def state(self) -> pa.Table | None:
        """Rows of ``group_state``; None if they are as they were."""
        is_changed = self._groups.open_groups or self._groups.rows is not self._old_state
        return self._groups.write() if is_changed else None

    def offsets(self) -> pa.Table | None:
        """Rows of ``offsets``; None if they are as they were."""
        machines = [group.machine for group in self._groups.open_groups]
        owned = offsets.set_owners(self._offsets, machines)
        return None if owned is self._old_offsets else owned

    def next_deadline_ms(self) -> int | None:
        """When a group of the shard must be looked at again."""
        return self._groups.next_deadline_ms()
