"""Orders, tickets, quotes, suppliers and the budget as text."""

from __future__ import annotations

from typing import Any

from medchain.core import procurement
from medchain.core.words import OrderStatus, Ticket
from medchain.tools.names import Names, an_id
from medchain.tools.show import money

_unit_price = getattr(procurement.unit_price, "py_func", procurement.unit_price)


def open_tickets(view: Any, order: int) -> list[str]:
    """Ids of the tickets that an order waits for."""
    columns = (("order_approval", "APR"), ("order_justification", "JUS"))
    return [an_id(prefix, order + 1) for column, prefix in columns if int(view[column][order]) == Ticket.OPEN]


def order_line(names: Names, view: Any, o: int) -> str:
    """One order: what, where to, what it costs, how it stands."""
    status = int(view["order_status"][o])
    if status == OrderStatus.WAITING:
        days = int(view["order_lead_time"][o])
        state = f"waits for {' and '.join(open_tickets(view, o))}, then takes {days} day{'s' * (days != 1)}"
    elif status == OrderStatus.IN_TRANSIT:
        state = f"in transit, due day {int(view['order_due_day'][o])}"
    elif status == OrderStatus.RECEIVED:
        state = f"received day {int(view['order_due_day'][o])}"
    else:
        state = "cancelled"
    what = f"{names.suppliers[int(view['order_supplier'][o])]} {names.skus[int(view['order_sku'][o])]}"
    expedited = " expedited" if view["order_expedited"][o] else ""
    where = names.locations[int(view["order_destination"][o])]
    units, cost = int(view["order_quantity"][o]), money(int(view["order_cost"][o]))
    return f"{an_id('PO', o + 1)} {what} x {units}{expedited} to {where}, {cost}: {state}"


def _orders(view: Any, *status: OrderStatus) -> list[int]:
    """Orders of some status, newest first."""
    return [o for o in reversed(range(int(view["order_count"]))) if int(view["order_status"][o]) in status]


def pipeline_lines(names: Names, view: Any, place: int = -1, sku: int = -1) -> list[str]:
    """Open orders, newest first."""
    orders = [
        o
        for o in _orders(view, OrderStatus.WAITING, OrderStatus.IN_TRANSIT)
        if place in (-1, int(view["order_destination"][o])) and sku in (-1, int(view["order_sku"][o]))
    ]
    return [order_line(names, view, o) for o in orders] or ["no open orders"]


def arrivals(names: Names, view: Any, first: int, last: int) -> list[str]:
    """Orders received on days first .. last."""
    orders = [o for o in _orders(view, OrderStatus.RECEIVED) if first <= int(view["order_due_day"][o]) <= last]
    return [order_line(names, view, o) for o in orders]


def on_order(names: Names, view: Any) -> list[int]:
    """Units on order per SKU."""
    found = [0] * len(names.skus)
    for o in _orders(view, OrderStatus.WAITING, OrderStatus.IN_TRANSIT):
        found[int(view["order_sku"][o])] += int(view["order_quantity"][o])
    return found


def ticket_lines(names: Names, view: Any) -> list[str]:
    """Open tickets, newest first, with the tool that files them."""
    tools = {"APR": "finance_sap_request_approval", "JUS": "file_justification"}
    lines = []
    for o in _orders(view, OrderStatus.WAITING):
        what = f"{names.skus[int(view['order_sku'][o])]} x {int(view['order_quantity'][o])}"
        lines += [f"{t} for {an_id('PO', o + 1)} ({what}): file with {tools[t[:3]]}" for t in open_tickets(view, o)]
    return lines or ["no open tickets"]


def quote_line(names: Names, view: Any, params: Any, q: int) -> str:
    """One quote: pending, or its terms."""
    supplier, sku = int(view["quote_supplier"][q]), int(view["quote_sku"][q])
    asked, units = int(view["quote_round"][q]), int(view["quote_quantity"][q])
    finance = names.scenario.finance
    first, last = asked + 1, asked + finance.quote_good_rounds
    head = f"{an_id('QT', q + 1)} {names.suppliers[supplier]} {names.skus[sku]} x {units}"
    price = money(int(_unit_price(params, supplier, sku, False, True)))
    terms = (
        f"lead time {int(view['quote_lead_time'][q])} days, {price} a unit ({finance.quote_discount_percent} % off); "
        f"an order up to {units} takes it by itself, once"
    )
    now = int(view["round"])
    if view["quote_used"][q]:
        return f"{head}: used"
    if now < first:
        return f"{head}: pending, ready in round {first}"
    if now > last:
        return f"{head}: ran out after round {last}"
    return f"{head}: ready, good through round {last}: {terms}"


def quote_lines(names: Names, view: Any, params: Any) -> list[str]:
    """Quotes that are pending or good, newest first."""
    now, good = int(view["round"]), names.scenario.finance.quote_good_rounds
    alive = [
        q
        for q in reversed(range(int(view["quote_count"])))
        if not view["quote_used"][q] and now <= int(view["quote_round"][q]) + good
    ]
    return [quote_line(names, view, params, q) for q in alive]


def supplier_line(names: Names, view: Any, i: int) -> str:
    """A supplier's terms now."""
    supplier = names.scenario.suppliers[names.suppliers[i]]
    days, usual = int(view["lead_time"][i]), supplier.lead_time_days
    sells = "every product" if supplier.sells == "all" else ", ".join(supplier.sells)
    late = f" (usually {usual}: a disruption is on)" if days != usual else ""
    return f"{names.suppliers[i]}: lead time {days} days{late}, price {supplier.price_percent / 100:g} x list, sells {sells}"


def budget_lines(names: Names, view: Any) -> list[str]:
    """The money of the episode."""
    gate = money(names.scenario.finance.gate_cents)
    amounts = [f"{what} {money(int(view[what]))}" for what in ("limit", "committed", "spent", "headroom")]
    return [
        f"{', '.join(amounts)} for the whole episode; orders above {gate} a round, supplier and product wait for approval"
    ]
