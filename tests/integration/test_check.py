"""`check` against real brokers: one where nobody committed yet, one that forbids."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)

from streaming.cli.main import main
from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.group import Group

pytestmark = pytest.mark.integration
AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(overrides=AUTHORIZER) as running:
        yield running


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(broker: EmbeddedBroker, **env: str) -> tuple[int, dict[str, tuple[str, str]]]:
    answer = CliRunner().invoke(
        main,
        ["check", "--json", "--bootstrap-servers", broker.bootstrap_servers],
        env={f"REBALANCE_MONITOR__{name}": text for name, text in env.items()},
    )
    findings = (json.loads(line) for line in answer.stdout.splitlines())
    return answer.exit_code, {
        finding["subject"]: (finding["state"], finding["said"]) for finding in findings
    }


def acl(operation: AclOperation, permission: AclPermissionType) -> AclBinding:
    return AclBinding(
        ResourceType.TOPIC,
        "__consumer_offsets",
        ResourcePatternType.LITERAL,
        "User:*",
        "*",
        operation,
        permission,
    )


def test_before_any_group_committed_the_source_is_a_warning(broker: EmbeddedBroker) -> None:
    status, found = check(broker)
    assert status == 0
    assert found["cluster"][0] == "ok"
    state, said = found["source"]
    assert state == "warning"
    assert "a run waits for it" in said
    assert found["protocols"] == ("ok", "KIP-848 is offered")


def test_a_missing_events_topic_fails(broker: EmbeddedBroker) -> None:
    status, found = check(broker, SOURCE__KIND="events")
    assert status == 1
    assert found["source"][0] == "failed"
    assert "rebalance-monitor collect" in found["source"][1]


def test_with_groups_all_is_well_and_none_was_added(broker: EmbeddedBroker) -> None:
    broker.create_topics({"checked": 2})
    with Group(broker.bootstrap_servers, "of-the-test", protocol="range") as group:
        group.start("a", ["checked"])
        group.settle()
        status, found = check(broker)
        admin = broker.admin()
        groups = admin.list_consumer_groups().result().valid
    assert status == 0
    assert {state for state, _ in found.values()} == {"ok"}
    assert found["source"][1].startswith("__consumer_offsets can be read")
    assert [group.group_id for group in groups] == ["of-the-test"]


def test_a_right_that_is_missing_is_named(broker: EmbeddedBroker) -> None:
    admin = broker.admin()
    rules = [
        acl(AclOperation.DESCRIBE, AclPermissionType.ALLOW),
        acl(AclOperation.READ, AclPermissionType.DENY),
    ]
    for made in admin.create_acls(rules).values():
        made.result(60)
    status, found = check(broker)
    assert status == 1
    state, said = found["source"]
    assert state == "failed"
    assert "Topic authorization failed; docs/rights.md" in said
