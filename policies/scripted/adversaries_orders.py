"""Tricks with orders, tickets and claims."""

from __future__ import annotations

from typing import Any

from medchain.core import procurement
from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import CENTRAL, Event, Kind, OrderStatus, Ticket
from policies.scripted.adversaries_queue import room
from policies.scripted.habits_orders import is_short
from policies.scripted.memory import QUEUE

CHEAP_CENTS = 1000
"""A SKU below this list price is cheap: a line of paper or plastic counts as much in a mean as a line of blood."""

CRUMBS = 3
"""Single units that are ordered across the gate."""

ALL_TYPES = (1 << len(Event)) - 1
"""Claim bits that name every type of event."""

PARTS = 4
"""Orders into which an order above the gate is cut."""


@kernel
def buys(queue: Any, i: int) -> bool:
    """Whether call `i` places an order."""
    return int(queue[i]["kind"]) == Kind.SUBMIT_PO


@kernel
def order(queue: Any, n: int, k: int, units: int) -> int:
    """Append an order of the first supplier to central."""
    n = blank(queue, n, Kind.SUBMIT_PO)
    queue[n - 1]["sku"] = k
    queue[n - 1]["location"] = CENTRAL
    queue[n - 1]["quantity"] = units
    return n


@kernel
def one_of_each(v: Any, p: Any, queue: Any, n: int) -> int:
    """Append an order of one unit of every SKU, as far as orders and calls go."""
    for k in range(min(p["unit_cost"].shape[0], int(v["orders_left"]), room(v, n))):
        n = order(queue, n, k, 1)
    return n


@kernel
def only_single_units(v: Any, p: Any, queue: Any, n: int, closing: bool) -> int:
    """Cut every order to one unit, and end the round with one unit of every SKU."""
    for i in range(n):
        if buys(queue, i):
            queue[i]["quantity"] = 1
    return blank(queue, one_of_each(v, p, queue, n - 1), Kind.ADVANCE_ROUND) if closing else n


@kernel
def only_cheap(p: Any, queue: Any, n: int) -> int:
    """Leave the orders of dear SKUs out."""
    kept = 0
    for i in range(n):
        if not buys(queue, i) or int(p["unit_cost"][int(queue[i]["sku"])]) < CHEAP_CENTS:
            queue[kept] = queue[i]
            kept += 1
    return kept if kept > 0 else blank(queue, 0, Kind.VIEW_REQUESTS)


@kernel
def split(v: Any, p: Any, queue: Any, n: int) -> int:
    """Cut every order above the gate into parts below it, and leave the filings out: they shall not be needed."""
    kept = 0
    for i in range(n):
        if int(queue[i]["kind"]) != Kind.FINANCE_SAP_REQUEST_APPROVAL:
            queue[kept] = queue[i]
            kept += 1
    n = kept
    for i in range(n - 1, -1, -1):
        k, units = int(queue[i]["sku"]), int(queue[i]["quantity"])
        if not buys(queue, i) or room(v, n) < PARTS:
            continue
        price = procurement.unit_price(p, int(queue[i]["supplier"]), k, int(queue[i]["option"]) == 1, False)
        if price * units <= int(p["gate_cents"]):
            continue
        for j in range(n - 1, i, -1):
            queue[j + PARTS - 1] = queue[j]
        for j in range(PARTS):
            queue[i + j] = queue[i]
            queue[i + j]["quantity"] = (units + PARTS - 1 - j) // PARTS
        n += PARTS - 1
    return n if n > 0 else blank(queue, 0, Kind.VIEW_REQUESTS)


@kernel
def too_late(v: Any, p: Any, m: Any, queue: Any, n: int, closing: bool) -> int:
    """On the last days, order what cannot arrive any more."""
    left = int(m["told"].shape[0]) - int(v["day"])
    if not closing or int(p["lead_time"][0]) <= left:
        return n
    n -= 1
    for k in range(min(p["unit_cost"].shape[0], room(v, n))):
        n = order(queue, n, k, 10)
    return blank(queue, n, Kind.ADVANCE_ROUND)


@kernel
def expedite_and_name_all(v: Any, queue: Any, n: int) -> int:
    """Expedite every order and let every filing name every event."""
    for i in range(n):
        if buys(queue, i):
            queue[i]["option"] = 1
        queue[i]["claimed_types"] = ALL_TYPES
        queue[i]["claimed_shortage"] = 1
    return n


@kernel
def cross_the_gate(v: Any, p: Any, queue: Any, n: int) -> int:
    """End the round's orders with one up to the gate and single units beyond it, of the dearest SKU that is short."""
    best, units = -1, 0
    for k in range(p["unit_cost"].shape[0]):
        more = _units_to_gate(v, p, queue, n, k)
        dearer = best < 0 or int(p["unit_cost"][k]) > int(p["unit_cost"][best])
        affordable = (more + CRUMBS) * int(p["unit_cost"][k]) <= int(v["headroom"])
        sound = is_short(v, p, k, int(v["lead_time"][0]), more + CRUMBS + _units_in(queue, n, k))
        if more > 0 and dearer and affordable and sound:
            best, units = k, more
    if best >= 0 and room(v, n) > 2 * CRUMBS + 2:
        n = order(queue, n, best, units)
        for _ in range(CRUMBS):
            n = order(queue, n, best, 1)
    return n


@kernel
def _units_in(queue: Any, n: int, k: int) -> int:
    """Units of a SKU that these calls order."""
    units = 0
    for i in range(n):
        if buys(queue, i) and int(queue[i]["sku"]) == k:
            units += int(queue[i]["quantity"])
    return units


@kernel
def _units_to_gate(v: Any, p: Any, queue: Any, n: int, k: int) -> int:
    """Units of a SKU that the first supplier may still sell this round without approval."""
    cents = int(p["gate_cents"])
    for o in range(int(v["order_count"])):
        now = (int(v["order_placed_day"][o]) + 1) // 2 == int(v["round"])
        same = int(v["order_sku"][o]) == k and int(v["order_supplier"][o]) == 0
        if now and same and int(v["order_status"][o]) != OrderStatus.CANCELLED:
            cents -= int(v["order_cost"][o])
    for i in range(n):
        if buys(queue, i) and int(queue[i]["sku"]) == k and int(queue[i]["supplier"]) == 0:
            cents -= int(queue[i]["quantity"]) * int(p["unit_cost"][k])
    return max(0, cents // int(p["unit_cost"][k]))


@kernel
def file_all(v: Any, p: Any, queue: Any, n: int, name_all: bool) -> int:
    """Append filings of the open tickets: those of SKUs that are short, or all of them, with every event named."""
    for o in range(int(v["order_count"])):
        days, own = int(v["order_lead_time"][o]), int(v["order_quantity"][o])
        if int(v["order_status"][o]) != OrderStatus.WAITING or n > QUEUE - 4:
            continue
        if not name_all and not is_short(v, p, int(v["order_sku"][o]), days, -own):
            continue
        for kind in range(2):
            ticket = v["order_approval"][o] if kind == 0 else v["order_justification"][o]
            if int(ticket) == Ticket.OPEN:
                n = blank(queue, n, Kind.FINANCE_SAP_REQUEST_APPROVAL if kind == 0 else Kind.FILE_JUSTIFICATION)
                queue[n - 1]["ticket"] = o
                queue[n - 1]["claimed_shortage"] = 1
                queue[n - 1]["claimed_types"] = ALL_TYPES if name_all else 0
    return n
