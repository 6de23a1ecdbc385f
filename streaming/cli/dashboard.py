"""`rebalance-monitor dashboard`: the web page over the tables."""

from __future__ import annotations

from contextlib import suppress

import click

from streaming.cli.reading import Reading, reads_tables
from streaming.tables.reader import TablesNotFoundError


@click.command(name="dashboard")
@click.option("--host", help="Address to listen on, over `dashboard.host`.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port, over `dashboard.port`.")
@click.option(
    "--refresh-seconds",
    type=click.IntRange(0, 3600),
    default=5,
    show_default=True,
    help="How often an open page looks for something new; 0 for never.",
)
@click.option(
    "--public-name",
    "names",
    multiple=True,
    help="Name under which a proxy serves it; may be given more than once.",
)
@reads_tables
def command(
    reading: Reading,
    *,
    host: str | None,
    port: int | None,
    refresh_seconds: int,
    names: tuple[str, ...],
) -> None:
    """Serve the dashboard: groups worst first, each with its verdict, its moves and its history.

    It reads the Delta tables without Spark, listens on loopback unless told otherwise, and has no
    accounts: to let others see it, put a proxy that knows them before it.
    """
    # Late, because the web server is needed by this command alone.
    from streaming.dashboard import server  # noqa: PLC0415 - see above
    from streaming.dashboard.site import Site  # noqa: PLC0415 - as above

    address = host or reading.settings.dashboard.host
    number = reading.settings.dashboard.port if port is None else port
    site = Site(reader=reading.reader, joins_of=reading.joins_of)
    try:
        site.versions()
    except TablesNotFoundError as error:
        click.echo(f"{error} The page waits for them.", err=True)
    if not server.is_loopback(address):
        click.echo(f"Anybody who can reach {address} can read the dashboard.", err=True)
    with server.listen(address, number) as listening:
        click.echo(f"Dashboard on {server.address_of(listening)}", err=True)
        pages = server.make_server(site, host=address, refresh_seconds=refresh_seconds, hosts=names)
        with suppress(KeyboardInterrupt):  # uvicorn raises it again once it has ended well
            pages.run(sockets=[listening])
