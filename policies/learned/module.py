"""A learned role as an RLModule: masked heads over lines, with a value. Observations are [features | mask], float32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.distribution.torch.torch_distribution import TorchDistribution
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModule
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.utils.annotations import override
from torch import Tensor

from policies.learned import heads
from policies.learned.layout import FORESIGHT, Group, Layout
from policies.learned.nets import new_net

FORESEEN = "foreseen"
"""Column of a train batch: what the value is told beyond the observation, float32 [n, lines, FORESIGHT]."""


class MaskedHeads(TorchDistribution):
    """Independent choices, one per head, over masked logits. `of` makes the class for some groups of heads."""

    groups: Sequence[Group] = ()

    def __init__(self, logits: Tensor) -> None:
        """Take logits [n, choices] that have been masked."""
        self.logits = logits
        self._drawn: tuple[Tensor | None, Tensor | None] = None, None

    @staticmethod
    def of(groups: Sequence[Group]) -> type[MaskedHeads]:
        """The distribution over these heads."""
        return type("MaskedHeads", (MaskedHeads,), {"groups": tuple(groups)})

    def _get_torch_distribution(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a product of categorical heads is not one of torch's distributions")

    @override(TorchDistribution)
    def logp(self, value: Tensor, **kwargs: Any) -> Tensor:
        """Log-probability [n] of actions [n, heads]; heads that are not in use add 0.

        Of the last draw of `sample` it is known already, where no gradient is wanted.
        """
        drawn, known = self._drawn
        if known is not None and value is drawn and not self.logits.requires_grad:
            return known
        return heads.log_prob(self.logits, self.groups, value)

    @override(TorchDistribution)
    def entropy(self) -> Tensor:
        """Nats [n], over the heads in use."""
        return heads.entropy(self.logits, self.groups)

    @override(TorchDistribution)
    def kl(self, other: MaskedHeads) -> Tensor:
        """KL(self || other) [n], over the heads in use."""
        return heads.kl(self.logits, other.logits, self.groups)

    @override(TorchDistribution)
    def sample(self, *, sample_shape: Any = None) -> Tensor:
        """One draw, int64 [n, heads]."""
        self._drawn = heads.sample(self.logits, self.groups)
        return self._drawn[0]

    @override(TorchDistribution)
    def rsample(self, *, sample_shape: Any = None) -> Tensor:
        """Not there: choices are discrete."""
        raise NotImplementedError("discrete choices cannot be drawn with a gradient")

    @classmethod
    @override(TorchDistribution)
    def from_logits(cls, logits: Tensor, **kwargs: Any) -> MaskedHeads:
        """The distribution of masked logits."""
        return cls(logits)

    @override(TorchDistribution)
    def to_deterministic(self) -> Best:
        """Always the most probable choices."""
        return Best(self.logits, self.groups)

    @staticmethod
    @override(TorchDistribution)
    def required_input_dim(space: Any, **kwargs: Any) -> int:
        """Logits for a MultiDiscrete space."""
        return int(space.nvec.sum())


class Best:
    """The most probable choice of every head."""

    def __init__(self, logits: Tensor, groups: Sequence[Group]) -> None:
        self.logits, self.groups = logits, groups

    def sample(self, *, sample_shape: Any = None) -> Tensor:
        """int64 [n, heads]."""
        return heads.best(self.logits, self.groups)

    def logp(self, value: Tensor) -> Tensor:
        """Log-probability [n] of actions [n, heads], as of the distribution that these are the best choices of."""
        return heads.log_prob(self.logits, self.groups, value)


class PhaseModule(TorchRLModule, ValueFunctionAPI):
    """RLModule of one learned role.

    model_config: `layout` (a Layout), `net` (a kind of nets.py), `hidden`, `prefer` (weights of the first policy by group).
    """

    @override(RLModule)
    def setup(self) -> None:
        """Build the network."""
        given = self.model_config
        self.layout: Layout = given["layout"]
        self.net = new_net(self.layout, given["net"], given["hidden"], given.get("prefer"))
        self.action_dist_cls = MaskedHeads.of(self.layout.groups)

    @override(TorchRLModule)
    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen, mask = self.parts(batch)
        h = self.net.embed(seen)
        logits = torch.zeros_like(mask)
        for group, own in heads.choosing(mask, self.layout.groups):
            logits[:, own] = self.net.head(group, h)
        return {Columns.ACTION_DIST_INPUTS: heads.mask_logits(logits, mask)}

    @override(TorchRLModule)
    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """What the heads see; the loss asks them only where they have a choice."""
        return {Columns.EMBEDDINGS: self.net.embed(self.parts(batch)[0])}

    @override(ValueFunctionAPI)
    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Expected return from here [n]."""
        return self.values_by_ledger(batch).sum(-1)

    def values_by_ledger(self, batch: dict[str, Any]) -> Tensor:
        """What each SKU, audits and the rest are expected to earn from here: [n, ledgers]."""
        seen = self.parts(batch)[0]
        blind = seen.new_zeros(len(seen), self.layout.lines, FORESIGHT)
        return self.net.values(seen, batch.get(FORESEEN, blind))

    def parts(self, batch: dict[str, Any]) -> tuple[Tensor, Tensor]:
        """Features [n, width] and mask [n, choices]."""
        observation: Tensor = batch[Columns.OBS]
        return observation[:, : self.layout.width], observation[:, self.layout.width :]

    @override(RLModule)
    def get_inference_action_dist_cls(self) -> type[TorchDistribution]:
        """Masked heads, in training and out of it."""
        return self.action_dist_cls

    get_exploration_action_dist_cls = get_inference_action_dist_cls
    get_train_action_dist_cls = get_inference_action_dist_cls
