"""The tape: what chance decides at reset, except need (demand.py). Later the world only reads it."""

from __future__ import annotations

from typing import Any

from medchain.core.chance import Stream, between, draw, stream, uniform_micro
from medchain.core.kernel import kernel
from medchain.core.words import CENTRAL, NEVER, Event

ODD_DAYS_ONLY = int(Event.PRODUCT_RECALL)
"""Event types from here on are found at a round's opening, so on odd days."""


@kernel
def draw_events(s: Any, p: Any) -> None:
    """Schedule the events: the first four of a seed have distinct types; an easier scenario has the first of these."""
    key = stream(s["seed"], Stream.EVENTS)
    span = int(p["most_events"]) - int(p["least_events"]) + 1
    count = int(p["least_events"]) + (uniform_micro(draw(key, 0)) * span) // 1000000
    for e in range(s["event_type"].shape[0]):
        s["event_type"][e] = e if e < 4 else (uniform_micro(draw(key, 1)) * 4) // 1000000
        s["event_day"][e] = 0
        s["recall_lot"][e] = -1
    for e in range(3, 0, -1):
        other = (uniform_micro(draw(key, 2 + e)) * (e + 1)) // 1000000
        moved = int(s["event_type"][e])
        s["event_type"][e] = s["event_type"][other]
        s["event_type"][other] = moved
    for e in range(s["event_type"].shape[0]):
        s["event_day"][e] = _free_day(s, p, e, uniform_micro(draw(key, 10 + e)))
    for e in range(count, s["event_type"].shape[0]):
        s["event_type"][e] = -1
        s["event_day"][e] = 0
    s["event_count"] = count
    _sort_events(s, count)


@kernel
def _free_day(s: Any, p: Any, e: int, micro: int) -> int:
    """A day that suits event `e` and that no earlier event has."""
    step = 2 if int(s["event_type"][e]) >= ODD_DAYS_ONLY else 1
    first = int(p["first_day"])
    if step == 2 and first % 2 == 0:
        first += 1
    free = 0
    for day in range(first, int(p["last_day"]) + 1, step):
        if not _taken(s, e, day):
            free += 1
    chosen = (micro * free) // 1000000
    for day in range(first, int(p["last_day"]) + 1, step):
        if not _taken(s, e, day):
            if chosen == 0:
                return day
            chosen -= 1
    return first


@kernel
def _taken(s: Any, e: int, day: int) -> bool:
    for other in range(e):
        if int(s["event_day"][other]) == day:
            return True
    return False


@kernel
def _sort_events(s: Any, count: int) -> None:
    for i in range(1, count):
        kind, day = int(s["event_type"][i]), int(s["event_day"][i])
        j = i
        while j > 0 and int(s["event_day"][j - 1]) > day:
            s["event_type"][j] = s["event_type"][j - 1]
            s["event_day"][j] = s["event_day"][j - 1]
            j -= 1
        s["event_type"][j] = kind
        s["event_day"][j] = day


@kernel
def opening_units(s: Any, p: Any, location: int, sku: int) -> int:
    """Units of a SKU at a location on day 1; the days of stock are one draw per SKU."""
    key = stream(s["seed"], Stream.OPENING)
    days = between(p["days_low"], p["days_high"], uniform_micro(draw(key, sku)))
    if location == CENTRAL:
        network = 0
        for w in range(p["demand"].shape[0]):
            network += int(p["demand"][w, sku])
        return int(p["central_share"] * days * network)
    demand = int(p["demand"][location - 1, sku])
    return max(1, int(p["ward_share"] * days * demand)) if demand > 0 else 0


@kernel
def opening_expiry(p: Any, central: bool, sku: int) -> int:
    """Day from which an opening lot is unusable."""
    shelf = int(p["shelf_life"][sku])
    if shelf == NEVER:
        return NEVER
    return 1 + int((p["central_shelf_left"] if central else p["ward_shelf_left"]) * shelf + 1e-9)


@kernel
def draw_budget(s: Any, p: Any) -> None:
    """The limit for the whole episode: it grows with the scheduled events, an MCI counts twice."""
    shares = 0
    for e in range(int(s["event_count"])):
        shares += 2 if int(s["event_type"][e]) == Event.MCI else 1
    s["limit"] = int(p["budget_cents"]) + shares * int(p["budget_per_event_cents"])
