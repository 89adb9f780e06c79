"""PPO's loss with a ratio and an advantage for each head.

With some seventy heads the ratio of the joint probabilities leaves the clipping range as soon as anything has been learned,
and one number for all heads tells none of them what it did. Here each head is clipped by itself, and is told what concerns
it: what its own SKU has earned, say, and only a share of what everything else has (Layout.concern).
"""

from __future__ import annotations

from typing import Any

import torch
from ray.rllib.algorithms.ppo.ppo import LEARNER_RESULTS_VF_EXPLAINED_VAR_KEY
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core.columns import Columns
from ray.rllib.core.learner.learner import ENTROPY_KEY, POLICY_LOSS_KEY, VF_LOSS_KEY
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED_LIFETIME
from ray.rllib.utils.torch_utils import explained_variance

from experiments.rllib.phase_learning import LOGP_EACH, PhaseTrainBatch
from policies.learned import heads


class PhaseLearner(PPOTorchLearner):
    """RLlib's PPO Learner with that loss; batches come from PhaseTrainBatch."""

    def before_gradient_based_update(self, *, timesteps: dict[str, Any]) -> None:
        """Before the batch is made: how much counts what does not concern a head, as of now."""
        super().before_gradient_based_update(timesteps=timesteps)
        for connector in self._learner_connector.connectors:
            if isinstance(connector, PhaseTrainBatch):
                connector.move_on(timesteps[NUM_ENV_STEPS_SAMPLED_LIFETIME])

    def compute_loss_for_module(
        self, *, module_id: str, config: Any, batch: dict[str, Any], fwd_out: dict[str, Any]
    ) -> torch.Tensor:
        """Clipped surrogate summed over heads, less entropy, plus squared errors of the values by ledger."""
        module = self.module[module_id].unwrapped()
        surrogate, entropy = self._policy(module, config.clip_param, batch, fwd_out[Columns.EMBEDDINGS])
        values, targets = module.values_by_ledger(batch), batch[Postprocessing.VALUE_TARGETS]
        errors = (values - targets).square().sum(-1).mean()
        coefficient = self.entropy_coeff_schedulers_per_module[module_id].get_current_value()
        self.metrics.log_dict(
            {
                POLICY_LOSS_KEY: -surrogate.detach(),
                VF_LOSS_KEY: errors.detach(),
                LEARNER_RESULTS_VF_EXPLAINED_VAR_KEY: explained_variance(targets.sum(-1), values.detach().sum(-1)),
                ENTROPY_KEY: entropy.detach(),
            },
            key=module_id,
            window=1,
        )
        return config.vf_loss_coeff * errors - surrogate - coefficient * entropy

    def _policy(self, module: Any, clip: float, batch: dict[str, Any], h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Clipped surrogate and entropy, each summed over the heads that may choose; means over the batch."""
        mask, chosen = module.parts(batch)[1], batch[Columns.ACTIONS]
        surrogate, entropy, head = h.new_zeros(()), h.new_zeros(()), 0
        for group, at, used in heads.in_use(mask, module.layout.groups):
            own, head = slice(head, head + group.count), head + group.count
            rows = used.nonzero().squeeze(-1)
            if not len(rows):
                continue
            logits = heads.mask_logits(
                module.net.head(group, h.index_select(0, rows)), mask[rows, at : at + group.count * group.size]
            )
            logp, logs = heads.chosen_log_prob(logits.reshape(len(rows), group.count, group.size), chosen[rows, own])
            ratio = torch.exp(logp - batch[LOGP_EACH][rows, own])
            gains = batch[Postprocessing.ADVANTAGES][rows, own]
            surrogate = surrogate + torch.min(gains * ratio, gains * ratio.clamp(1 - clip, 1 + clip)).sum()
            entropy = entropy - (logs.exp() * logs).sum()
        return surrogate / len(h), entropy / len(h)
