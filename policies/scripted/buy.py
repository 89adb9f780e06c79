"""Buying: which supplier is cheapest in time, what a quote saves, what may be claimed so that it is sure to be sound."""

from __future__ import annotations

from typing import Any

from medchain.core.finance import is_short, running_total
from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.procurement import expedite, matching_quote, pipeline, unit_price
from medchain.core.words import Criticality, Event, EventStatus, Kind, OrderStatus, Ticket
from policies.scripted.shelf import usable


@kernel
def event_claim(v: Any, p: Any, k: int) -> int:
    """The type of an event that is on and bears on SKU `k`, so that it may be claimed; -1 if there is none."""
    for e in range(v["event_type"].shape[0]):
        kind, status = int(v["event_type"][e]), int(v["event_status"][e])
        if status != EventStatus.ACTIVE and status != EventStatus.WARNED:
            continue
        if kind == Event.MCI and int(p["criticality"][k]) >= Criticality.HIGH:
            return kind
        if kind == Event.SUPPLIER_DISRUPTION and int(p["sells"][int(p["disrupted_supplier"]), k]) == 1:
            return kind
        if kind == Event.COLD_CHAIN_BREACH and k == int(p["breach_sku"]):
            return kind
    return -1


@kernel
def may_claim(v: Any, p: Any, m: Any, k: int, more: int, days: int) -> bool:
    """Whether a claim for an order of SKU `k` with that lead time is sure to be sound: an event is on, or it is short.

    It must be short however wrong the scan of the wards, and with `more` units on order.
    """
    if event_claim(v, p, k) >= 0:
        return True
    asked = 0
    for w in range(p["demand"].shape[0]):
        asked += int(v["requested"][w, k])
    counted = usable(p, m, k) / max(0.01, 1.0 - p["wms_noise"]) + p["demand"].shape[0]
    return is_short(p, k, int(counted) + pipeline(v, k, -1) + more, asked, days)


@kernel
def file_open_tickets(v: Any, p: Any, queue: Any, n: int) -> int:
    """File every open ticket with one claim: an event that is on, else the shortage of the SKU."""
    for o in range(int(v["order_count"])):
        if int(v["order_status"][o]) != OrderStatus.WAITING:
            continue
        if int(v["order_justification"][o]) == Ticket.OPEN:
            n = _file(v, p, queue, n, Kind.FILE_JUSTIFICATION, o)
        if int(v["order_approval"][o]) == Ticket.OPEN:
            n = _file(v, p, queue, n, Kind.FINANCE_SAP_REQUEST_APPROVAL, o)
    return n


@kernel
def _file(v: Any, p: Any, queue: Any, n: int, kind: int, order: int) -> int:
    n = blank(queue, n, kind)
    queue[n - 1]["ticket"] = order
    event = event_claim(v, p, int(v["order_sku"][order]))
    if event >= 0:
        queue[n - 1]["claimed_types"] = 1 << event
    else:
        queue[n - 1]["claimed_skus"] = 1 << int(v["order_sku"][order])
    return n


@kernel
def best_offer(v: Any, p: Any, k: int, units: int, days: int, rush: bool, used: int) -> tuple[int, int, int]:
    """The cheapest way to have `units` within `days`: supplier (-1: none), expedited (0 or 1), cents each.

    `rush`: a claim for expediting would be sound; `used`: bits of the suppliers whose quotes are not to be counted on.
    """
    supplier, faster, price = -1, 0, 0
    for i in range(p["lead_time"].shape[0]):
        if int(p["sells"][i, k]) == 0:
            continue
        quote = matching_quote(v, p, i, k, units) if (used >> i) & 1 == 0 else -1
        lead = int(v["quote_lead_time"][quote]) if quote >= 0 else int(v["lead_time"][i])
        for e in range(2 if rush else 1):
            each = unit_price(p, i, k, e == 1, quote >= 0)
            if expedite(lead, e == 1) <= days and (supplier < 0 or each < price):
                supplier, faster, price = i, e, each
    return supplier, faster, price


@kernel
def order(queue: Any, n: int, supplier: int, k: int, to: int, units: int, faster: int) -> int:
    """Write a purchase order."""
    n = blank(queue, n, Kind.SUBMIT_PO)
    queue[n - 1]["supplier"] = supplier
    queue[n - 1]["sku"] = k
    queue[n - 1]["location"] = to
    queue[n - 1]["quantity"] = units
    queue[n - 1]["option"] = faster
    return n


@kernel
def under_gate(v: Any, p: Any, m: Any, supplier: int, k: int, units: int, price: int, days: int) -> int:
    """`units`, or fewer where the order would cross the approval gate and no claim is sure to be sound."""
    free = int(p["gate_cents"]) - running_total(v, supplier, k)
    if units * price <= free or may_claim(v, p, m, k, 0, days):
        return units
    return max(0, free // price)


@kernel
def ask_quote(v: Any, p: Any, queue: Any, n: int, k: int, units: int, days: int) -> int:
    """Ask the cheapest supplier that now delivers within `days` for a quote; it keeps price and lead time."""
    best = -1
    for i in range(p["lead_time"].shape[0]):
        if int(p["sells"][i, k]) == 0 or int(v["lead_time"][i]) > days:
            continue
        if best < 0 or int(p["price_percent"][i]) < int(p["price_percent"][best]):
            best = i
    if best < 0:
        return n
    n = blank(queue, n, Kind.SUPPLIER_PORTAL_REQUEST_QUOTE)
    queue[n - 1]["supplier"] = best
    queue[n - 1]["sku"] = k
    queue[n - 1]["quantity"] = units
    return n
