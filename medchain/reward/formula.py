"""The coordinator's score: Σ weight · component − penalty, with the process components gated by service."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.reward.components import (
    allocation_accuracy,
    approval_workflow_score,
    audit_score,
    briefing_efficiency,
    budget_efficiency,
    critical_service_level,
    event_response,
    network_service_level,
    tool_discovery_score,
    waste_control,
)
from medchain.reward.lines import ABSENT, ward_fill
from medchain.scenario_parts import Weights

COMPONENTS = tuple(Weights.model_fields)
"""Names of the ten components, in the order of the weights and of a breakdown."""

GATED_FROM = COMPONENTS.index("budget_efficiency")
"""This component and those below it earn in proportion to service."""

PRESENT, GATE, PENALTY, SCORE, BREAKDOWN = 10, 20, 21, 22, 23
"""A breakdown array: ten values as they enter the sum (0 if absent), ten flags, gate, penalty, score; its length."""


@kernel
def components_into(s: Any, p: Any, values: Any) -> None:
    """Write the ten components, before the gate, to values[0..9]."""
    values[0] = network_service_level(s, p)
    values[1] = critical_service_level(s, p)
    values[2] = allocation_accuracy(s, p)
    values[3] = event_response(s, p)
    values[4] = budget_efficiency(s, p)
    values[5] = waste_control(s, p)
    values[6] = audit_score(s, p)
    values[7] = approval_workflow_score(s, p)
    values[8] = tool_discovery_score(s, p)
    values[9] = briefing_efficiency(s, p)


@kernel
def fill(s: Any, p: Any) -> Any:
    """Mean fill of each ward's lines over all rounds: float64 [ward], in [0, 1]."""
    fills = np.ones(p["demand"].shape[0])
    for w in range(fills.shape[0]):
        fills[w] = ward_fill(s, p, w)
    return fills


@kernel
def gate(s: Any, p: Any) -> float:
    """Multiplier of the process components: min(1, lowest ward's mean fill / gate_fill)."""
    lowest = 1.0
    for w in range(p["demand"].shape[0]):
        lowest = min(lowest, ward_fill(s, p, w))
    return min(1.0, lowest / float(p["gate_fill"]))


@kernel
def justification_penalty(s: Any, p: Any) -> float:
    """Score lost to unsound justifications: so much each, up to a most."""
    return min(float(p["unsound_penalty_most"]), int(s["unsound"]) * float(p["unsound_penalty"]))


@kernel
def score_into(s: Any, p: Any, breakdown: Any) -> float:
    """Fill `breakdown`, float64 [BREAKDOWN], and return the score, in [0, 1].

    A component's weight is its share of the weights of those present; products are added from the first to the last.
    """
    components_into(s, p, breakdown)
    open_gate, weight, total = gate(s, p), 0.0, 0.0
    for i in range(PRESENT):
        present = breakdown[i] != ABSENT
        breakdown[PRESENT + i] = 1.0 if present else 0.0
        if not present:
            breakdown[i] = 0.0
            continue
        weight += p["weights"][i]
        if i >= GATED_FROM:
            breakdown[i] *= open_gate
    for i in range(PRESENT):
        if breakdown[PRESENT + i] != 0.0 and weight > 0.0:
            total += p["weights"][i] / weight * breakdown[i]
    breakdown[GATE] = open_gate
    breakdown[PENALTY] = justification_penalty(s, p)
    breakdown[SCORE] = min(1.0, max(0.0, total - breakdown[PENALTY]))
    return float(breakdown[SCORE])


def breakdown(episode: Any, params: Any) -> dict[str, float | None]:
    """The score of one episode record and what it is made of.

    Returns: each component's value as it enters the sum (gated; None if absent), then `gate` (the multiplier),
    `justification_penalty` and `score`. Weights rescaled over the components present, times their values, added in
    order, minus the penalty and clipped to [0, 1] give `score` to the last bit.
    """
    found = np.zeros(BREAKDOWN)
    score_into(episode, params, found)
    values = found.tolist()
    parts = {name: values[i] if values[PRESENT + i] else None for i, name in enumerate(COMPONENTS)}
    return {**parts, "gate": values[GATE], "justification_penalty": values[PENALTY], "score": values[SCORE]}
