"""Pages as HTML: one Jinja environment, everything escaped, no inline style or script."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from streaming.dashboard import charts, words
from streaming.dashboard.activity import WINDOWS
from streaming.dashboard.causes import cause_words, cost_words, member_word
from streaming.dashboard.health import SEVERITIES, Level, drift_words
from streaming.dashboard.links import link
from streaming.dashboard.members import short_id
from streaming.dashboard.pages.rebalances import CAUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ASSETS = ("page.css", "page.js", "icon.svg")
_MINUTE, _HOUR = 60, 3_600
_CODE = re.compile(r"`([^`]+)`")


def render(template: str, **values: object) -> str:
    """A page.

    Args:
        template: name of the template.
        values: what it shows.
    """
    return _environment().get_template(template).render(**values)


@cache
def asset(name: str) -> bytes:
    """One of `ASSETS`."""
    return files("streaming.dashboard").joinpath("static", name).read_bytes()


@cache
def asset_version() -> str:
    """Changes with the assets and the templates, so that browsers keep the old ones no longer."""
    digest = hashlib.sha256()
    for folder in ("static", "templates"):
        for entry in sorted(files("streaming.dashboard").joinpath(folder).iterdir(), key=str):
            digest.update(entry.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("streaming.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": words.number,
        "compact": words.compact,
        "share": words.share,
        "duration": words.duration,
        "listing": words.listing,
        "prose": prose,
        "ago": ago,
        "clock": clock,
        "runs": runs,
        "member": member_word,
        "cause": cause_words,
        "cost": cost_words,
        "drift": drift_words,
        "severity": lambda word: SEVERITIES.get(word, Level.WARNING),
    }
    environment.globals |= {
        "link": link,
        "group_link": group_link,
        "short_id": short_id,
        "counted": words.counted,
        "charts": charts,
        "windows": list(WINDOWS),
        "causes": CAUSES,
        "Level": Level,
        "asset_link": lambda name: link(f"/static/{name}", v=asset_version()),
    }
    return environment


def group_link(row: Mapping[str, Any], **more: str | int | None) -> str:
    """Link to the page of a group, given any row that names it."""
    return link("/group", cluster=row["cluster"], id=row["group_id"], **more)


def prose(text: str) -> Markup:
    """A sentence in which `names` are marked as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped before


def ago(time: datetime | None, now: datetime) -> Markup:
    """``26 min ago``, kept up to date by the page; the exact time on hovering."""
    if time is None:
        return Markup("—")
    seconds = max(0, int((now - time).total_seconds()))
    if _MINUTE <= seconds < _HOUR:
        seconds -= seconds % _MINUTE  # seconds beside minutes only make it restless
    return Markup('<time datetime="{}" title="{}" data-ago>{} ago</time>').format(
        time.astimezone(UTC).isoformat(), clock(time), words.duration(seconds)
    )


def clock(time: datetime) -> str:
    """``14 Mar 02:51:20 UTC``."""
    return time.astimezone(UTC).strftime("%d %b %H:%M:%S UTC")


def runs(numbers: Iterable[int]) -> str:
    """``0 to 3, 7, 9``: neighbours drawn together."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and found[-1][-1] == number - 1:
            found[-1][1:] = [number]
        else:
            found.append([number])
    return ", ".join(
        f"{run[0]} to {run[1]}" if run[-1] - run[0] > 1 else ", ".join(map(str, run))
        for run in found
    )
