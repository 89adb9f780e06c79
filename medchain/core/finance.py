"""The budget, the approval gate, and what makes a justification sound. Money is whole cents."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import OrderStatus, Ticket


@kernel
def headroom(s: Any) -> int:
    """Cents not yet committed or spent."""
    return int(s["limit"]) - int(s["committed"]) - int(s["spent_on_orders"]) - int(s["spent_on_audit"])


@kernel
def pay_for_audit(s: Any, cents: int) -> None:
    """Spend on staff time."""
    s["spent_on_audit"] += cents


@kernel
def settle_receipt(s: Any, order: int) -> None:
    """Committed money is spent when the goods are received."""
    s["committed"] -= int(s["order_cost"][order])
    s["spent_on_orders"] += int(s["order_cost"][order])


@kernel
def running_total(s: Any, supplier: int, sku: int) -> int:
    """Cents ordered this round of one supplier and SKU, cancelled orders left out."""
    cents = 0
    for o in range(int(s["order_count"])):
        this_round = (int(s["order_placed_day"][o]) + 1) // 2 == int(s["round"])
        same = int(s["order_supplier"][o]) == supplier and int(s["order_sku"][o]) == sku
        if this_round and same and int(s["order_status"][o]) != OrderStatus.CANCELLED:
            cents += int(s["order_cost"][o])
    return cents


@kernel
def open_tickets(s: Any, order: int, over_gate: bool, expedited: bool) -> None:
    """Open the tickets that an order must wait for."""
    if over_gate:
        s["order_approval"][order] = Ticket.OPEN
        s["tickets"] += 1
    if expedited:
        s["order_justification"][order] = Ticket.OPEN


@kernel
def is_waiting(s: Any, order: int) -> bool:
    """Whether an order still waits for a ticket."""
    return int(s["order_approval"][order]) == Ticket.OPEN or int(s["order_justification"][order]) == Ticket.OPEN


@kernel
def is_short(p: Any, sku: int, in_sight: int, requested: int, days: int) -> bool:
    """Whether `in_sight` units (stock and pipeline) last less than lead time + 1 round.

    The rate is the larger of the usual network demand and half of this round's requests, units per day.
    """
    usual = 0
    for w in range(p["demand"].shape[0]):
        usual += int(p["demand"][w, sku])
    return 2 * in_sight < max(2 * usual, requested) * (days + 2)


@kernel
def names_something_false(c: Any, types_on: int, events_on: int) -> bool:
    """Whether a filing names an event that is neither active nor warned of (masks of those that are)."""
    false_type = int(c["claimed_types"]) & ~types_on
    false_event = int(c["claimed_events"]) & ~events_on
    return false_type != 0 or false_event != 0 or c["claimed_nonsense"] == 1


@kernel
def claims_shortage_of(c: Any, sku: int) -> bool:
    """Whether a filing claims that `sku` is short, by name or by supply words."""
    return c["claimed_shortage"] == 1 or (int(c["claimed_skus"]) >> sku) & 1 == 1
