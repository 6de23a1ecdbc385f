"""A rebalance in words: what set it off, and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streaming.dashboard.words import counted, listing

Row = Mapping[str, Any]

_PLAIN = {
    "first": "first seen by the monitor",
    "subscription": "a subscription changed",
    "partitions": "a topic got partitions",
    "assignor": "the assignor changed",
    "protocol": "the protocol changed",
    "emptied": "everybody left",
    "unknown": "cause not recorded",
}
_WHO = {"joined": "joined", "left": "left", "timed_out": "timed out", "restarted": "came back"}


def member_word(name: Row) -> str:
    """The shortest name that says who it is: instance id, else client id and host."""
    if name.get("instance_id"):
        return str(name["instance_id"])
    host = str(name.get("client_host") or "").lstrip("/")
    client = name.get("client_id") or name.get("member_id") or "?"
    return f"{client} at {host}" if host else str(client)


def who(rebalance: Row) -> str:
    """The members that set it off; '' where it was none."""
    joined, left = _names(rebalance, "joined"), _names(rebalance, "left")
    if rebalance["cause"] == "restarted":
        back = [name for name in joined if name in left]
        return listing(back or joined)
    members = joined if rebalance["cause"] == "joined" else left or joined
    return listing(members)


def cause_words(rebalance: Row) -> str:
    """``click-8 at 10.0.0.3 came back under a new member id``."""
    cause = rebalance["cause"]
    verb = _WHO.get(cause)
    members = who(rebalance)
    if verb is None or not members:
        return _PLAIN.get(cause, str(cause).replace("_", " "))
    return f"{members} {verb}" + (" under a new member id" if cause == "restarted" else "")


def cost_words(rebalance: Row) -> str:
    """``46 moves, 40 of them avoidable``."""
    churn, avoidable = rebalance["churn"] or 0, rebalance["avoidable_churn"] or 0
    if not churn:
        return "nothing moved"
    if not avoidable:
        return f"{counted(churn, 'move')}, none avoidable"
    if avoidable == churn:
        return f"{counted(churn, 'move')}, all avoidable"
    return f"{counted(churn, 'move')}, {avoidable} of them avoidable"


def _names(rebalance: Row, column: str) -> list[str]:
    names: Sequence[Row] = rebalance[column] or ()
    return [member_word(name) for name in names]
