"""The same scenario under every policy, and what each step towards fairness costs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assignors import POLICIES
from assignors.curve import Point, curve
from streaming.whatif.outcome import JoinSets, Outcome, evaluate, problem_then
from streaming.whatif.scenario import partitions_then

if TYPE_CHECKING:
    from streaming.whatif.live import LiveGroup
    from streaming.whatif.scenario import Scenario

MOST_PARTITIONS = 20_000
"""Beyond this a comparison would keep the asker waiting; only the chosen policy is tried."""


def compare(
    group: LiveGroup, scenario: Scenario, *, protocol: str = "eager", join_sets: JoinSets = None
) -> list[Outcome]:
    """The scenario under every policy; nothing for very large groups.

    Raises:
        ScenarioError: what is asked for cannot be tried on this group.
    """
    if partitions_then(group, scenario) > MOST_PARTITIONS:
        return []
    return [
        evaluate(group, replace(scenario, policy=policy), protocol=protocol, join_sets=join_sets)
        for policy in POLICIES
    ]


def fairness_curve(
    group: LiveGroup, scenario: Scenario, *, join_sets: JoinSets = None
) -> tuple[Point, ...]:
    """Moves against fairness from the live assignment on; nothing for very large groups.

    The first point moves nothing that has an owner among the scenario's members.

    Raises:
        ScenarioError: what is asked for cannot be tried on this group.
    """
    if partitions_then(group, scenario) > MOST_PARTITIONS:
        return ()
    problem = problem_then(group, scenario, join_sets=join_sets)
    if not problem.size or not problem.members:
        return ()
    return curve(problem)
