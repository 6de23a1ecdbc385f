"""`rebalance-monitor assign`: JSON Lines problems in, assignments out."""

import sys

import click

from assignors.jsonl import answers


@click.command(name="assign")
@click.pass_context
def assign(context: click.Context) -> None:
    """Assign partitions: JSON Lines problems on standard input, results on standard output.

    A problem is {"id", "assignor", "topics": {topic: partitions}, "members": {id: {"topics": [..],
    "owned": [[topic, partition], ..], "generation", "instance_id", "rack"}}}. A line that cannot be
    read gives {"id", "error"} and the run goes on; the exit status is 1 then.
    """
    failed = False
    for answer in answers(sys.stdin.buffer):
        failed |= answer.failed
        click.echo(answer.line())  # flushes, so that one may ask and answer by turns
    context.exit(int(failed))
