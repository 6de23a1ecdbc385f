"""The configuration, as commands take it: a file, and flags over some of its keys."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from streaming.settings.client import ClientProperties
from streaming.settings.loading import load_settings
from streaming.settings.logs import configure_logging
from streaming.settings.model import Settings
from streaming.settings.redaction import secrets_in

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_TYPES: dict[str, Any] = {
    "cluster.command_config": _FILE,
    "query.trigger_seconds": float,
    "maintenance.history_days": float,
    "maintenance.vacuum_hours": float,
}
"""Types of the keys that are no text."""

CLUSTER = ("cluster.bootstrap_servers", "cluster.command_config")
"""Keys of commands that talk to the cluster."""

Command = Callable[..., Any]


def configured(*keys: str) -> Callable[[Command], Command]:
    """Give a command ``--config`` and a flag for each key, and `Settings` as its first argument.

    Args:
        keys: dotted keys of the configuration; the flag is named for the last part.
    """
    flags = {key.rpartition(".")[2]: key for key in keys}

    def decorate(command: Command) -> Command:
        @wraps(command)
        def wrapper(*, config: Path | None, **rest: Any) -> Any:
            overrides = {key: rest.pop(name) for name, key in flags.items()}
            return command(load_settings(config, overrides=overrides), **rest)

        for name, key in reversed(flags.items()):
            flag = f"--{name.replace('_', '-')}"
            click.option(flag, type=_TYPES.get(key, str), help=f"Over `{key}`.")(wrapper)
        return click.option(
            "-c",
            "--config",
            type=_FILE,
            envvar="REBALANCE_MONITOR_CONFIG",
            help="Configuration file (TOML).",
        )(wrapper)

    return decorate


def follow_logs(settings: Settings) -> None:
    """Set up our log, with everything in the configuration that is secret blotted out."""
    secrets = {*ClientProperties.of(settings.cluster).secrets(), *secrets_in(settings)}
    configure_logging(settings.logging, secrets=secrets)
