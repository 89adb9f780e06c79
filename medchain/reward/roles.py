"""Rewards of the wards and of the arbiter. Rounds r, wards w and SKUs k count from 0."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.lines import true_need
from medchain.core.words import Verdict
from medchain.reward.lines import consumed, is_line, line_fill, padded


@kernel
def overruled(s: Any, r: int, w: int, k: int) -> bool:
    """Whether the arbiter reduced or denied the line."""
    verdict = int(s["verdict"][r, w, k])
    return verdict == Verdict.REDUCE or verdict == Verdict.DENY


@kernel
def surplus(s: Any, r: int, w: int, k: int) -> float:
    """Stock left at the close above the closed round's need, as a share of that need, in [0, 1].

    Where nothing was needed any stock is all surplus: 1, or 0 on an empty shelf.
    """
    need = true_need(s, r, w, k)
    return min(1.0, max(0, int(s["closing_stock"][r, w, k]) - need) / max(need, 1))


@kernel
def ward_reward(s: Any, p: Any, w: int, r: int) -> float:
    """Reward of ward `w` at the close of round `r`: fill, less surplus, padding caught by a verdict, and redactions."""
    fill, left, caught, redactions, lines = 0.0, 0.0, 0, 0, 0
    for k in range(p["demand"].shape[1]):
        if is_line(p, w, k):
            lines += 1
            fill += line_fill(s, r, w, k)
            left += surplus(s, r, w, k)
            caught += padded(s, r, w, k) and overruled(s, r, w, k)
            redactions += int(s["redacted"][r, w, k]) != 0
    kept = fill - float(p["ward_surplus"]) * left - float(p["ward_caught"]) * caught
    return kept / max(lines, 1) - float(p["ward_redaction"]) * redactions


@kernel
def verdict_reward(s: Any, p: Any, r: int, w: int, k: int) -> float:
    """Arbiter's reward for a verdict: +1 if padded and cut, or honest and approved; −1 if wrong; 0 if none."""
    if int(s["verdict"][r, w, k]) == Verdict.NONE:
        return 0.0
    return 1.0 if padded(s, r, w, k) == overruled(s, r, w, k) else -1.0


@kernel
def arbiter_close_reward(s: Any, p: Any, r: int) -> float:
    """Arbiter's reward at the close of round `r`, in [−1, 0]: −unmet/need (units) over lines it cut below true need."""
    unmet, needed = 0, 0
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1]):
            need = true_need(s, r, w, k)
            if overruled(s, r, w, k) and int(s["verdict_quantity"][r, w, k]) < need:
                unmet += need - consumed(s, r, w, k)
                needed += need
    return -unmet / needed if needed > 0 else 0.0
