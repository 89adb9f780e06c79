"""From whole phase-level episodes to a train batch, array by array: RLlib's own pipeline handles them row by row.

Plug it in with `learners(learner_connector=..., add_default_connectors_to_learner_pipeline=False)`. All episodes of a module
must be whole and end by termination: then there is nothing to bootstrap from. The columns are those that PPO's loss reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from ray.rllib.connectors.connector_v2 import ConnectorV2
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing

Array = np.ndarray[Any, Any]


def advantages(values: Array, rewards: Array, gamma: float, lambda_: float) -> Array:
    """Generalised advantage estimates of terminated episodes: float [episodes, T] from values and rewards [episodes, T].

    Schulman et al., "High-Dimensional Continuous Control Using Generalized Advantage Estimation", eq. 16.
    """
    found = np.zeros_like(values)
    after, following = np.zeros(len(values), values.dtype), np.zeros(len(values), values.dtype)
    for t in range(values.shape[1] - 1, -1, -1):
        delta = rewards[:, t] + gamma * following - values[:, t]
        after = delta + gamma * lambda_ * after
        found[:, t] = after
        following = values[:, t]
    return found


class PhaseTrainBatch(ConnectorV2):
    """Learner connector: episodes to {module: columns}, with standardised advantages and value targets.

    A round asks a role for one or two decisions, of which one may matter far more: an audit beside a plan. With `apart`
    the first and the second are standardised on their own, so that the lesser one is not drowned.
    """

    def __init__(
        self,
        observation_space: Any = None,
        action_space: Any = None,
        *,
        gamma: float = 1.0,
        lambda_: float = 1.0,
        apart: bool = False,
    ) -> None:
        """Discount by `gamma`, average over horizons by `lambda_`."""
        super().__init__(observation_space, action_space)
        self.gamma, self.lambda_, self.apart = gamma, lambda_, apart

    def __call__(self, *, rl_module: Any, batch: dict[str, Any], episodes: Sequence[Any], **kwargs: Any) -> dict[str, Any]:
        """The batch of all modules that learn."""
        by_module: dict[str, list[Any]] = {}
        for episode in episodes:
            for own in episode.agent_episodes.values():
                by_module.setdefault(own.module_id, []).append(own)
        return {module_id: self._columns(rl_module[module_id].unwrapped(), own) for module_id, own in by_module.items()}

    def _columns(self, module: Any, episodes: Sequence[Any]) -> dict[str, torch.Tensor]:
        device = next(module.parameters()).device

        def rows(arrays: Sequence[Array]) -> torch.Tensor:
            return torch.from_numpy(np.concatenate(arrays)).to(device)

        length = len(episodes[0])
        if any(len(e) != length or not e.is_terminated for e in episodes):
            raise ValueError("expected whole episodes of one length, each ended by termination")
        outputs = [e.extra_model_outputs for e in episodes]
        columns = {
            Columns.OBS: rows([e.observations.data[:length] for e in episodes]),
            Columns.ACTIONS: rows([e.actions.data for e in episodes]),
            Columns.ACTION_LOGP: rows([o[Columns.ACTION_LOGP].data for o in outputs]),
            Columns.ACTION_DIST_INPUTS: rows([o[Columns.ACTION_DIST_INPUTS].data for o in outputs]),
        }
        with torch.no_grad():
            values = module.compute_values(columns).cpu().numpy().reshape(-1, length)
        rewards = np.stack([np.asarray(e.rewards.data, np.float32) for e in episodes])
        gains = advantages(values, rewards, self.gamma, self.lambda_)
        columns[Postprocessing.VALUE_TARGETS] = torch.from_numpy((gains + values).ravel()).to(device)
        even = gains.reshape(len(gains), -1, 2 if self.apart and length % 2 == 0 else 1)
        spread = np.maximum(1e-4, even.std((0, 1)))
        columns[Postprocessing.ADVANTAGES] = torch.from_numpy(((even - even.mean((0, 1))) / spread).ravel()).to(device)
        return columns
