"""Check A, the inspection game: do this project's learners find the mixed equilibrium that theory gives?

A ward pads (gain g) or not, the coordinator audits (cost c) or not without seeing the request. An audit calls a padded
request padded with probability beta and an honest one with alpha; then the ward pays the fine F. The coordinator earns b
for a caught padding and loses L for an uncaught one. In equilibrium
audit* = g / (beta g + (beta - alpha) F) and pad* = c / (beta (b + L)): raising the fine lowers audits, not padding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.studies.games import InspectionConfig
from experiments.studies.learners import Floats, Play, fictitious_play, hedge

WARD, COORDINATOR = 0, 1


@dataclass(frozen=True)
class Inspection:
    """One inspection game; choices: ward (honest, pad), coordinator (no audit, audit)."""

    config: InspectionConfig
    fine: float

    @property
    def equilibrium(self) -> tuple[float, float]:
        """(pad*, audit*), probabilities."""
        c = self.config
        audit = c.pad_gain / (c.detection * c.pad_gain + (c.detection - c.false_positive) * self.fine)
        pad = c.audit_cost / (c.detection * (c.catch_benefit + c.uncaught_loss))
        return pad, audit

    def matrices(self) -> tuple[Floats, Floats]:
        """Payoffs [ward choice, coordinator choice] of the ward and of the coordinator."""
        c = self.config
        hit = c.detection
        ward = [[0.0, -c.false_positive * self.fine], [c.pad_gain, (1 - hit) * c.pad_gain - hit * self.fine]]
        caught = hit * c.catch_benefit - (1 - hit) * c.uncaught_loss - c.audit_cost
        coordinator = [[0.0, -c.audit_cost], [-c.uncaught_loss, caught]]
        return np.array(ward), np.array(coordinator)

    def payoffs(self, player: int, strategies: list[Floats]) -> Floats:
        """Expected payoff of each choice of `player` against the other's strategy."""
        ward, coordinator = self.matrices()
        return ward @ strategies[COORDINATOR] if player == WARD else strategies[WARD] @ coordinator

    def fictitious(self) -> Play:
        """Fictitious play."""
        return fictitious_play(self.payoffs, [2, 2], self.config.learning.steps // 10)

    def independent(self, seed: int) -> Play:
        """Independent learners."""
        return hedge(self.payoffs, [2, 2], self.config.learning.steps, self.config.learning.rate, seed)
