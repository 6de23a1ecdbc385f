"""Serve the pages."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING

import uvicorn

from streaming.dashboard.security import LOOPBACK
from streaming.dashboard.web import create_app
from streaming.errors import MonitorError


class AddressError(MonitorError):
    """The dashboard cannot listen where it should."""


if TYPE_CHECKING:
    from streaming.dashboard.site import Site


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def make_server(
    site: Site, *, host: str, port: int = 0, refresh_seconds: int = 5, hosts: tuple[str, ...] = ()
) -> uvicorn.Server:
    """A server that is ready to run.

    Args:
        site: the tables and what goes with them.
        host: address it listens on.
        port: port it listens on, unless it is run on a socket of `listen`; 0 for any free one.
        refresh_seconds: how often an open page looks for something new; 0 never.
        hosts: further names that it may be asked for under. On loopback all others are refused, so
            that no foreign page can read this one by giving its own name this address.
    """
    allowed = (*LOOPBACK, host, *hosts) if is_loopback(host) or hosts else None
    app = create_app(site, refresh_seconds=refresh_seconds, hosts=allowed)
    config = uvicorn.Config(
        app, host=host, port=port, log_level="warning", access_log=False, server_header=False
    )
    return uvicorn.Server(config)


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on.

    Args:
        host: address to listen on.
        port: port to listen on; 0 for any free one.

    Raises:
        AddressError: the address is not this machine's, or the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family)
    except OSError as error:
        raise AddressError(
            f"Cannot listen on {host} port {port}: {error.strerror}. Choose another with --port or "
            "--host, or `dashboard.port` and `dashboard.host` in the configuration."
        ) from None


def address_of(listening: socket.socket) -> str:
    """Address of the page behind a socket."""
    host, port, *_ = listening.getsockname()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
