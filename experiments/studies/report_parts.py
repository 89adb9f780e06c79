"""What the reports of the studies share: their look, pictures that are left as PNGs too, figures with intervals in words."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from experiments.page import figure_html, table_html

STYLE = """
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr));gap:14px}
.grid figure{max-width:560px}.grid figure,.wide figure{border:1px solid var(--line)}
.wide{overflow-x:auto;margin-top:14px}.wide svg{min-width:720px}
.claims{display:grid;gap:10px;padding:0;margin:0;list-style:none}
.claims li{border-left:5px solid var(--mark);padding:6px 12px;background:var(--back);border-radius:0 8px 8px 0}
.claims b{font-variant-numeric:tabular-nums}.claims small{color:var(--soft);display:block}
.yes{--mark:#3f8f4f}.maybe{--mark:#c9962b}.no{--mark:#c2452d}
section p{max-width:78ch}
"""
MARK = {"holds": "yes", "does not hold": "no"}


def interval_text(found: Mapping[str, Any], digits: int = 3) -> str:
    """`0.123 [0.100, 0.150]`; a dash where one run has no interval."""
    value, low, high = (None if found[k] is None else round(found[k], digits) + 0.0 for k in ("value", "low", "high"))
    ends = "[—]" if low is None or not np.isfinite(low) else f"[{low:.{digits}f}, {high:.{digits}f}]"
    return f"{value:.{digits}f} {ends}"


def claims_html(claims: list[dict[str, Any]]) -> str:
    """The claims with their figures, one colour per verdict."""
    items = []
    for c in claims:
        sign = "more than" if c["at_least"] == 0 else "at least"
        told = f"{c['verdict']} · asked for: {sign} {c['at_least']:g} · {c['runs']} runs, 95 % interval"
        items.append(
            f'<li class="{MARK.get(c["verdict"], "maybe")}">{escape(c["claim"])}: <b>{interval_text(c)}</b>'
            f"<small>{escape(told)}</small></li>"
        )
    return f'<ul class="claims">{"".join(items)}</ul>'


class Book:
    """Pictures on their way into the page: each is left as a PNG too."""

    def __init__(self, out: Path) -> None:
        """Leave PNGs in `out`."""
        self.out = out

    def __call__(self, name: str, figure: Any) -> str:
        """Save a figure and give it as HTML."""
        figure.savefig(self.out / f"{name}.png", dpi=140, bbox_inches="tight")
        return figure_html(figure)

    def grid(self, figures: Mapping[str, Any]) -> str:
        """Several side by side."""
        return f'<div class="grid">{"".join(self(name, figure) for name, figure in figures.items())}</div>'

    def wide(self, figures: Mapping[str, Any]) -> str:
        """One above the other; they scroll on a phone."""
        return "".join(f'<div class="wide">{self(name, figure)}</div>' for name, figure in figures.items())


def label(population: str) -> str:
    """A population's name for a reader."""
    name = population.removesuffix("-halfway")
    for prefix in ("wards-vs-", "coordinator-vs-"):
        if name.startswith(prefix):
            name = f"learned, met {name.removeprefix(prefix)}"
    return name + (", halfway" if population.endswith("-halfway") else "")


def trials_html(header: list[str], rows: list[list[Any]]) -> str:
    """A long table, folded away."""
    return f"<details><summary>All trials</summary>{table_html(header, rows)}</details>"
