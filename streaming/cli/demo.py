"""`rebalance-monitor demo`: a real broker, real groups that rebalance, and what was found."""

import logging
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from streaming.cli.configured import follow_logs
from streaming.cli.findings import show
from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.workload import PARTITION_COUNTS, Workload
from streaming.errors import MonitorError
from streaming.query.service import Service, running
from streaming.session.spark import build_session
from streaming.settings.loading import load_settings
from streaming.settings.model import Settings
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location

_CATCH_UP_SECONDS = 60.0
_LOOK_SECONDS = 1.0


class DemoError(MonitorError):
    """The demo could not show what it is to show."""


@click.command(name="demo")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the tables are put, in DIR/tables/NAME; a folder of its own if not given.",
)
@click.option("--keep-running", is_flag=True, help="Go on with broker, groups and query.")
@click.option("--dashboard", is_flag=True, help="Serve the dashboard on what was found.")
def demo(*, output: Path | None, keep_running: bool, dashboard: bool) -> None:
    """Show the monitor at work, on a Kafka broker and consumer groups of its own.

    Groups under range, round robin, cooperative-sticky, the KIP-848 protocol and KIP-315's
    stream-join-sticky join, leave, die and change their subscription, while the streaming query
    writes its tables. Ends with what was found.
    """
    folder = _prepared(output)
    started = time.monotonic()
    with EmbeddedBroker(say=_say) as broker:
        broker.create_topics(PARTITION_COUNTS)
        settings = demo_settings(broker.bootstrap_servers, folder)
        follow_logs(settings)
        # It warns of every tenth of a second that it did not get on a busy machine.
        logging.getLogger("kafka").setLevel(logging.ERROR)
        _play(settings, keep_running=keep_running)
    _say(f"done in {time.monotonic() - started:.0f} s")
    serve = f"rebalance-monitor dashboard --tables {settings.query.tables}"
    click.echo(f"\nTables: {settings.query.tables}\nDashboard: {serve}")
    if dashboard:
        _serve(settings)


def demo_settings(bootstrap_servers: str, folder: Path) -> Settings:
    """The configuration of the demo: quick triggers, and the join group named as one."""
    return load_settings(
        None,
        env={},
        overrides={
            "cluster.name": "demo",
            "cluster.bootstrap_servers": bootstrap_servers,
            "query.tables": str(folder / "tables"),
            "query.checkpoint": str(folder / "checkpoint"),
            "query.trigger_seconds": 1,
            "query.lag_refresh_seconds": 5,
            "query.shards": 4,
            "query.master": "local[2]",
            "policies.joins": [
                {"groups": "attribution*", "topics": [["clicks", "impressions"]]},
            ],
            "metrics.enabled": False,
            "logging.level": "warning",
        },
    )


def _prepared(output: Path | None) -> Path:
    """An empty folder: tables of an earlier demo belong to a broker that is gone."""
    if output is None:
        return Path(tempfile.mkdtemp(prefix="rebalance-monitor-demo-"))
    for name in ("tables", "checkpoint"):
        shutil.rmtree(output / name, ignore_errors=True)
    output.mkdir(parents=True, exist_ok=True)
    return output


def _play(settings: Settings, *, keep_running: bool) -> None:
    spark = build_session(master=settings.query.master, short_run=True, keep_classes=True, say=_say)
    try:
        with Workload(settings.cluster.bootstrap_servers, say=_say) as workload:
            with (
                _playing(workload) as playing,
                running(settings, spark=lambda: spark, say=_say) as service,
            ):
                playing.join()
                _show(service, settings)
                if keep_running:
                    _go_on(service)
            _say("ending the groups")
    finally:
        spark.stop()


@contextmanager
def _playing(workload: Workload) -> Iterator[threading.Thread]:
    """Play the scripts beside the query; an error in them comes out when the block ends."""
    errors: list[BaseException] = []

    def play() -> None:
        try:
            workload.play()
        except TimeoutError as error:
            errors.append(error)

    thread = threading.Thread(target=play, name="workload")
    thread.start()
    try:
        yield thread
    finally:
        thread.join()
    if errors:
        raise DemoError(f"a group of the demo did not settle: {errors[0]}")


def _show(service: Service, settings: Settings) -> None:
    _say("catching up")
    if not service.catch_up(seconds=_CATCH_UP_SECONDS):
        raise DemoError(f"the query did not catch up within {_CATCH_UP_SECONDS:.0f} s")
    show(TableReader(Location.of(settings.query)))


def _go_on(service: Service) -> None:
    _say("running on; end with Ctrl-C")
    try:
        while not service.wait(seconds=_LOOK_SECONDS):
            pass
    except KeyboardInterrupt:
        return


def _serve(settings: Settings) -> None:
    # Late, because the web server is needed with --dashboard alone.
    from streaming.dashboard.server import make_server  # noqa: PLC0415 - see above
    from streaming.dashboard.site import Site  # noqa: PLC0415 - as above

    address, port = settings.dashboard.host, settings.dashboard.port
    site = Site(reader=TableReader(Location.of(settings.query)), joins_of=lambda _group: None)
    click.echo(f"Dashboard on http://{address}:{port}/; end with Ctrl-C", err=True)
    make_server(site, host=address, port=port).run()


def _say(text: str) -> None:
    click.echo(text, file=sys.stderr)
