"""What each role may know, as a list of what to keep: everything else of a record is replaced by nonsense.

A new field of the record is hidden until it is named here, so a view that begins to read it fails the test.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.record import ORDER_FIELDS, QUOTE_FIELDS
from medchain.core.words import Event, Field, Phase

FRAME = ("day", "round", "phase", "asked_ward", "asked_sku", "lot_count", "lot_sku", "lot_next", "first_lot")
FRAME += ("order_count", "quote_count", "recall_lot")
"""Indices and the clock: nonsense here would not be a record at all. `hide_turn` sees to the turn."""

PAST = ("past_requested", "past_allocated", "past_consumed", "past_short")
BOUGHT = tuple(name for name, _ in (*ORDER_FIELDS, *QUOTE_FIELDS))


def nonsense(s: Any, rng: np.random.Generator) -> Any:
    """A copy of a record, as an array of one, in which every field but the frame is random."""
    copy = np.zeros(1, s.dtype)
    for name in s.dtype.names:
        if name in FRAME:
            copy[name] = s[name]
        else:
            copy[name] = rng.integers(0, 50, copy[name].shape)
    return copy


def split_need(s: Any, o: Any, r: int, line: tuple[int, int], rng: np.random.Generator) -> None:
    """Keep a line's need of round index `r`, but not how it falls on the two days."""
    total = int(s["need"][(2 * r, *line)]) + int(s["need"][(2 * r + 1, *line)])
    first = int(rng.integers(0, total + 1))
    o["need"][(2 * r, *line)], o["need"][(2 * r + 1, *line)] = first, total - first


def keep_shortages(s: Any, o: Any, over: int, lines: Any, rng: np.random.Generator) -> None:
    """Of the need of closed rounds keep only whether it was met: a shortage may be of any size."""
    for r in range(over):
        for w, k in lines:
            days = slice(2 * r, 2 * r + 2)
            used, need = s["consumed"][days, w, k], s["need"][days, w, k]
            o["consumed"][days, w, k] = used
            short = need.sum() > used.sum()
            o["need"][days, w, k] = used + (rng.integers(1, 50, 2) if short else 0)


def keep_events(s: Any, o: Any, rng: np.random.Generator) -> None:
    """Events of today and before, and an MCI of tomorrow, are known; of later ones neither number, type nor day."""
    day, known = int(s["day"]), 0
    for e in range(int(s["event_count"])):
        warned = s["event_type"][e] == Event.MCI and s["event_day"][e] == day + 1
        known = e + 1 if s["event_day"][e] <= day or warned else known
    o["event_type"] = rng.integers(0, 4, o["event_type"].shape)
    o["event_day"] = rng.integers(day + 2, day + 20, o["event_day"].shape)
    o["event_type"][:known], o["event_day"][:known] = s["event_type"][:known], s["event_day"][:known]
    o["event_count"] = rng.integers(known, len(o["event_day"]) + 1)


def keep_recalls(s: Any, o: Any, own: int | None, rng: np.random.Generator) -> None:
    """That recalled units are still about is known to all; how many and where, outside `own`, is not."""
    for e in range(len(s["recall_lot"])):
        lot = int(s["recall_lot"][e])
        if lot < 0:
            continue
        others = [x for x in range(s["on_hand"].shape[1]) if x != own]
        free = s["on_hand"][lot] - s["quarantined"][lot]
        o["on_hand"][lot, others] = o["quarantined"][lot, others]
        if free.sum() > 0 and (own is None or free[own] == 0):
            o["on_hand"][lot, others[0]] += rng.integers(1, 30)


def tidy(o: Any) -> None:
    """Random goods that could stand somewhere: no more quarantined than there is."""
    o["on_hand"] = np.maximum(o["on_hand"], o["quarantined"])


def hide_turn(s: Any, o: Any, agent: int, rng: np.random.Generator) -> None:
    """Who is not asked does not know who is; the coordinator does not know how many wards have asked."""
    phase, wards = int(s["phase"]), len(s["pressure"])
    if phase == Phase.ENDED:
        return
    if agent == 0:
        if phase == Phase.REQUEST:
            o["asked_ward"] = rng.integers(0, wards)
        return
    ward_asked = phase in (Phase.REQUEST, Phase.DISCLOSE, Phase.REPLY)
    if agent == (int(s["asked_ward"]) + 1 if ward_asked else wards + 1 if phase == Phase.VERDICT else 0):
        return
    o["phase"] = rng.choice([Phase.REQUEST, Phase.DISCLOSE, Phase.REPLY, Phase.COORDINATE])
    o["asked_ward"] = rng.choice([w for w in range(wards) if w != agent - 1])
    o["asked_sku"] = rng.integers(0, len(s["first_lot"]))


def rounds_over(s: Any) -> int:
    """Closed rounds."""
    return int(s["round"]) - (int(s["phase"]) != Phase.ENDED)


def for_coordinator(s: Any, p: Any, rng: np.random.Generator) -> Any:
    """All but what the coordinator may know is nonsense."""
    copy = nonsense(s, rng)
    o, r, over = copy[0], int(s["round"]) - 1, rounds_over(s)
    for name in (*PAST, *BOUGHT, "calls", "limit", "committed", "spent_on_orders", "mail", "reputation", "system_used"):
        o[name] = s[name]
    for name in ("seed", "lot_expiry", "erp_before", "on_hand", "quarantined", "spent_on_audit"):
        o[name] = s[name]
    for name in ("planned", "briefings", "allocated", "evidence", "redacted", "verdict", "verdict_quantity"):
        o[name][r] = s[name][r]
    o["allocated"][:over], o["requested"][:over] = s["allocated"][:over], s["requested"][:over]
    if s["phase"] != Phase.REQUEST:
        o["requested"][r], o["reason"][r] = s["requested"][r], s["reason"][r]
    lines = list(np.ndindex(*p["demand"].shape))
    keep_shortages(s, o, over, lines, rng)
    for line in lines:
        open_hand = s["evidence"][(r, *line)] > 0 and s["redacted"][(r, *line)] != Field.CENSUS
        if open_hand and over == r:
            split_need(s, o, r, line, rng)
        elif open_hand:
            o["need"][(slice(2 * r, 2 * r + 2), *line)] = s["need"][(slice(2 * r, 2 * r + 2), *line)]
    keep_events(s, o, rng)
    hide_turn(s, o, 0, rng)
    return copy


def for_ward(s: Any, p: Any, w: int, rng: np.random.Generator) -> Any:
    """All but what ward index `w` may know is nonsense: no seed, no money, no other ward, no lot of its own by name."""
    copy = nonsense(s, rng)
    o, now, over = copy[0], int(s["round"]), rounds_over(s)
    tidy(o)
    o["need"][: 2 * now, w] = s["need"][: 2 * now, w]
    o["consumed"][: 2 * over, w] = s["consumed"][: 2 * over, w]
    for name in ("requested", "allocated", "evidence", "redacted", "verdict", "verdict_quantity"):
        o[name][:now, w] = s[name][:now, w]
    for name in PAST:
        o[name][:, w] = s[name][:, w]
    o["pressure"][w], o["reputation"][w] = s["pressure"][w], s["reputation"][w]
    free = s["on_hand"][:, w + 1] - s["quarantined"][:, w + 1]
    o["on_hand"][:, w + 1] = free + o["quarantined"][:, w + 1]
    keep_events(s, o, rng)
    keep_recalls(s, o, w + 1, rng)
    hide_turn(s, o, w + 1, rng)
    return copy


def for_arbiter(s: Any, p: Any, rng: np.random.Generator) -> Any:
    """All but what the arbiter may know is nonsense: the line under review, verdicts, reputations, events."""
    copy = nonsense(s, rng)
    o, r, over = copy[0], int(s["round"]) - 1, rounds_over(s)
    tidy(o)
    o["verdict"][r], o["reputation"] = s["verdict"][r], s["reputation"]
    if s["phase"] == Phase.VERDICT:
        w, k = int(s["asked_ward"]), int(s["asked_sku"])
        for name in ("requested", "reason", "evidence", "redacted"):
            o[name][r, w, k] = s[name][r, w, k]
        for name in PAST:
            o[name][:, w, k] = s[name][:, w, k]
        o["requested"][:over, w, k], o["allocated"][:over, w, k] = s["requested"][:over, w, k], s["allocated"][:over, w, k]
        keep_shortages(s, o, over, [(w, k)], rng)
        split_need(s, o, r, (w, k), rng)
        if s["evidence"][r, w, k] or p["arbiter_sigma"]:
            o["seed"] = s["seed"]
    keep_events(s, o, rng)
    keep_recalls(s, o, None, rng)
    hide_turn(s, o, len(s["pressure"]) + 1, rng)
    return copy
