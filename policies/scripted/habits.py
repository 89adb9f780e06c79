"""A coordinator that is nothing but habits: a vector of knobs in [0, 1], wide enough to hold an auditor and a cheat.

It lives to be searched (experiments/search.py): whatever combination of habits the score pays for, the search shall find.
A round has four steps, each decided on a fresh view: look (papers, evidence), review, plan and order, file and advance.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import CENTRAL, FIXED, Criticality, Kind, Verdict
from policies.scripted.habits_orders import file_tickets, place_orders
from policies.scripted.habits_vector import days_left, of_ward, on_shelf, usual
from policies.scripted.memory import QUEUE


class Step(IntEnum):
    """How far a round is."""

    LOOK = 0
    REVIEW = 1
    PLAN = 2
    FILE = 3


@kernel
def habits(v: Any, p: Any, h: Any, m: Any, queue: Any) -> int:
    """The next calls of the coordinator with habits `h`; see HABITS."""
    if int(m["round"]) != int(v["round"]):
        m["round"] = v["round"]
        m["step"] = Step.LOOK
        m["estimate"][:] = 0.0
    while True:
        step = int(m["step"])
        m["step"] += 1
        n = 0
        if step == Step.LOOK:
            n = _look(v, p, h, m, queue)
        elif step == Step.REVIEW:
            n = _review(v, p, h, m, queue)
        elif step == Step.PLAN:
            n = _plan(v, p, h, m, queue)
            n = place_orders(v, p, h, m, queue, n)
        else:
            n = file_tickets(v, p, h, queue, 0)
            return blank(queue, n, Kind.ADVANCE_ROUND)
        if n > 0:
            return n


@kernel
def _look(v: Any, p: Any, h: Any, m: Any, queue: Any) -> int:
    """Briefings, enterprise systems, quarantine and evidence."""
    n = 0
    for _ in range(int(h["briefings"] * 2.999)):
        n = blank(queue, n, Kind.GET_ROUND_BRIEFING)
    n = _use_systems(v, int(h["systems"] * 5.999), queue, n)
    if h["quarantine"] > 0.5:
        n = _quarantine_recalls(v, queue, n)
    _estimate(v, p, h, m)
    for _ in range(int(h["evidence"] * 8.999)):
        n = _ask_for_evidence(v, p, h, m, queue, n)
    return n


@kernel
def _use_systems(v: Any, most: int, queue: Any, n: int) -> int:
    """One call to each of the first `most` systems, in the first round only."""
    if int(v["round"]) != 1:
        return n
    if most > 0:
        n = blank(queue, n, Kind.ERP_ORACLE_GET_INVENTORY)
    if most > 1:
        n = blank(queue, n, Kind.WMS_SCAN_INVENTORY)
    if most > 2:
        n = blank(queue, n, Kind.FINANCE_SAP_GET_BUDGET)
    if most > 3:
        n = blank(queue, n, Kind.SUPPLIER_PORTAL_REQUEST_QUOTE)
        queue[n - 1]["sku"] = 0
        queue[n - 1]["quantity"] = 1
    if most > 4:
        n = blank(queue, n, Kind.MESSAGING_SEND_TO_WARD)
        queue[n - 1]["ward"] = 0
    return n


@kernel
def _quarantine_recalls(v: Any, queue: Any, n: int) -> int:
    for lot in range(int(v["lot_count"])):
        if int(v["lot_recall"][lot]) == 0:
            continue
        for x in range(v["scan"].shape[1]):
            if int(v["scan"][lot, x]) > 0 and n < QUEUE - 20:
                n = blank(queue, n, Kind.QUARANTINE_LOT)
                queue[n - 1]["location"] = x
                queue[n - 1]["sku"] = v["lot_sku"][lot]
                queue[n - 1]["lot"] = lot
    return n


@kernel
def _estimate(v: Any, p: Any, h: Any, m: Any) -> None:
    """What each line really needs this round, from verdict, census or else a cap on what it asks for."""
    for w in range(p["demand"].shape[0]):
        cap = 0.5 + 2.5 * of_ward(h["cap_icu"], h["cap_er"], h["cap_general"], w)
        for k in range(p["demand"].shape[1]):
            asked, verdict = float(int(v["requested"][w, k])), int(v["verdict"][w, k])
            if asked == 0.0:
                m["estimate"][w, k] = 0.0
            elif verdict == Verdict.APPROVE:
                m["estimate"][w, k] = asked
            elif verdict == Verdict.REDUCE:
                m["estimate"][w, k] = int(v["most_allowed"][w, k]) / 1.05
            elif verdict == Verdict.DENY:
                m["estimate"][w, k] = int(v["most_allowed"][w, k]) / 0.95
            elif int(v["patients"][w, k]) >= 0:
                shown = int(v["patients"][w, k]) / int(p["ward_census"][w]) * usual(p, w, k)
                m["estimate"][w, k] = max(asked / 2.5, min(asked * 1.05, shown))
            else:
                m["estimate"][w, k] = min(asked, cap * usual(p, w, k))


@kernel
def _worth(p: Any, h: Any, w: int, k: int, units: float) -> float:
    """What knowing about `units` of a line is worth: money, or just the units as a share of its usual need."""
    by_money = units * int(p["unit_cost"][k]) / 10_000.0
    by_share = units / usual(p, w, k)
    return h["where"] * by_money + (1.0 - h["where"]) * by_share


@kernel
def _ask_for_evidence(v: Any, p: Any, h: Any, m: Any, queue: Any, n: int) -> int:
    """Ask about the line whose request exceeds the usual by the most; m["asked"] marks those asked."""
    best, best_w, best_k = 0.0, -1, -1
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1]):
            taken = int(m["asked"][w, k]) == int(v["round"])
            if usual(p, w, k) == 0 or taken or int(v["evidence"][w, k]) > 0:
                continue
            floor = h["doubt"] * 2.0 * usual(p, w, k)
            worth = _worth(p, h, w, k, int(v["requested"][w, k]) - floor)
            if worth > best:
                best, best_w, best_k = worth, w, k
    if best_w < 0 or int(v["evidence_left"]) == 0:
        return n
    m["asked"][best_w, best_k] = v["round"]
    n = blank(queue, n, Kind.REQUEST_EVIDENCE)
    queue[n - 1]["ward"] = best_w
    queue[n - 1]["sku"] = best_k
    return n


@kernel
def _review(v: Any, p: Any, h: Any, m: Any, queue: Any) -> int:
    """Escalate the lines that ask for the most above their estimate, from a threshold on."""
    _estimate(v, p, h, m)
    n = 0
    threshold = 1.0 + 1.5 * h["review_from"]
    most = min(int(v["reviews_left"]), int(h["reviews"] * 3.999))
    m["grant"][:] = 0
    for _ in range(most):
        best, best_w, best_k = 0.0, -1, -1
        for w in range(p["demand"].shape[0]):
            for k in range(p["demand"].shape[1]):
                asked, believed = float(int(v["requested"][w, k])), m["estimate"][w, k]
                if asked < threshold * believed or int(m["grant"][w, k]) == 1 or asked == 0.0:
                    continue
                worth = _worth(p, h, w, k, asked - believed) + 1e-9
                if worth > best:
                    best, best_w, best_k = worth, w, k
        if best_w < 0:
            break
        m["grant"][best_w, best_k] = 1
        n = blank(queue, n, Kind.ESCALATE_TO_CLINICAL_REVIEW)
        queue[n - 1]["ward"] = best_w
        queue[n - 1]["sku"] = best_k
    return n


@kernel
def _plan(v: Any, p: Any, h: Any, m: Any, queue: Any) -> int:
    """Grant each line its share of its estimate; a SKU that is short goes by weight, from equal to by priority."""
    _estimate(v, p, h, m)
    n = blank(queue, 0, Kind.SUBMIT_ALLOCATION_PLAN)
    plan = queue[0]
    wards = p["demand"].shape[0]
    for k in range(p["demand"].shape[1]):
        critical = int(p["criticality"][k]) == Criticality.CRITICAL
        stock = float(on_shelf(v, k, CENTRAL))
        if critical and days_left(m, int(v["day"])) > 2:
            stock *= 1.0 - h["hold_back"]
        for w in range(wards):
            share = 1.5 * of_ward(h["share_icu"], h["share_er"], h["share_general"], w)
            if critical and int(p["ward_acute"][w]) == 0:
                share *= h["others_blood"]
            goal = m["estimate"][w, k] * share - on_shelf(v, k, w + 1)
            m["goal"][w, k] = max(0.0, min(goal, float(int(v["most_allowed"][w, k]))))
            m["grant"][w, k] = 0
            plan["cites"][w, k] = 1 if h["cites"] > 0.5 and int(v["evidence"][w, k]) > 0 else 0
        _share_out(p, h, m, k, stock)
        for w in range(wards):
            plan["quantities"][w, k] = m["grant"][w, k]
    return n


@kernel
def _share_out(p: Any, h: Any, m: Any, k: int, stock: float) -> None:
    """Fill the goals m["goal"] of SKU k from `stock` in three passes, each in proportion to weight x what is missing."""
    wards = p["demand"].shape[0]
    for _ in range(3):
        total, wanted = 0.0, 0.0
        for w in range(wards):
            missing = m["goal"][w, k] - int(m["grant"][w, k])
            total += missing * (int(p["ward_priority"][w]) / FIXED) ** (4.0 * h["priority"])
            wanted += missing
        if total <= 0.0 or stock < 1.0:
            return
        left = min(stock, wanted)
        for w in range(wards):
            missing = m["goal"][w, k] - int(m["grant"][w, k])
            weight = (int(p["ward_priority"][w]) / FIXED) ** (4.0 * h["priority"])
            units = int(min(missing, left * missing * weight / total) + 0.5)
            m["grant"][w, k] += units
            stock -= units
