"""Phase actions: five wide decisions a round, each expanded to one documented list of tool-level commands.

| phase   | who         | heads (all discrete)                                                                     |
|---------|-------------|------------------------------------------------------------------------------------------|
| REQUEST | each ward   | inflation per SKU: INFLATION percent of true need, rounded down (110 is never padded)     |
| AUDIT   | coordinator | per line: 0 nothing, 1 evidence, 2 evidence and review                                    |
| RESPOND | each ward   | per SKU: 0 disclose all, 1 redact the census, 2 redact the recent actuals                 |
| REVIEW  | arbiter     | per line: 0 APPROVE, 1 REDUCE, 2 DENY                                                     |
| PLAN    | coordinator | per line: bring its shelf up to LEVELS percent of a round's usual need, or give all it     |
|         |             | may get; per SKU: order up to UP_TO days of usual network demand, supplier, claim for its  |
|         |             | tickets (CLAIMS); quarantine recalled lots                                                |

A level is a par, not a share of the request: one choice then serves an honest request and a padded one. Never changing its
choices, a coordinator can score 0.82 (medium), against 0.70 if it gives what is asked. No line gets more than its request.
RESPOND is decided for all of a ward's lines, as what it would disclose if asked: at tool level it is asked one by one.

The expansion is a pure function of (view, action): the same one lets a phase-level checkpoint play at tool level. Calls
that would be refused (a quota used up, no money left, nothing to do) are not made. The paperwork that needs no judgement
is always done: briefing, inbox, ERP, WMS, budget, one message and one quote in round 1, citations of all disclosures, and
standing quotes for what is ordered.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.lines import likely_reason
from medchain.core.outcome import blank
from medchain.core.procurement import lead_time_of, matching_quote, unit_price
from medchain.core.words import CENTRAL, EventStatus, Kind, OrderStatus, Ticket, Verdict
from medchain.scenario import Sizes

INFLATION = (0, 50, 80, 100, 110, 130, 150, 180, 210, 250)
"""Percent of true need that a ward may ask for."""

ALL_IT_MAY_GET = 1_000_000
LEVELS = (0, 25, 50, 70, 85, 100, 115, 130, 150, 175, 200, 250, 300, ALL_IT_MAY_GET)
"""Percent of a line's usual need of a round that a plan may bring its shelf up to."""

UP_TO = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14)
"""Days of usual network demand to order up to."""

AUDITS, REDACTIONS, RULINGS, CLAIMS = 3, 3, 3, 4
"""Choices per head; a claim is 0 none (the order waits), 1 shortage of the SKU, 2 all events that are on, 3 supplier."""


class Step(IntEnum):
    """The five phases of a round, in order."""

    REQUEST = 0
    AUDIT = 1
    RESPOND = 2
    REVIEW = 3
    PLAN = 4


STEPS = len(Step)


def coordinator_heads(z: Sizes) -> np.ndarray[Any, Any]:
    """Choices per head of the coordinator: W*S audits, W*S levels, S order levels, S suppliers, S claims, 1 quarantine."""
    lines = z.wards * z.skus
    per_sku = [len(UP_TO)] * z.skus + [z.suppliers] * z.skus + [CLAIMS] * z.skus
    return np.array([AUDITS] * lines + [len(LEVELS)] * lines + per_sku + [2], np.int64)


def ward_heads(z: Sizes) -> np.ndarray[Any, Any]:
    """Choices per head of a ward: S inflations, S redactions."""
    return np.array([len(INFLATION)] * z.skus + [REDACTIONS] * z.skus, np.int64)


def arbiter_heads(z: Sizes) -> np.ndarray[Any, Any]:
    """Choices per head of the arbiter: W*S rulings."""
    return np.array([RULINGS] * (z.wards * z.skus), np.int64)


@kernel
def expand_request(v: Any, p: Any, action: Any, queue: Any) -> int:
    """A ward's REQUEST: action[k] picks its inflation of SKU k."""
    blank(queue, 0, Kind.REQUEST)
    w = int(v["ward"])
    for k in range(p["demand"].shape[1]):
        if int(p["demand"][w, k]) > 0:
            units = int(v["need"][k]) * INFLATION[int(action[k])] // 100
            queue[0]["quantities"][w, k] = units
            queue[0]["reasons"][w, k] = likely_reason(units, 2 * int(p["demand"][w, k]))
    return 1


@kernel
def expand_disclosure(v: Any, p: Any, action: Any, queue: Any) -> int:
    """A ward's RESPOND for the line it is asked about."""
    blank(queue, 0, Kind.DISCLOSE)
    queue[0]["option"] = action[p["demand"].shape[1] + int(v["asked_sku"])]
    return 1


@kernel
def expand_ruling(v: Any, p: Any, action: Any, queue: Any) -> int:
    """The arbiter's REVIEW of the line before it."""
    blank(queue, 0, Kind.RULE)
    queue[0]["option"] = Verdict.APPROVE + int(action[int(v["asked_ward"]) * p["demand"].shape[1] + int(v["asked_sku"])])
    return 1


@kernel
def expand_evidence(v: Any, p: Any, action: Any, queue: Any) -> int:
    """The coordinator's AUDIT, first half: the round's paperwork, then evidence in line order."""
    n = blank(queue, 0, Kind.GET_ROUND_BRIEFING)
    n = blank(queue, n, Kind.ERP_ORACLE_GET_INVENTORY)
    n = blank(queue, n, Kind.WMS_SCAN_INVENTORY)
    n = blank(queue, n, Kind.FINANCE_SAP_GET_BUDGET)
    if int(v["round"]) == 1:
        n = blank(queue, n, Kind.MESSAGING_SEND_TO_WARD)
        queue[n - 1]["ward"] = 0
    cost = int(p["evidence_cost_cents"])
    return _ask(v, p, action, 0, int(v["evidence_left"]), cost, queue, n)


@kernel
def expand_reviews(v: Any, p: Any, action: Any, queue: Any) -> int:
    """The coordinator's AUDIT, second half: reviews in line order."""
    return _ask(v, p, action, 1, int(v["reviews_left"]), int(p["review_cost_cents"]), queue, 0)


@kernel
def _ask(v: Any, p: Any, action: Any, level: int, quota: int, cost: int, queue: Any, n: int) -> int:
    """Evidence (level 0) or review (1) of the lines audited above `level`, while quota, money and calls last."""
    skus = p["demand"].shape[1]
    money = int(v["headroom"])
    for line in range(p["demand"].size):
        w, k = line // skus, line % skus
        possible = quota > 0 and money >= cost and n < int(v["calls_left"]) - 1 and n < queue.shape[0]
        if possible and int(action[line]) > level and int(v["requested"][w, k]) > 0:
            quota -= 1
            money -= cost
            n = blank(queue, n, Kind.ESCALATE_TO_CLINICAL_REVIEW if level == 1 else Kind.REQUEST_EVIDENCE)
            queue[n - 1]["ward"] = w
            queue[n - 1]["sku"] = k
    return n


@kernel
def expand_plan(v: Any, p: Any, action: Any, queue: Any) -> int:
    """The coordinator's PLAN, first half: quarantine, allocation with citations, orders."""
    wards, skus = p["demand"].shape
    lines = wards * skus
    n = 0
    if int(action[2 * lines + 3 * skus]) == 1:
        n = _quarantine_recalled(v, p, queue, n)
    n = blank(queue, n, Kind.SUBMIT_ALLOCATION_PLAN)
    for w in range(wards):
        for k in range(skus):
            level, most = LEVELS[int(action[lines + w * skus + k])], int(v["most_allowed"][w, k])
            units = 2 * int(p["demand"][w, k]) * level // 100 - on_shelf(v, w, k)
            queue[n - 1]["quantities"][w, k] = max(0, min(most, units))
            queue[n - 1]["cites"][w, k] = 1 if int(v["evidence"][w, k]) > 0 else 0
    return _order_up_to(v, p, action, queue, n)


@kernel
def _quarantine_recalled(v: Any, p: Any, queue: Any, n: int) -> int:
    for lot in range(int(v["lot_count"])):
        for x in range(v["scan"].shape[1]):
            if int(v["lot_recall"][lot]) > 0 and int(v["scan"][lot, x]) > 0:
                n = blank(queue, n, Kind.QUARANTINE_LOT)
                queue[n - 1]["sku"] = v["lot_sku"][lot]
                queue[n - 1]["location"] = x
                queue[n - 1]["lot"] = lot
    return n


@kernel
def on_shelf(v: Any, w: int, k: int) -> int:
    """Units of a SKU on a ward's shelf, by WMS, recalled lots left out."""
    units = 0
    for lot in range(int(v["lot_count"])):
        if int(v["lot_sku"][lot]) == k and int(v["lot_recall"][lot]) == 0:
            units += int(v["scan"][lot, w + 1])
    return units


@kernel
def lot_in_sight(v: Any, lot: int) -> int:
    """Units of a lot on the shelves of the network, by WMS; none of a recalled one."""
    units = 0
    if int(v["lot_recall"][lot]) == 0:
        for x in range(v["scan"].shape[1]):
            units += int(v["scan"][lot, x])
    return units


@kernel
def on_order(v: Any, sku: int) -> int:
    """Units of a SKU on order."""
    units = 0
    for o in range(int(v["order_count"])):
        status = int(v["order_status"][o])
        if int(v["order_sku"][o]) == sku and (status == OrderStatus.WAITING or status == OrderStatus.IN_TRANSIT):
            units += int(v["order_quantity"][o])
    return units


@kernel
def in_sight(v: Any, sku: int) -> int:
    """Units of a SKU on the shelves of the network, by WMS, and on order."""
    units = on_order(v, sku)
    for lot in range(int(v["lot_count"])):
        if int(v["lot_sku"][lot]) == sku:
            units += lot_in_sight(v, lot)
    return units


@kernel
def network_demand(p: Any, sku: int) -> int:
    """Usual units of a SKU per day, all wards."""
    units = 0
    for w in range(p["demand"].shape[0]):
        units += int(p["demand"][w, sku])
    return units


@kernel
def _order_up_to(v: Any, p: Any, action: Any, queue: Any, n: int) -> int:
    """Orders to central in SKU order, while the money lasts and they arrive in time."""
    wards, skus = p["demand"].shape
    at = 2 * wards * skus
    money, left = int(v["headroom"]), int(v["orders_left"])
    for k in range(skus):
        days, supplier = UP_TO[int(action[at + k])], int(action[at + skus + k])
        if days == 0 or left == 0 or int(p["sells"][supplier, k]) == 0:
            continue
        units = days * network_demand(p, k) - in_sight(v, k)
        units = min(units, money // unit_price(p, supplier, k, False, False), int(p["order_quantity"]))
        quote = matching_quote(v, p, supplier, k, units)
        lead = int(v["quote_lead_time"][quote]) if quote >= 0 else int(v["lead_time"][supplier])
        if units > 0 and int(v["day"]) + lead <= int(p["days"]):
            left -= 1
            money -= units * unit_price(p, supplier, k, False, quote >= 0)
            n = blank(queue, n, Kind.SUBMIT_PO)
            queue[n - 1]["supplier"] = supplier
            queue[n - 1]["sku"] = k
            queue[n - 1]["location"] = CENTRAL
            queue[n - 1]["quantity"] = units
    return n


@kernel
def expand_close(v: Any, p: Any, action: Any, queue: Any) -> int:
    """The coordinator's PLAN, second half: claims for its open tickets, standing quotes, and the round is closed."""
    wards, skus = p["demand"].shape
    at = 2 * wards * skus
    n = 0
    for o in range(int(v["order_count"])):
        claim = int(action[at + 2 * skus + int(v["order_sku"][o])])
        waiting = int(v["order_status"][o]) == OrderStatus.WAITING and int(v["order_approval"][o]) == Ticket.OPEN
        in_time = int(v["day"]) + lead_time_of(v, p, o, int(v["disrupted"]) == 1) <= int(p["days"])
        if waiting and in_time and claim > 0 and n < int(v["calls_left"]) - 1:
            n = blank(queue, n, Kind.FINANCE_SAP_REQUEST_APPROVAL)
            queue[n - 1]["ticket"] = o
            _claim(v, claim, int(v["order_sku"][o]), queue[n - 1])
    for k in range(skus):
        days = UP_TO[int(action[at + k])]
        if days > 0 and int(v["round"]) < p["rounds"] and n < int(v["calls_left"]) - 1 and n < queue.shape[0] - 1:
            n = blank(queue, n, Kind.SUPPLIER_PORTAL_REQUEST_QUOTE)
            queue[n - 1]["supplier"] = action[at + skus + k]
            queue[n - 1]["sku"] = k
            queue[n - 1]["quantity"] = min(int(p["order_quantity"]), days * network_demand(p, k))
    return blank(queue, n, Kind.ADVANCE_ROUND)


@kernel
def _claim(v: Any, claim: int, sku: int, c: Any) -> None:
    if claim == 1:
        c["claimed_skus"] = 1 << sku
    elif claim == 2:
        for e in range(v["event_status"].shape[0]):
            if int(v["event_status"][e]) == EventStatus.ACTIVE or int(v["event_status"][e]) == EventStatus.WARNED:
                c["claimed_events"] |= 1 << e
    else:
        c["claimed_supplier"] = 1
