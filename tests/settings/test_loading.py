import pickle
from pathlib import Path

import pytest

from streaming.errors import ConfigurationError
from streaming.settings.loading import load_settings
from streaming.settings.model import Settings


def write(folder: Path, text: str) -> Path:
    path = folder / "monitor.toml"
    path.write_text(text)
    return path


def test_nothing_given_gives_the_defaults() -> None:
    assert load_settings(env={}) == Settings()


def test_flags_over_environment_over_file_over_defaults(tmp_path: Path) -> None:
    path = write(tmp_path, "[query]\nshards = 1\ntables = 'file'\nmaster = 'file'\n")
    env = {"REBALANCE_MONITOR__QUERY__TABLES": "env", "REBALANCE_MONITOR__QUERY__MASTER": "env"}
    query = load_settings(path, env=env, overrides={"query.master": "flag"}).query
    assert (query.shards, query.tables, query.master) == (1, "env", "flag")
    assert query.trigger_seconds == 10


def test_a_flag_that_is_not_given_changes_nothing() -> None:
    assert load_settings(env={}, overrides={"query.shards": None}) == Settings()


def test_the_process_environment_counts_only_through_loading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REBALANCE_MONITOR__QUERY__SHARDS", "3")
    assert load_settings().query.shards == 3
    assert Settings().query.shards == 16


def test_lists_and_tables_are_json_in_the_environment() -> None:
    settings = load_settings(
        env={
            "REBALANCE_MONITOR__POLICIES__DRIFT": '["optimal"]',
            "REBALANCE_MONITOR__QUERY__SPARK": '{"spark.driver.memory": "4g"}',
        }
    )
    assert settings.policies.drift == ("optimal",)
    assert settings.query.spark == {"spark.driver.memory": "4g"}


def test_dotted_names_need_no_quotes(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "[cluster.properties]\nsecurity.protocol = 'SSL'\n'client.id' = 'me'\n"
        "[query.spark]\nspark.sql.adaptive.enabled = true\nspark.x = 3\n",
    )
    settings = load_settings(path, env={})
    properties = settings.cluster.properties
    assert {name: text.get_secret_value() for name, text in properties.items()} == {
        "security.protocol": "SSL",
        "client.id": "me",
    }
    assert settings.query.spark == {"spark.sql.adaptive.enabled": "true", "spark.x": "3"}


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("[query]\nshardz = 1", "query.shardz", "unknown key; did you mean shards?"),
        ("[querry]\nshards = 1", "querry", "unknown key; did you mean query?"),
        ("[metrics]\nzzz = 1", "metrics.zzz", "unknown key; known keys are enabled, host, port"),
        ("[query]\nshards = 0", "query.shards", "greater than or equal to 1"),
        ("[query]\nshards = 'x'", "query.shards", "valid integer"),
        ("[source]\nkind = 'x'", "source.kind", "'consumer_offsets' or 'events'"),
        ("[policies]\ndrift = ['stiky']", "policies.drift[0]", "write one of range"),
        (
            "[[policies.reference]]\ngroups = 'a'\npolicy = 'no'",
            "policies.reference[0].policy",
            "write one of range",
        ),
        (
            "[[policies.joins]]\ngroup = 'a'",
            "policies.joins[0].groups",
            "policies.joins[0].group: unknown key; did you mean groups?",
        ),
        ("[alerts.rules.drift]\nlimit = 1", "alerts.rules.drift.limit", "unknown key"),
        ("[query]\nsettle_seconds = nan", "query.settle_seconds", "finite number"),
    ],
)
def test_refusals_name_the_key_and_what_to_do(
    tmp_path: Path, text: str, key: str, says: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(write(tmp_path, text), env={})
    assert caught.value.key == key
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, "[query]\nshards = 0\n[source]\nkind = 'x'\n[nope]\n")
    with pytest.raises(ConfigurationError) as caught:
        load_settings(path, env={})
    for key in ("query.shards", "source.kind", "nope"):
        assert f"{key}: " in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("QUERRY__SHARDS", "1", "REBALANCE_MONITOR__QUERRY__SHARDS names no key"),
        ("QUERY", "{}", "REBALANCE_MONITOR__QUERY names no key"),
        ("QUERY__SHARDZ", "1", "query.shardz: unknown key"),
        ("POLICIES__DRIFT", "sticky", "REBALANCE_MONITOR__POLICIES__DRIFT must be written as JSON"),
    ],
)
def test_environment_variables_are_refused_by_name(name: str, text: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        load_settings(env={f"REBALANCE_MONITOR__{name}": text})


def test_a_file_that_is_missing_or_no_toml(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.toml cannot be read"):
        load_settings(tmp_path / "none.toml", env={})
    with pytest.raises(ConfigurationError, match="is not valid TOML"):
        load_settings(write(tmp_path, "[query"), env={})


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("", "__consumer_offsets"),
        ("[source]\nkind = 'events'", "rebalance-events"),
        ("[source]\nkind = 'events'\n[collect]\ntopic = 'mine'", "mine"),
        ("[source]\ntopic = 'copy'", "copy"),
    ],
)
def test_the_topic_follows_the_kind(tmp_path: Path, text: str, topic: str) -> None:
    assert load_settings(write(tmp_path, text), env={}).source_topic == topic


def test_settings_can_be_sent_to_another_process() -> None:
    settings = load_settings(env={"REBALANCE_MONITOR__QUERY__SHARDS": "3"})
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 - our own bytes
