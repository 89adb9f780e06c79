"""Learners of small games in which every choice's payoff against the others' is known: fictitious play and Hedge.

Last iterates may cycle; what is compared with an equilibrium is the time average.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Play(NamedTuple):
    """Time averages of play, per player: average [player][choices]; `path` [points, player] of a statistic."""

    average: list[Floats]
    path: Floats


Payoffs = Callable[[int, list[Floats]], Floats]
"""payoffs(player, strategies of all) -> expected payoff of each of the player's choices, [choices]."""


def fictitious_play(payoffs: Payoffs, choices: list[int], steps: int) -> Play:
    """Everyone best-responds to the others' empirical play (Brown 1951); ties go to the first choice."""
    counts = [np.full(n, 1.0 / n) for n in choices]
    path = np.zeros((steps, len(choices)))
    for t in range(steps):
        beliefs = [c / c.sum() for c in counts]
        for player in range(len(choices)):
            counts[player][int(np.argmax(payoffs(player, beliefs)))] += 1.0
        path[t] = [_last(c / c.sum()) for c in counts]
    return Play([c / c.sum() for c in counts], path)


def hedge(payoffs: Payoffs, choices: list[int], steps: int, rate: float, seed: int) -> Play:
    """Independent learners: each moves its own log-weights by `rate` times its payoffs against what the others drew.

    Everyone draws a choice from its softmax and sees only its own payoffs (Freund and Schapire 1999).
    """
    rng = np.random.default_rng(seed)
    weights = [rng.normal(0.0, 0.5, n) for n in choices]
    total = [np.zeros(n) for n in choices]
    path = np.zeros((steps, len(choices)))
    for t in range(steps):
        strategies = [softmax(w) for w in weights]
        drawn = [np.eye(1, len(s), int(np.searchsorted(np.cumsum(s), rng.random() * s.sum())))[0] for s in strategies]
        for player, strategy in enumerate(strategies):
            weights[player] = weights[player] + rate * payoffs(player, drawn)
            weights[player] -= weights[player].max()
            total[player] += strategy
        path[t] = [_last(s / (t + 1)) for s in total]
    return Play([s / steps for s in total], path)


def softmax(weights: Floats) -> Floats:
    """Probabilities in proportion to exp(weights)."""
    raised: Floats = np.exp(weights - weights.max())
    return raised / raised.sum()


def _last(strategy: Floats) -> float:
    """The statistic a path shows: the probability of the last choice."""
    return float(strategy[-1])
