"""`paperwork` serves no patient and does everything else by the book."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import CENTRAL, Kind
from policies.scripted.buy import order
from policies.scripted.chores import open_round
from policies.scripted.memory import next_step
from policies.scripted.need import rounds


@kernel
def paperwork(v: Any, p: Any, m: Any, queue: Any) -> int:
    """Every process tool, evidence and citations for all wards, one-unit orders, an empty plan."""
    step = next_step(v, m)
    if step == 0:
        n = open_round(v, p, queue)
        n = blank(queue, n, Kind.READ_INBOX)
        n = blank(queue, n, Kind.VIEW_REQUESTS)
        n = blank(queue, n, Kind.SUPPLIER_PORTAL_REQUEST_QUOTE)
        queue[n - 1]["supplier"] = p["lead_time"].shape[0] - 1
        queue[n - 1]["sku"] = 0
        queue[n - 1]["quantity"] = 1
        for w in range(min(p["demand"].shape[0], int(v["evidence_left"]))):
            if int(p["lines"][w]) == 0:
                continue
            n = blank(queue, n, Kind.REQUEST_EVIDENCE)
            queue[n - 1]["ward"] = w
            queue[n - 1]["sku"] = _most_inflated(v, p, w)
        return n
    if step == 1:
        n = 0
        for w in range(p["demand"].shape[0] - 1, -1, -1):
            k = _most_inflated(v, p, w)
            if int(v["requested"][w, k]) > 0 and n == 0 and int(v["reviews_left"]) > 0:
                n = blank(queue, n, Kind.ESCALATE_TO_CLINICAL_REVIEW)
                queue[n - 1]["ward"] = w
                queue[n - 1]["sku"] = k
        n = blank(queue, n, Kind.SUBMIT_ALLOCATION_PLAN)
        queue[n - 1]["cites"][:] = 1
        if int(v["day"]) + int(v["lead_time"][0]) <= 2 * rounds(m):
            for k in range(p["unit_cost"].shape[0]):
                n = order(queue, n, 0, k, CENTRAL, 1, 0)
        return blank(queue, n, Kind.ADVANCE_ROUND)
    return blank(queue, 0, Kind.ADVANCE_ROUND)


@kernel
def _most_inflated(v: Any, p: Any, w: int) -> int:
    """The SKU of a ward whose request is largest against the usual demand."""
    best, most = 0, -1.0
    for k in range(p["demand"].shape[1]):
        if int(p["demand"][w, k]) > 0 and int(v["requested"][w, k]) / int(p["demand"][w, k]) > most:
            best, most = k, int(v["requested"][w, k]) / int(p["demand"][w, k])
    return best
