"""What a micro-batch sends to the executors, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np
import numpy.typing as npt

from streaming.alerts.rules import RuleBook
from streaming.groups.machine import Timing
from streaming.groups.topology import Topology
from streaming.measuring.policies import Policies
from streaming.settings.alerts import AlertsSettings
from streaming.tables.files import DataFile
from streaming.tables.storage import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJob:
    """One micro-batch, as every executor needs to know it.

    Attributes:
        cluster: name of the monitored cluster.
        batch_id: number of the micro-batch.
        now_ms: its clock, milliseconds of Unix time; the same when the batch is replayed.
        source_topic: topic that the records come from.
        json_events: records are normalised events in JSON, not coordinator records.
        ignored_groups: shell-style patterns of groups that are left out.
        location: where the tables lie.
        state_files, offset_files: files of ``group_state`` and ``offsets`` by shard.
        refresh: take all lags anew.
        every_group: on a refresh, look at every group: the configuration may be another.
        topology: topics of the cluster.
        end_offsets: (partitions,) end offsets of each topic, -1 where unknown.
        timing: durations of rebalances.
        policies: policies that groups are held against.
        rules: alert rules by group.
    """

    cluster: str
    batch_id: int
    now_ms: int
    source_topic: str
    json_events: bool = False
    ignored_groups: tuple[str, ...] = ()
    location: Location
    state_files: Mapping[int, list[str]]
    offset_files: Mapping[int, list[str]]
    refresh: bool = False
    every_group: bool = False
    topology: Topology = field(default_factory=Topology)
    end_offsets: Mapping[str, npt.NDArray[np.int64]] = field(default_factory=dict)
    timing: Timing = field(default_factory=Timing)
    policies: Policies = field(default_factory=Policies)
    rules: RuleBook = field(default_factory=lambda: RuleBook(AlertsSettings()))

    @property
    def shared_columns(self) -> dict[str, object]:
        """Values that every row of the batch has."""
        return {
            "cluster": self.cluster,
            "batch_id": self.batch_id,
            "processed_time": self.now_ms * 1000,
        }

    def ignores(self, group_id: str) -> bool:
        """Whether a group is left out by a rule."""
        return any(fnmatchcase(group_id, pattern) for pattern in self.ignored_groups)


@dataclass(slots=True, kw_only=True)
class Tally:
    """What became of the records; ``read`` is the sum of the three that follow it."""

    read: int = 0
    events: int = 0
    ignored: int = 0
    dead_letters: int = 0
    groups_changed: int = 0
    settled_generations: int = 0

    def add(self, other: "Tally") -> None:
        """Add another tally to this one."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """What one task has done: few bytes, whatever it worked on.

    Attributes:
        tally: what became of its records.
        files: files that it wrote, not committed yet.
        emptied_state, emptied_offsets: shards of which no group, no offset is left.
        deadlines_ms: per shard, when a group in it must be looked at again without an event.
        newest_ms: timestamp of the newest record read; 0 if none.
        names_missing: a group waits for the name of a topic id.
    """

    tally: Tally
    files: tuple[DataFile, ...]
    emptied_state: tuple[int, ...]
    emptied_offsets: tuple[int, ...]
    deadlines_ms: Mapping[int, int | None]
    newest_ms: int
    names_missing: bool
