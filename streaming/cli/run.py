"""`rebalance-monitor run`: the long-running streaming application."""

import signal
import sys
import threading
from pathlib import Path
from types import FrameType

import click

from streaming.cli.progress import catching_up
from streaming.query.service import Service, running
from streaming.settings.client import ClientProperties
from streaming.settings.loading import load_settings
from streaming.settings.logs import configure_logging
from streaming.settings.model import Settings
from streaming.settings.redaction import secrets_in

_LOOK_SECONDS = 1.0


_FLAGS = {
    "bootstrap_servers": "cluster.bootstrap_servers",
    "command_config": "cluster.command_config",
    "tables": "query.tables",
    "checkpoint": "query.checkpoint",
    "trigger_seconds": "query.trigger_seconds",
}
"""Flags, and the keys of the configuration that they stand for."""


@click.command(name="run")
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
@click.option("--tables", help="Over `query.tables`.")
@click.option("--checkpoint", help="Over `query.checkpoint`.")
@click.option("--trigger-seconds", type=float, help="Over `query.trigger_seconds`.")
@click.option("--once", is_flag=True, help="Read what is there, then end; for cron.")
def run(*, config: Path | None, once: bool, **flags: object) -> None:
    """Follow the cluster's consumer groups and write the tables until stopped.

    SIGTERM and SIGINT end it after the micro-batch that it is at.
    """
    overrides = {_FLAGS[name]: value for name, value in flags.items()}
    settings = load_settings(config, overrides=overrides)
    follow_logs(settings)
    follow(settings, once=once)


def follow_logs(settings: Settings) -> None:
    """Set up the log so that no secret of the configuration gets into it."""
    client = ClientProperties.of(settings.cluster)
    configure_logging(settings.logging, secrets={*client.secrets(), *secrets_in(settings)})


def follow(settings: Settings, *, once: bool) -> None:
    """Run the monitor until its query ends or a signal asks for the end."""
    stopping = threading.Event()

    def ask_to_stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask_to_stop)
    with (
        catching_up() as on_progress,
        running(settings, once=once, say=_say, on_progress=on_progress) as service,
    ):
        _wait(service, stopping)


def _wait(service: Service, stopping: threading.Event) -> None:
    while not stopping.is_set():
        if service.wait(seconds=_LOOK_SECONDS):
            return


def _say(text: str) -> None:
    click.echo(text, file=sys.stderr)
