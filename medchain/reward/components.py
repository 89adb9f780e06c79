"""The ten components of the coordinator's score: each reads recorded facts only and is in [0, 1], or ABSENT.

They stand in the order of the weights; formula.py weighs and gates them.
"""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import FIXED, Criticality
from medchain.reward.audit import citing, reviewing, share_cut
from medchain.reward.events import event_outcome
from medchain.reward.lines import ABSENT, acute_fill, excess_granted, is_line, line_fill


@kernel
def network_service_level(s: Any, p: Any) -> float:
    """Fill of every line and round, averaged with the ward's priority as weight; ABSENT if no ward has priority."""
    total, weight = 0.0, 0
    for r in range(s["requested"].shape[0]):
        for w in range(p["demand"].shape[0]):
            for k in range(p["demand"].shape[1]):
                if is_line(p, w, k):
                    total += int(p["ward_priority"][w]) * line_fill(s, r, w, k)
                    weight += int(p["ward_priority"][w])
    return total / weight if weight > 0 else ABSENT


@kernel
def critical_service_level(s: Any, p: Any) -> float:
    """Units of CRITICAL SKUs used / needed in the acute wards, over the whole episode."""
    return acute_fill(s, p, 1, s["need"].shape[0], Criticality.CRITICAL)


@kernel
def line_accuracy(s: Any, p: Any, r: int, w: int, k: int) -> float:
    """max(0, 1 − q·(1 − fill) − 0.5·(1 − q)·surplus); q is the ward's priority, surplus is a share of the grant."""
    priority = int(p["ward_priority"][w]) / FIXED
    surplus = excess_granted(s, r, w, k) / max(int(s["allocated"][r, w, k]), 1)
    return max(0.0, 1.0 - priority * (1.0 - line_fill(s, r, w, k)) - 0.5 * (1.0 - priority) * surplus)


@kernel
def allocation_accuracy(s: Any, p: Any) -> float:
    """Mean of `line_accuracy` over lines and rounds: shortage costs where priority is high, surplus where it is low."""
    total, count = 0.0, 0
    for r in range(s["requested"].shape[0]):
        for w in range(p["demand"].shape[0]):
            for k in range(p["demand"].shape[1]):
                if is_line(p, w, k):
                    total += line_accuracy(s, p, r, w, k)
                    count += 1
    return total / count


@kernel
def event_response(s: Any, p: Any) -> float:
    """Mean outcome of the episode's events; ABSENT if there is none."""
    total, count = 0.0, int(s["event_count"])
    for e in range(count):
        total += event_outcome(s, p, e)
    return total / count if count > 0 else ABSENT


@kernel
def budget_efficiency(s: Any, p: Any) -> float:
    """List value, cents, of ordered units patients got / max(order spending, share of the limit); at most 1."""
    least = float(p["least_spend_share"]) * int(s["limit"])
    return min(1.0, int(s["ordered_value_used"]) / max(1.0, float(int(s["spent_on_orders"])), least))


@kernel
def waste_control(s: Any, p: Any) -> float:
    """1 − value expired or discarded / (value of the opening stock + order spending), in cents, at least 0."""
    handled = int(s["opening_value"]) + int(s["spent_on_orders"])
    return max(0.0, 1.0 - int(s["wasted_value"]) / max(handled, 1))


@kernel
def audit_score(s: Any, p: Any) -> float:
    """`share_cut` × the mean of `citing` and `reviewing`, or × `citing` alone where there was nothing to review."""
    cites, reviews = citing(s), reviewing(s)
    return share_cut(s, p) * (cites if reviews == ABSENT else 0.5 * (cites + reviews))


@kernel
def approval_workflow_score(s: Any, p: Any) -> float:
    """Finance tickets approved at first filing in the round they opened / finance tickets; ABSENT if there is none."""
    tickets = int(s["tickets"])
    return int(s["approved_at_once"]) / tickets if tickets > 0 else ABSENT


@kernel
def tool_discovery_score(s: Any, p: Any) -> float:
    """Enterprise systems used / systems."""
    used = 0
    for i in range(s["system_used"].shape[0]):
        used += int(s["system_used"][i]) != 0
    return used / int(s["system_used"].shape[0])


@kernel
def briefing_efficiency(s: Any, p: Any) -> float:
    """Rounds with exactly one briefing / rounds."""
    once = 0
    for r in range(s["briefings"].shape[0]):
        once += int(s["briefings"][r]) == 1
    return once / int(s["briefings"].shape[0])
