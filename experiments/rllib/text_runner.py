"""An EnvRunner that plays whole episodes of language models, batched over episodes at different turns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import gymnasium as gym
import ray
import torch
from ray.rllib.core import COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES, INPUT_ENV_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.utils.annotations import override
from ray.rllib.utils.checkpoints import Checkpointable
from ray.rllib.utils.framework import get_device
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED_LIFETIME, WEIGHTS_SEQ_NO

from policies.llm.player import Player
from policies.llm.rollout import Key, Rollout

SPACE = gym.spaces.Text(1)
"""RLlib wants spaces; turns are tokens, which no space describes."""


class TextEnvRunner(EnvRunner, Checkpointable):
    """Plays the episodes of explicit keys with its own copy of the model; only adapters are sent to it."""

    @override(EnvRunner)
    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        """Build the player and the modules of `config`."""
        super().__init__(config=config, **kwargs)
        self._player = Player(self.config.text)
        self._seq_no = 0
        if self.worker_index:
            torch.set_num_threads(1)  # runners on one machine get on faster than threads of one runner
        self._device = get_device(self.config, self.config.num_gpus_per_env_runner if self.worker_index else 0)
        self.module: Any = None
        self.make_module()

    @override(EnvRunner)
    def make_module(self) -> None:
        """Build the modules of all seats."""
        spec = self.config.get_multi_rl_module_spec(spaces=self.get_spaces(), inference_only=True)
        self.module = spec.build()
        for module_id in list(self.module.keys()):
            inner = self.module[module_id]
            if self.config.text.source.quantisation == "none":
                inner.to(self._device)
            inner.eval()

    @override(EnvRunner)
    def assert_healthy(self) -> None:
        """The module was built."""
        assert self.module is not None

    @override(EnvRunner)
    def get_spaces(self) -> dict[str, tuple[gym.Space[Any], gym.Space[Any]]]:
        """Placeholders, by module."""
        ids = [INPUT_ENV_SPACES, INPUT_ENV_SINGLE_SPACES, DEFAULT_MODULE_ID, *set(self.config.text.seats.values())]
        return dict.fromkeys(ids, (SPACE, SPACE))

    @override(EnvRunner)
    def sample(
        self,
        *,
        keys: Sequence[Key] = (),
        stream: Sequence[int] = (0,),
        temperature: float | None = None,
        free: bool = False,
        **kwargs: Any,
    ) -> list[Rollout]:
        """Play the episodes of `keys`; the same keys, stream and adapter give the same episodes on any runner."""
        models = {module_id: self.module[module_id].model for module_id in list(self.module.keys())}
        found = self._player.play(keys, models, stream, temperature, free)
        self.num_env_steps_sampled_lifetime += sum(t.turns for r in found for t in r.tallies.values())
        return found

    @override(EnvRunner)
    def get_metrics(self) -> Any:
        """Nothing: what is known of episodes travels with them."""
        return self.metrics.reduce()

    @override(Checkpointable)
    def get_state(
        self, components: str | Collection[str] | None = None, *, not_components: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Adapters and counters."""
        state: dict[str, Any] = {NUM_ENV_STEPS_SAMPLED_LIFETIME: self.num_env_steps_sampled_lifetime}
        if self._check_component(COMPONENT_RL_MODULE, components, not_components):
            state[COMPONENT_RL_MODULE] = self.module.get_state()
            state[WEIGHTS_SEQ_NO] = self._seq_no
        return state

    @override(Checkpointable)
    def set_state(self, state: dict[str, Any]) -> None:
        """Take over adapters, unless they are not newer than its own."""
        if COMPONENT_RL_MODULE in state:
            number = state.get(WEIGHTS_SEQ_NO, 0)
            if number == 0 or number > self._seq_no:
                weights = state[COMPONENT_RL_MODULE]
                self.module.set_state(ray.get(weights) if isinstance(weights, ray.ObjectRef) else weights)
            self._seq_no = max(self._seq_no, number)
        if NUM_ENV_STEPS_SAMPLED_LIFETIME in state:
            self.num_env_steps_sampled_lifetime = state[NUM_ENV_STEPS_SAMPLED_LIFETIME]

    @override(Checkpointable)
    def get_ctor_args_and_kwargs(self) -> Any:
        """How to make another one."""
        return (), {"config": self.config}

    @override(Checkpointable)
    def get_checkpointable_components(self) -> list[tuple[str, Any]]:
        """The modules."""
        return [(COMPONENT_RL_MODULE, self.module)]
