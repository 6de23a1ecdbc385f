"""Sections `[dashboard]` and `[metrics]`: what we serve over HTTP."""

from pydantic import Field

from streaming.settings.section import Port, Section

_HOST = "address to listen on; 0.0.0.0 for all, behind something that asks who is there"


class DashboardSettings(Section):
    """The web page."""

    host: str = Field(default="127.0.0.1", description=_HOST)
    port: Port = Field(default=8460, description="port to listen on")


class MetricsSettings(Section):
    """The Prometheus endpoint of `run`."""

    enabled: bool = Field(default=True, description="false: nothing is served")
    host: str = Field(default="127.0.0.1", description=_HOST)
    port: Port = Field(default=9460, description="port to listen on")
