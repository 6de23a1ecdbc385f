"""Sections `[dashboard]` and `[metrics]`: what we serve over HTTP."""

from typing import Annotated

from pydantic import Field

from streaming.settings.section import Port, Section

Count = Annotated[int, Field(ge=0, le=100_000)]
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
    groups: Count = Field(
        default=200, description="the worst so many groups have metrics of their own"
    )
    patterns: tuple[str, ...] = Field(
        default=(),
        description="groups that match one of these, with * and ?, have them in any case",
        examples=[["payments-*"]],
    )
    members: Count = Field(
        default=50, description="members shown of such a group, those with the largest loads"
    )
    topics: Count = Field(
        default=20, description="topics shown of such a group, those with the largest lag"
    )
