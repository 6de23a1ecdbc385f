"""`rebalance-monitor run`: the long-running streaming application."""

import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING

import click

from streaming.cli.configured import CLUSTER, configured, follow_logs
from streaming.cli.progress import catching_up
from streaming.session.beginning import begin_session
from streaming.settings.model import Settings

if TYPE_CHECKING:
    from streaming.query.service import Service

_LOOK_SECONDS = 1.0


@click.command(name="run")
@click.option("--once", is_flag=True, help="Read what is there, then end; for cron.")
@configured(*CLUSTER, "query.tables", "query.checkpoint", "query.trigger_seconds")
def run(settings: Settings, *, once: bool) -> None:
    """Follow the cluster's consumer groups and write the tables until stopped.

    SIGTERM and SIGINT end it after the micro-batch that it is at.
    """
    follow_logs(settings)
    follow(settings, once=once)


def follow(settings: Settings, *, once: bool) -> None:
    """Run the monitor until its query ends or a signal asks for the end."""
    stopping = threading.Event()

    def ask_to_stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask_to_stop)
    query = settings.query
    beginning = begin_session(master=query.master, conf=query.spark, say=_say)
    from streaming.query.service import running  # noqa: PLC0415 - while the JVM starts

    with (
        catching_up() as on_progress,
        running(
            settings, spark=beginning.result, say=_say, once=once, on_progress=on_progress
        ) as service,
    ):
        _wait(service, stopping)


def _wait(service: "Service", stopping: threading.Event) -> None:
    while not stopping.is_set():
        if service.wait(seconds=_LOOK_SECONDS):
            return


def _say(text: str) -> None:
    click.echo(text, file=sys.stderr)
