"""The outcome of each event, in [0, 1]: what the hospital's patients got of what the event put at risk."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import Criticality, Event
from medchain.reward.lines import acute_fill, is_line, ratio


@kernel
def breach_outcome(s: Any, p: Any, first_day: int) -> float:
    """Units used / needed of the breached SKU in the breached ward while the breach counts, within the episode."""
    w, k = int(p["breach_ward"]), int(p["breach_sku"])
    used, need = 0, 0
    for d in range(first_day - 1, min(first_day - 1 + int(p["breach_days"]), s["need"].shape[0])):
        used += int(s["consumed"][d, w, k])
        need += int(s["need"][d, w, k])
    return ratio(used, need)


@kernel
def recall_outcome(s: Any, p: Any, e: int) -> float:
    """1 − recalled units that patients got / recalled units found; 1 where none were found."""
    wards = 0
    for w in range(p["demand"].shape[0]):
        wards += is_line(p, w, int(p["recall_sku"]))
    found = wards * int(p["recall_units"])
    return 1.0 - min(int(s["recalled_used"][e]), found) / max(found, 1)


@kernel
def event_outcome(s: Any, p: Any, e: int) -> float:
    """Outcome of event number `e` (from 0) of the episode's schedule."""
    kind, day = int(s["event_type"][e]), int(s["event_day"][e])
    if kind == Event.MCI:
        return acute_fill(s, p, day, int(p["mci_days"]), Criticality.CRITICAL)
    if kind == Event.SUPPLIER_DISRUPTION:
        return acute_fill(s, p, day, int(p["disruption_days"]) + 1, Criticality.HIGH)
    if kind == Event.PRODUCT_RECALL:
        return recall_outcome(s, p, e)
    return breach_outcome(s, p, day)
