"""The score of one episode, split into ledgers: what each SKU has earned, each process component, and the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.reward.credit import AUDIT, credit
from medchain.reward.formula import BREAKDOWN, COMPONENTS, PENALTY, PRESENT, SCORE, score_into

PROCESS = {
    "audit": AUDIT,
    "budget": COMPONENTS.index("budget_efficiency"),
    "approvals": COMPONENTS.index("approval_workflow_score"),
    "systems": COMPONENTS.index("tool_discovery_score"),
    "briefing": COMPONENTS.index("briefing_efficiency"),
}
"""Ledgers that hold one component each, as it enters the score."""

LEDGERS = (*PROCESS, "justification", "rest")
"""Ledgers after those of the SKUs; `rest` is what makes the sum the score: the gate, weights of what is absent."""


def ledgers(record: Any, params: Any) -> np.ndarray[Any, Any]:
    """The score as it stands, float64 [skus + len(LEDGERS)]; the sum is the score.

    Args:
        record: one episode record.
        params: the scenario's parameters, one record.
    """
    parts = np.zeros(BREAKDOWN)
    score_into(record, params, parts)
    weights = np.asarray(params["weights"]) * parts[PRESENT : 2 * PRESENT]
    worth = weights / max(float(weights.sum()), 1e-9) * parts[:PRESENT]
    skus = credit(np.array([record]), np.array([params]), 0, 0)[0, :-1]
    named = [*(float(worth[i]) for i in PROCESS.values()), -float(parts[PENALTY])]
    found = np.concatenate([skus, named, [0.0]])
    found[-1] = float(parts[SCORE]) - found.sum()
    return found
