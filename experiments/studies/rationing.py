"""Check B, rationing: how far do wards inflate when stock is shared in proportion to requests?

n wards share K; each needs d, gets a and is paid v min(a, d) - phi max(0, q - d) for asking q. For d < K < n d, truth is
an equilibrium under proportional allocation iff phi >= v K (n - 1) / (n^2 d); otherwise q* = v K (n - 1) / (n^2 phi)
(Cachon and Lariviere 1999 study the mechanism). Under uniform allocation nobody gains by asking for more.
The sharing is the core's own (medchain.core.allocation), in ten-thousandths of a unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.studies.games import RationingConfig
from experiments.studies.learners import Floats, Play, softmax
from medchain.core.allocation import share
from medchain.core.kernel import kernel
from medchain.core.words import Rule

UNIT = 10_000
"""Parts of a unit that requests and stock are counted in, so that whole numbers do not blur a flat optimum."""

Params = np.dtype([("allocation_rule", "i8"), ("ward_priority", "i8", (1,))])


@kernel
def own_payoffs(
    p: Any, grid: Any, drawn: Any, player: int, stock: int, need: int, value: float, penalty: float, out: Any
) -> None:
    """out[i]: payoff of `player` if it asks for grid[i] while the others ask for drawn[other]; units are ten-thousandths."""
    row, scratch = np.zeros_like(drawn), np.zeros_like(drawn)
    for i in range(grid.shape[0]):
        row[:] = drawn
        row[player] = grid[i]
        share(p[0], 0, stock, row, scratch)
        out[i] = (value * min(int(row[player]), need) - penalty * max(0, int(grid[i]) - need)) / UNIT


@dataclass(frozen=True)
class Rationing:
    """One rationing game."""

    config: RationingConfig
    wards: int
    penalty: float
    rule: Rule = Rule.PROPORTIONAL

    @property
    def equilibrium(self) -> float:
        """Requested ten-thousandths in the symmetric equilibrium."""
        c, n = self.config, self.wards
        if self.rule == Rule.UNIFORM:
            return float(c.need)
        return max(float(c.need), c.value * c.stock * (n - 1) / (n * n * self.penalty))

    @property
    def grid(self) -> np.ndarray[Any, Any]:
        """Requests a ward chooses among, from its need up."""
        return np.arange(self.config.need, self.config.most + 1, self.config.grid, dtype=np.int64)

    def payoffs(self, player: int, requests: np.ndarray[Any, Any]) -> Floats:
        """Payoff of each request of the grid against the others' requests."""
        c, p = self.config, np.zeros(1, Params)
        p["allocation_rule"] = self.rule
        out = np.zeros(len(self.grid))
        own_payoffs(p, self.grid, requests, player, c.stock, c.need, c.value, self.penalty, out)
        return out

    def gain_of_padding(self) -> float:
        """What the best request earns above the truthful one while the others ask truthfully."""
        truth = np.full(self.wards, self.config.need, np.int64)
        payoffs = self.payoffs(0, truth)
        return float(payoffs.max() - payoffs[0])

    def fictitious(self) -> Play:
        """Each ward best-responds to the others' average request so far."""
        n, steps = self.wards, self.config.learning.steps
        mean = np.full(n, float(self.config.need))
        path = np.zeros((steps, n))
        for t in range(steps):
            replies = [self.grid[int(np.argmax(self.payoffs(i, np.rint(mean).astype(np.int64))))] for i in range(n)]
            mean += (np.array(replies) - mean) / (t + 2)
            path[t] = mean
        return Play([np.array([m]) for m in mean], path)

    def independent(self, seed: int) -> Play:
        """Independent Hedge learners; the time average of their mean requests."""
        n, learning = self.wards, self.config.learning
        rng = np.random.default_rng(seed)
        weights = [rng.normal(0.0, 0.1, len(self.grid)) for _ in range(n)]
        path, total = np.zeros((learning.steps, n)), np.zeros(n)
        for t in range(learning.steps):
            strategies = [softmax(w) for w in weights]
            drawn = np.array([rng.choice(self.grid, p=s) for s in strategies])
            for i in range(n):
                weights[i] = weights[i] + learning.rate * self.payoffs(i, drawn)
            total += [float(s @ self.grid) for s in strategies]
            path[t] = total / (t + 1)
        return Play([np.array([m]) for m in path[-1]], path)
