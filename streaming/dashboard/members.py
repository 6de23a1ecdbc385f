"""Short names for the members of a group, as people know them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streaming.whatif.live import LiveMember

_UUID = re.compile(r"^(?P<client>.*?)-?(?P<head>[0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


def labels(members: Sequence[LiveMember]) -> Mapping[str, str]:
    """A name for each member id, different for each.

    The group instance id; else the client id if no other member has it; else client id and host;
    else the member id, its UUID cut short.
    """
    clients = Counter(member.client_id for member in members)
    places = Counter((member.client_id, member.client_host) for member in members)
    names = {member.member_id: _label(member, clients, places) for member in members}
    taken = Counter(names.values())
    return {member_id: name if taken[name] == 1 else member_id for member_id, name in names.items()}


def short_id(member_id: str) -> str:
    """A member id without most of its UUID."""
    match = _UUID.match(member_id)
    if match:
        return "-".join(filter(None, (match["client"], match["head"])))
    return member_id


def _label(
    member: LiveMember,
    clients: Counter[str | None],
    places: Counter[tuple[str | None, str | None]],
) -> str:
    if member.instance_id:
        return member.instance_id
    if member.client_id and clients[member.client_id] == 1:
        return member.client_id
    if member.client_host and places[member.client_id, member.client_host] == 1:
        return f"{member.client_id} at {member.client_host.lstrip('/')}"
    return short_id(member.member_id)
