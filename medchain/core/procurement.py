"""Suppliers, quotes and purchase orders, from placing to receipt. Prices are whole cents per unit."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import OrderStatus


@kernel
def lead_time(p: Any, supplier: int, disrupted: bool) -> int:
    """Days from release to receipt of an order placed now, not expedited."""
    if disrupted and supplier == int(p["disrupted_supplier"]):
        return max(int(p["disrupted_lead_time_days"]), int(p["lead_time"][supplier]))
    return int(p["lead_time"][supplier])


@kernel
def expedite(days: int, expedited: bool) -> int:
    """An expedited order arrives a day earlier, but never today."""
    return max(1, days - 1) if expedited else days


@kernel
def unit_price(p: Any, supplier: int, sku: int, expedited: bool, quoted: bool) -> int:
    """Cents per unit: list x supplier factor x 1.2 if expedited x 0.96 if quoted, rounded half up."""
    faster = int(p["expedite_percent"]) if expedited else 100
    off = 100 - int(p["quote_discount_percent"]) if quoted else 100
    return (int(p["unit_cost"][sku]) * int(p["price_percent"][supplier]) * faster * off + 500_000) // 1_000_000


@kernel
def matching_quote(s: Any, p: Any, supplier: int, sku: int, quantity: int) -> int:
    """The oldest ready, unused quote that covers an order, or -1."""
    now = int(s["round"])
    for q in range(int(s["quote_count"])):
        age = now - int(s["quote_round"][q])
        if (
            1 <= age <= int(p["quote_good_rounds"])
            and int(s["quote_used"][q]) == 0
            and int(s["quote_supplier"][q]) == supplier
            and int(s["quote_sku"][q]) == sku
            and int(s["quote_quantity"][q]) >= quantity
        ):
            return q
    return -1


@kernel
def ask_quote(s: Any, supplier: int, sku: int, quantity: int, days: int) -> int:
    """Note a quote, ready next round, that keeps today's lead time; its number."""
    q = int(s["quote_count"])
    s["quote_count"] = q + 1
    s["quote_sku"][q] = sku
    s["quote_supplier"][q] = supplier
    s["quote_quantity"][q] = quantity
    s["quote_round"][q] = s["round"]
    s["quote_lead_time"][q] = days
    return q + 1


@kernel
def orders_this_round(s: Any) -> int:
    """Orders placed since this round opened."""
    count = 0
    for o in range(int(s["order_count"])):
        if placed_this_round(s, o):
            count += 1
    return count


@kernel
def placed_this_round(s: Any, order: int) -> bool:
    """Whether an order was placed in this round."""
    return (int(s["order_placed_day"][order]) + 1) // 2 == int(s["round"])


@kernel
def place(s: Any, c: Any, cost: int, days: int, quoted: bool) -> int:
    """Enter an order that command `c` describes, costing `cost` cents; it holds its money from now on; its index."""
    o = int(s["order_count"])
    s["order_count"] = o + 1
    s["order_sku"][o] = c["sku"]
    s["order_supplier"][o] = c["supplier"]
    s["order_destination"][o] = c["location"]
    s["order_quantity"][o] = c["quantity"]
    s["order_expedited"][o] = 1 if int(c["option"]) == 1 else 0
    s["order_cost"][o] = cost
    s["order_placed_day"][o] = s["day"]
    s["order_lead_time"][o] = days
    s["order_quoted"][o] = 1 if quoted else 0
    s["order_status"][o] = OrderStatus.WAITING
    s["committed"] += cost
    return o


@kernel
def lead_time_of(s: Any, p: Any, order: int, disrupted: bool) -> int:
    """Days an order takes if released now; a quote keeps the days it promised, a disruption notwithstanding."""
    if int(s["order_quoted"][order]) == 1:
        return int(s["order_lead_time"][order])
    days = lead_time(p, int(s["order_supplier"][order]), disrupted)
    return expedite(days, int(s["order_expedited"][order]) == 1)


@kernel
def release(s: Any, order: int, days: int) -> None:
    """Send an order off: its lead time starts now."""
    s["order_lead_time"][order] = days
    s["order_due_day"][order] = int(s["day"]) + days
    s["order_status"][order] = OrderStatus.IN_TRANSIT


@kernel
def cancel(s: Any, order: int) -> None:
    """Cancel a waiting order and free its money."""
    s["order_status"][order] = OrderStatus.CANCELLED
    s["committed"] -= int(s["order_cost"][order])


@kernel
def pipeline(s: Any, sku: int, without: int) -> int:
    """Units of a SKU on order, waiting or in transit, leaving out one order."""
    units = 0
    for o in range(int(s["order_count"])):
        alive = int(s["order_status"][o]) == OrderStatus.WAITING or int(s["order_status"][o]) == OrderStatus.IN_TRANSIT
        if alive and o != without and int(s["order_sku"][o]) == sku:
            units += int(s["order_quantity"][o])
    return units
