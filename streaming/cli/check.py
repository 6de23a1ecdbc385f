"""`rebalance-monitor check`: is everything in place, and if not, what is to be done?"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial

import click
from rich.text import Text

from streaming.checks.finding import Finding, State, carry_out
from streaming.checks.kafka import check_cluster
from streaming.checks.machine import check_checkpoint, check_java, check_tables
from streaming.cli.configured import CLUSTER, configured
from streaming.cli.reading import plain_console
from streaming.settings.model import Settings
from streaming.settings.rendering import sample_file

_COLOURS: dict[State, str] = {"ok": "green", "warning": "yellow", "failed": "red"}


def _print_example(context: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click gives it
    if wanted:
        click.echo(sample_file(), nl=False)
        context.exit()


@click.command(name="check")
@click.option(
    "--example",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_example,
    help="Print a configuration file with every key, and end.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per finding and line.")
@configured(*CLUSTER)
@click.pass_context
def command(context: click.Context, settings: Settings, *, as_json: bool) -> None:
    """Check configuration, connection, rights, Java and tables; say what to do about each.

    The exit status is 1 if anything failed that a run needs.
    """
    failed = False
    for finding in _findings(settings):
        failed |= finding.state == "failed"
        if as_json:
            click.echo(json.dumps(asdict(finding)))
        else:
            _show(finding)
    context.exit(int(failed))


def _findings(settings: Settings) -> Iterator[Finding]:
    yield Finding("configuration", "ok", f"cluster {settings.cluster.name}")
    yield from carry_out("java", check_java)
    yield from carry_out("cluster", partial(check_cluster, settings))
    yield from carry_out("tables", partial(check_tables, settings.query))
    yield from carry_out("checkpoint", partial(check_checkpoint, settings.query))


def _show(finding: Finding) -> None:
    line = Text(f"{finding.state:<8}", style=_COLOURS[finding.state])
    line.append(f"{finding.subject:<14}{finding.said}", style="default")
    plain_console().print(line, soft_wrap=True)
