"""Small tables for the tests of metrics."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

from streaming.tables.schemas import BY_NAME

NOW = datetime(2026, 3, 14, 2, 0, tzinfo=UTC)
Row = Mapping[str, Any]


def group(name: str, **changed: Any) -> dict[str, Any]:
    """A healthy group of two members with ten partitions."""
    values = {
        "cluster": "shop",
        "group_id": name,
        "group_type": "classic",
        "state": "stable",
        "protocol": "eager",
        "assignor": "range",
        "generation": 7,
        "policy": "sticky",
        "member_count": 2,
        "partition_count": 10,
        "drift_count": 0,
        "drift_share": 0.0,
        "moves_to_fairest": 0,
        "balance_score": 0,
        "ideal_balance_score": 0,
        "max_minus_min": 0,
        "fair": True,
        "fairest": True,
        "join_violations": 0,
        "topic_skew": 1.0,
        "unassigned_count": 0,
        "lag": 30,
        "lag_skew": 1.0,
        "members": [member("m-0", 5), member("m-1", 5)],
        "settled_time": NOW,
        "rebalance_count": 3,
        "rebalances_last_hour": 1,
        "last_churn": 4,
        "last_necessary_churn": 3,
        "last_avoidable_churn": 1,
        "event_time": NOW,
        "shard": 0,
    }
    return values | changed


def member(name: str, partitions: int) -> dict[str, Any]:
    return {
        "member_id": name,
        "instance_id": None,
        "client_id": "app",
        "client_host": "/10.0.0.1",
        "topics": ["clicks"],
        "partition_count": partitions,
    }


def offset(name: str, partition: int, lag: int, **changed: Any) -> dict[str, Any]:
    values = {
        "cluster": "shop",
        "group_id": name,
        "topic": "clicks",
        "partition": partition,
        "lag": lag,
        "time_lag_seconds": lag / 10,
        "member_id": "m-0",
        "event_time": NOW,
        "shard": 0,
    }
    return values | changed


def batch(number: int, **changed: Any) -> dict[str, Any]:
    values = {
        "cluster": "shop",
        "batch_id": number,
        "records_read": 100,
        "events": 40,
        "ignored": 10,
        "dead_letters": 1,
        "groups_changed": 5,
        "settled_generations": 2,
        "seconds": 0.5,
        "cluster_seconds": 0.1,
        "groups_seconds": 0.3,
        "commit_seconds": 0.1,
        "behind_records": 12,
        "behind_seconds": 3.0,
        "event_time": NOW + timedelta(seconds=number),
    }
    return values | changed


def append(location: Path, name: str, *rows: Row, mode: Any = "append") -> None:
    spec = BY_NAME[name]
    write_deltalake(
        location / name,
        pa.Table.from_pylist(list(rows), schema=spec.schema),
        mode=mode,
        partition_by=list(spec.partition_by) or None,
    )
