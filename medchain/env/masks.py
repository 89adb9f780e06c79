"""Masks of the discrete heads, compiled, from views.

The law: whatever one draws for each head from that head's mask alone is a legal action. It holds because the heads are
cut along the rules' dependencies (a line for evidence, another for review; supplier, priority, place and SKU of an order
as one choice), because heads that a tool does not use are ignored, and because two heads are read with good will: a
quantity that cannot be ordered becomes the nearest one that can, a lot number beyond the last lot means the last lot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.procurement import expedite, lead_time_of, matching_quote, unit_price
from medchain.core.words import Kind, OrderStatus, Phase, Ticket, Verdict
from medchain.env.spaces import TICKETS


@kernel
def filable(v: Any, p: Any, order: int, approval: bool) -> bool:
    """Whether a filing on an order's approval (else justification) ticket is legal: open, and it would still arrive."""
    ticket = int(v["order_approval"][order]) if approval else int(v["order_justification"][order])
    if ticket != Ticket.OPEN or int(v["order_status"][order]) != OrderStatus.WAITING:
        return False
    return int(v["day"]) + lead_time_of(v, p, order, int(v["disrupted"]) == 1) <= int(p["days"])


@kernel
def open_ticket(v: Any, p: Any, slot: int, approval: bool) -> int:
    """Order of the slot-th newest ticket that can be filed on, -1 if there are fewer."""
    for o in range(int(v["order_count"]) - 1, -1, -1):
        if filable(v, p, o, approval):
            if slot == 0:
                return o
            slot -= 1
    return -1


@kernel
def shelf_lot(v: Any, sku: int, location: int, slot: int) -> int:
    """The slot-th usable lot of a shelf (from 0, first to expire first; the last if there are fewer), -1 on an empty one."""
    found = -1
    while slot >= 0:
        best = -1
        for lot in range(int(v["lot_count"])):
            if int(v["lot_sku"][lot]) == sku and int(v["scan"][lot, location]) > 0:
                after = found < 0 or _expires_after(v, lot, found)
                if after and (best < 0 or _expires_after(v, best, lot)):
                    best = lot
        if best < 0:
            return found
        found = best
        slot -= 1
    return found


@kernel
def _expires_after(v: Any, lot: int, other: int) -> bool:
    """FEFO order; ties by age."""
    mine, its = int(v["lot_expiry"][lot]), int(v["lot_expiry"][other])
    return mine > its or (mine == its and lot > other)


@kernel
def legal_quantity(v: Any, p: Any, supplier: int, sku: int, expedited: bool, asked: int) -> int:
    """The largest quantity up to `asked` that one may order, else the smallest above it; 0 if there is none.

    Quotes make this more than a division: an order takes the terms of the oldest ready quote that covers its quantity.
    """
    most = int(p["order_quantity"])
    first = min(max(1, asked), most)
    units = first
    while units > 0:
        quote = matching_quote(v, p, supplier, sku, units)
        if _in_time(v, p, supplier, expedited, quote):
            affordable = _affordable(v, p, supplier, sku, expedited, quote, units)
            if affordable == units:
                return units
            units = affordable
        else:
            units = _smaller_quote(v, p, supplier, sku, quote, units)
    units = first + 1
    while units <= most:
        quote = matching_quote(v, p, supplier, sku, units)
        if _in_time(v, p, supplier, expedited, quote):
            return units if _affordable(v, p, supplier, sku, expedited, quote, units) == units else 0
        if quote < 0:
            return 0
        units = int(v["quote_quantity"][quote]) + 1
    return 0


@kernel
def _in_time(v: Any, p: Any, supplier: int, expedited: bool, quote: int) -> bool:
    days = int(v["lead_time"][supplier])
    if quote >= 0:
        days = int(v["quote_lead_time"][quote])
    return int(v["day"]) + expedite(days, expedited) <= int(p["days"])


@kernel
def _affordable(v: Any, p: Any, supplier: int, sku: int, expedited: bool, quote: int, units: int) -> int:
    """The part of `units` that the headroom pays for."""
    price = unit_price(p, supplier, sku, expedited, quote >= 0)
    return units if price * units <= int(v["headroom"]) else max(0, int(v["headroom"])) // price


@kernel
def _smaller_quote(v: Any, p: Any, supplier: int, sku: int, quote: int, units: int) -> int:
    """The largest quantity below `units` that another ready quote covers, older than `quote` if there is one; else 0."""
    best = 0
    for q in range(quote if quote >= 0 else int(v["quote_count"])):
        smaller = best < int(v["quote_quantity"][q]) < units
        if smaller and matching_quote(v, p, supplier, sku, int(v["quote_quantity"][q])) == q:
            best = int(v["quote_quantity"][q])
    return best


@kernel
def any_set(mask: Any) -> int:
    """1 if a mask has a choice, else 0."""
    for i in range(mask.shape[0]):
        if mask[i] == 1:
            return 1
    return 0


@kernel
def mask_coordinator(v: Any, p: Any, m: Any) -> None:
    """Masks of the coordinator's heads into `m`, which arrives zeroed; all zero while it is not its turn."""
    if int(v["phase"]) != Phase.COORDINATE:
        return
    m["tool"][:] = 1
    m["ward"][:] = 1
    m["filter"][:] = 1
    m["quantity"][:] = 1
    m["claim"][:] = 1
    m["lot"][:] = 1
    _mask_lines(v, p, m)
    _mask_orders(v, p, m)
    _mask_shelves(v, m)
    approvals = justifications = 0
    for o in range(int(v["order_count"]) - 1, -1, -1):
        if approvals < TICKETS and filable(v, p, o, True):
            m["approval"][approvals] = 1
            approvals += 1
        if justifications < TICKETS and filable(v, p, o, False):
            m["justification"][justifications] = 1
            justifications += 1
    tool = m["tool"]
    tool[Kind.SUBMIT_ALLOCATION_PLAN - 1] = 1 - int(v["planned"])
    tool[Kind.SUPPLIER_PORTAL_GET_QUOTE - 1] = 1 if int(v["quote_count"]) > 0 else 0
    tool[Kind.FINANCE_SAP_REQUEST_APPROVAL - 1] = m["approval"][0]
    tool[Kind.FILE_JUSTIFICATION - 1] = m["justification"][0]
    tool[Kind.REQUEST_EVIDENCE - 1] = any_set(m["evidence"])
    tool[Kind.ESCALATE_TO_CLINICAL_REVIEW - 1] = any_set(m["review"])
    tool[Kind.SUBMIT_PO - 1] = any_set(m["order"])
    tool[Kind.QUARANTINE_LOT - 1] = any_set(m["shelf"])


@kernel
def _mask_lines(v: Any, p: Any, m: Any) -> None:
    wards, skus = p["demand"].shape
    money = int(v["headroom"])
    evidence = int(v["evidence_left"]) > 0 and int(p["evidence_cost_cents"]) <= money
    review = int(v["reviews_left"]) > 0 and int(p["review_cost_cents"]) <= money and int(v["planned"]) == 0
    for w in range(wards):
        for k in range(skus):
            if int(p["demand"][w, k]) == 0:
                continue
            if evidence or int(v["evidence"][w, k]) > 0:
                m["evidence"][w * skus + k] = 1
            if review and int(v["requested"][w, k]) > 0 and int(v["verdict"][w, k]) == Verdict.NONE:
                m["review"][w * skus + k] = 1


@kernel
def _mask_orders(v: Any, p: Any, m: Any) -> None:
    suppliers, skus = p["sells"].shape
    places = v["scan"].shape[1]
    quoted = np.zeros((suppliers, skus), np.int8)
    for q in range(int(v["quote_count"]) - 1, -1, -1):
        if int(v["round"]) - int(v["quote_round"][q]) > int(p["quote_good_rounds"]):
            break
        quoted[int(v["quote_supplier"][q]), int(v["quote_sku"][q])] = 1
    may_order = int(v["orders_left"]) > 0
    for i in range(suppliers):
        for k in range(skus):
            if p["sells"][i, k] == 0:
                continue
            m["offer"][i * skus + k] = 1
            for fast in range(2):
                legal = may_order and (quoted[i, k] == 1 or _in_time(v, p, i, fast == 1, -1))
                if legal and legal_quantity(v, p, i, k, fast == 1, 1) > 0:
                    _mask_places(p, m, ((i * 2 + fast) * places) * skus + k, k)


@kernel
def _mask_places(p: Any, m: Any, at: int, sku: int) -> None:
    """Central and every ward that stocks the SKU; `at` is the choice of central."""
    skus = p["demand"].shape[1]
    m["order"][at] = 1
    for w in range(p["demand"].shape[0]):
        if int(p["demand"][w, sku]) > 0:
            m["order"][at + (w + 1) * skus] = 1


@kernel
def _mask_shelves(v: Any, m: Any) -> None:
    skus = v["past_requested"].shape[2]
    for lot in range(int(v["lot_count"])):
        for x in range(v["scan"].shape[1]):
            if int(v["scan"][lot, x]) > 0:
                m["shelf"][x * skus + int(v["lot_sku"][lot])] = 1


@kernel
def mask_ward(v: Any, p: Any, m: Any) -> None:
    """Mask of a ward's redaction: free when a disclosure is asked for, else its first choice, which then means nothing."""
    if int(v["phase"]) == Phase.DISCLOSE:
        m["redaction"][:] = 1
    elif int(v["phase"]) == Phase.REQUEST or int(v["phase"]) == Phase.REPLY:
        m["redaction"][0] = 1


@kernel
def mask_arbiter(v: Any, p: Any, m: Any) -> None:
    """Mask of the arbiter's verdict: any, when it is asked."""
    if int(v["phase"]) == Phase.VERDICT:
        m["verdict"][:] = 1
