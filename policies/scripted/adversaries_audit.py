"""Tricks with papers, evidence and reviews."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import Kind
from policies.scripted.adversaries_orders import one_of_each
from policies.scripted.adversaries_queue import make_room, next_line, room


@kernel
def ask_in_turn(v: Any, p: Any, queue: Any, n: int, kind: int, calls: int) -> int:
    """Put `calls` calls of `kind` before everything, about one line after the other, round after round."""
    calls = min(calls, room(v, n))
    n = make_room(queue, n, calls)
    skus, line = int(p["demand"].shape[1]), int(v["round"]) * calls
    for i in range(calls):
        line = next_line(p, line)
        blank(queue, i, kind)
        queue[i]["ward"] = line // skus
        queue[i]["sku"] = line % skus
        line += 1
    return n


@kernel
def cite_everything(queue: Any, n: int) -> int:
    """Let every plan cite whatever evidence there is."""
    for i in range(n):
        if int(queue[i]["kind"]) == Kind.SUBMIT_ALLOCATION_PLAN:
            queue[i]["cites"][:] = 1
    return n


@kernel
def review_surest(v: Any, p: Any, queue: Any, n: int) -> int:
    """Put a review of the line that asks for the most, as a share of its usual need, before everything."""
    most, best = 0.0, next_line(p, 0)
    wards, skus = p["demand"].shape
    for w in range(wards):
        for k in range(skus):
            if int(p["demand"][w, k]) > 0:
                share = int(v["requested"][w, k]) / int(p["demand"][w, k])
                if share > most:
                    most, best = share, w * skus + k
    n = make_room(queue, n, 1)
    blank(queue, 0, Kind.ESCALATE_TO_CLINICAL_REVIEW)
    queue[0]["ward"] = best // skus
    queue[0]["sku"] = best % skus
    return n


@kernel
def papers(v: Any, p: Any, queue: Any) -> int:
    """A round of process alone: every look and system, one-unit orders, evidence, reviews, an empty plan that cites."""
    n = 0
    for kind in range(Kind.GET_ROUND_BRIEFING, Kind.READ_INBOX + 1):
        n = blank(queue, n, kind)
    n = blank(queue, n, Kind.ERP_ORACLE_GET_INVENTORY)
    n = blank(queue, n, Kind.WMS_SCAN_INVENTORY)
    n = blank(queue, n, Kind.SUPPLIER_PORTAL_REQUEST_QUOTE)
    queue[n - 1]["sku"] = 0
    queue[n - 1]["quantity"] = 1
    n = blank(queue, n, Kind.FINANCE_SAP_GET_BUDGET)
    n = blank(queue, n, Kind.MESSAGING_SEND_TO_WARD)
    queue[n - 1]["ward"] = 0
    n = one_of_each(v, p, queue, n)
    n = blank(queue, n, Kind.SUBMIT_ALLOCATION_PLAN)
    n = blank(queue, cite_everything(queue, n), Kind.ADVANCE_ROUND)
    n = ask_in_turn(v, p, queue, n, Kind.ESCALATE_TO_CLINICAL_REVIEW, int(v["reviews_left"]))
    return ask_in_turn(v, p, queue, n, Kind.REQUEST_EVIDENCE, int(v["evidence_left"]))
