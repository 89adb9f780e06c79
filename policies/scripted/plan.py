"""What a careful coordinator issues, has delivered to wards in haste, and orders to par."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import CENTRAL, Criticality, Kind
from policies.scripted.buy import ask_quote, best_offer, may_claim, order, under_gate
from policies.scripted.fund import money_left
from policies.scripted.need import forecast, rest_need, rounds

ROUND_DAYS = 2
"""An order to central is of use if it comes by the next opening, one to a ward if it comes tomorrow."""


@kernel
def wanted(m: Any, w: int, k: int) -> float:
    """Units that a line should have this round beyond its shelf: its target, as far as it is funded."""
    return float(max(0.0, m["target"][w, k] * m["funded"][w, k] - m["shelf"][w, k]))


@kernel
def allot(v: Any, p: Any, m: Any, queue: Any, n: int) -> int:
    """Plan what is wanted, the most valuable line of each SKU first while central lasts; cite every disclosure."""
    n = blank(queue, n, Kind.SUBMIT_ALLOCATION_PLAN)
    plan, done = queue[n - 1]["quantities"], np.zeros(p["demand"].shape[0])
    for k in range(p["demand"].shape[1]):
        left = int(m["central"][k])
        done[:] = 0.0
        for _ in range(done.shape[0]):
            w = _next_ward(m, k, done)
            done[w] = 1.0
            if int(p["demand"][w, k]) > 0:
                plan[w, k] = min(left, int(v["most_allowed"][w, k]), math.ceil(wanted(m, w, k) - 0.25))
                left -= int(plan[w, k])
    queue[n - 1]["cites"][:] = v["evidence"] > 0
    return n


@kernel
def _next_ward(m: Any, k: int, done: Any) -> int:
    best = -1
    for w in range(done.shape[0]):
        if done[w] == 0.0 and (best < 0 or m["value"][w, k] > m["value"][best, k]):
            best = w
    return best


@kernel
def top_up(v: Any, p: Any, m: Any, knobs: Any, queue: Any, n: int) -> int:
    """Have what the plan, queue[n - 1], leaves wanting of the second day's need delivered to the ward, where it pays."""
    plan, money, orders = queue[n - 1]["quantities"], money_left(v, m, knobs), int(v["orders_left"])
    missing = np.zeros(p["demand"].shape[0], np.int64)
    for k in range(p["demand"].shape[1]):
        total = 0
        for w in range(missing.shape[0]):
            missing[w] = 0
            if int(p["demand"][w, k]) > 0:
                short = wanted(m, w, k) - int(plan[w, k])
                missing[w] = max(0, int(min(short, 0.5 * m["target"][w, k] + 0.5)))
            total += missing[w]
        used = 0
        for w in range(missing.shape[0]):
            units = int(missing[w])
            if units == 0 or orders == 0:
                continue
            supplier, faster, price = best_offer(v, p, k, units, 1, may_claim(v, p, m, k, total, 1), used)
            if supplier < 0 or units * price > money or m["value"][w, k] < knobs["haste_worth"] * m["worth"] * price:
                continue
            units = under_gate(v, p, m, supplier, k, units, price, 1)
            if units > 0:
                n = order(queue, n, supplier, k, w + 1, units, faster)
                used |= 1 << supplier
                money -= units * price
                orders -= 1
    return n


@kernel
def order_to_par(v: Any, p: Any, m: Any, knobs: Any, queue: Any, n: int) -> int:
    """Order to central what brings each SKU to par, those with the most value per cent first, while money lasts."""
    if int(v["round"]) == rounds(m):
        return n
    money, orders, done = money_left(v, m, knobs), int(v["orders_left"]), np.zeros(p["unit_cost"].shape[0])
    for _ in range(done.shape[0]):
        k = _next_sku(p, m, done)
        done[k] = 1.0
        units = math.ceil(_short_of_par(v, p, m, knobs, k))
        if units <= 0 or orders == 0:
            continue
        supplier, faster, price = best_offer(v, p, k, units, ROUND_DAYS, False, 0)
        if supplier < 0:
            continue
        units = under_gate(v, p, m, supplier, k, min(units, money // price), price, ROUND_DAYS)
        if units > 0:
            n = order(queue, n, supplier, k, CENTRAL, units, faster)
            money -= units * price
            orders -= 1
    return n


@kernel
def _next_sku(p: Any, m: Any, done: Any) -> int:
    best, most = -1, -1.0
    for k in range(done.shape[0]):
        worth = 0.0
        for w in range(p["demand"].shape[0]):
            worth = max(worth, m["value"][w, k] / int(p["unit_cost"][k]))
        if done[k] == 0.0 and worth > most:
            best, most = k, worth
    return best


@kernel
def _short_of_par(v: Any, p: Any, m: Any, knobs: Any, k: int) -> float:
    """Units short of par: the next round's funded need times a reserve factor, but no more than is needed to the end."""
    par, rest, issued, shelf = 0.0, 0.0, 0, 0.0
    for w in range(p["demand"].shape[0]):
        if int(p["demand"][w, k]) == 0:
            continue
        issued += int(v["allocated"][w, k])
        par += m["funded"][w, k] * forecast(v, p, m, w, k, int(v["round"]) + 1)
        rest += m["funded"][w, k] * rest_need(v, p, m, w, k, int(v["round"]) + 1)
        if int(p["criticality"][k]) != Criticality.CRITICAL:
            shelf += max(0.0, m["shelf"][w, k] + int(v["allocated"][w, k]) - m["estimate"][w, k])
    early = m["central"][k] - m["keeps"][k]
    left = max(0.0, m["keeps"][k] - max(0.0, issued - early))
    return float(min(par * _reserve(p, knobs, k), rest * knobs["last_par"]) - left - m["coming"][k] - shelf)


@kernel
def _reserve(p: Any, knobs: Any, k: int) -> float:
    """Par as a multiple of the next round's mean need."""
    if int(p["shelf_life"][k]) <= knobs["fresh_days"]:
        return float(knobs["par_fresh"])
    return float(knobs["par_blood"] if int(p["criticality"][k]) == Criticality.CRITICAL else knobs["par_durable"])


@kernel
def ask_quotes(v: Any, p: Any, m: Any, knobs: Any, queue: Any, n: int) -> int:
    """Ask for a quote on everything that the next round may have to order, but keep a call to advance."""
    if int(v["round"]) == rounds(m):
        return n
    for k in range(p["unit_cost"].shape[0]):
        if n + 1 >= int(v["calls_left"]):
            return n
        units = 0.0
        for w in range(p["demand"].shape[0]):
            if int(p["demand"][w, k]) > 0:
                units += forecast(v, p, m, w, k, int(v["round"]) + 1)
        n = ask_quote(v, p, queue, n, k, 1 + int(knobs["quote_factor"] * units), ROUND_DAYS)
    return n
