"""The alert rules, held against the groups of a shard."""

from typing import Any

from streaming.alerts.rules import AlertMemory, GroupFacts, evaluate
from streaming.measuring.policies import is_joined
from streaming.query.group_store import Group
from streaming.query.job import BatchJob
from streaming.query.outputs import Outputs
from streaming.tables.schemas import ALERTS


class AlertWatch:
    """Evaluates the rules of the configuration for one group after the other."""

    def __init__(self, job: BatchJob, outputs: Outputs) -> None:
        """Watch in one batch.

        Args:
            job: the micro-batch.
            outputs: where changes of alerts go.
        """
        self._job = job
        self._outputs = outputs

    def look(self, group: Group, *, slowest_member: str) -> int | None:
        """Evaluate the rules for a group; what is remembered is kept in its columns.

        Args:
            group: the group, its columns up to date.
            slowest_member: the member that is the furthest behind, '' if none is.

        Returns:
            When something would change by time alone, milliseconds of Unix time.
        """
        rules = self._job.rules.for_group(group.machine.group_id)
        memory = AlertMemory.from_json(group.columns.get("alert_memory") or "")
        evaluation = evaluate(rules, self._facts(group, slowest_member), memory)
        for change in evaluation.changes:
            self._outputs.add(ALERTS, change.row())
        group.columns["alert_memory"] = evaluation.memory.to_json()
        return evaluation.next_deadline_ms

    def _facts(self, group: Group, slowest_member: str) -> GroupFacts:
        machine, columns = group.machine, group.columns
        policy = columns.get("policy") or "sticky"
        pending = machine.pending
        return GroupFacts(
            cluster=self._job.cluster,
            group_id=machine.group_id,
            now_ms=self._job.now_ms,
            member_count=columns["member_count"],
            partition_count=columns.get("partition_count") or 0,
            policy=policy,
            joined=is_joined(policy),
            drift_count=columns.get("drift_count"),
            moves_to_fairest=columns.get("moves_to_fairest"),
            fair=columns.get("fair"),
            min_load=columns.get("min_load") or 0,
            max_load=columns.get("max_load") or 0,
            join_violations=columns.get("join_violations") if is_joined(policy) else None,
            topic_skew=columns.get("topic_skew"),
            unassigned_count=columns.get("unassigned_count"),
            lag=columns.get("lag"),
            lag_skew=columns.get("lag_skew"),
            slowest_member=slowest_member,
            rebalanced_ms=machine.recent[-1].time_ms if machine.recent else None,
            cause=columns.get("last_cause") or "",
            churn=columns.get("last_churn") or 0,
            avoidable_churn=columns.get("last_avoidable_churn") or 0,
            recent=machine.recent,
            settled=machine.settled,
            unsettled_ms=pending.started_ms if pending else None,
            last_commit_ms=_milliseconds(columns.get("last_commit_time")),
        )


def _milliseconds(time_us: Any) -> int | None:
    return None if time_us is None else time_us // 1000
