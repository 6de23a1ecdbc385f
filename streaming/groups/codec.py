"""The state of a group as bytes, for the ``machine`` column of ``group_state``."""

from pydantic import TypeAdapter

from streaming.groups.machine import GroupMachine

_ADAPTER = TypeAdapter(GroupMachine)


def to_bytes(machine: GroupMachine) -> bytes:
    """The state as JSON."""
    return _ADAPTER.dump_json(machine, exclude_defaults=True)


def from_bytes(content: bytes) -> GroupMachine:
    """The state back.

    Raises:
        pydantic.ValidationError: the bytes are not those of `to_bytes`.
    """
    return _ADAPTER.validate_json(content)
