"""Our assignors beside Kafka's Java ones: `python -m benchmarks.assignors`.

The same groups go through both in one run. Kafka's `StickyAssignor` starts from `Subscription`
objects, ours from the arrays the monitor keeps (`assign`) and from member objects (`build` +
`assign`), so there are two ratios. Times are the least of several runs, as both share the machine
with others; Java is warmed up first.
"""

import argparse
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assignors import Problem, assign
from benchmarks.assignors.kafka_java import Question, ask
from benchmarks.assignors.shapes import KINDS, Case, again, cases

LARGE = 1000
RUNS = 30
RUNS_SECONDS = 3.0  # as in the harness
WARM_UP_RUNS = 200
JAVA_OPTIONS = ("-Xms1g", "-Xmx4g")
MILLION = """
import resource, time
import numpy as np
from assignors import Problem, assign
started = time.perf_counter()
problem = Problem.from_arrays(
    topics=tuple(f"topic{i:03}" for i in range(100)), counts=[10_000] * 100,
    members=tuple(f"member{i:05}" for i in range(10_000)), class_of=np.zeros(10_000, np.int32),
    classes=[range(100)], previous=np.full(1_000_000, -1),
)
owner = assign("sticky", problem)
fresh = time.perf_counter() - started
rng = np.random.default_rng(1)
gone = rng.permutation(10_000)[:500]
previous = np.where(np.isin(owner, gone), -2, owner)
started = time.perf_counter()
assign("sticky", Problem.from_arrays(
    topics=problem.topics, counts=problem.counts, members=problem.members,
    class_of=problem.class_of, classes=problem.classes, previous=previous,
))
again = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{fresh:.3f} s from nothing, {again:.3f} s with 1 in 20 owners gone, {peak:.0f} MiB at most")
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One case's times in seconds."""

    case: Case
    sticky: float
    optimal: float
    build: float
    java: float
    in_time: bool

    def ratio(self, seconds: float) -> float:
        """How many times as long Kafka's took."""
        return self.java / seconds


def main() -> None:
    """Run all shapes and print the ratios."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--members", type=int, nargs="+", default=[100, 1000, 10_000])
    options.add_argument("--deadline-seconds", type=int, default=30, help="for Java, per group")
    given = options.parse_args()
    chosen = [case for count in given.members for kind in KINDS for case in cases(count, kind)]
    print(f"{'':38} {'ours, ms':>26} {'Java, ms':>10} {'ratio':>8} {'ratio':>8}")
    print(
        f"{'':38} {'sticky':>8} {'optimal':>8} {'build':>8} {'sticky':>10} {'':>8} {'w. build':>8}"
    )
    rows = []
    for row in _rows(chosen, given.deadline_seconds):
        rows.append(row)
        print(_told(row), flush=True)
    _sum_up(rows)
    million = subprocess.run(
        [sys.executable, "-c", MILLION], capture_output=True, text=True, check=True
    )
    print(f"10,000 members x 1,000,000 partitions, equal subscriptions: {million.stdout.strip()}")


def _rows(chosen: Sequence[Case], deadline_seconds: int) -> Iterator[Row]:
    ours = [_ours(case) for case in chosen]  # before Java starts, which would take a core
    kafkas = ask(
        [_question(case, RUNS, deadline_seconds) for case in chosen],
        options=JAVA_OPTIONS,
        warm_up=[_question(case, WARM_UP_RUNS, 120) for kind in KINDS for case in cases(100, kind)],
    )
    for case, (sticky, optimal, build), answer in zip(chosen, ours, kafkas, strict=True):
        in_time = answer.owner is not None
        java = answer.seconds if in_time else float(deadline_seconds)
        yield Row(case, sticky, optimal, build, java, in_time)


def _question(case: Case, runs: int, deadline_seconds: int) -> Question:
    return Question(
        "sticky", case.topics, case.members, deadline_ms=deadline_seconds * 1000, runs=runs
    )


def _ours(case: Case) -> tuple[float, float, float]:
    def fresh() -> Problem:
        return again(case.problem, case.problem.previous)

    return (
        _least(lambda: assign("sticky", fresh())),
        _least(lambda: assign("optimal", fresh())),
        _least(lambda: Problem.build(case.topics, case.members)),
    )


def _least(work: Callable[[], object]) -> float:
    taken = [_seconds(work)]
    while len(taken) < RUNS and sum(taken) < RUNS_SECONDS:
        taken.append(_seconds(work))
    return min(taken)


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _told(row: Row) -> str:
    case = row.case
    name = f"{case.members_count:>6} members, {case.kind}, {case.event}"
    more = " " if row.in_time else ">"
    return (
        f"{name:38} {row.sticky * 1e3:8.2f} {row.optimal * 1e3:8.2f} {row.build * 1e3:8.2f} "
        f"{more}{row.java * 1e3:9.1f} {more}{row.ratio(row.sticky):7.1f} "
        f"{more}{row.ratio(row.sticky + row.build):7.1f}"
    )


def _sum_up(rows: Sequence[Row]) -> None:
    large = [row for row in rows if row.case.members_count >= LARGE]
    fresh = [row for row in large if row.case.event == "fresh"]
    if not fresh:
        return
    print(f"\nFrom {LARGE} members up:")
    for name, seconds in (
        ("sticky", [row.sticky for row in fresh]),
        ("optimal", [row.optimal for row in fresh]),
        ("build + sticky", [row.sticky + row.build for row in fresh]),
    ):
        ratios = [row.ratio(took) for row, took in zip(fresh, seconds, strict=True)]
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
        print(f"  from nothing, {name}: {mean:.0f} times as fast as Kafka's (geometric mean)")
    print(f"  lowest ratio of any shape: {min(row.ratio(row.sticky) for row in large):.1f}")
    least = min(row.ratio(row.sticky + row.build) for row in large)
    print(f"  lowest ratio of any shape with building the problem: {least:.1f}")


if __name__ == "__main__":
    main()
