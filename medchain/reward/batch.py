"""Rewards of many episodes at once, in compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.reward.formula import BREAKDOWN, score_into
from medchain.reward.roles import ward_reward

Array = np.ndarray[Any, Any]


@kernel
def _score_each(episodes: Array, p: Array, out: Array) -> None:
    for i in range(episodes.shape[0]):
        score_into(episodes[i], p[0], out[i])


@kernel
def _reward_each_ward(episodes: Array, p: Array, out: Array) -> None:
    for i in range(episodes.shape[0]):
        for r in range(out.shape[1]):
            for w in range(out.shape[2]):
                out[i, r, w] = ward_reward(episodes[i], p[0], w, r)


def score_batch(episodes: Array, params: Array) -> Array:
    """Breakdown arrays (see formula.BREAKDOWN) of finished episodes: float64 [episode, BREAKDOWN]."""
    found = np.zeros((len(episodes), BREAKDOWN))
    _score_each(episodes, params, found)
    return found


def ward_rewards(episodes: Array, params: Array) -> Array:
    """What each ward earned at the close of each round of finished episodes: float64 [episode, round, ward]."""
    _, rounds, wards, _ = episodes["requested"].shape
    found = np.zeros((len(episodes), rounds, wards))
    _reward_each_ward(episodes, params, found)
    return found
