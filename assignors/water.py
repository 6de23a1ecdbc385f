"""Filling up the least loaded first, one unit at a time, without taking the steps one by one."""

import numpy as np
import numpy.typing as npt


def fill(load: npt.NDArray[np.integer], units: int) -> npt.NDArray[np.int64]:
    """Who takes each unit, if each goes to the least loaded, the first of equals.

    Args:
        load: (S,) loads before, S > 0.
        units: Units to hand out.

    Returns:
        (units,) index of the taker, in the order of the units.
    """
    lowest = np.sort(load).astype(np.int64)
    below = np.cumsum(lowest)
    members = np.arange(1, len(load) + 1)
    reached = int(np.searchsorted(lowest * members - below, units, side="right"))
    level, rest = divmod(units + int(below[reached - 1]), reached)
    takes = np.maximum(level - load, 0)
    takes[np.flatnonzero(load <= level)[:rest]] += 1
    takers = np.flatnonzero(takes)
    takes = takes[takers]
    slots = np.repeat(takers, takes)
    ends = np.cumsum(takes)
    levels = np.arange(len(slots)) + np.repeat(load[takers] - (ends - takes), takes)
    return slots[np.argsort(levels, kind="stable")]
