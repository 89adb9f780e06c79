"""What has earned a role's reward so far: each SKU, audits, and the rest (money, paperwork), which is what is left.

Central stock is not shared between SKUs, so within a round what happens to one does not depend on what was decided about
another. Whatever is credited to whom, the sum is the reward.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.words import Criticality, Event
from medchain.reward.components import audit_score, line_accuracy
from medchain.reward.events import breach_outcome, recall_outcome
from medchain.reward.lines import is_line, line_fill, padded
from medchain.reward.roles import overruled, surplus

Array = np.ndarray[Any, Any]
NETWORK, CRITICAL, ACCURACY, EVENTS, WASTE, AUDIT = 0, 1, 2, 3, 5, 6
"""Components that are credited, by their place in reward/formula.py."""


@kernel
def _coordinator(s: Any, p: Any, out: Any) -> None:
    """Write to out[k] what SKU k has earned of the score, and to out[S] audits; weights are the scenario's, not rescaled."""
    rounds, (wards, skus) = s["requested"].shape[0], p["demand"].shape
    priority, lines = 0.0, 0
    for w in range(wards):
        for k in range(skus):
            if is_line(p, w, k):
                priority += int(p["ward_priority"][w])
                lines += 1
    for r in range(rounds):
        for w in range(wards):
            for k in range(skus):
                if is_line(p, w, k):
                    share = int(p["ward_priority"][w]) / max(1.0, priority * rounds)
                    out[k] += p["weights"][NETWORK] * share * line_fill(s, r, w, k)
                    out[k] += p["weights"][ACCURACY] * line_accuracy(s, p, r, w, k) / (lines * rounds)
    days, count = s["need"].shape[0], int(s["event_count"])
    _acute(s, p, 0, days, Criticality.CRITICAL, p["weights"][CRITICAL], out)
    for e in range(count):
        kind, first, weight = int(s["event_type"][e]), int(s["event_day"][e]) - 1, p["weights"][EVENTS] / count
        if kind == Event.MCI:
            _acute(s, p, first, min(days, first + int(p["mci_days"])), Criticality.CRITICAL, weight, out)
        elif kind == Event.SUPPLIER_DISRUPTION:
            _acute(s, p, first, min(days, first + int(p["disruption_days"]) + 1), Criticality.HIGH, weight, out)
        elif kind == Event.PRODUCT_RECALL:
            out[int(p["recall_sku"])] += weight * recall_outcome(s, p, e)
        else:
            out[int(p["breach_sku"])] += weight * breach_outcome(s, p, first + 1)
    handled = max(1.0, float(int(s["opening_value"]) + int(s["spent_on_orders"])))
    for k in range(skus):
        lost = (int(s["expired"][k]) + int(s["discarded"][k])) * int(p["unit_cost"][k])
        out[k] -= p["weights"][WASTE] * lost / handled
    out[skus] = p["weights"][AUDIT] * audit_score(s, p)


@kernel
def _acute(s: Any, p: Any, start: int, stop: int, least: int, weight: float, out: Any) -> None:
    """Add to out[k] its share of the acute wards' fill on days start .. stop - 1."""
    wards, skus = p["demand"].shape
    need = 0
    for d in range(start, stop):
        for w in range(wards):
            for k in range(skus):
                if p["ward_acute"][w] and int(p["criticality"][k]) >= least and is_line(p, w, k):
                    need += int(s["need"][d, w, k])
    for d in range(start, stop):
        for w in range(wards):
            for k in range(skus):
                if p["ward_acute"][w] and int(p["criticality"][k]) >= least and is_line(p, w, k):
                    out[k] += weight * int(s["consumed"][d, w, k]) / max(1, need)


@kernel
def _ward(s: Any, p: Any, w: int, over: int, out: Any) -> None:
    """Add to out[k] what SKU k has earned ward `w` in its first `over` rounds; the sum is all that it has earned."""
    lines = max(1, int(p["lines"][w]))
    for r in range(over):
        for k in range(p["demand"].shape[1]):
            if is_line(p, w, k):
                kept = line_fill(s, r, w, k) - float(p["ward_surplus"]) * surplus(s, r, w, k)
                if padded(s, r, w, k) and overruled(s, r, w, k):
                    kept -= float(p["ward_caught"])
                out[k] += kept / lines
                if int(s["redacted"][r, w, k]) != 0:
                    out[k] -= float(p["ward_redaction"])


@kernel
def _each(episodes: Array, p: Array, agent: int, over: int, out: Array) -> None:
    for n in range(episodes.shape[0]):
        if agent == 0:
            _coordinator(episodes[n], p[0], out[n])
        elif agent <= p[0]["demand"].shape[0]:
            _ward(episodes[n], p[0], agent - 1, over, out[n])


def credit(episodes: Array, params: Array, agent: int, over: int) -> Array:
    """What each SKU, and auditing, has earned an agent so far: float64 [n, skus + 1]; `over` rounds are closed.

    Nothing for the arbiter.
    """
    out = np.zeros((len(episodes), params[0]["demand"].shape[1] + 1))
    _each(episodes, params, agent, over, out)
    return out
