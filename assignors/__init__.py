"""Kafka's assignment policies, the exact ideal, and measures of an assignment.

Pure: arrays in, arrays out. It imports neither Spark nor Kafka nor Delta.
"""

from assignors import measures
from assignors.policies import POLICIES, UnknownPolicyError, assign
from assignors.problem import DEPARTED, NOBODY, IntArray, Member, Partition, Problem

__all__ = [
    "DEPARTED",
    "NOBODY",
    "POLICIES",
    "IntArray",
    "Member",
    "Partition",
    "Problem",
    "UnknownPolicyError",
    "assign",
    "measures",
]
