"""Reputation and hoarding pressure, in fixed point: what a round did to them."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.lines import is_padded, true_need
from medchain.core.words import FIXED, Field, Verdict


@kernel
def clamp(x: int) -> int:
    """Into [0, 1]."""
    return max(0, min(FIXED, x))


@kernel
def opening_trust(s: Any, p: Any) -> None:
    """Trust before round 1."""
    for w in range(s["pressure"].shape[0]):
        s["pressure"][w] = p["ward_pressure"][w]
        s["reputation"][w] = p["opening_reputation"]


@kernel
def decay_reputation(s: Any, p: Any) -> None:
    """Old deeds fade at each round's opening: rep <- 0.85 rep + 0.15 x 0.5."""
    kept, start = int(p["reputation_kept"]), int(p["opening_reputation"])
    for w in range(s["reputation"].shape[0]):
        faded = kept * int(s["reputation"][w]) + (FIXED - kept) * start
        s["reputation"][w] = (faded + FIXED // 2) // FIXED


@kernel
def settle(s: Any, p: Any) -> None:
    """Move every ward's trust by what happened to it this round (the table of section 9)."""
    for w in range(s["pressure"].shape[0]):
        _settle_ward(s, p, w, int(s["round"]) - 1)


@kernel
def _settle_ward(s: Any, p: Any, w: int, r: int) -> None:
    caught, denied, paid, short, cleared, cited, redacted, open_hand = _deeds(s, p, w, r)
    lines = max(1, int(p["lines"][w]))  # a ward may stock nothing: no deed then
    pressure, reputation = int(s["pressure"][w]), int(s["reputation"][w])
    if caught > 0:
        first = int(p["caught_pressure_deny"]) if denied > 0 else int(p["caught_pressure"])
        further = (caught - 1) * int(p["caught_pressure_per_further_line"])
        pressure -= min(int(p["caught_pressure_most"]), first + further)
        reputation -= int(p["caught_reputation"])
    pressure += int(p["paid_pressure"]) * paid // lines
    pressure += int(p["short_pressure"]) * short // (2 * lines)
    if cleared > 0:
        pressure += int(p["honest_review_pressure"])
        reputation += int(p["honest_review_reputation"])
    if cited > 0:
        pressure -= int(p["cited_pressure"])
        reputation += int(p["cited_reputation"])
    if redacted > 0:
        reputation -= int(p["redacted_reputation"])
    if open_hand > 0:
        reputation += int(p["disclosed_reputation"])
    pressure = clamp(pressure)
    home = int(p["ward_pressure"][w])
    s["pressure"][w] = clamp(pressure + int(p["pressure_pull"]) * (home - pressure) // FIXED)
    s["reputation"][w] = clamp(reputation)


@kernel
def _deeds(s: Any, p: Any, w: int, r: int) -> tuple[int, int, int, int, int, int, int, int]:
    """Counts of lines (short: line-days) by what happened to them in round index `r`."""
    caught = denied = paid = short = cleared = cited = redacted = open_hand = 0
    for k in range(p["demand"].shape[1]):
        if int(p["demand"][w, k]) == 0:
            continue
        need = true_need(s, r, w, k)
        padded = is_padded(int(s["requested"][r, w, k]), need)
        verdict = int(s["verdict"][r, w, k])
        if padded and verdict > Verdict.APPROVE:
            caught += 1
            denied += 1 if verdict == Verdict.DENY else 0
        if padded and 100 * int(s["allocated"][r, w, k]) > 105 * need:
            paid += 1
        if not padded and verdict == Verdict.APPROVE:
            cleared += 1
        for t in range(2 * r, 2 * r + 2):
            short += 1 if int(s["consumed"][t, w, k]) < int(s["need"][t, w, k]) else 0
        if int(s["evidence"][r, w, k]) > 0:
            cited += int(s["cited"][r, w, k])
            redacted += 1 if int(s["redacted"][r, w, k]) != Field.NONE else 0
            open_hand += 1 if int(s["redacted"][r, w, k]) == Field.NONE else 0
    return caught, denied, paid, short, cleared, cited, redacted, open_hand
