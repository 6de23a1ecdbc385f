"""One piece of advice: what to change, and the figure that speaks for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "assignor",
    "cooperative",
    "static_membership",
    "repeated_leaver",
    "idle_members",
    "consumer_protocol",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to change in a group, with its figure: ``saved`` of ``total`` ``unit``.

    Attributes:
        kind: what the advice is about.
        gist: the figure as a clause without a full stop, for a headline or a verdict.
        sentence: the gist and what to do, one or two sentences for a person.
        saved: how many units the change would have saved.
        total: how many there were.
        unit: what is counted, in the plural: moves, rebalances, partitions, members.
        policy: the assignor that is recommended, by its protocol name; '' where it is none.
        member: the member that it is about; '' where it is none.
        costs: moves under each policy that was replayed, the group's own as it really was.
    """

    kind: Kind
    gist: str
    sentence: str
    saved: int
    total: int
    unit: str
    policy: str = ""
    member: str = ""
    costs: Mapping[str, int] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """``saved`` over ``total``, 0 to 1."""
        return self.saved / self.total if self.total else 0.0
