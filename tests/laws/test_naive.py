"""The kernels and the naive hospital keep the same goods, whole random episodes long."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.words import Kind, OrderStatus, Phase
from tests.laws.naive import Hospital, ordered_lots
from tests.laws.test_laws import COMMANDS, drives
from tests.laws.trace import Habits, Trace, drive_many

BOOKS = ("received", "injected", "used", "expired", "discarded", "recalled_used")


def on_their_way(s: Any, e: Any) -> list[dict[str, int]]:
    """Orders in transit while a round closes, by number: as of before the closing call, or sent off by it (the last one)."""
    moving = s["order_status"] == OrderStatus.IN_TRANSIT
    open_before = np.isin(s["order_status"], (OrderStatus.NONE, OrderStatus.WAITING))
    moving |= open_before & (e["order_due_day"] > 0)
    names = {"sku": "order_sku", "quantity": "order_quantity", "cost": "order_cost"}
    names |= {"destination": "order_destination", "due": "order_due_day"}
    return [{short: int(e[name][o]) for short, name in names.items()} for o in np.flatnonzero(moving).tolist()]


def same_goods(h: Hospital, s: Any) -> None:
    """Fail unless the record holds what the hospital holds."""
    lots, places = np.nonzero(s["on_hand"])
    found = {
        (int(i), int(x)): (int(s["on_hand"][i, x]), int(s["quarantined"][i, x])) for i, x in zip(lots, places, strict=True)
    }
    assert found == h.table()
    for book in BOOKS:
        assert s[book].tolist() == getattr(h, book), book
    assert int(s["wasted_value"]) == h.wasted_value
    assert int(s["ordered_value_used"]) == h.ordered_value_used
    assert int(s["lot_count"]) == len(h.lots)
    assert [int(x) for x in s["lot_expiry"][: len(h.lots)]] == [lot.expiry for lot in h.lots]
    assert ordered_lots(s) == {lot.number for lot in h.lots if lot.ordered}


def same_round(h: Hospital, s: Any, r: int) -> None:
    """Fail unless the round that closed left the same consumption, closing stock and ERP copies."""
    for day in (2 * r + 1, 2 * r + 2):
        for w in range(h.wards):
            for k in range(h.skus):
                assert int(s["consumed"][day - 1, w, k]) == h.consumed[day, w, k]
    for (w, k), units in h.closing.items():
        assert int(s["closing_stock"][r, w, k]) == units
    for name, copy in (("erp_now", h.erp_now), ("erp_before", h.erp_before)):
        lots, places = np.nonzero(s[name])
        rows = {(int(i), int(x)): int(s[name][i, x]) for i, x in zip(lots, places, strict=True)}
        assert rows == {place: units for place, (units, _) in copy.items()}, name


def shadow(trace: Trace) -> int:
    """Walk an episode beside the naive hospital; returns how many rounds they closed together."""
    h = Hospital(trace.states[0], trace.p)
    closed = 0
    for s, e, c, out in zip(trace.before, trace.after, trace.commands, trace.results, strict=True):
        r = int(s["round"]) - 1
        if out["ok"] and c["kind"] == Kind.SUBMIT_ALLOCATION_PLAN:
            for w in range(h.wards):
                for k in range(h.skus):
                    h.issue(w, k, int(e["allocated"][r, w, k]))
        elif out["ok"] and c["kind"] == Kind.QUARANTINE_LOT:
            h.quarantine(int(c["sku"]), int(c["lot"]), int(c["location"]))
        if out["advanced"]:
            h.close_round(on_their_way(s, e), last=int(e["phase"]) == Phase.ENDED)
            same_round(h, e, r)
            closed += 1
        if out["advanced"] or c["kind"] in (Kind.SUBMIT_ALLOCATION_PLAN, Kind.QUARANTINE_LOT):
            same_goods(h, e)
    return closed


@drives
def test_the_naive_hospital_agrees(name: str, seed: int, hostile: int, advance: int) -> None:
    closed = sum(shadow(trace) for trace in drive_many(name, seed, Habits(hostile, advance), COMMANDS))
    assert closed > 0 or hostile == 85
