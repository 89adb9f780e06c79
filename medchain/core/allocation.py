"""Requests of the wards, and how central's stock is shared among what the plan grants."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.lines import legal_most, true_need
from medchain.core.outcome import refuse
from medchain.core.words import Reason, Refusal, Rule


@kernel
def request_refusal(s: Any, p: Any, c: Any, out: Any) -> bool:
    """Whether a ward's request is legal: 0 .. ceil(2.5 x need) for each of its lines, a known reason; else refused."""
    r, w = int(s["round"]) - 1, int(s["asked_ward"])
    for k in range(p["demand"].shape[1]):
        units = int(c["quantities"][w, k])
        if int(p["demand"][w, k]) == 0:
            if units != 0:
                return refuse(out, Refusal.NOT_A_LINE, w, k, 0)
            continue
        most = legal_most(p, true_need(s, r, w, k))
        if not 0 <= units <= most:
            return refuse(out, Refusal.QUANTITY_OUT_OF_RANGE, units, 0, most)
        if not Reason.CENSUS <= int(c["reasons"][w, k]) <= Reason.BUFFER:
            return refuse(out, Refusal.ILLEGAL_OPTION, int(c["reasons"][w, k]), 0, 0)
    return True


@kernel
def take_request(s: Any, p: Any, c: Any) -> None:
    """Enter a ward's request; what it says of SKUs that it does not stock is nobody's business."""
    r, w = int(s["round"]) - 1, int(s["asked_ward"])
    for k in range(p["demand"].shape[1]):
        if int(p["demand"][w, k]) > 0:
            s["requested"][r, w, k] = c["quantities"][w, k]
            s["reason"][r, w, k] = c["reasons"][w, k]


@kernel
def share(p: Any, sku: int, stock: int, row: Any, plan: Any) -> None:
    """Cut the planned units of a SKU, row[ward], down to `stock` by the scenario's allocation rule.

    `plan` is a scratch row: small arrays made here would cost more than the sharing.
    """
    total = 0
    for w in range(row.shape[0]):
        total += int(row[w])
    if total <= stock:
        return
    plan[:] = row
    rule = int(p["allocation_rule"])
    if rule == Rule.PROPORTIONAL:
        _share_in_proportion(stock, total, row, plan)
    elif rule == Rule.UNIFORM:
        _share_evenly(stock, row, plan)
    else:
        _share_by_priority(p, stock, row, plan)


@kernel
def _share_in_proportion(stock: int, total: int, row: Any, plan: Any) -> None:
    """Largest remainder; ties go to the earlier ward."""
    left = stock
    for w in range(row.shape[0]):
        row[w] = int(plan[w]) * stock // total
        left -= int(row[w])
    for _ in range(left):
        best, best_remainder = -1, 0
        for w in range(row.shape[0]):
            remainder = int(plan[w]) * stock - int(row[w]) * total  # below 0 once the ward has its extra unit
            if remainder > best_remainder:
                best, best_remainder = w, remainder
        row[best] += 1


@kernel
def _share_evenly(stock: int, row: Any, plan: Any) -> None:
    """Every ward the same, up to its plan; single units left over go to the earlier wards."""
    for w in range(row.shape[0]):
        row[w] = 0
    left = stock
    while left > 0:
        hungry = 0
        for w in range(row.shape[0]):
            hungry += 1 if int(row[w]) < int(plan[w]) else 0
        if hungry == 0:
            return
        each = max(1, left // hungry)
        for w in range(row.shape[0]):
            more = min(each, int(plan[w]) - int(row[w]), left)
            row[w] += more
            left -= more


@kernel
def _share_by_priority(p: Any, stock: int, row: Any, plan: Any) -> None:
    """The ward with the highest priority first; ties by order."""
    for w in range(row.shape[0]):
        row[w] = 0
    left = stock
    for _ in range(row.shape[0]):
        best = -1
        for w in range(row.shape[0]):
            if plan[w] >= 0 and (best < 0 or int(p["ward_priority"][w]) > int(p["ward_priority"][best])):
                best = w
        row[best] = min(left, int(plan[best]))
        left -= int(row[best])
        plan[best] = -1
