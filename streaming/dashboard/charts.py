"""Geometry of the charts; the templates draw it as SVG, which needs no script.

All charts are drawn in their own units and stretched by the page; text stays outside of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH = 1000.0
HEIGHT = 100.0
ROW = 10.0
_THINNEST, _THICKEST = 0.8, 7.0
_SMALL = 10
_ROUND = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)


@dataclass(frozen=True, slots=True)
class Bar:
    """A stacked bar of two parts.

    Attributes:
        x: left edge.
        width: width.
        lower: height of the lower part.
        upper: height of the part on top of it.
    """

    x: float
    width: float
    lower: float
    upper: float

    @property
    def lower_y(self) -> float:
        """Top of the lower part."""
        return HEIGHT - self.lower

    @property
    def upper_y(self) -> float:
        """Top of the upper part."""
        return HEIGHT - self.lower - self.upper


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A curve from a row on the left to a row on the right.

    Attributes:
        path: SVG path data, from x = 0 to x = 100.
        thickness: stroke width.
    """

    path: str
    thickness: float


def bars(values: Sequence[tuple[float, float]], *, most: float) -> list[Bar]:
    """Stacked bars side by side over the whole width.

    Args:
        values: lower and upper part of each.
        most: value that reaches the full height.
    """
    step = WIDTH / max(len(values), 1)
    scale = HEIGHT / most if most else 0.0
    return [
        Bar(
            x=round(place * step + step * 0.1, 2),
            width=round(step * 0.8, 2),
            lower=round(lower * scale, 2),
            upper=round(upper * scale, 2),
        )
        for place, (lower, upper) in enumerate(values)
    ]


def placed_bars(
    values: Sequence[tuple[float, float, float]], *, most: float, width: float = 6.0
) -> list[Bar]:
    """Stacked bars each at its own place, a share of the width from 0 to 1."""
    scale = HEIGHT / most if most else 0.0
    return [
        Bar(
            x=round(min(max(place * WIDTH - width / 2, 0.0), WIDTH - width), 2),
            width=width,
            lower=round(lower * scale, 2),
            upper=round(upper * scale, 2),
        )
        for place, lower, upper in values
    ]


def steps(points: Sequence[tuple[float, float]], *, most: float) -> str:
    """SVG path of a line that keeps each value until the next one; '' without points.

    Args:
        points: place (a share of the width, 0 to 1) and value, in order of place; the last value
            holds until the right edge.
        most: value that reaches the full height.
    """
    if not points:
        return ""
    scale = HEIGHT / most if most else 0.0
    parts = [f"M{_x(points[0][0])},{_y(points[0][1], scale)}"]
    for place, value in points[1:]:
        parts.append(f"H{_x(place)}V{_y(value, scale)}")
    return "".join(parts) + f"H{WIDTH:g}"


def line(points: Sequence[tuple[float, float]], *, most_x: float, most_y: float) -> str:
    """SVG path through points, both axes from 0; '' without points."""
    xs, ys = WIDTH / most_x if most_x else 0.0, HEIGHT / most_y if most_y else 0.0
    coordinates = [f"{round(x * xs, 2):g},{_y(y, ys)}" for x, y in points]
    return "M" + "L".join(coordinates) if coordinates else ""


def ribbons(
    flows: Sequence[tuple[str, str, int]], left: Sequence[str], right: Sequence[str]
) -> list[Ribbon]:
    """Curves between rows of `ROW` units.

    Args:
        flows: name on the left, name on the right, amount.
        left: names of the rows on the left.
        right: names of the rows on the right.
    """
    rows = {name: place for place, name in enumerate(left)}
    targets = {name: place for place, name in enumerate(right)}
    most = max((amount for *_, amount in flows), default=1)
    return [
        _ribbon(rows, targets, source, target, amount / most)
        for source, target, amount in flows
        if source in rows and target in targets
    ]


def ceiling(value: float) -> int:
    """The next round number (1, 2, 3, .. 12, 15, 20, 25, ..) that is not smaller; at least 1."""
    if value <= _SMALL:
        return max(1, math.ceil(value))
    size = 1
    while size * _ROUND[-1] < value:
        size *= 10
    return next(size * step for step in _ROUND if size * step >= value)


def _ribbon(
    left: Mapping[str, int], right: Mapping[str, int], source: str, target: str, share: float
) -> Ribbon:
    start, end = (left[source] + 0.5) * ROW, (right[target] + 0.5) * ROW
    path = f"M0,{start:g}C45,{start:g} 55,{end:g} 100,{end:g}"
    return Ribbon(path, round(_THINNEST + (_THICKEST - _THINNEST) * share, 2))


def _x(place: float) -> str:
    return f"{round(min(max(place, 0.0), 1.0) * WIDTH, 2):g}"


def _y(value: float, scale: float) -> str:
    return f"{round(HEIGHT - value * scale, 2):g}"
