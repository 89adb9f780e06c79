"""Small drawings by hand: SVG elements whose colours are classes, so that a page's dark mode reaches into them.

Coordinates are the drawing's own units; the page scales it to the width there is. `CLASSES` must be in the page's style.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

CLASSES = """
:root{--c0:#0b7d94;--c1:#b8741a;--c2:#7a5bb5;--c3:#4f8a3c;--c4:#b0486b;--c5:#5a6f8c;--good:#2d8a4e;--warn:#b7791f;
--bad:#c5372c;--ghost:#cfd8e2}
@media(prefers-color-scheme:dark){:root{--c0:#45b8d0;--c1:#e0a354;--c2:#ab91e0;--c3:#86bd72;--c4:#dd8aa8;--c5:#93a7c2;
--good:#62c383;--warn:#dfb052;--bad:#f07f74;--ghost:#3a4756}}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{font:12px system-ui,sans-serif;fill:var(--soft)}
svg text.ink{fill:var(--ink)}svg text.strong{fill:var(--ink);font-weight:600}svg text.small{font-size:10px}
.axis{stroke:var(--line);stroke-width:1}.rule{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3}
.line{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}
.f-c0{fill:var(--c0)}.f-c1{fill:var(--c1)}.f-c2{fill:var(--c2)}.f-c3{fill:var(--c3)}.f-c4{fill:var(--c4)}.f-c5{fill:var(--c5)}
.s-c0{stroke:var(--c0)}.s-c1{stroke:var(--c1)}.s-c2{stroke:var(--c2)}.s-c3{stroke:var(--c3)}.s-c4{stroke:var(--c4)}
.s-c5{stroke:var(--c5)}.f-good{fill:var(--good)}.f-warn{fill:var(--warn)}.f-bad{fill:var(--bad)}.f-ghost{fill:var(--ghost)}
.f-ink{fill:var(--ink)}.s-ink{stroke:var(--ink)}.s-good{stroke:var(--good)}.s-warn{stroke:var(--warn)}.s-bad{stroke:var(--bad)}
.s-ghost{stroke:var(--ghost)}.faint{opacity:.6}.hollow{fill:none;pointer-events:all}.band{opacity:.16}
"""

COLOURS = 6


def colour(i: int) -> str:
    """Name of the i-th colour of a series."""
    return f"c{i % COLOURS}"


def number(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def _titled(title: str) -> str:
    return f"<title>{escape(title)}</title>" if title else ""


def svg(width: float, height: float, parts: Sequence[str], label: str) -> str:
    """A drawing; `label` says to those who cannot see it what it shows."""
    box = f'viewBox="0 0 {number(width)} {number(height)}"'
    return f'<svg {box} role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'


def rect(x: float, y: float, width: float, height: float, classes: str, title: str = "", round_by: float = 0) -> str:
    """A rectangle; `title` shows on hovering."""
    corner = f' rx="{number(round_by)}"' if round_by else ""
    at = f'x="{number(x)}" y="{number(y)}" width="{number(max(width, 0))}" height="{number(max(height, 0))}"'
    return f'<rect {at}{corner} class="{classes}">{_titled(title)}</rect>'


def line(x1: float, y1: float, x2: float, y2: float, classes: str, width: float = 1, title: str = "") -> str:
    """A straight line."""
    ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return f'<line {ends} class="{classes}" stroke-width="{number(width)}">{_titled(title)}</line>'


def dot(x: float, y: float, radius: float, classes: str, title: str = "") -> str:
    """A disc."""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="{classes}">{_titled(title)}</circle>'


def text(x: float, y: float, words: str, classes: str = "", anchor: str = "start") -> str:
    """Words; `anchor` start, middle or end."""
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" class="{classes}">{escape(words)}</text>'


def polyline(points: Sequence[tuple[float, float]], classes: str) -> str:
    """A broken line."""
    joined = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<polyline points="{joined}" class="line {classes}"/>'


def group(parts: Sequence[str], title: str = "") -> str:
    """Elements that share a title on hovering."""
    return f"<g>{_titled(title)}{''.join(parts)}</g>"


def legend(entries: Sequence[tuple[str, str]]) -> str:
    """(colour, words) as a line of swatches above or below a drawing."""
    shown = "".join(f'<span><i style="background:var(--{name})"></i>{escape(words)}</span>' for name, words in entries)
    return f'<p class="legend">{shown}</p>'


def nice_top(value: float) -> float:
    """A round number not below `value` at which an axis can end, and whose quarters are round too."""
    if value <= 12:
        return next(top for top in (4.0, 8.0, 12.0) if top >= value)
    step = 10.0 ** (len(str(int(value))) - 1)
    return next(step * m for m in (1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10) if step * m >= value)
