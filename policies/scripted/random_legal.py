"""`random_legal` makes one legal call after another, of any kind: tools, plans, orders, claims, audits."""

from __future__ import annotations

from typing import Any

from medchain.core.chance import uniform_micro
from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.procurement import expedite, lead_time_of, matching_quote, unit_price
from medchain.core.words import CENTRAL, EVERY, FIRST_TOOL, LAST_TOOL, Kind, OrderStatus, Ticket, Verdict
from policies.scripted.memory import own_draw
from policies.scripted.need import rounds

TRIES = 64
"""Draws of a call before it gives up and advances."""


@kernel
def below(m: Any, n: int) -> int:
    """A uniform integer in 0 .. n - 1 from the agent's own stream."""
    return (uniform_micro(own_draw(m)) * n) // 1000000


@kernel
def random_legal(v: Any, p: Any, m: Any, queue: Any) -> int:
    """Draw calls until one is legal."""
    for _ in range(TRIES):
        blank(queue, 0, FIRST_TOOL + below(m, LAST_TOOL - FIRST_TOOL + 1))
        _draw_arguments(v, p, m, queue[0])
        if _is_legal(v, p, m, queue[0]):
            return 1
    return blank(queue, 0, Kind.ADVANCE_ROUND)


@kernel
def _draw_arguments(v: Any, p: Any, m: Any, c: Any) -> None:
    kind, (wards, skus) = int(c["kind"]), p["demand"].shape
    narrow = kind == Kind.SUBMIT_PO or kind == Kind.QUARANTINE_LOT
    c["ward"] = below(m, wards)
    c["sku"] = below(m, skus)
    c["supplier"] = below(m, p["lead_time"].shape[0])
    c["location"] = below(m, wards + 1) if narrow else below(m, wards + 2) - 1
    c["lot"] = below(m, int(v["lot_count"])) if below(m, 2) == 0 else EVERY
    c["ticket"] = below(m, max(1, int(v["order_count"])))
    c["quote"] = below(m, max(1, int(v["quote_count"])))
    c["quantity"] = 1 + below(m, 60)
    c["option"] = below(m, 2)
    if kind == Kind.SUBMIT_ALLOCATION_PLAN:
        for w in range(wards):
            for k in range(skus):
                c["quantities"][w, k] = below(m, int(v["most_allowed"][w, k]) + 1)
                c["cites"][w, k] = below(m, 2)
    elif kind == Kind.FILE_JUSTIFICATION or kind == Kind.FINANCE_SAP_REQUEST_APPROVAL:
        c["claimed_types"] = below(m, 2) * (1 << below(m, 4))
        c["claimed_skus"] = 1 << below(m, skus)
        c["claimed_supplier"] = below(m, 2)


@kernel
def _is_legal(v: Any, p: Any, m: Any, c: Any) -> bool:
    kind, w, k = int(c["kind"]), int(c["ward"]), int(c["sku"])
    money, stocked = int(v["headroom"]), int(p["demand"][w, k]) > 0
    if kind == Kind.SUBMIT_ALLOCATION_PLAN:
        return int(v["planned"]) == 0
    if kind == Kind.SUPPLIER_PORTAL_REQUEST_QUOTE:
        return int(p["sells"][int(c["supplier"]), k]) == 1
    if kind == Kind.SUPPLIER_PORTAL_GET_QUOTE:
        return int(v["quote_count"]) > 0
    if kind == Kind.REQUEST_EVIDENCE:
        paid = int(v["evidence_left"]) > 0 and money >= int(p["evidence_cost_cents"])
        return stocked and (int(v["evidence"][w, k]) > 0 or paid)
    if kind == Kind.ESCALATE_TO_CLINICAL_REVIEW:
        paid = int(v["reviews_left"]) > 0 and money >= int(p["review_cost_cents"])
        fresh = int(v["planned"]) == 0 and int(v["verdict"][w, k]) == Verdict.NONE
        return paid and fresh and int(v["requested"][w, k]) > 0
    if kind == Kind.SUBMIT_PO:
        return _may_order(v, p, m, c)
    if kind == Kind.FILE_JUSTIFICATION or kind == Kind.FINANCE_SAP_REQUEST_APPROVAL:
        return _may_file(v, p, m, c)
    if kind == Kind.QUARANTINE_LOT:
        return _may_quarantine(v, c)
    return True


@kernel
def _may_order(v: Any, p: Any, m: Any, c: Any) -> bool:
    i, k, to, rush = int(c["supplier"]), int(c["sku"]), int(c["location"]), int(c["option"]) == 1
    if int(p["sells"][i, k]) == 0 or (to != CENTRAL and int(p["demand"][to - 1, k]) == 0) or int(v["orders_left"]) == 0:
        return False
    quote = matching_quote(v, p, i, k, int(c["quantity"]))
    days = int(v["quote_lead_time"][quote]) if quote >= 0 else int(v["lead_time"][i])
    cost = unit_price(p, i, k, rush, quote >= 0) * int(c["quantity"])
    return int(v["day"]) + expedite(days, rush) <= 2 * rounds(m) and cost <= int(v["headroom"])


@kernel
def _may_file(v: Any, p: Any, m: Any, c: Any) -> bool:
    o = int(c["ticket"])
    if o >= int(v["order_count"]) or int(v["order_status"][o]) != OrderStatus.WAITING:
        return False
    ticket = v["order_justification"] if int(c["kind"]) == Kind.FILE_JUSTIFICATION else v["order_approval"]
    days = lead_time_of(v, p, o, int(v["disrupted"]) == 1)
    return int(ticket[o]) == Ticket.OPEN and int(v["day"]) + days <= 2 * rounds(m)


@kernel
def _may_quarantine(v: Any, c: Any) -> bool:
    units = 0
    for lot in range(int(v["lot_count"])):
        if int(v["lot_sku"][lot]) == int(c["sku"]) and (int(c["lot"]) == EVERY or int(c["lot"]) == lot):
            units += int(v["scan"][lot, int(c["location"])])
    return units > 0
