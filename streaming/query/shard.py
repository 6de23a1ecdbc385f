"""The work of one shard: records in, rows of every table out.

A shard is a slice of the groups: all records of a group lie in one partition of the source, and a
shard is made of whole partitions. Runs on an executor.
"""

from collections.abc import Iterable

import pyarrow as pa

from streaming.events import EventReader, GroupEvent, OffsetCommit, OffsetRemoved
from streaming.groups.apply import apply, deadline_ms, expire, is_gone, waits_for_names
from streaming.groups.causes import explain
from streaming.groups.machine import GroupMachine
from streaming.groups.snapshot import Settlement
from streaming.measuring import rows
from streaming.measuring.measures import Measured, measure
from streaming.measuring.state_rows import current_columns, measured_columns
from streaming.query import offsets
from streaming.query.alerting import AlertWatch
from streaming.query.group_store import Group, GroupStore
from streaming.query.job import BatchJob, Tally
from streaming.query.outputs import Outputs
from streaming.query.record import Record
from streaming.records.errors import UnreadableRecordError
from streaming.tables.schemas import ASSIGNMENTS, DRIFT, MEMBER_LOAD, REBALANCES


class ShardWork:
    """One shard in one micro-batch."""

    def __init__(
        self,
        job: BatchJob,
        outputs: Outputs,
        *,
        state: pa.Table,
        committed: pa.Table,
        reader: EventReader,
    ) -> None:
        """Begin with the shard as the last batch left it.

        Args:
            job: the micro-batch.
            outputs: where the rows go.
            state: the shard's rows of ``group_state``.
            committed: the shard's rows of ``offsets``.
            reader: makes events of records.
        """
        self._job = job
        self._outputs = outputs
        self._groups = GroupStore(state, job)
        self._old_offsets = committed
        self._offsets = committed
        self._reader = reader
        self._alerts = AlertWatch(job, outputs)
        self._commits = offsets.CommitBuffer()
        self._offsets_changed = False
        self._committed: dict[str, offsets.GroupCommits] = {}
        self._committed_before: dict[str, offsets.GroupCommits] = {}
        self._settled: set[str] = set()
        self.tally = Tally()
        self.newest_ms = 0
        self.names_missing = False

    def run(self, records: Iterable[Record]) -> None:
        """Work through the records, in the order of their offsets, and then what is due."""
        events = list(self._events(records))
        self._merge_offsets()
        self._load_commits(event.group_id for _, event in events)
        for record, event in events:
            self._apply(record, event)
        self._look_at_due_groups()

    def _events(self, records: Iterable[Record]) -> Iterable[tuple[Record, GroupEvent]]:
        """Group events in order; offset commits and unreadable records are set aside on the way."""
        for record in records:
            self.tally.read += record.count
            self.newest_ms = max(self.newest_ms, record.time_ms)
            try:
                event = self._reader(record.key, record.value)
            except UnreadableRecordError as error:
                self._outputs.dead_letter(record, error, topic=self._job.source_topic)
                self.tally.dead_letters += record.count
                continue
            if event is None or self._job.ignores(event.group_id):
                self.tally.ignored += record.count
                continue
            self.tally.events += record.count
            if isinstance(event, OffsetCommit | OffsetRemoved):
                self._commits.add(record, event)
            else:
                yield record, event

    def _merge_offsets(self) -> None:
        commits, removed = self._commits.take(self._job)
        merged = offsets.merge(self._old_offsets, commits, removed)
        self._offsets_changed = self._job.refresh or merged is not self._old_offsets
        if self._offsets_changed:
            self._offsets = offsets.with_lag(merged, self._job)

    def _load_commits(self, group_ids: Iterable[str]) -> None:
        wanted = set(group_ids)
        self._committed = offsets.of_groups(self._offsets, wanted)
        self._committed_before = offsets.of_groups(self._old_offsets, wanted)

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
        committed = self._committed.get(group_id, offsets.NO_COMMITS)
        before = self._committed_before.get(group_id, offsets.NO_COMMITS)
        cause = explain(
            settlement, last_commits_ms=offsets.last_signs(settlement, committed, before)
        )
        if settlement.settled:
            self._settled.add(group_id)
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
        self._outputs.add(REBALANCES, rebalance)
        for row in rows.drift_rows(measured):
            self._outputs.add(DRIFT, row)
        for row in rows.member_rows(measured):
            self._outputs.add(MEMBER_LOAD, row)
        self._outputs.extend(
            ASSIGNMENTS, rows.assignment_columns(measured), rows.identity_columns(measured)
        )

    def _look_at_due_groups(self) -> None:
        """Rebalances that ran out of time, groups that are gone, and, on a refresh, every group."""
        opened = {group.machine.group_id for group in self._groups.open_groups}
        self.tally.groups_changed = len(opened)
        due = opened.union(self._groups.due())
        if self._job.refresh:
            due.update(self._groups.group_ids(), offsets.group_ids(self._offsets))
        self._load_commits(due)
        for group_id in sorted(due):
            self._conclude(self._groups.open(group_id))

    def _conclude(self, group: Group) -> None:
        """Bring a group's row up to the batch's clock."""
        job, machine = self._job, group.machine
        settlement = expire(machine, now_ms=job.now_ms, topology=job.topology, timing=job.timing)
        if settlement is not None:
            self._settle(group, settlement)
        columns = group.columns
        columns.update(current_columns(machine, now_ms=job.now_ms))
        columns.update(offsets.lag_columns(machine.settled, self._committed[machine.group_id]))
        columns["event_time"] = max(group.last_event_ms, machine.record_time_ms, 0) * 1000
        alert_deadline_ms = self._alerts.look(group)
        columns["deadline_time"] = self._deadline_us(machine, alert_deadline_ms)
        columns["gone"] = is_gone(machine, now_ms=job.now_ms, timing=job.timing)

    def _deadline_us(self, machine: GroupMachine, alert_deadline_ms: int | None) -> int | None:
        if waits_for_names(machine):
            self.names_missing = True
            return self._job.now_ms * 1000
        times = (alert_deadline_ms, deadline_ms(machine, timing=self._job.timing))
        return min((time * 1000 for time in times if time is not None), default=None)

    def state(self) -> pa.Table | None:
        """Rows of ``group_state``; None if they are as they were."""
        return self._groups.write() if self._groups.open_groups else None

    def offsets(self) -> pa.Table | None:
        """Rows of ``offsets``; None if they are as they were."""
        owners = {
            group.machine.group_id: _owners(group.machine)
            for group in self._groups.open_groups
            if self._job.refresh or group.machine.group_id in self._settled
        }
        if not self._offsets_changed and not owners:
            return None
        return offsets.set_owners(self._offsets, owners)

    def next_deadline_ms(self) -> int | None:
        """When a group of the shard must be looked at again."""
        return self._groups.next_deadline_ms()


def _owners(machine: GroupMachine) -> dict[tuple[str, int], str]:
    settled = machine.settled
    return {
        (topic, number): member.member_id
        for member in (settled.members if settled and not machine.emptied else ())
        for topic, numbers in member.assigned.items()
        for number in numbers
    }
