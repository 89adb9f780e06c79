"""The yardstick of the batched core: what moving the goods of the same episodes costs, and nothing else.

It takes episodes that have been played, puts the opening stock back on their shelves, and moves every unit once more by the
core's own inventory kernels: deliveries, expiry walks, recalls and breaches, allocations, consumption, discarded blood. What
it leaves out is the rest of the game: chance, requests, views, decisions, checks of commands, trust, money, mail.
The records end as they were, which a test holds it to (quarantines ordered by a coordinator are not redone).
"""

from __future__ import annotations

from typing import Any

from medchain.core import hospital, inventory
from medchain.core.kernel import kernel
from medchain.core.words import NEVER, OrderStatus, Origin


@kernel
def move_goods(episodes: Any, start: int, stop: int, p: Any) -> None:
    """Redo the goods of the finished episodes start .. stop - 1, in place."""
    for i in range(start, stop):
        s = episodes[i]
        _empty_shelves(s)
        s["day"] = 1
        hospital.stock_shelves(s, p[0])
        _open_day(s, p[0])
        for r in range(s["requested"].shape[0]):
            for k in range(s["first_lot"].shape[0]):
                for w in range(s["pressure"].shape[0]):
                    inventory.issue(s, k, w, int(s["allocated"][r, w, k]))
            inventory.consume(s, p[0])
            s["day"] += 1
            _open_day(s, p[0])
            inventory.consume(s, p[0])
            inventory.discard_issued_blood(s, p[0])
            if r + 1 < s["requested"].shape[0]:
                s["day"] += 1
                _open_day(s, p[0])


@kernel
def _empty_shelves(s: Any) -> None:
    """No lots, no units, nothing counted."""
    for lot in range(int(s["lot_count"])):
        for x in range(s["on_hand"].shape[1]):
            s["on_hand"][lot, x] = 0
            s["quarantined"][lot, x] = 0
    s["lot_count"] = 0
    s["opening_value"] = 0
    s["wasted_value"] = 0
    s["ordered_value_used"] = 0
    for k in range(s["first_lot"].shape[0]):
        s["opened"][k] = 0
        s["received"][k] = 0
        s["injected"][k] = 0
        s["used"][k] = 0
        s["expired"][k] = 0
        s["discarded"][k] = 0
    for e in range(s["recalled_used"].shape[0]):
        s["recalled_used"][e] = 0


@kernel
def _open_day(s: Any, p: Any) -> None:
    """A morning: deliveries, expiry, and what the day's events do to stock."""
    for o in range(int(s["order_count"])):
        if int(s["order_status"][o]) == OrderStatus.RECEIVED and int(s["order_due_day"][o]) == int(s["day"]):
            sku, units = int(s["order_sku"][o]), int(s["order_quantity"][o])
            shelf = int(p["shelf_life"][sku])
            expiry = NEVER if shelf == NEVER else int(s["day"]) + shelf
            lot = inventory.add_lot(s, sku, expiry, int(s["order_cost"][o]) // units, Origin.ORDER)
            s["on_hand"][lot, int(s["order_destination"][o])] = units
            s["received"][sku] += units
    inventory.expire(s)
    hospital.strike_events(s, p)
