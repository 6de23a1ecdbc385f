"""One event of every kind, for the tests of their forms."""

from __future__ import annotations

from streaming import events as e

MEMBER = e.GroupMember(
    "m-1",
    "instance-1",
    "client",
    "/10.0.0.1",
    rack="rack-a",
    session_timeout_ms=45_000,
    rebalance_timeout_ms=300_000,
    topics=("orders", "payments"),
    owned={"orders": (0, 2)},
    owned_generation=6,
    assigned={"orders": (0,), "payments": (1,)},
    user_data=b"\x00\xff",
)
TOPIC_ID = "Kq3jCGZ1T1q8hZpJ0Y3bBw"

EVENTS: tuple[e.Event, ...] = (
    e.ClassicGeneration("g", "consumer", 7, "range", "m-1", 1_700_000_000_000, (MEMBER,)),
    e.ClassicGeneration("g", "", 8, None, None, None, ()),
    e.GroupRemoved("g", "classic"),
    e.ConsumerGroupEpoch("g", 3),
    e.ConsumerMember("g", "m", None, "r", "c", "/h", ("t",), "t.*", 300_000, "uniform", ("range",)),
    e.ResolvedRegex("g", "t.*", ("t1", "t2")),
    e.RegexRemoved("g", "t.*"),
    e.TargetEpoch("g", 3, 1_700_000_000_000, "share"),
    e.MemberRemoved("g", "m"),
    e.TargetAssignment("g", "m", {TOPIC_ID: (0, 1)}),
    e.TargetRemoved("g", "m", "streams"),
    e.CurrentAssignment("g", "m", 3, 2, "stable", {TOPIC_ID: (0,)}, {TOPIC_ID: (1,)}),
    e.CurrentRemoved("g", "m"),
    e.OffsetCommit("g", "t", 0, 2**62, 5, "méta", 1_700_000_000_000, None, TOPIC_ID),
    e.OffsetRemoved("g", "t", 0),
    e.ShareGroupEpoch("g", 1),
    e.ShareMember("g", "m", None, "c", "/h", ("t",)),
    e.SharePartitions("g", {"t": (0, 1, 2)}),
    e.StreamsGroupEpoch("g", 1, 0),
    e.StreamsMember("g", "m", None, None, "c", "/h", 300_000, 1, "p", {"zone": "a"}),
    e.StreamsTargetAssignment("g", "m", {"0": (0, 1)}, {"1": (2,)}, {}),
    e.StreamsCurrentAssignment("g", "m", 1, 0, "unrevoked_tasks", {"0": (0,)}, {}, {}),
    e.StreamsTopology("g", 1, (e.Subtopology("0", ("t",), ("t.*",), ("r",), ("c",)),)),
)
