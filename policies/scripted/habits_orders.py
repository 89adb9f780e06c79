"""How the coordinator of habits buys: orders to par, rescue of the second day, quotes, and filings."""

from __future__ import annotations

from typing import Any

from medchain.core import events, finance, procurement
from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import CENTRAL, Criticality, EventStatus, Kind, OrderStatus, Ticket
from policies.scripted.habits_vector import days_left, of_ward, on_shelf, usual
from policies.scripted.memory import QUEUE

FIRST, BACKUP, FAST = 0, 1, 2
"""Supplier numbers: the cheapest, one that is never disrupted, one that delivers tomorrow."""

ROOM = 12
"""Places at the end of a queue that orders leave alone."""

MANY = 100_000
"""Units that a quote is asked for: it covers any order."""


@kernel
def place_orders(v: Any, p: Any, h: Any, m: Any, queue: Any, n: int) -> int:
    """Orders to central up to par, then to the wards for today's shortage, within this round's money."""
    rounds_left = max(1, (days_left(m, int(v["day"])) + 1) // 2)
    share = min(1.0, (0.5 + 3.0 * h["pace"]) / rounds_left)
    money = int(int(v["headroom"]) * share)
    n, money = _rescue(v, p, h, m, queue, n, money)
    for place in range(p["unit_cost"].shape[0]):
        n, money = _order_to_par(v, p, h, m, queue, n, money, _next_sku(v, p, h, m, place))
    if h["quotes"] > 0.5 and rounds_left > 1:
        for k in range(p["unit_cost"].shape[0]):
            n = _ask_quote(k, queue, n)
    return n


@kernel
def _ask_quote(k: int, queue: Any, n: int) -> int:
    if n >= QUEUE - ROOM:
        return n
    n = blank(queue, n, Kind.SUPPLIER_PORTAL_REQUEST_QUOTE)
    queue[n - 1]["supplier"] = FIRST
    queue[n - 1]["sku"] = k
    queue[n - 1]["quantity"] = MANY
    return n


@kernel
def _rate(p: Any, h: Any, m: Any, k: int) -> float:
    """Units of a SKU that the network is expected to use a day."""
    known, seen = 0.0, 0.0
    for w in range(p["demand"].shape[0]):
        share = 1.0 if int(p["ward_acute"][w]) == 1 or int(p["criticality"][k]) < 2 else h["others_blood"]
        known += share * int(p["demand"][w, k]) * (0.5 + 1.5 * h["baseline"])
        seen += share * m["estimate"][w, k] / 2.0
    return (1.0 - h["follow"]) * known + h["follow"] * seen


@kernel
def _in_sight(v: Any, m: Any, k: int) -> float:
    """Units that central will have after this plan, with those under way that today's patients will not use up."""
    units = float(on_shelf(v, k, CENTRAL))
    for w in range(v["requested"].shape[0]):
        units -= int(m["grant"][w, k])
    for o in range(int(v["order_count"])):
        alive = int(v["order_status"][o]) == OrderStatus.WAITING or int(v["order_status"][o]) == OrderStatus.IN_TRANSIT
        later = int(v["order_destination"][o]) == CENTRAL or int(v["order_due_day"][o]) > int(v["day"]) + 1
        if alive and later and int(v["order_sku"][o]) == k:
            units += int(v["order_quantity"][o])
    return max(0.0, units)


@kernel
def _next_sku(v: Any, p: Any, h: Any, m: Any, place: int) -> int:
    """The SKU whose order is number `place` in the queue for money; ties by SKU number."""
    skus = p["unit_cost"].shape[0]
    for k in range(skus):
        before, mine = 0, _eagerness(v, p, h, m, k)
        for other in range(skus):
            theirs = _eagerness(v, p, h, m, other)
            before += 1 if theirs > mine or (theirs == mine and other < k) else 0
        if before == place:
            return k
    return 0


@kernel
def _eagerness(v: Any, p: Any, h: Any, m: Any, k: int) -> float:
    cost = float(int(p["unit_cost"][k]))
    if h["cheap_first"] > 2.0 / 3.0:
        return -cost
    if h["cheap_first"] < 1.0 / 3.0:
        return cost
    return -_in_sight(v, m, k) / max(0.1, _rate(p, h, m, k))


@kernel
def _par_days(p: Any, h: Any, k: int) -> float:
    level = of_ward(h["par_normal"], h["par_high"], h["par_critical"], int(p["criticality"][k]))
    return min(10.0 * level, float(int(p["shelf_life"][k]) - 1))


@kernel
def _is_too_dear(p: Any, h: Any, k: int) -> bool:
    return int(p["unit_cost"][k]) > 200.0 * 225.0 ** h["dearest"] + 0.5


@kernel
def _order_to_par(v: Any, p: Any, h: Any, m: Any, queue: Any, n: int, money: int, k: int) -> tuple[int, int]:
    """Order what SKU k lacks of par; returns the queue's length and the money left."""
    quoted = _has_quote(v, p, FIRST, k)
    slow = int(v["disrupted"]) == 1 and not quoted
    supplier = BACKUP if slow and h["backup"] > 0.5 else FIRST
    days = int(p["lead_time"][supplier]) if quoted else int(v["lead_time"][supplier])
    useful = days_left(m, int(v["day"]) + days)
    if _is_too_dear(p, h, k) or useful <= 0 or n >= QUEUE - ROOM:
        return n, money
    lacking = _rate(p, h, m, k) * min(_par_days(p, h, k), float(useful)) - _in_sight(v, m, k)
    if lacking < 1.0:
        return n, money
    price = procurement.unit_price(p, supplier, k, False, quoted and supplier == FIRST)
    units = min(max(1, int(lacking * h["order_size"])), money // price)
    gate = int(p["gate_cents"])
    under = gate // price
    if units > under and (h["approvals"] < 0.25 or not is_short(v, p, k, days, 0)):
        units = under
    if units <= 0:
        return n, money
    n = _deliver(p, h, queue, n, supplier, k, units)
    if h["approvals"] > 0.75 and units == under and is_short(v, p, k, days, units):
        n = _order(queue, n, supplier, k, CENTRAL, 1, False)
    return n, money - units * price


@kernel
def _deliver(p: Any, h: Any, queue: Any, n: int, supplier: int, k: int, units: int) -> int:
    """Order `units`, a share of them to the wards by usual demand, the rest to central."""
    network, rest = 0, units
    for w in range(p["demand"].shape[0]):
        network += int(p["demand"][w, k])
    for w in range(p["demand"].shape[0]):
        straight = int(units * h["direct"] * int(p["demand"][w, k]) / network)
        if straight > 0 and n < QUEUE - ROOM:
            n = _order(queue, n, supplier, k, w + 1, straight, False)
            rest -= straight
    return _order(queue, n, supplier, k, CENTRAL, rest, False) if rest > 0 else n


@kernel
def _has_quote(v: Any, p: Any, supplier: int, k: int) -> bool:
    """Whether a quote of this supplier and SKU is ready and unused."""
    for q in range(int(v["quote_count"])):
        age = int(v["round"]) - int(v["quote_round"][q])
        mine = int(v["quote_supplier"][q]) == supplier and int(v["quote_sku"][q]) == k
        fresh = 1 <= age <= int(p["quote_good_rounds"]) and int(v["quote_used"][q]) == 0
        if mine and fresh and int(v["quote_quantity"][q]) == MANY:
            return int(v["quote_lead_time"][q]) == int(p["lead_time"][supplier])
    return False


@kernel
def _order(queue: Any, n: int, supplier: int, k: int, location: int, units: int, expedited: bool) -> int:
    n = blank(queue, n, Kind.SUBMIT_PO)
    queue[n - 1]["supplier"] = supplier
    queue[n - 1]["sku"] = k
    queue[n - 1]["location"] = location
    queue[n - 1]["quantity"] = units
    queue[n - 1]["option"] = 1 if expedited else 0
    return n


@kernel
def _rescue(v: Any, p: Any, h: Any, m: Any, queue: Any, n: int, money: int) -> tuple[int, int]:
    """Order to the wards, for tomorrow, a share of what their lines will lack on the second day; cheap SKUs first."""
    if days_left(m, int(v["day"])) < 2:
        return n, money
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1] - 1, -1, -1):
            need = m["estimate"][w, k]
            critical = int(p["criticality"][k]) == Criticality.CRITICAL
            share = h["rescue_blood"] if critical else h["rescue_goods"]
            if usual(p, w, k) == 0 or (critical and int(p["ward_acute"][w]) == 0) or n >= QUEUE - ROOM:
                continue
            short = min(need / 2.0, need - int(m["grant"][w, k]) - on_shelf(v, k, w + 1))
            expedited = int(v["disrupted"]) == 0 and is_short(v, p, k, 1, 0)
            supplier = FIRST if expedited else FAST
            price = procurement.unit_price(p, supplier, k, expedited, False)
            units = min(int(short * share), money // price, int(p["gate_cents"]) // price)
            if units > 0 and not _is_too_dear(p, h, k):
                n = _order(queue, n, supplier, k, w + 1, units, expedited)
                money -= units * price
    return n, money


@kernel
def is_short(v: Any, p: Any, k: int, days: int, more: int) -> bool:
    """Whether a claim that the SKU is short would be found true, with `more` units on order besides those in the view."""
    in_sight, asked = float(more), 0
    for x in range(v["scan"].shape[1]):
        in_sight += 1.05 * on_shelf(v, k, x)
    for o in range(int(v["order_count"])):
        alive = int(v["order_status"][o]) == OrderStatus.WAITING or int(v["order_status"][o]) == OrderStatus.IN_TRANSIT
        if alive and int(v["order_sku"][o]) == k:
            in_sight += int(v["order_quantity"][o])
    for w in range(p["demand"].shape[0]):
        asked += int(v["requested"][w, k])
    return finance.is_short(p, k, int(in_sight), asked, days)


@kernel
def file_tickets(v: Any, p: Any, h: Any, queue: Any, n: int) -> int:
    """File the open tickets whose claim is sound (or, by habit, whatever the claim)."""
    for o in range(int(v["order_count"])):
        if int(v["order_status"][o]) != OrderStatus.WAITING or n >= QUEUE - 4:
            continue
        own = int(v["order_quantity"][o])
        k, days = int(v["order_sku"][o]), int(v["order_lead_time"][o])
        short = is_short(v, p, k, days, -own)
        kind = _event_that_bears(v, p, k)
        if not short and kind < 0 and h["claims"] < 0.5:
            continue
        if int(v["order_justification"][o]) == Ticket.OPEN:
            n = _file(queue, n, Kind.FILE_JUSTIFICATION, o, short, kind, h)
        if int(v["order_approval"][o]) == Ticket.OPEN and (h["approvals"] > 0.5 or h["approvals"] < 0.25):
            n = _file(queue, n, Kind.FINANCE_SAP_REQUEST_APPROVAL, o, short, kind, h)
    return n


@kernel
def _event_that_bears(v: Any, p: Any, k: int) -> int:
    """The type of an event that is on and is a reason to buy the SKU, or -1."""
    for e in range(v["event_type"].shape[0]):
        on = int(v["event_status"][e]) == EventStatus.ACTIVE or int(v["event_status"][e]) == EventStatus.WARNED
        if on and events.bears_on(p, int(v["event_type"][e]), k):
            return int(v["event_type"][e])
    return -1


@kernel
def _file(queue: Any, n: int, kind: int, order: int, short: bool, event: int, h: Any) -> int:
    n = blank(queue, n, kind)
    queue[n - 1]["ticket"] = order
    queue[n - 1]["claimed_shortage"] = 1 if short else 0
    if event >= 0:
        queue[n - 1]["claimed_types"] = 1 << event
    if h["claims"] > 0.5:
        queue[n - 1]["claimed_types"] = 15
    return n
