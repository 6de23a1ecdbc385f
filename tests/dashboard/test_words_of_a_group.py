"""Causes, costs, verdicts and names: what a person reads about one group."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from streaming.advice import Advice
from streaming.dashboard.causes import cause_words, cost_words, member_word
from streaming.dashboard.group import GroupTables, History
from streaming.dashboard.health import Level
from streaming.dashboard.members import labels, short_id
from streaming.dashboard.verdict import verdict
from streaming.whatif.live import LiveMember
from tests.dashboard.sample import CLUSTER, EVENING

if TYPE_CHECKING:
    from streaming.tables.reader import TableReader


def name(client: str, host: str = "/10.0.0.1", instance: str | None = None) -> dict[str, Any]:
    return {
        "member_id": f"{client}-1",
        "instance_id": instance,
        "client_id": client,
        "client_host": host,
    }


def rebalance(cause: str, **more: Any) -> dict[str, Any]:
    return {"cause": cause, "joined": [], "left": [], "churn": 0, "avoidable_churn": 0} | more


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (rebalance("first", joined=[name("a")]), "first seen by the monitor"),
        (rebalance("joined", joined=[name("a")]), "a at 10.0.0.1 joined"),
        (rebalance("joined", joined=[name("a", instance="x"), name("b", "")]), "x and b joined"),
        (rebalance("left", left=[name("a", instance="one")]), "one left"),
        (rebalance("timed_out", left=[name("a", host="")]), "a timed out"),
        (
            rebalance("restarted", joined=[name("a"), name("new")], left=[name("a")]),
            "a at 10.0.0.1 came back under a new member id",
        ),
        (rebalance("partitions"), "a topic got partitions"),
        (rebalance("emptied", left=[name("a")]), "everybody left"),
        (rebalance("something_new"), "something new"),
        (rebalance("left", joined=None, left=None), "left"),
    ],
)  # fmt: skip
def test_cause_in_words(row: dict[str, Any], text: str) -> None:
    assert cause_words(row) == text


@pytest.mark.parametrize(
    ("churn", "avoidable", "text"),
    [
        (0, 0, "nothing moved"),
        (1, 0, "1 move, none avoidable"),
        (48, 42, "48 moves, 42 of them avoidable"),
        (7, 7, "7 moves, all avoidable"),
    ],
)
def test_cost_in_words(churn: int, avoidable: int, text: str) -> None:
    assert cost_words({"churn": churn, "avoidable_churn": avoidable}) == text


def test_a_member_without_a_name_still_has_one() -> None:
    assert member_word({"member_id": "m", "client_id": None, "client_host": None}) == "m"


def state(**changes: Any) -> dict[str, Any]:
    return {
        "level": Level.OK,
        "problems": (),
        "policy": "sticky",
        "member_count": 6,
        "partition_count": 42,
        "min_load": 7,
        "max_load": 7,
        "moves_to_fairest": 0,
        "fair": True,
        "unassigned_count": 0,
        "join_violations": 3,
    } | changes


def history(reader: TableReader, group_id: str) -> History:
    tables = GroupTables(reader, CLUSTER, group_id)
    return tables.history(since=EVENING - timedelta(days=1), until=EVENING)


def test_verdict_of_a_lopsided_group(reader: TableReader) -> None:
    advice = Advice(
        kind="assignor",
        gist="`cooperative-sticky` would have saved 30 of 36 moves",
        sentence="…",
        saved=30,
        total=36,
        unit="moves",
    )
    row = state(level=Level.WARNING, fair=False, moves_to_fairest=5, min_load=6, max_load=12)
    found = verdict(row, history(reader, "orders-fulfilment"), [advice], window="24h")
    assert found.sentences == (
        "5 moves would make this group fair; `cooperative-sticky` would have saved 30 of 36 moves.",
        "6 members with 6 to 12 partitions each; 12 % of the partitions would have to move.",
        "`sticky` would have saved 14 of 36 moves of the last 24h.",
    )


def test_verdict_of_a_healthy_group(reader: TableReader) -> None:
    found = verdict(state(), history(reader, "tax-service-007"), (), window="24h")
    assert found.headline == "All is well: nothing to gain by moving anything."
    assert found.sentences == (
        "This group is as fair as it can be.",
        "6 members with 7 partitions each.",
    )


def test_verdict_of_a_group_without_members(reader: TableReader) -> None:
    row = state(level=Level.IDLE, member_count=0)
    found = verdict(row, history(reader, "nightly-report"), (), window="24h")
    assert found.headline == "No members, nothing to read."
    assert found.sentences == ("This group has no members.",)


def member(member_id: str, **more: Any) -> LiveMember:
    return LiveMember(
        **{
            "member_id": member_id,
            "instance_id": None,
            "client_id": "app",
            "client_host": "/10.0.0.1",
            "rack": None,
            "topics": (),
            "partition_count": 0,
            "ideal_partition_count": 0,
            "gained_count": 0,
            "lost_count": 0,
            "lag": None,
        }
        | more
    )


UUID = "1f0c9f1e-7b1a-4c8e-9a53-0e4b6f5c2d11"


def test_members_are_called_by_what_tells_them_apart() -> None:
    found = labels(
        [
            member("a", instance_id="static-1"),
            member("b", client_id="alone"),
            member("c", client_host="/10.0.0.7"),
            member(f"app-{UUID}", client_host="/10.0.0.8"),
            member(f"app-2{UUID[1:]}", client_host="/10.0.0.8"),
        ]
    )
    assert list(found.values()) == [
        "static-1",
        "alone",
        "app at 10.0.0.7",
        "app-1f0c9f1e",
        "app-2f0c9f1e",
    ]


def test_equal_names_fall_back_to_the_ids() -> None:
    found = labels([member("x", client_id="a"), member("y", instance_id="a")])
    assert found == {"x": "x", "y": "y"}


@pytest.mark.parametrize(
    ("member_id", "text"), [(f"app-{UUID}", "app-1f0c9f1e"), (UUID, "1f0c9f1e"), ("Kx9", "Kx9")]
)
def test_short_id(member_id: str, text: str) -> None:
    assert short_id(member_id) == text
