"""Kafka's own classes, run from small Java programs of ours (folder ``java``)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streaming.embedded.broker import KAFKA_VERSION
from streaming.session.jars import resolve_jars
from streaming.session.java import find_java

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.decode.mutations import Record

_PROGRAMS = Path(__file__).parent / "java"
_LOGGER = "org.slf4j:slf4j-simple:1.7.36"
_WITHIN_SECONDS = 300


def kafka_json(records: Sequence[Record]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Records as Kafka's formatters show them, and with what consumers embed decoded in place.

    A record that Kafka cannot read gives ``{"error": ...}``.
    """
    lines = "".join(f"{key.hex()} {_hex(value)}\n" for key, value in records)
    jars = (f"org.apache.kafka:kafka_2.13:{KAFKA_VERSION}", _LOGGER)
    shown = _run("KafkaJson", jars, text=lines).split("\n")[:-1]
    found = [json.loads(line) for line in shown]
    return list(zip(found[::2], found[1::2], strict=True))


def run_groups(bootstrap_servers: str, topic: str) -> None:
    """Make groups of Kafka's own clients on a topic of four partitions, and delete some of them.

    Classic with the sticky assignors, KIP-848 with a pattern, share, streams; all with racks.
    """
    jars = (f"org.apache.kafka:kafka-streams:{KAFKA_VERSION}", _LOGGER)
    assert _run("Groups", jars, bootstrap_servers, topic).strip() == "done"


def _run(program: str, jars: Sequence[str], *arguments: str, text: str = "") -> str:
    command: tuple[str | Path, ...] = (
        find_java().command,
        *("-Xmx512m", "-XX:TieredStopAtLevel=1"),
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        *("-cp", os.pathsep.join(map(str, resolve_jars(*jars)))),
        _PROGRAMS / f"{program}.java",
        *arguments,
    )
    done = subprocess.run(
        command,
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=_WITHIN_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _hex(value: bytes | None) -> str:
    return "null" if value is None else value.hex()
