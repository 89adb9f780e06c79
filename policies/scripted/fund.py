"""What a unit is worth to the score, and which needs the stock and the money that are left can serve to the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.words import FIXED, Criticality
from policies.scripted.need import mean_surge, rest_need, rounds
from policies.scripted.shelf import usable

NETWORK, CRITICAL, ACCURACY, GATED = 0, 1, 2, 4
"""Places of the service components among the score's weights, and of the first one behind the gate."""


@kernel
def money_left(v: Any, m: Any, knobs: Any) -> int:
    """Cents that may go into goods: the headroom less what the audits of the rounds to come will cost."""
    return max(0, int(v["headroom"]) - int(knobs["audit_cents_per_round"]) * (rounds(m) - int(v["round"])))


@kernel
def is_acute_blood(p: Any, w: int, k: int) -> bool:
    """Whether a line counts in the critical service level."""
    return int(p["ward_acute"][w]) == 1 and int(p["criticality"][k]) == Criticality.CRITICAL and int(p["demand"][w, k]) > 0


@kernel
def value_lines(v: Any, p: Any, m: Any, knobs: Any) -> None:
    """Score points that one more unit used earns on each line whose need is the usual one.

    A ward whose fill so far is under the gate of the process components earns a part of those as well.
    """
    weight, lines, blood, process = 0.0, 0, 0.0, 0.0
    for i in range(GATED, p["weights"].shape[0]):
        process += p["weights"][i]
    for w in range(p["demand"].shape[0]):
        weight += int(p["ward_priority"][w]) / FIXED * int(p["lines"][w])
        lines += int(p["lines"][w])
        for k in range(p["demand"].shape[1]):
            if is_acute_blood(p, w, k):
                blood += 2.0 * int(p["demand"][w, k]) * mean_surge(p, w)
    for w in range(p["demand"].shape[0]):
        fill = (
            int(p["ward_priority"][w]) / FIXED * (p["weights"][NETWORK] / max(0.01, weight) + p["weights"][ACCURACY] / lines)
        )
        opened = int(v["round"]) - 1
        if opened == 0 or m["fill"][w] < (p["gate_fill"] + knobs["gate_margin"]) * opened:
            fill += knobs["gate_worth"] * process / max(0.01, p["gate_fill"]) / max(1, int(p["lines"][w]))
        for k in range(p["demand"].shape[1]):
            if int(p["demand"][w, k]) > 0:
                need = 2.0 * int(p["demand"][w, k]) * mean_surge(p, w)
                m["value"][w, k] = fill / rounds(m) / need
                if is_acute_blood(p, w, k):
                    m["value"][w, k] += knobs["blood_worth"] * p["weights"][CRITICAL] / rounds(m) / blood


@kernel
def fund_lines(v: Any, p: Any, m: Any, knobs: Any) -> None:
    """Fund lines in order of value per cent, from their SKU's stock and pipeline first, then by buying.

    Notes the share of each line's need, from now to the end, that can be served, and the worth of the last line bought for.
    """
    wards, skus = p["demand"].shape
    stock, money = np.zeros(skus), float(money_left(v, m, knobs))
    for k in range(skus):
        stock[k] = _lasting(p, m, k)
    m["funded"][:] = -1.0
    m["worth"] = 0.0
    for _ in range(wards * skus):
        w, k, worth = _worthiest(p, m)
        if w < 0:
            return
        need = max(1.0, float(m["estimate"][w, k]) + rest_need(v, p, m, w, k, int(v["round"]) + 1))
        from_stock = min(need, stock[k])
        stock[k] -= from_stock
        cost = knobs["price"] * int(p["unit_cost"][k])
        bought = min(need - from_stock, money / cost)
        money -= bought * cost
        m["funded"][w, k] = (from_stock + bought) / need
        if bought > 0.0:
            m["worth"] = worth


@kernel
def _worthiest(p: Any, m: Any) -> tuple[int, int, float]:
    """The line, not yet funded, with the most value per cent; ward -1 if there is none."""
    best_w, best_k, best = -1, -1, 0.0
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1]):
            worth = m["value"][w, k] / int(p["unit_cost"][k])
            if int(p["demand"][w, k]) > 0 and m["funded"][w, k] < 0.0 and worth > best:
                best_w, best_k, best = w, k, worth
    return best_w, best_k, best


@kernel
def _lasting(p: Any, m: Any, k: int) -> float:
    """Units of a SKU that can still be used: of what does not keep to the next round, no more than is needed in this one."""
    now = 0.0
    for w in range(p["demand"].shape[0]):
        now += m["estimate"][w, k]
    early = min(float(m["central"][k] - m["keeps"][k]), now)
    return early + m["keeps"][k] + m["coming"][k] + usable(p, m, k) - m["central"][k]
