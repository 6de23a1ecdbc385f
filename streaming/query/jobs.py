"""Jobs of micro-batches, made from the settings and what the cluster says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from streaming.alerts.rules import RuleBook
from streaming.groups.machine import Timing
from streaming.groups.topology import Topology
from streaming.measuring.policies import JoinRule, Policies, ReferenceRule
from streaming.query.job import BatchJob
from streaming.query.progress import BatchInfo
from streaming.settings.alerts import Sinks
from streaming.settings.model import Settings
from streaming.settings.policies import PoliciesSettings
from streaming.settings.query import QuerySettings
from streaming.tables.commits import TableCommits
from streaming.tables.schemas import GROUP_STATE, OFFSETS


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """What a batch needs to know of the cluster.

    Attributes:
        topology: its topics.
        end_offsets: (partitions,) end offsets of each topic, -1 where unknown.
    """

    topology: Topology
    end_offsets: Mapping[str, npt.NDArray[np.int64]]


class AskCluster(Protocol):
    """Asks the cluster."""

    def __call__(self, *, refresh: bool, anew: bool) -> ClusterFacts:
        """What it says; with end offsets of now, with topics of now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobMaker:
    """Makes the job of each batch.

    Attributes:
        settings: the configuration.
        tables: the open tables.
        ask_cluster: what the cluster says now.
    """

    settings: Settings
    tables: TableCommits
    ask_cluster: AskCluster

    def __call__(
        self, info: BatchInfo, *, refresh: bool, every_group: bool, names_missing: bool
    ) -> BatchJob:
        """Make the job of one batch.

        Args:
            info: the batch.
            refresh: take all lags anew.
            every_group: look at every group.
            names_missing: a group waits for the name of a topic id.
        """
        settings = self.settings
        facts = self.ask_cluster(refresh=refresh, anew=names_missing)
        # Where alerts are sent is for the driver alone: the addresses may hold passwords.
        alerts = settings.alerts.model_copy(update={"sinks": Sinks()})
        return BatchJob(
            cluster=settings.cluster.name,
            batch_id=info.batch_id,
            now_ms=info.now_ms,
            source_topic=settings.source_topic,
            json_events=settings.source.kind == "events",
            ignored_groups=settings.source.ignore_groups,
            location=self.tables.location,
            state_files=self.tables.shard_files(GROUP_STATE),
            offset_files=self.tables.shard_files(OFFSETS),
            refresh=refresh,
            every_group=every_group,
            topology=facts.topology,
            end_offsets=facts.end_offsets,
            timing=timing_of(settings.query),
            policies=policies_of(settings.policies),
            rules=RuleBook(alerts),
        )


def timing_of(settings: QuerySettings) -> Timing:
    """Durations of rebalances, from the configuration."""
    return Timing(
        settle_ms=round(settings.settle_seconds * 1000),
        episode_gap_ms=round(settings.episode_gap_seconds * 1000),
    )


def policies_of(settings: PoliciesSettings) -> Policies:
    """Policies, from the configuration."""
    return Policies(
        drift=settings.drift,
        references=tuple(
            ReferenceRule(groups=rule.groups, policy=rule.policy) for rule in settings.reference
        ),
        joins=tuple(JoinRule(groups=rule.groups, topics=rule.topics) for rule in settings.joins),
    )
