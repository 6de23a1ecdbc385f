"""What fairness costs: moves spent against fairness gained.

Where subscriptions form a chain the last bit of fairness can cost many moves. The curve runs from
the fairest assignment that moves nothing to the fairest of all, over assignments that no other
beats at some exchange rate between moves and the sum of squared loads: with as many moves as a
point has, nothing is fairer.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from assignors.fairest import fairest, fairest_keeping_all
from assignors.measures import balance_score, loads, max_minus_min
from assignors.parts import Longs, Part, connected, whole
from assignors.problem import NOBODY, IntArray, Problem
from assignors.quotas import hand_over

_MOST_STEPS = 500_000
"""Members times their highest load, beyond which a flow per point would take many seconds."""


@dataclass(frozen=True, slots=True)
class Point:
    """One assignment on the curve.

    Attributes:
        moves_count: Partitions taken from the member that has them.
        sum_of_squares: Sum of squared loads.
        balance_score: KIP-54's score.
        max_minus_min: Largest load minus smallest.
        loads: Load of each member, in the problem's order.
    """

    moves_count: int
    sum_of_squares: int
    balance_score: int
    max_minus_min: int
    loads: tuple[int, ...]


def curve(problem: Problem, *, most_points: int = 32) -> tuple[Point, ...]:
    """The trade between moves from the previous assignment and fairness.

    Args:
        problem: The group with its previous owners; giving out partitions that nobody has is no
            move.
        most_points: Bound on the points, at least 2; the ends are always among them.

    Returns:
        Points by rising moves and falling sum of squares; one if nothing can be gained. For very
        large groups whose subscriptions differ, only the two ends.
    """
    claims = problem.claims
    least = _point(problem, claims, loads(problem, fairest_keeping_all(problem, claims)))
    best = _point(problem, claims, loads(problem, fairest(problem, claims)))
    if least.moves_count == best.moves_count:
        return (best,)
    if problem.uniform:
        between = [
            _point(problem, claims, load) for load in _levelling(problem, np.array(least.loads))
        ]
        return _thinned([least, *between], most_points)
    highest = max(least.loads)
    budget = most_points - 2 if highest * len(least.loads) <= _MOST_STEPS else 0
    found = _between(_solver(problem, claims, highest), least, best, budget)
    return tuple(sorted([least, *found, best], key=lambda point: point.moves_count))


def assignment_at(problem: Problem, point: Point) -> IntArray:
    """An assignment with a point's loads and no more moves than the point has.

    Returns:
        (P,) member index of each partition's owner.
    """
    owner = np.full(problem.size, NOBODY, dtype=np.int32)
    load = np.array(point.loads, dtype=np.int64)
    for part in connected(whole(problem, problem.claims)):
        owner[part.flats] = part.members[_with_loads(part, load[part.members])]
    return owner


def _point(problem: Problem, claims: IntArray, load: IntArray) -> Point:
    return _measured(load, _moves(problem, claims, load.astype(np.int64)))


def _measured(load: IntArray, moves: int) -> Point:
    return Point(
        moves_count=moves,
        sum_of_squares=int((load.astype(np.int64) ** 2).sum()),
        balance_score=balance_score(load),
        max_minus_min=max_minus_min(load),
        loads=tuple(load.tolist()),
    )


def _moves(problem: Problem, claims: IntArray, load: Longs) -> int:
    """Least moves to given loads."""
    if problem.uniform:
        owned = loads(problem, claims)
        return int(np.maximum(owned - load, 0).sum())
    point = Point(0, 0, 0, 0, tuple(load.tolist()))
    held = claims >= 0
    return int(np.count_nonzero(assignment_at(problem, point)[held] != claims[held]))


def _levelling(problem: Problem, load: Longs) -> Iterator[IntArray]:
    """Loads on the way to evenness if all members are alike: from the highest to the lowest.

    Every step levels as many members at once as have the same gain; each one lowers the highest
    load or raises the lowest.
    """
    pool = np.arange(len(load)) if problem.pool is None else problem.pool
    while load[pool].max() - load[pool].min() > 1:
        high = pool[load[pool] == load[pool].max()]
        low = pool[load[pool] == load[pool].min()]
        both = min(len(high), len(low))
        load = load.copy()
        load[high[:both]] -= 1
        load[low[:both]] += 1
        yield load.astype(np.int32)


def _thinned(points: list[Point], most: int) -> tuple[Point, ...]:
    if len(points) <= most:
        return tuple(points)
    chosen = np.unique(np.linspace(0, len(points) - 1, most).astype(int))
    return tuple(points[index] for index in chosen.tolist())


_Solver = Callable[[int, int], Point]


def _solver(problem: Problem, claims: IntArray, highest: int) -> _Solver:
    # Late, because it brings OR-tools.
    from assignors.flows import weighed  # noqa: PLC0415 - see above

    parts = list(connected(whole(problem, claims)))

    def solve(per_square: int, per_move: int) -> Point:
        load = np.zeros(len(problem.members), dtype=np.int32)
        for part in parts:
            load[part.members] = weighed(
                part, per_square=per_square, per_move=per_move, most=highest
            )
        return _point(problem, claims, load)

    return solve


def _between(solve: _Solver, left: Point, right: Point, budget: int) -> list[Point]:
    """Points between two, found by asking which assignment is best at the exchange rate they set.

    Each answer either is a new point or shows that there is none between; `budget` bounds them.
    """
    found: list[Point] = []
    spans = [(left, right)]
    while spans and len(found) < budget:
        start, end = spans.pop(0)
        per_square = end.moves_count - start.moves_count
        per_move = start.sum_of_squares - end.sum_of_squares
        if per_square <= 1:
            continue
        common = math.gcd(per_square, per_move)
        per_square, per_move = per_square // common, per_move // common
        point = solve(per_square, per_move)
        price = per_square * point.sum_of_squares + per_move * point.moves_count
        if price < per_square * start.sum_of_squares + per_move * start.moves_count:
            found.append(point)
            spans += [(start, point), (point, end)]
    return found


def _with_loads(part: Part, load: Longs) -> IntArray:
    if len(part.subscribes) > 1:
        # Late, because it brings OR-tools.
        from assignors.flows import with_loads  # noqa: PLC0415 - see above

        return with_loads(part, load)
    owned = np.bincount(part.claims[part.claims >= 0], minlength=len(part.members))
    return hand_over(part.claims, owned, load, part.number_of)
