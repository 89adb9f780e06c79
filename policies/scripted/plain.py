"""Plain stock keepers, who believe what they are told or nothing at all, and audit nobody."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.procurement import pipeline
from medchain.core.words import CENTRAL, Criticality, Kind
from policies.scripted.buy import best_offer, file_open_tickets, order, under_gate
from policies.scripted.chores import open_round
from policies.scripted.memory import next_step
from policies.scripted.need import rounds
from policies.scripted.shelf import count_stock, usable


@kernel
def stock_keeper(v: Any, p: Any, m: Any, knobs: Any, reads: bool, queue: Any) -> int:
    """`restock` gives what is asked; `par_blind` reads no request and issues the usual demand. Both order to par."""
    step = next_step(v, m)
    if step == 0:
        count_stock(v, p, m)
        n = open_round(v, p, queue)
        if reads:
            n = blank(queue, n, Kind.VIEW_REQUESTS)
        n = blank(queue, n, Kind.SUBMIT_ALLOCATION_PLAN)
        if reads:
            queue[n - 1]["quantities"][:] = v["requested"]
        else:
            issue_usual(p, m, float(knobs["issue_factor"]), queue[n - 1]["quantities"])
        return order_to_par(v, p, m, knobs, queue, n)
    n = file_open_tickets(v, p, queue, 0)
    return blank(queue, n, Kind.ADVANCE_ROUND)


@kernel
def issue_usual(p: Any, m: Any, factor: float, plan: Any) -> None:
    """A multiple of usual demand less what the shelf holds, the wards of highest priority first while central lasts."""
    wards, skus = p["demand"].shape
    for k in range(skus):
        left = int(m["central"][k])
        done = np.zeros(wards)
        for _ in range(wards):
            w = -1
            for other in range(wards):
                if done[other] == 0.0 and (w < 0 or int(p["ward_priority"][other]) > int(p["ward_priority"][w])):
                    w = other
            done[w] = 1.0
            if int(p["demand"][w, k]) > 0:
                want = int(2.0 * factor * int(p["demand"][w, k]) + 0.5)
                if int(p["criticality"][k]) != Criticality.CRITICAL:
                    want -= int(m["shelf"][w, k])
                plan[w, k] = max(0, min(left, want))
                left -= int(plan[w, k])


@kernel
def order_to_par(v: Any, p: Any, m: Any, knobs: Any, queue: Any, n: int) -> int:
    """Bring stock and pipeline of every SKU up to so many days of usual demand, while money lasts; fresh goods less."""
    money, orders, last = int(v["headroom"]), int(v["orders_left"]), 2 * rounds(m)
    if int(v["round"]) == rounds(m):
        return n
    for k in range(p["unit_cost"].shape[0]):
        usual = 0
        for w in range(p["demand"].shape[0]):
            usual += int(p["demand"][w, k])
        fresh = int(p["shelf_life"][k]) <= knobs["fresh_days"]
        days = min(float(knobs["par_days_fresh"] if fresh else knobs["par_days"]), float(last - int(v["day"]) + 1))
        have = usable(p, m, k) - (m["central"][k] - m["keeps"][k]) + pipeline(v, k, -1)
        units = math.ceil(days * usual - have)
        if units <= 0 or orders == 0:
            continue
        supplier, faster, price = best_offer(v, p, k, units, 2, False, 0)
        if supplier < 0:
            continue
        units = under_gate(v, p, m, supplier, k, min(units, money // price), price, 2)
        if units > 0:
            n = order(queue, n, supplier, k, CENTRAL, units, faster)
            money -= units * price
            orders -= 1
    return n
