"""What the commands that talk to the cluster have in common."""

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


def connects(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command ``--config`` and the flags of `[cluster]`, and `Settings` to begin with."""

    @click.option(
        "-c",
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        envvar="REBALANCE_MONITOR_CONFIG",
        help="Configuration file (TOML).",
    )
    @click.option("--bootstrap-servers", help="Over `cluster.bootstrap_servers`.")
    @click.option(
        "--command-config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Kafka client properties file, over `cluster.command_config`.",
    )
    @wraps(command)
    def wrapper(
        *,
        config: Path | None,
        bootstrap_servers: str | None,
        command_config: Path | None,
        **rest: Any,
    ) -> Any:
        settings = load_settings(
            config,
            overrides={
                "cluster.bootstrap_servers": bootstrap_servers,
                "cluster.command_config": command_config,
            },
        )
        return command(settings, **rest)

    return wrapper


def follow_logs(settings: Settings) -> None:
    """Set up our log, with everything in the configuration that is secret blotted out."""
    secrets = {*ClientProperties.of(settings.cluster).secrets(), *secrets_in(settings)}
    configure_logging(settings.logging, secrets=secrets)
