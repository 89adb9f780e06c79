"""Laws of goods: every unit is somewhere, nobody gets what is not there, the earliest goes first."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.record import TABLES
from medchain.core.words import CENTRAL, NEVER, Criticality, Kind, OrderStatus, Phase
from tests.laws.trace import Trace, kind_is

TAPE = ("seed", "event_count", "event_type", "event_day", "need", "opening_value", "opened", "limit")
TAPE += ("past_requested", "past_allocated", "past_consumed", "past_short")
FLOWS = ("received", "injected", "used", "expired", "discarded")
MAY_BE_NEGATIVE = ("event_type", "asked_ward", "asked_sku", "lot_next", "first_lot", "recall_lot")


def per_sku(lot_sku: Any, units: Any, skus: int) -> Any:
    """Sum lot quantities [n, L] by SKU: [n, S]."""
    return np.stack([np.where(lot_sku == k, units, 0).sum(axis=1) for k in range(skus)], axis=1)


def the_tape_never_changes(t: Trace) -> None:
    """What chance decided at reset stays."""
    for name in TAPE:
        t.must(~t.changed[name], f"{name} is fixed at reset")


def units_are_conserved(t: Trace) -> None:
    """Opened + received + injected = on hand + used + expired + discarded, per SKU."""
    s = t.after
    on_hand = per_sku(s["lot_sku"], s["on_hand"].sum(axis=2, dtype=np.int64), s["opened"].shape[1])
    left = s["opened"] + s["received"] + s["injected"] - s["used"] - s["expired"] - s["discarded"]
    t.must((on_hand == left).all(axis=1), "units are conserved")


def nothing_is_negative(t: Trace) -> None:
    """No count is below zero; a lot holds no more quarantined units than units."""
    for name in t.states.dtype.names:
        if name not in MAY_BE_NEGATIVE and t.states.dtype[name].base.kind == "i":
            t.must((t.after[name].reshape(len(t.after), -1) >= 0).all(axis=1), f"{name} is not negative")
    t.must((t.after["quarantined"] <= t.after["on_hand"]).all(axis=(1, 2)), "quarantined <= on hand")


def goods_move_only_when_they_may(t: Trace) -> None:
    """Stock changes at a round's close and by a plan; a quarantine changes what is usable, and nothing else."""
    plan, hold = kind_is(t, Kind.SUBMIT_ALLOCATION_PLAN), kind_is(t, Kind.QUARANTINE_LOT)
    t.must(~t.changed["on_hand"] | plan | t.closes, "goods move by plan or at the close")
    t.must(~t.changed["quarantined"] | hold | t.closes, "a quarantine is ordered, or found at an opening")
    for name in FLOWS:
        t.must(~t.changed[name] | t.closes, f"{name} grows at the close")
        t.must((t.after[name] >= t.before[name]).all(axis=1), f"{name} never falls")


def quarantined_units_stay(t: Trace) -> None:
    """What is quarantined leaves by expiry or as discarded blood only: so no patient gets it."""
    critical = t.p["criticality"] == Criticality.CRITICAL
    sku, day = t.after["lot_sku"], t.after["day"][:, None]
    lost = t.after["lot_expiry"] <= day
    thrown = critical[sku][:, :, None] & (np.arange(t.after["on_hand"].shape[2]) != CENTRAL)
    fell = t.after["quarantined"] < t.before["quarantined"]
    t.must(~(fell & ~lost[:, :, None] & ~thrown).any(axis=(1, 2)), "quarantined units stay")


def nothing_expired_is_kept(t: Trace) -> None:
    """From the morning of its expiry day a lot is nowhere; undated lots never expire."""
    known = np.arange(t.after["lot_sku"].shape[1]) < t.after["lot_count"][:, None]
    stale = known & (t.after["lot_expiry"] <= t.after["day"][:, None])
    t.must((~stale | (t.after["on_hand"].sum(axis=2) == 0)).all(axis=1), "expired lots are gone")
    t.must((t.after["lot_expiry"] <= NEVER).all(axis=1), "no lot outlasts `never`")


def lots_stand_in_fefo_order(t: Trace) -> None:
    """Each SKU's list holds all its lots that are anywhere, earliest expiry first, ties by age."""
    s = t.after
    rows = np.arange(len(s))
    seen = np.zeros(s["lot_sku"].shape, bool)
    for k in range(s["first_lot"].shape[1]):
        at, expiry, last = s["first_lot"][:, k].astype(int), np.full(len(s), -1), np.full(len(s), -1)
        while (at >= 0).any():
            on = at >= 0
            due = np.where(on, s["lot_expiry"][rows, at], expiry)
            t.must(~on | ~seen[rows, at], "a lot is listed once")
            t.must(~on | (s["lot_sku"][rows, at] == k), "a list holds one SKU")
            t.must(~on | (due > expiry) | ((due == expiry) & (at > last)), "FEFO: earliest first, ties by age")
            seen[rows[on], at[on]] = True
            expiry, last = due, np.where(on, at, last)
            at = np.where(on, s["lot_next"][rows, at], -1)
    t.must((seen | (s["on_hand"].sum(axis=2) == 0)).all(axis=1), "every lot that is somewhere is listed")


def allocations_are_covered(t: Trace) -> None:
    """No line gets more than its request or verdict, nor the wards together more than central has; central's FEFO."""
    for i in np.flatnonzero(t.changed["allocated"]).tolist():
        s, e = t.before[i], t.after[i]
        r = int(s["round"]) - 1
        assert t.commands[i]["kind"] == Kind.SUBMIT_ALLOCATION_PLAN and not s["planned"][r] and e["planned"][r]
        got, plan = e["allocated"][r].astype(int), t.commands[i]["quantities"]
        allowed = np.where(s["verdict"][r] > 0, s["verdict_quantity"][r], s["requested"][r])
        wanted = np.minimum(plan, allowed)
        free = (s["on_hand"] - s["quarantined"])[:, CENTRAL]
        for k in range(got.shape[1]):
            stock = int(free[s["lot_sku"] == k].sum())
            assert (got[:, k] <= wanted[:, k]).all(), "a line gets at most its plan, request and verdict"
            assert got[:, k].sum() == min(stock, wanted[:, k].sum()), "central gives what is planned, or all it has"
            if e["round"] == r + 1 and e["phase"] == Phase.COORDINATE:
                _earliest_left(s, e, k)  # where the plan was the round's last call, it is used up already
    t.must(~(t.after["allocated"] > t.after["requested"]).any(axis=(1, 2, 3)), "no line above its request")
    cut = (t.after["verdict"] > 0) & (t.after["allocated"] > t.after["verdict_quantity"])
    t.must(~cut.any(axis=(1, 2, 3)), "no line above its verdict")


def _earliest_left(s: Any, e: Any, k: int) -> None:
    """Of two lots at central, the later one moved only if the earlier one moved whole."""
    lots = [i for i in range(int(s["lot_count"])) if s["lot_sku"][i] == k and s["on_hand"][i, CENTRAL] > 0]
    lots.sort(key=lambda i: (s["lot_expiry"][i], i))
    kept = False
    for i in lots:
        free = s["on_hand"][i, CENTRAL] - s["quarantined"][i, CENTRAL]
        moved = s["on_hand"][i, CENTRAL] - e["on_hand"][i, CENTRAL]
        assert 0 <= moved <= free and not (kept and moved), "FEFO at central"
        assert moved == (e["on_hand"][i, 1:] - s["on_hand"][i, 1:]).sum(), "what left central is in the wards"
        kept = kept or moved < free


def unused_rows_hold_nothing(t: Trace) -> None:
    """Rows of lots, orders and quotes that are not in use are zero, so that a record can be wiped by its counts."""
    for count, columns in TABLES.items():
        for name in columns:
            unused = np.arange(t.after[name].shape[1]) >= t.after[count][:, None]
            rows = t.after[name].reshape(len(t.after), unused.shape[1], -1)
            t.must(~(unused & rows.any(axis=2)).any(axis=1), f"unused rows of {name} are zero")


def orders_arrive_on_their_day(t: Trace) -> None:
    """Received: exactly the orders in transit whose day has come; never one that waits or is cancelled."""
    was, now, due = t.before["order_status"], t.after["order_status"], t.after["order_due_day"]
    came = (now == OrderStatus.RECEIVED) & (was != OrderStatus.RECEIVED)
    day, then = t.after["day"][:, None], t.before["day"][:, None]
    t.must(~came.any(axis=1) | t.closes, "orders come in the morning")
    t.must(~(came & ((due > day) | (due <= then))).any(axis=1), "on their due day")
    sent = kind_is(t, Kind.SUBMIT_PO, Kind.FILE_JUSTIFICATION, Kind.FINANCE_SAP_REQUEST_APPROVAL)  # the round's last call
    t.must(~(came & (was != OrderStatus.IN_TRANSIT)).any(axis=1) | sent, "only what was on its way")
    t.must(~(came & (was == OrderStatus.CANCELLED)).any(axis=1), "no cancelled order")
    t.must(~((now == OrderStatus.IN_TRANSIT) & (due <= day)).any(axis=1), "no order is late")
    t.must(~((now == OrderStatus.WAITING) & (due != 0)).any(axis=1), "a waiting order has no due day")
    last = t.states["need"].shape[1]
    t.must(~((now == OrderStatus.IN_TRANSIT) & (due > last)).any(axis=1), "no order is due after the end")
