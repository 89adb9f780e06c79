"""RLlib's phase-level environment: one episode, in which only learned agents appear, and only when they decide.

A reward arrives with the observation after the one that it was earned from, the last ones at the end, where every learned
agent appears once more. What is earned before an agent's first observation counts to its first decision.
An episode is played from an explicit key: `reset(seed=...)` takes one, else the next of the environment's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env

from experiments.rllib.phase_batch import PhaseBatch
from experiments.rllib.phase_roles import RolePart
from medchain.env.phase_spaces import MaskedMultiDiscrete
from medchain.errors import check_seed
from medchain.reward.formula import breakdown
from medchain.scenario import Scenario, load_scenario

NAME = "medchain_phase_v0"
FIRST_KEY = 1_000_000
"""Keys of training episodes start here: far from the seeds that are held out, and from those that studies use."""


class Setting:
    """What an environment plays: plain data in `env_config`, made into objects where it is needed."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        """Read `scenario` (a name, a path or a Scenario), `agents` (a role each) and `reward`."""
        named = given["scenario"]
        self.scenario = named if isinstance(named, Scenario) else load_scenario(named)
        self.parts = {name: RolePart.model_validate(part) for name, part in given["agents"].items()}
        self.reward: str = given.get("reward", "terminal")

    def batch(self, n: int) -> PhaseBatch:
        """`n` episodes of it."""
        return PhaseBatch(self.scenario, n, self.parts, self.reward)


class PhaseEnv(MultiAgentEnv):
    """One phase-level episode at a time. Observations are [features | mask], float32; actions int64 [heads]."""

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Make it from `env_config`; see Setting. `first_key` starts this environment's own keys."""
        super().__init__()
        given = dict(config or {})
        self.setting = Setting(given)
        self.batch = self.setting.batch(1)
        self.names = {a: self.setting.scenario.agents[a] for a in self.batch.modules}
        self._numbers = {name: a for a, name in self.names.items()}
        heads = {a: self.batch.env.heads(a) for a in self.names}
        self._starts = {a: np.cumsum(sizes) - sizes for a, sizes in heads.items()}
        self.possible_agents = list(self.names.values())
        self.agents = list(self.possible_agents)
        self.observation_spaces, self.action_spaces = phase_spaces_of(self.batch, self.names)
        worker = getattr(config, "worker_index", 0) or 0
        place = worker * 10_000 + (getattr(config, "vector_index", 0) or 0)
        self._next_key = int(given.get("first_key", FIRST_KEY)) + place * 1_000_000

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], ...]:
        """Start an episode; its key is in the infos.

        Raises:
            SeedError: seed is not an integer in 0 .. 2^63 - 1.
        """
        if seed is None:
            seed, self._next_key = self._next_key, self._next_key + 1
        self.key = check_seed(seed)
        self.batch.reset([self.key])
        self.agents = list(self.possible_agents)
        seen = self._observations(self.batch.turn())
        self._appeared = set(seen)
        return seen, {name: {"key": self.key} for name in seen}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Carry out one step. Choices that the mask does not allow count as 0."""
        chosen = {self._numbers[name]: self._legal(name, action) for name, action in action_dict.items()}
        self.batch.act(chosen)
        asked = self.batch.turn()
        over = not asked
        seen = self._observations(list(self.names) if over else asked)
        rewards = {name: self._earned(name) for name in seen}
        infos: dict[str, Any] = {}
        if over:
            record = self.batch.env.episodes[0]
            told = breakdown(record, self.batch.env.params[0])
            infos = {name: {"key": self.key, "score": told["score"]} for name in seen}
            self.agents = []
        return seen, rewards, {"__all__": over}, {"__all__": False}, infos

    def _earned(self, name: str) -> float:
        if name in self._appeared:
            return float(self.batch.take(self._numbers[name])[0])
        self._appeared.add(name)
        return 0.0

    def _observations(self, asked: list[int]) -> dict[str, Any]:
        return {self.names[a]: self.batch.observe(a)[0] for a in asked}

    def _legal(self, name: str, action: Any) -> np.ndarray[Any, Any]:
        agent = self._numbers[name]
        chosen = np.asarray(action, np.int64).copy()
        chosen[self.batch.env.mask(agent)[self._starts[agent] + chosen] == 0] = 0
        return chosen[None]


def phase_spaces_of(batch: PhaseBatch, names: Mapping[int, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Observation and action spaces by agent name."""
    seen = {name: spaces.Box(-np.inf, np.inf, (batch.width(a),), np.float32) for a, name in names.items()}
    return seen, {name: MaskedMultiDiscrete(batch.env.heads(a)) for a, name in names.items()}


def register() -> str:
    """Make the environment known to RLlib in this process; its name."""
    register_env(NAME, PhaseEnv)
    return NAME
