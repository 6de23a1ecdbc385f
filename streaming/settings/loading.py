"""Load the configuration: flags over environment variables over the file over the defaults."""

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource, SettingsError

from streaming.errors import ConfigurationError
from streaming.settings.model import ENVIRONMENT_PREFIX, Settings
from streaming.settings.refusals import refusal

Raw = dict[str, Any]


def load_settings(
    path: Path | None = None,
    *,
    env: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Settings:
    """Return the settings of a run.

    Args:
        path: The TOML file; None for none.
        env: Environment variables; those of the process if not given. `[query] shards` is
            `REBALANCE_MONITOR__QUERY__SHARDS`; lists and tables are written as JSON.
        overrides: What flags say, by dotted key (`query.shards`); None is a flag not given.

    Raises:
        ConfigurationError: The file cannot be read, a key is unknown, or a value is no good.
    """
    raw = _merged(
        _from_file(path),
        _from_environment(os.environ if env is None else env),
        _nested(overrides or {}),
    )
    try:
        return Settings(**raw)
    except ValidationError as error:
        raise refusal(error) from None


def _from_file(path: Path | None) -> Raw:
    if path is None:
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError("", f"{path} cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError("", f"{path} is not valid TOML: {error}") from None


def _from_environment(env: Mapping[str, str]) -> Raw:
    ours = {name: text for name, text in env.items() if name.upper().startswith(ENVIRONMENT_PREFIX)}
    for name in ours:
        _check_section(name)
    try:
        return _Environment(ours)()
    except (SettingsError, ValueError):
        raise ConfigurationError("", f"{_not_json(ours)} must be written as JSON") from None


class _Environment(EnvSettingsSource):
    """Reads given variables instead of those of the process."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        super().__init__(Settings)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name.lower(): text for name, text in self._env.items()}


def _check_section(name: str) -> None:
    section, *keys = name[len(ENVIRONMENT_PREFIX) :].lower().split("__")
    if section not in Settings.model_fields or not keys:
        raise ConfigurationError(
            "",
            f"the environment variable {name} names no key: write {ENVIRONMENT_PREFIX}"
            f"<SECTION>__<KEY> with one of the sections {', '.join(Settings.model_fields)}",
        )


def _not_json(env: Mapping[str, str]) -> str:
    return " or ".join(name for name, text in env.items() if not _is_json(text))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _nested(overrides: Mapping[str, object]) -> Raw:
    nested: Raw = {}
    for key, value in overrides.items():
        if value is not None:
            section, _, name = key.partition(".")
            nested.setdefault(section, {})[name] = value
    return nested


def _merged(*layers: Raw) -> Raw:
    """Lay tables over each other key by key; anything else replaces what was there."""
    merged: Raw = {}
    for layer in layers:
        for key, value in layer.items():
            both = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = _merged(merged[key], value) if both else value
    return merged
