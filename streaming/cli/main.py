"""`rebalance-monitor`: find the command called for; errors become one clear line."""

import importlib
from collections.abc import Mapping
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import click

from streaming.errors import MonitorError
from streaming.session.ours import ensure_ours

COMMANDS: Mapping[str, str] = {
    "demo": "Show it all: a real broker, real groups that rebalance, and what was found.",
    "run": "Follow the cluster's consumer groups and write the tables.",
    "collect": "Write group events to a topic, where __consumer_offsets cannot be read.",
    "status": "List the groups, worst first.",
    "watch": "Follow rebalances as they happen.",
    "what-if": "Try another assignor, other members or more partitions on a group.",
    "dashboard": "Serve the web page over the tables.",
    "assign": "Assign partitions: JSON Lines problems in, results out.",
    "decode": "Decode coordinator records: hex in, JSON out.",
    "dead-letters": "List records that could not be read, and read them again.",
    "check": "Check configuration, connection, rights, Java and tables.",
    "maintain": "Compact the tables, delete what is past its retention.",
}
"""Name and one line of help; the module is `streaming.cli.<name with _ for ->`."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so that each starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click gives it
        """Return the commands that this installation has."""
        return [name for name in COMMANDS if find_spec(_module_of(name))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is none of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        return _command_in(importlib.import_module(_module_of(cmd_name)), cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error meant for the operator becomes one line and status 1."""
        try:
            ensure_ours()
            return super().invoke(ctx)
        except MonitorError as error:
            raise click.ClickException(str(error)) from error


def _module_of(name: str) -> str:
    return f"streaming.cli.{name.replace('-', '_')}"


def _command_in(module: ModuleType, name: str) -> click.Command:
    (command,) = (
        value
        for value in vars(module).values()
        if isinstance(value, click.Command) and value.name == name
    )
    return command


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="kafka-rebalance-monitor")
def main() -> None:
    """Show how far every Kafka consumer group is from its ideal assignment.

    And what each rebalance moved without need.
    """


if __name__ == "__main__":
    main()
