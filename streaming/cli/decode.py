"""`rebalance-monitor decode`: records of `__consumer_offsets` in hex, out as Kafka's JSON."""

import sys

import click

from streaming.records.lines import decode_line


@click.command(name="decode")
def decode() -> None:
    """Decode records: JSON Lines in hex on standard input, Kafka's JSON form on standard output.

    A line in is {"key": hex, "value": hex or null}, a record of __consumer_offsets. A line out has
    the shape of Kafka's own formatters, {"key": {"type", "data"}, "value": {"version", "data"} or
    null}, with the subscription and assignment of classic consumers decoded in place. A record
    that cannot be read gives {"error", "reason"} and the run goes on.
    """
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        if line.strip():
            out.write(decode_line(line) + b"\n")
            out.flush()  # so that one may ask and answer by turns
