"""Facts of a line (ward w, SKU k) in a round r, all counted from 0, that the rewards share. Quantities are units."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.lines import is_padded, true_need

ABSENT = -1.0
"""Nothing to judge: the component leaves the sum."""


@kernel
def is_line(p: Any, w: int, k: int) -> bool:
    """Whether ward `w` stocks SKU `k`."""
    return int(p["demand"][w, k]) > 0


@kernel
def consumed(s: Any, r: int, w: int, k: int) -> int:
    """Units used on both days of the round."""
    return int(s["consumed"][2 * r, w, k]) + int(s["consumed"][2 * r + 1, w, k])


@kernel
def ratio(used: int, need: int) -> float:
    """used/need, a share; 1 where nothing was needed."""
    return used / need if need > 0 else 1.0


@kernel
def line_fill(s: Any, r: int, w: int, k: int) -> float:
    """Share of the round's need that was met, in [0, 1]."""
    return ratio(consumed(s, r, w, k), true_need(s, r, w, k))


@kernel
def padded(s: Any, r: int, w: int, k: int) -> bool:
    """Whether the request is above 1.10 times the true need."""
    return is_padded(int(s["requested"][r, w, k]), true_need(s, r, w, k))


@kernel
def excess_granted(s: Any, r: int, w: int, k: int) -> int:
    """Units allocated above the true need, at least 0."""
    return max(0, int(s["allocated"][r, w, k]) - true_need(s, r, w, k))


@kernel
def ward_fill(s: Any, p: Any, w: int) -> float:
    """Mean fill of the ward's lines over all rounds, in [0, 1]; 1 for a ward without lines."""
    total, count = 0.0, 0
    for r in range(s["requested"].shape[0]):
        for k in range(p["demand"].shape[1]):
            if is_line(p, w, k):
                total += line_fill(s, r, w, k)
                count += 1
    return total / count if count > 0 else 1.0


@kernel
def acute_fill(s: Any, p: Any, first_day: int, days: int, least: int) -> float:
    """Units used / needed by the acute wards of SKUs of at least that criticality, over `days` days from `first_day`.

    Days count from 1; those after the episode's last are left out. 1 where nothing was needed.
    """
    used, need = 0, 0
    for d in range(first_day - 1, min(first_day - 1 + days, s["need"].shape[0])):
        for w in range(p["demand"].shape[0]):
            for k in range(p["demand"].shape[1]):
                if p["ward_acute"][w] and int(p["criticality"][k]) >= least and is_line(p, w, k):
                    used += int(s["consumed"][d, w, k])
                    need += int(s["need"][d, w, k])
    return ratio(used, need)
