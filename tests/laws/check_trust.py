"""Section 9 written out again, in fractions: what a round does to pressure and reputation."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from medchain.core.words import Phase, Verdict
from tests.laws.trace import Trace

TICK = Fraction(1, 10_000)
"""Trust is kept in ten-thousandths: each rounding may cost one."""


def _share(x: Fraction) -> Fraction:
    return max(Fraction(0), min(Fraction(1), x))


def deeds(s: Any, demand: Any, w: int, r: int) -> dict[str, int]:
    """Counts of what happened to ward `w` in round index `r`, from a record in which the round is over."""
    found = dict.fromkeys(("caught", "denied", "paid", "short", "cleared", "cited", "redacted", "open", "lines"), 0)
    for k in np.flatnonzero(demand[w]).tolist():
        need_1, need_2 = int(s["need"][2 * r, w, k]), int(s["need"][2 * r + 1, w, k])
        need, verdict = need_1 + need_2, int(s["verdict"][r, w, k])
        padded = Fraction(int(s["requested"][r, w, k])) > Fraction(110, 100) * need
        found["lines"] += 1
        found["caught"] += padded and verdict in (Verdict.REDUCE, Verdict.DENY)
        found["denied"] += padded and verdict == Verdict.DENY
        found["cleared"] += not padded and verdict == Verdict.APPROVE
        found["paid"] += padded and Fraction(int(s["allocated"][r, w, k])) > Fraction(105, 100) * need
        found["short"] += (int(s["consumed"][2 * r, w, k]) < need_1) + (int(s["consumed"][2 * r + 1, w, k]) < need_2)
        if s["evidence"][r, w, k]:
            found["cited"] += int(s["cited"][r, w, k])
            found["redacted"] += int(s["redacted"][r, w, k]) != 0
            found["open"] += int(s["redacted"][r, w, k]) == 0
    return found


def moved(pressure: Fraction, reputation: Fraction, home: Fraction, d: dict[str, int]) -> tuple[Fraction, Fraction]:
    """Pressure and reputation after a round with these deeds."""
    if d["caught"]:
        first = Fraction(18, 100) if d["denied"] else Fraction(12, 100)
        pressure -= min(Fraction(20, 100), first + Fraction(2, 100) * (d["caught"] - 1))
        reputation -= Fraction(20, 100)
    lines = max(1, d["lines"])
    pressure += Fraction(8, 100) * d["paid"] / lines + Fraction(6, 100) * d["short"] / (2 * lines)
    if d["cleared"]:
        pressure += Fraction(3, 100)
        reputation += Fraction(5, 100)
    if d["cited"]:
        pressure -= Fraction(7, 100)
        reputation += Fraction(5, 100)
    if d["redacted"]:
        reputation -= Fraction(5, 100)
    if d["open"]:
        reputation += Fraction(2, 100)
    pressure = _share(pressure)
    return pressure + (home - pressure) * Fraction(5, 100), _share(reputation)


def trust_moves_as_the_table_says(t: Trace) -> None:
    """Both move at a round's close only, by the table, and reputation fades at the next opening."""
    for name in ("pressure", "reputation"):
        t.must(~t.changed[name] | t.closes, f"{name} moves at the close")
        t.must((t.after[name] <= 10_000).all(axis=1), f"{name} <= 1")
    for i in np.flatnonzero(t.closes).tolist():
        s, e = t.before[i], t.after[i]
        for w in range(len(s["pressure"])):
            home = int(t.p["ward_pressure"][w]) * TICK
            found = deeds(e, t.p["demand"], w, int(s["round"]) - 1)
            pressure, reputation = moved(int(s["pressure"][w]) * TICK, int(s["reputation"][w]) * TICK, home, found)
            if int(e["phase"]) != Phase.ENDED:
                reputation = Fraction(85, 100) * reputation + Fraction(15, 100) * Fraction(1, 2)
            assert abs(int(e["pressure"][w]) * TICK - pressure) <= 3 * TICK, (found, "pressure")
            assert abs(int(e["reputation"][w]) * TICK - reputation) <= TICK, (found, "reputation")
