"""Requests against true need and allocation: a small drawing for every line of every ward."""

from __future__ import annotations

from html import escape
from typing import Any

from experiments.page import table_html
from experiments.story.facts import Facts, plural
from experiments.svg import dot, group, legend, line, rect, svg, text
from medchain.core.words import Field, Verdict
from medchain.tools.names import an_id

WIDTH, HEIGHT, TOP, FLOOR = 240.0, 100.0, 14.0, 78.0
FULL, FAIR = 0.95, 0.7
"""A fill from FULL on is not marked; below FAIR it is marked as bad."""

LETTERS = {Verdict.APPROVE: ("A", "warn"), Verdict.REDUCE: ("R", "good"), Verdict.DENY: ("D", "good")}

NOTE = (
    "Bars: what the ward truly needed (grey) and what it got (colour). The stroke is what it asked for, red where that was "
    "padded: above 1.10 times its need. Letters: reviewed and approved, reduced or denied; e: evidence disclosed. A dot "
    "under a round: its need was not met in full. Touch or point at a round for its numbers."
)


def line_title(f: Facts, r: int, w: int, k: int) -> str:
    """What happened to a line in a round, in words."""
    asked, need = int(f.asked[r, w, k]), int(f.need[r, w, k])
    padding = f" (padded, {asked / need:.2f} of need)" if f.padded[r, w, k] and need else ""
    words = [f"round {r + 1}: need {need}, asked {asked}{padding}, got {int(f.got[r, w, k])}, used {int(f.used[r, w, k])}"]
    if f.evidence[r, w, k]:
        kept = f", {Field(int(f.redacted[r, w, k])).name.lower()} redacted" if f.redacted[r, w, k] else ""
        words.append(f"{an_id('EV', int(f.evidence[r, w, k]))}{kept}")
    if f.verdict[r, w, k]:
        words.append(f"{Verdict(int(f.verdict[r, w, k])).name} to {int(f.granted[r, w, k])}")
    return "; ".join(words)


def line_drawing(f: Facts, w: int, k: int) -> str:
    """One line over the rounds."""
    most = max(1, int(max(f.asked[:, w, k].max(), f.need[:, w, k].max(), f.got[:, w, k].max())))
    step, tall = WIDTH / len(f.need), FLOOR - TOP
    parts = [line(0, FLOOR, WIDTH, FLOOR, "axis")]
    for r in range(f.rounds):
        middle = step * (r + 0.5)
        parts.append(group(_round_marks(f, r, w, k, middle, step, tall / most), line_title(f, r, w, k)))
        parts.append(text(middle, HEIGHT - 3, str(r + 1), "small", "middle"))
    name = f"{f.names.wards[w]} {f.names.skus[k]}"
    return svg(WIDTH, HEIGHT, parts, f"{name}: need, request and allocation by round, at most {most} units")


def _round_marks(f: Facts, r: int, w: int, k: int, middle: float, step: float, scale: float) -> list[str]:
    need, got, asked = (float(a[r, w, k]) * scale for a in (f.need, f.got, f.asked))
    wide = step * 0.62
    parts = [
        rect(middle - step / 2, 0, step, HEIGHT, "hollow"),
        rect(middle - wide / 2, FLOOR - need, wide, need, "f-ghost", round_by=1.5),
        rect(middle - wide / 4, FLOOR - got, wide / 2, got, "f-c0", round_by=1.5),
    ]
    ink = "s-bad" if f.padded[r, w, k] else "s-ink"
    parts.append(line(middle - wide * 0.66, FLOOR - asked, middle + wide * 0.66, FLOOR - asked, ink, 2))
    letter, hue = LETTERS.get(Verdict(int(f.verdict[r, w, k])), ("e", "ghost") if f.evidence[r, w, k] else ("", ""))
    if letter == "A" and not f.padded[r, w, k]:
        hue = "ghost"
    if letter:
        parts.append(
            text(middle, FLOOR - asked - 4, letter, "strong small" if hue == "ghost" else f"f-{hue} small", "middle")
        )
    fill = float(f.fill[r, w, k])
    if r < f.over and fill < FULL:
        parts.append(dot(middle, FLOOR + 6, 2.6, "f-bad" if fill < FAIR else "f-warn"))
    return parts


def ward_lines(f: Facts, w: int) -> str:
    """All lines of a ward: drawings, and the numbers folded beneath."""
    drawn = []
    for k in f.names.lines(w):
        fill = f.fill[: f.over, w, k].mean() if f.over else 1.0
        padded = int(f.padded[:, w, k].sum())
        told = f"fill {fill:.0%}" + (f" · {padded} padded" if padded else "")
        title = f"<h4>{escape(f.names.skus[k])} <small>{told}</small></h4>"
        drawn.append(f"<div>{title}{line_drawing(f, w, k)}</div>")
    asked, caught, paid = (int(a[:, w].sum()) for a in (f.padded, f.caught, f.paid))
    fill = f.ward_fill(slice(0, max(f.over, 1)))[w]
    told = f"fill {fill:.0%} · {plural(asked, 'padded request')}, {caught} caught, {paid} paid"
    header = ["SKU: asked / need / got", *[f"round {r + 1}" for r in range(f.rounds)]]
    rows = [[f.names.skus[k], *[_cell(f, r, w, k) for r in range(f.rounds)]] for k in f.names.lines(w)]
    numbers = f"<details><summary>Numbers of {escape(f.names.wards[w])}</summary>{table_html(header, rows)}</details>"
    head = f"<h3>{escape(f.names.wards[w])} <small>{told}</small></h3>"
    minis = f'<div class="minis">{"".join(drawn)}</div>'
    return f'<details class="ward" open><summary>{head}</summary>{minis}{numbers}</details>'


def _cell(f: Facts, r: int, w: int, k: int) -> str:
    return f"{int(f.asked[r, w, k])} / {int(f.need[r, w, k])} / {int(f.got[r, w, k])}"


def lines_section(f: Facts) -> tuple[Any, ...]:
    """Parts of the section on requests, need and allocation."""
    swatches = [("ghost", "true need"), ("c0", "allocated"), ("ink", "asked"), ("bad", "asked, padded")]
    return (f'<p class="note">{NOTE}</p>{legend(swatches)}', *[ward_lines(f, w) for w in range(len(f.names.wards))])
