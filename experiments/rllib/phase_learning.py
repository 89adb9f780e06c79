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

from experiments.rllib.phase_episodes import CREDIT
from policies.learned import heads
from policies.learned.layout import Group
from policies.learned.module import FORESEEN

LOGP_EACH = "logp_each"
"""Column: log-probability of each head's choice when it was made [n, heads]."""

Array = np.ndarray[Any, Any]


def advantages(values: Array, rewards: Array, gamma: float, lambda_: float) -> Array:
    """Generalised advantage estimates of terminated episodes: float [episodes, T, ...] from values and rewards alike.

    Schulman et al., "High-Dimensional Continuous Control Using Generalized Advantage Estimation", eq. 16.
    """
    found = np.zeros_like(values)
    after, following = np.zeros_like(values[:, 0]), np.zeros_like(values[:, 0])
    for t in range(values.shape[1] - 1, -1, -1):
        delta = rewards[:, t] + gamma * following - values[:, t]
        after = delta + gamma * lambda_ * after
        found[:, t] = after
        following = values[:, t]
    return found


def standardise(told: torch.Tensor, mask: torch.Tensor, groups: Sequence[Group]) -> None:
    """Give each head's advantages, column by column of told [n, heads], mean 0 and deviation 1 over the rows of its group.

    A round asks for several kinds of decision, an audit beside a plan, of which one may matter far more: each is measured
    by itself, in the rows whose mask [n, choices] lets it choose, so that none is drowned.
    """
    head = 0
    for group, _, used in heads.in_use(mask, groups):
        own, rows, head = slice(head, head + group.count), used.nonzero().squeeze(-1), head + group.count
        if len(rows):
            part = told[rows, own]
            told[rows, own] = (part - part.mean(0)) / part.std(0, correction=0).clamp(min=1e-4)


class PhaseTrainBatch(ConnectorV2):
    """Learner connector: episodes to {module: columns}, with standardised advantages and value targets."""

    def __init__(
        self,
        observation_space: Any = None,
        action_space: Any = None,
        *,
        gamma: float = 1.0,
        lambda_: float = 1.0,
        others: tuple[float, float] = (1.0, 1.0),
        over: int = 1,
        foresight: bool = False,
    ) -> None:
        """Discount by `gamma`, average over horizons by `lambda_`.

        What does not concern a head counts by `others`: its value at first and after `over` env steps, with a straight line
        between. Below 1 there is less noise; at 1 there is no bias. `foresight`: the values are told the needs to come.
        """
        super().__init__(observation_space, action_space)
        self.gamma, self.lambda_, self.ends, self.over = gamma, lambda_, others, over
        self.others, self.foresight = others[0], foresight

    def move_on(self, env_steps: int) -> None:
        """Take note of how many env steps the run has sampled."""
        done = min(1.0, env_steps / self.over)
        self.others = self.ends[0] + (self.ends[1] - self.ends[0]) * done

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
        }
        if self.foresight:
            columns[FORESEEN] = rows([o[FORESEEN].data for o in outputs])
        logits = rows([o[Columns.ACTION_DIST_INPUTS].data for o in outputs])
        with torch.no_grad():
            columns[LOGP_EACH] = heads.log_prob_each(logits, module.layout.groups, columns[Columns.ACTIONS])
            values = module.values_by_ledger(columns).cpu().numpy()
        values = values.reshape(len(episodes), length, -1)
        rewards = np.stack([np.asarray(e.rewards.data) for e in episodes])
        credit = np.stack([o[CREDIT].data for o in outputs])
        parts = np.concatenate([credit, rewards[..., None] - credit.sum(-1, keepdims=True)], -1).astype(np.float32)
        gains = advantages(values, parts, self.gamma, self.lambda_)
        columns[Postprocessing.VALUE_TARGETS] = torch.from_numpy((gains + values).reshape(-1, values.shape[-1])).to(device)
        told = torch.from_numpy(gains @ module.layout.concern(self.others)).flatten(0, 1).to(device)
        standardise(told, module.parts(columns)[1], module.layout.groups)
        columns[Postprocessing.ADVANTAGES] = told
        return columns
