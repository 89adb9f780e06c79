"""Laws of money: the limit holds, and every cent that moves has a reason."""

from __future__ import annotations

import numpy as np

from medchain.core.words import Kind, OrderStatus, Phase
from tests.laws.trace import Trace, kind_is

ALIVE = (OrderStatus.WAITING, OrderStatus.IN_TRANSIT)


def the_limit_holds(t: Trace) -> None:
    """Committed + spent never exceeds the limit."""
    total = t.after["committed"] + t.after["spent_on_orders"] + t.after["spent_on_audit"]
    t.must(total <= t.after["limit"], "committed + spent <= limit")


def the_books_agree_with_the_orders(t: Trace) -> None:
    """Committed is the cost of open orders, spent that of received ones."""
    status, cost = t.after["order_status"], t.after["order_cost"]
    t.must(np.where(np.isin(status, ALIVE), cost, 0).sum(axis=1) == t.after["committed"], "committed: open orders")
    received = np.where(status == OrderStatus.RECEIVED, cost, 0).sum(axis=1)
    t.must(received == t.after["spent_on_orders"], "spent: received orders")


def money_moves_for_a_reason(t: Trace) -> None:
    """Audit costs what the rules say when it is granted; an order costs its price, and nothing else moves money."""
    ok = t.results["ok"] == 1
    asks = ok & kind_is(t, Kind.REQUEST_EVIDENCE) & (t.after["phase"] == Phase.DISCLOSE)
    reviews = ok & kind_is(t, Kind.ESCALATE_TO_CLINICAL_REVIEW)
    paid = t.after["spent_on_audit"] - t.before["spent_on_audit"]
    due = asks * int(t.p["evidence_cost_cents"]) + reviews * int(t.p["review_cost_cents"])
    t.must((paid == due) | t.closes, "audit costs its price")
    orders, files = kind_is(t, Kind.SUBMIT_PO), kind_is(t, Kind.FILE_JUSTIFICATION, Kind.FINANCE_SAP_REQUEST_APPROVAL)
    for i in np.flatnonzero(t.changed["committed"] & ~t.closes).tolist():
        moved = int(t.after["committed"][i] - t.before["committed"][i])
        out = t.results[i]
        order = int(out["number"]) - 1
        assert ok[i] and (orders[i] or files[i])
        assert moved == (1 if orders[i] else -1) * int(t.after["order_cost"][i][order])
        assert t.after["order_status"][i][order] == OrderStatus.CANCELLED or orders[i]
    t.must(~t.changed["spent_on_orders"] | t.closes, "orders are paid for when they are received")


def orders_stay_within_their_rules(t: Trace) -> None:
    """At most so many a round, at the price of the catalogue, and above the gate they wait."""
    placed = (t.after["order_placed_day"] + 1) // 2 == t.after["round"][:, None]
    t.must(placed.sum(axis=1) <= t.p["orders_per_round"], "orders a round")
    for i in np.flatnonzero(t.changed["order_count"]).tolist():
        s, e = t.before[i], t.after[i]
        o = int(s["order_count"])
        assert int(e["order_count"]) == o + 1
        supplier, sku, units = (int(e[f"order_{name}"][o]) for name in ("supplier", "sku", "quantity"))
        cents = int(t.p["unit_cost"][sku]) * int(t.p["price_percent"][supplier])
        cents *= 120 if e["order_expedited"][o] else 100
        cents *= 96 if e["order_quoted"][o] else 100
        assert abs(int(e["order_cost"][o]) - cents * units / 10**6) <= units / 2, "the price of the catalogue"
        same = [
            int(e["order_cost"][j])
            for j in range(o + 1)
            if (int(e["order_placed_day"][j]), int(e["order_supplier"][j]), int(e["order_sku"][j]))
            == (int(s["day"]), supplier, sku)
            and (j == o or s["order_status"][j] != OrderStatus.CANCELLED)
        ]
        assert bool(e["order_approval"][o]) == (sum(same) > t.p["gate_cents"]), "the gate is on the running total"
        assert bool(e["order_justification"][o]) == bool(e["order_expedited"][o]), "an expedited order is justified"
        waits = bool(e["order_approval"][o]) or bool(e["order_justification"][o])
        if not t.closes[i]:
            assert e["order_status"][o] == (OrderStatus.WAITING if waits else OrderStatus.IN_TRANSIT)


def quotes_are_used_once(t: Trace) -> None:
    """A quote is used by one order, for its supplier and SKU, up to its quantity, in the two rounds after its own."""
    for i in np.flatnonzero(t.changed["quote_used"]).tolist():
        s, e = t.before[i], t.after[i]
        q = np.flatnonzero(s["quote_used"] != e["quote_used"])
        o = int(s["order_count"])
        assert len(q) == 1 and not s["quote_used"][q[0]] and e["order_quoted"][o]
        for name in ("sku", "supplier"):
            assert s[f"quote_{name}"][q[0]] == e[f"order_{name}"][o]
        assert e["order_quantity"][o] <= s["quote_quantity"][q[0]]
        assert 1 <= int(s["round"]) - int(s["quote_round"][q[0]]) <= int(t.p["quote_good_rounds"])
        faster = 1 if e["order_expedited"][o] else 0
        assert e["order_lead_time"][o] == max(1, s["quote_lead_time"][q[0]] - faster)
