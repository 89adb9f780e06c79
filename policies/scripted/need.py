"""How much a line will need, by the hospital's planning model: section 5 of the rules, without what nobody can foresee."""

from __future__ import annotations

import math
from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import Criticality, Event

SURGES = 3
"""Kinds of round that a line may see: an ordinary one, a ward surge, a line surge."""


@kernel
def rounds(m: Any) -> int:
    """Rounds of an episode."""
    return int(m["told"].shape[0]) // 2


@kernel
def surge_share(p: Any, w: int, kind: int) -> float:
    """How often ward `w`'s lines see a round of that kind; a line surge covers a ward surge."""
    line, ward = int(p["line_surge_micro"]) / 1e6, int(p["ward_surge_micro"][w]) / 1e6
    if kind == 0:
        return (1.0 - line) * (1.0 - ward)
    return (1.0 - line) * ward if kind == 1 else line


@kernel
def surge_factor(p: Any, kind: int) -> float:
    """By how much such a round raises need, on average."""
    if kind == 0:
        return 1.0
    return float(p["ward_surge_factor"] if kind == 1 else 0.5 * (p["line_surge_low"] + p["line_surge_high"]))


@kernel
def mean_surge(p: Any, w: int) -> float:
    """Mean factor of all rounds."""
    total = 0.0
    for kind in range(SURGES):
        total += surge_share(p, w, kind) * surge_factor(p, kind)
    return total


@kernel
def incident_days(v: Any, p: Any, w: int, k: int, r: int) -> int:
    """Days of round `r` (from 1) on which an incident that is known of raises the need of line (w, k): 0, 1 or 2."""
    if int(p["ward_acute"][w]) == 0 or int(p["criticality"][k]) < Criticality.HIGH:
        return 0
    days = 0
    for day in range(2 * r - 1, 2 * r + 1):
        on = 0
        for e in range(v["event_type"].shape[0]):
            first = int(v["event_day"][e])
            if int(v["event_type"][e]) == Event.MCI and first <= day < first + int(p["mci_days"]):
                on = 1
        days += on
    return days


@kernel
def over_two_days(p: Any, days: int, factor: float) -> float:
    """Mean factor of a round with `days` days of an incident; the larger factor applies."""
    return float(0.5 * ((2 - days) * factor + days * max(factor, p["mci_factor"])))


@kernel
def forecast(v: Any, p: Any, m: Any, w: int, k: int, r: int) -> float:
    """Mean need of line (w, k) in round `r`, units; `oracle` is told it."""
    if m["knows"] == 1:
        return float(int(m["told"][2 * r - 2, w, k]) + int(m["told"][2 * r - 1, w, k]))
    return 2.0 * int(p["demand"][w, k]) * over_two_days(p, incident_days(v, p, w, k, r), mean_surge(p, w))


@kernel
def rest_need(v: Any, p: Any, m: Any, w: int, k: int, first: int) -> float:
    """Mean need of a line from round `first` to the end, units."""
    units = 0.0
    for r in range(first, rounds(m) + 1):
        units += forecast(v, p, m, w, k, r)
    return units


@kernel
def density(p: Any, w: int, days: int, x: float) -> float:
    """Density of log(need / usual need) at log(x), up to a constant: one log-normal for each kind of round."""
    total, y = 0.0, math.log(x)
    spread = p["mix_sigma"] ** 2 + p["census_sigma"] ** 2
    for kind in range(SURGES):
        wider = (p["line_surge_high"] - p["line_surge_low"]) ** 2 / 12.0 if kind == 2 else 0.0
        factor = over_two_days(p, days, surge_factor(p, kind))
        var = spread + wider / factor**2
        gap = y - math.log(factor) + 0.5 * var
        total += surge_share(p, w, kind) * math.exp(-0.5 * gap * gap / var) / math.sqrt(var)
    return total
