"""Spaces of the phase-level shells: flat float32 features, flat int8 masks, one discrete choice per head."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from medchain.env.vector import VectorEnv

Array = np.ndarray[Any, Any]


class MaskedMultiDiscrete(spaces.MultiDiscrete):
    """MultiDiscrete whose `sample` also takes one flat int8 mask, head after head, as observations carry it."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A random action; with a flat mask, one among what it allows."""
        if isinstance(mask, np.ndarray):
            mask = tuple(np.split(mask.astype(np.int8), np.cumsum(self.nvec)[:-1]))
        return super().sample(mask=mask, probability=probability)


def width(env: VectorEnv, agent: int) -> int:
    """Length of an agent's flat observation."""
    return env.lines(agent) * len(env.line_features(agent)) + len(env.global_features(agent))


def feature_names(env: VectorEnv, agent: int) -> list[str]:
    """Name of every entry of the flat observation: lines first, `line.feature`, then the global ones."""
    wards, skus = list(env.scenario.wards), list(env.scenario.skus)
    ward = agent - 1 if 0 < agent <= len(wards) else None
    lines = skus if ward is not None else [f"{w}/{k}" for w in wards for k in skus]
    return [f"{line}.{name}" for line in lines for name in env.line_features(agent)] + env.global_features(agent)


def observation_space(env: VectorEnv, agent: int) -> spaces.Dict:
    """Dict of the flat features and the flat mask."""
    heads = int(env.heads(agent).sum())
    return spaces.Dict(
        {
            "observation": features_space(width(env, agent)),
            "action_mask": spaces.Box(0, 1, (heads,), np.int8),
        }
    )


def action_space(env: VectorEnv, agent: int) -> MaskedMultiDiscrete:
    """One choice per head."""
    return MaskedMultiDiscrete(env.heads(agent))


def flat(lines: Array, out: Array) -> Array:
    """float32 [n, width]: features per line, line after line, then the global ones."""
    return np.concatenate([lines.reshape(len(lines), -1), out], axis=1)


def features_space(size: int) -> spaces.Box:
    """An unbounded float32 vector."""
    return spaces.Box(-np.inf, np.inf, (size,), np.float32)
