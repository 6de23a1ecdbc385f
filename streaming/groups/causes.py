"""Why a rebalance happened, as far as the coordinator's records tell.

A member that leaves and one that times out write the same records. They are told apart by the
member's last sign of life: a member whose last offset commit is older than its session time-out is
taken to have timed out.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.groups.snapshot import MemberView, Settlement, Snapshot

PRECEDENCE = (
    "first",
    "protocol",
    "assignor",
    "emptied",
    "restarted",
    "timed_out",
    "left",
    "joined",
    "subscription",
    "partitions",
    "unknown",
)
"""Of several causes, the one named first is the main one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why a rebalance happened.

    Attributes:
        main: the cause that explains it best, one of `PRECEDENCE`.
        every: all causes seen, by precedence.
        joined: members that are new.
        left: members that are gone.
    """

    main: str
    every: tuple[str, ...]
    joined: tuple[MemberView, ...]
    left: tuple[MemberView, ...]

    @property
    def culprit(self) -> str:
        """``CLIENT_ID@HOST`` of the member that set it off; '' where it was none or several."""
        members = self.left or self.joined
        names = {f"{member.client_id}@{member.client_host}" for member in members}
        return names.pop() if len(names) == 1 else ""


def explain(settlement: Settlement, *, last_commits_ms: Mapping[str, int]) -> Cause:
    """Explain a rebalance by what differs from the last settled generation.

    Args:
        settlement: the rebalance.
        last_commits_ms: last offset commit of each member that is gone, by `MemberView.key`, in
            milliseconds of Unix time; members without one may be absent.
    """
    now, before = settlement.snapshot, settlement.previous
    if before is None:
        return Cause(main="first", every=("first",), joined=now.members, left=())
    old = {member.key: member for member in before.members}
    new = {member.key: member for member in now.members}
    joined = tuple(member for key, member in new.items() if key not in old)
    left = tuple(member for key, member in old.items() if key not in new)
    seen = {
        "protocol": now.group_type != before.group_type,
        "assignor": now.assignor != before.assignor and now.group_type == before.group_type,
        "emptied": settlement.emptied,
        "restarted": _came_back(joined, left) or _has_new_id(old, new),
        "timed_out": any(
            _timed_out(member, last_commits_ms, settlement.phases[0].time_ms) for member in left
        ),
        "left": bool(left),
        "joined": bool(joined),
        "subscription": any(
            member.topics != old[key].topics for key, member in new.items() if key in old
        ),
        "partitions": _counts_changed(now, before),
    }
    every = tuple(name for name in PRECEDENCE if seen.get(name)) or ("unknown",)
    return Cause(main=every[0], every=every, joined=joined, left=left)


def _came_back(joined: tuple[MemberView, ...], left: tuple[MemberView, ...]) -> bool:
    gone = {(member.client_id, member.client_host) for member in left}
    return any((member.client_id, member.client_host) in gone for member in joined)


def _has_new_id(old: Mapping[str, MemberView], new: Mapping[str, MemberView]) -> bool:
    """A static member came back under a new member id, and yet there was a rebalance."""
    return any(member.member_id != old[key].member_id for key, member in new.items() if key in old)


def _timed_out(member: MemberView, last_commits_ms: Mapping[str, int], time_ms: int) -> bool:
    last = last_commits_ms.get(member.key)
    if last is None or not member.session_timeout_ms:
        return False
    return time_ms - last >= member.session_timeout_ms


def _counts_changed(now: Snapshot, before: Snapshot) -> bool:
    return any(
        before.counts[topic] != count
        for topic, count in now.counts.items()
        if topic in before.counts
    )
