"""Charts that every page shares: lines over rounds or days, stacked bars, and strips of dots with their mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from experiments.svg import colour, dot, line, nice_top, polyline, rect, svg, text

MOST_DOTS = 600
"""In one row of a strip."""

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 440.0, 44.0, 8.0, 10.0, 24.0


class Band(NamedTuple):
    """A stretch of the x axis to shade: from the index `first` for `length` steps."""

    first: float
    length: float
    colour: str
    title: str


class Row(NamedTuple):
    """One row of a strip: its values with their titles and colours, and the mean with its interval."""

    name: str
    dots: Sequence[tuple[float, str, str]]
    mean: float
    low: float
    high: float


def percent(value: float) -> str:
    """A share as whole percent."""
    return f"{value:.0%}"


def _frame(
    height: float, top: float, low: float, names: Sequence[str], shown: Callable[[float], str], step: float
) -> list[str]:
    """Horizontal rules with their values, and the names under the axis, `step` apart, as many as fit."""
    parts, plot = [], height - TOP - BOTTOM
    for i in range(5):
        y = TOP + plot * i / 4
        parts.append(line(LEFT, y, WIDTH - RIGHT, y, "axis"))
        parts.append(text(LEFT - 6, y + 4, shown(top - (top - low) * i / 4), anchor="end"))
    every = -(-len(names) * 18 // int(WIDTH - LEFT - RIGHT))
    for i, name in enumerate(names):
        if i % every == 0:
            parts.append(text(LEFT + step * (i + 0.5), height - 6, name, anchor="middle"))
    return parts


def line_chart(
    label: str,
    names: Sequence[str],
    series: Sequence[tuple[str, str, Sequence[float]]],
    top: float = 1.0,
    low: float = 0.0,
    bands: Sequence[Band] = (),
    shown: Callable[[float], str] = percent,
    height: float = 210,
) -> str:
    """Series of (name, colour, values) over `names`."""
    step, plot = (WIDTH - LEFT - RIGHT) / len(names), height - TOP - BOTTOM
    parts = [rect(LEFT + b.first * step, TOP, b.length * step, plot, f"band f-{b.colour}", b.title) for b in bands]
    parts += _frame(height, top, low, names, shown, step)
    for name, hue, values in series:
        points = [(LEFT + step * (i + 0.5), TOP + plot * (top - v) / (top - low)) for i, v in enumerate(values)]
        parts.append(polyline(points, f"s-{hue}"))
        for (x, y), at, value in zip(points, names, values, strict=False):
            parts.append(dot(x, y, 3.2, f"f-{hue}", f"{name}, {at}: {shown(value)}"))
    return svg(WIDTH, height, parts, label)


def stack_chart(
    label: str,
    names: Sequence[str],
    series: Sequence[tuple[str, str, Sequence[float]]],
    shown: Callable[[float], str] = lambda v: f"{v:,.0f}",
    limit: tuple[float, str] | None = None,
    height: float = 210,
) -> str:
    """Bars over `names`, each stacked of series (name, colour, values); `limit` draws a ruled line with a title."""
    sums = [sum(values[i] for _, _, values in series) for i in range(len(names))]
    top = nice_top(max([*sums, limit[0] if limit else 0.0]))
    step, plot = (WIDTH - LEFT - RIGHT) / len(names), height - TOP - BOTTOM
    parts = _frame(height, top, 0.0, names, shown, step)
    for i, at in enumerate(names):
        y = TOP + plot
        for name, hue, values in series:
            tall = plot * values[i] / top
            y -= tall
            if tall > 0:
                title = f"{name}, {at}: {shown(values[i])}"
                parts.append(rect(LEFT + step * (i + 0.2), y, step * 0.6, tall, f"f-{hue}", title))
    if limit:
        y = TOP + plot * (1 - limit[0] / top)
        parts.append(line(LEFT, y, WIDTH - RIGHT, y, "rule"))
        parts.append(text(WIDTH - RIGHT, y - 4, limit[1], "small", "end"))
    return svg(WIDTH, height, parts, label)


def strip_chart(
    label: str, rows: Sequence[Row], low: float, high: float, shown: Callable[[float], str], zero: float | None = None
) -> str:
    """One row of dots per name over low .. high, a lane per colour, with the mean and its interval.

    `zero` draws a ruled line.
    """
    lanes = list(dict.fromkeys(hue for row in rows for _, _, hue in row.dots))
    lane = 8.0
    left, tall = 8.0, 34.0 + lane * len(lanes)
    width, height = WIDTH - left - 10, tall * len(rows) + 26

    def across(value: float) -> float:
        return left + width * (value - low) / (high - low)

    parts = []
    for i in range(5):
        value = low + (high - low) * i / 4
        parts.append(line(across(value), 4, across(value), height - 20, "axis"))
        parts.append(text(across(value), height - 4, shown(value), anchor=("start", *["middle"] * 3, "end")[i]))
    if zero is not None and low < zero < high:
        parts.append(line(across(zero), 0, across(zero), height - 20, "rule"))
    for i, row in enumerate(rows):
        top = tall * i + 14
        y = top + 8 + lane * len(lanes) / 2
        parts.append(text(left, top, row.name, "strong"))
        parts.append(text(WIDTH - 10, top, shown(row.mean), "strong", "end"))
        for value, title, hue in row.dots:
            parts.append(dot(across(value), top + 8 + lane * (lanes.index(hue) + 0.5), 3, f"f-{hue} faint", title))
        parts.append(line(across(row.low), y, across(row.high), y, "s-ink", 2.4))
        parts.append(dot(across(row.mean), y, 4.6, "f-ink", f"{row.name}: mean {shown(row.mean)}"))
    return svg(WIDTH, height, parts, label)


def hues(names: Sequence[str]) -> dict[str, str]:
    """A colour for each name, in order."""
    return {name: colour(i) for i, name in enumerate(names)}


def round_range(values: Sequence[float]) -> tuple[float, float]:
    """The narrowest low .. high around `values` whose quarters are multiples of a round step from 0.01 on."""
    step = 0.01
    for step in (scale * m for scale in (0.01, 0.1, 1.0, 10.0) for m in (1, 2, 5)):
        low = math.floor(min(values) / step) * step
        if low + 4 * step >= max(values):
            break
    return low, low + 4 * step


def thinned(dots: Sequence[tuple[float, str, str]]) -> Sequence[tuple[float, str, str]]:
    """All of the dots, or so many of them, evenly, that a page can hold them."""
    return dots[:: -(-len(dots) // MOST_DOTS)] if dots else dots
