"""One task of the batch's job: several shards, one after the other, as Arrow batches come in."""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np
import orjson
import pyarrow as pa

from streaming.query.job import BatchJob, Tally, TaskReport
from streaming.query.outputs import Outputs
from streaming.query.shard import ShardWork
from streaming.tables.files import DataFile, read_files
from streaming.tables.schemas import GROUP_STATE, OFFSETS

REPORT_SCHEMA = "report string"
"""Schema of what a task gives back: one JSON report."""


ArrowFunction = Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]


def shard_task(job: BatchJob) -> ArrowFunction:
    """The function for ``mapInArrow``.

    Its input is sorted by shard, partition and offset and has the columns shard, partition, offset,
    time_ms, key, value and count. A row without partition only says that the shard is due.
    """

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with _no_cycles():
            task = _Task(job)
            for shard, parts in groupby(_by_shard(batches), key=itemgetter(0)):
                task.work(shard, (part for _, part in parts))
            report = to_json(task.report())
        yield pa.RecordBatch.from_pydict({"report": [report]})

    return run


@contextmanager
def _no_cycles() -> Iterator[None]:
    """Spare Python the search for cycles: millions of objects, and none of them in one.

    It takes a quarter of the time of a large batch.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _by_shard(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Batches cut where a new shard begins."""
    for batch in batches:
        shards = batch.column("shard").to_numpy()
        cuts = [0, *(np.flatnonzero(np.diff(shards)) + 1).tolist(), batch.num_rows]
        for start, end in pairwise(cuts):
            if start < end:
                yield int(shards[start]), batch.slice(start, end - start)


@dataclass(slots=True)
class _Task:
    job: BatchJob
    outputs: Outputs = field(init=False)
    tally: Tally = field(default_factory=Tally)
    emptied_state: list[int] = field(default_factory=list)
    emptied_offsets: list[int] = field(default_factory=list)
    deadlines_ms: dict[int, int | None] = field(default_factory=dict)
    newest_ms: int = 0
    names_missing: bool = False

    def __post_init__(self) -> None:
        self.outputs = Outputs(self.job)

    def work(self, shard: int, batches: Iterator[pa.RecordBatch]) -> None:
        job = self.job
        state_paths = job.state_files.get(shard, [])
        offset_paths = job.offset_files.get(shard, [])
        work = ShardWork(
            job,
            self.outputs,
            state=read_files(job.location, GROUP_STATE, state_paths),
            committed=read_files(job.location, OFFSETS, offset_paths),
        )
        work.run(batch.filter(batch.column("partition").is_valid()) for batch in batches)
        state, offsets = work.state(), work.offsets()
        if state is not None:
            self.outputs.replace_shard(GROUP_STATE, shard, state)
            if state_paths and not state.num_rows:
                self.emptied_state.append(shard)
        if offsets is not None:
            self.outputs.replace_shard(OFFSETS, shard, offsets)
            if offset_paths and not offsets.num_rows:
                self.emptied_offsets.append(shard)
        self.deadlines_ms[shard] = work.next_deadline_ms()
        self.newest_ms = max(self.newest_ms, work.newest_ms)
        self.names_missing |= work.names_missing
        self.tally.add(work.tally)

    def report(self) -> TaskReport:
        return TaskReport(
            tally=self.tally,
            files=self.outputs.finish(),
            emptied_state=tuple(self.emptied_state),
            emptied_offsets=tuple(self.emptied_offsets),
            deadlines_ms=self.deadlines_ms,
            newest_ms=self.newest_ms,
            names_missing=self.names_missing,
        )


def to_json(report: TaskReport) -> str:
    """A report as the one value that a task gives back."""
    return orjson.dumps(report, option=orjson.OPT_NON_STR_KEYS).decode()


def from_json(text: str) -> TaskReport:
    """A report back from `to_json`."""
    found = orjson.loads(text)
    return TaskReport(
        tally=Tally(**found["tally"]),
        files=tuple(DataFile(**file) for file in found["files"]),
        emptied_state=tuple(found["emptied_state"]),
        emptied_offsets=tuple(found["emptied_offsets"]),
        deadlines_ms={int(shard): time for shard, time in found["deadlines_ms"].items()},
        newest_ms=found["newest_ms"],
        names_missing=found["names_missing"],
    )
