"""A language model with a LoRA adapter as an RLModule: only the adapter is trained, sent, saved and restored."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from ray.rllib.core.rl_module.rl_module import RLModule
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.utils.annotations import override

from policies.llm.logprobs import Padded, token_logps
from policies.llm.shared import adapter_on


class LoRALanguageModule(TorchRLModule):
    """RLModule of one adapter on a base model that all modules of a process share.

    model_config: `source` (a Source), `temperature`. The module's parameters are the adapter's; the base model is frozen and
    no part of it. `get_state` and `set_state` carry LoRA tensors only.
    """

    @override(RLModule)
    def setup(self) -> None:
        """Put a fresh adapter on the base model."""
        self.temperature: float = self.model_config.get("temperature", 1.0)
        self.model = adapter_on(self.model_config["source"])
        self.adapter = torch.nn.ParameterList(self.model.parameters())

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        """Where the adapter goes the whole model goes."""
        self.model.shared.model._apply(fn)
        return super()._apply(fn, recurse)

    def trainable(self) -> list[torch.nn.Parameter]:
        """The adapter's parameters."""
        return list(self.adapter)

    @override(TorchRLModule)
    def get_state(
        self, components: Any = None, *, not_components: Any = None, inference_only: bool = False, **kwargs: Any
    ) -> dict[str, np.ndarray[Any, Any]]:
        """The adapter's tensors, as fresh arrays by name."""
        return {name: p.detach().to(torch.float32).cpu().numpy().copy() for name, p in self.model.tensors().items()}

    @override(TorchRLModule)
    def set_state(self, state: dict[str, np.ndarray[Any, Any]]) -> None:
        """Take over an adapter's tensors.

        Raises:
            KeyError: the adapter is of other layers.
        """
        mine = self.model.tensors()
        if state.keys() != mine.keys():
            odd = sorted(state.keys() ^ mine.keys())
            raise KeyError(f"an adapter of other layers: {odd[:3]} ... do not match")
        with torch.no_grad():
            for name, parameter in mine.items():
                parameter.copy_(torch.from_numpy(np.array(state[name], copy=True)))

    @override(TorchRLModule)
    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Log-probabilities and entropies of the sampled tokens of `batch` (the fields of Padded)."""
        logps, entropy = token_logps(self.model, Padded(*(batch[key] for key in Padded._fields)), self.temperature)
        return {"logps": logps, "entropy": entropy}

    def reference(self, p: Padded) -> torch.Tensor:
        """Log-probabilities with the adapter switched off."""
        with torch.no_grad(), self.model.disable_adapter():
            return token_logps(self.model, p, self.temperature)[0]
