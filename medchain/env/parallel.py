"""The phase-level environment for PettingZoo's parallel API: one episode of vector.py, all agents at every step.

An agent with nothing to decide in a step has a mask that allows choice 0 of every head only. A choice that the mask does
not allow, or an action that is none, counts as 0 and is reported in infos["refused"]; nothing is raised.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from medchain.env import phase_spaces
from medchain.env.vector import Responder, VectorEnv
from medchain.errors import UnknownNameError, check_seed
from medchain.reward.formula import breakdown
from medchain.scenario import DIFFICULTIES, Scenario, load_scenario

Array = np.ndarray[Any, Any]


class PhaseParallelEnv(ParallelEnv[str, Any, Any]):
    """Five phases a round, 5 R steps an episode (40 in the shipped scenarios).

    Observations are Dict(observation: float32 [features], action_mask: int8 [sum of heads]), actions int [heads].
    """

    metadata = {"name": "medchain_v0", "render_modes": ["ansi"]}  # noqa: RUF012

    def __init__(
        self,
        scenario: str | Scenario = "medium",
        reward: str = "terminal",
        responders: dict[int, Responder] | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Make the environment; `responders` answer at tool level for their agent number (policies/scripted/responders.py).

        Raises:
            UnknownNameError: no such scenario, reward mode or render mode.
        """
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnknownNameError("render mode", render_mode, list(self.metadata["render_modes"]))
        self.render_mode = render_mode
        self._scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        self._reward, self._responders = reward, dict(responders or {})
        self._build(self._scenario)
        names = self._scenario.agents
        self.possible_agents = [name for i, name in enumerate(names) if i not in self._responders]
        self.agents: list[str] = []
        self._number = {name: i for i, name in enumerate(names)}
        self._fresh = np.random.default_rng()
        self.observation_spaces = {
            a: phase_spaces.observation_space(self.batch, self._number[a]) for a in self.possible_agents
        }
        self.action_spaces = {a: phase_spaces.action_space(self.batch, self._number[a]) for a in self.possible_agents}
        size = sum(phase_spaces.width(self.batch, i) for i in range(len(names)))
        self.state_space = phase_spaces.features_space(size)

    def _build(self, scenario: Scenario) -> None:
        self.batch = VectorEnv(scenario, 1, self._responders, self._reward)

    def observation_space(self, agent: str) -> Any:
        """The agent's observation space, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The agent's action space, the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode; without a seed a fresh one is drawn and told in infos["seed"].

        `options["difficulty"]` picks another shipped difficulty of the same sizes; options it does not know are ignored.

        Raises:
            SeedError: seed is not an integer in 0 .. 2^63 - 1.
            UnknownNameError: no such difficulty.
        """
        difficulty = (options or {}).get("difficulty")
        if difficulty is not None:
            if difficulty not in DIFFICULTIES:
                raise UnknownNameError("difficulty", difficulty, list(DIFFICULTIES))
            self._build(load_scenario(difficulty))
        self._seed = int(self._fresh.integers(2**63)) if seed is None else check_seed(seed)
        self.batch.reset([self._seed])
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {"seed": self._seed} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Carry one phase out. Agents that have nothing to decide may be left out."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        infos: dict[str, Any] = {agent: {} for agent in self.agents}
        for number in self.batch.deciders():
            agent = self.batch.scenario.agents[number]
            action, refused = self._legal(number, actions.get(agent))
            self.batch.put(number, action[None, :])
            if refused:
                infos[agent]["refused"] = refused
        earned = self.batch.advance()[0]
        done = self.batch.done
        observations = self._observations()
        rewards = {agent: float(earned[self._number[agent]]) for agent in self.agents}
        ends = dict.fromkeys(self.agents, done)
        if done:
            told = breakdown(self.batch.episodes[0], self.batch.params[0])
            for agent in self.agents:
                infos[agent] |= {"score": told["score"], "breakdown": told}
            self.agents = []
        return observations, rewards, ends, dict.fromkeys(ends, False), infos

    def _legal(self, number: int, action: Any) -> tuple[Array, list[str]]:
        """The action with what is not allowed set to 0, and a line for each such choice."""
        heads, mask = self.batch.heads(number), self.batch.mask(number)
        chosen = np.zeros(len(heads), np.int64)
        try:
            given = np.asarray(action, np.float64)
        except (TypeError, ValueError):
            given = np.zeros(0)
        if given.shape != heads.shape:
            return chosen, [f"expected {len(heads)} whole numbers, one per head, got {str(action)[:80]!r}"]
        starts = np.cumsum(heads) - heads
        refused = []
        for i, value in enumerate(given):
            if not (0 <= value < heads[i] and value == int(value)):
                refused.append(f"head {i}: {value} is not a whole number in 0 .. {heads[i] - 1}")
            elif value and not mask[starts[i] + int(value)]:
                refused.append(f"head {i}: choice {int(value)} is masked out in this phase")
            else:
                chosen[i] = int(value)
        return chosen, refused

    def observe(self, agent: str) -> dict[str, Array]:
        """The agent's observation now; changes nothing."""
        number = self._number[agent]
        features = phase_spaces.flat(*self.batch.observe(number))[0]
        return {"observation": features, "action_mask": self.batch.mask(number)}

    def _observations(self) -> dict[str, Any]:
        return {agent: self.observe(agent) for agent in self.agents}

    def state(self) -> Array:
        """All roles' features in one vector, for centralised critics; float32."""
        return np.concatenate([phase_spaces.flat(*self.batch.observe(i))[0] for i in range(len(self._number))])

    def digest(self) -> str:
        """SHA-256 of the record, hex."""
        return hashlib.sha256(self.batch.episodes[:1].tobytes()).hexdigest()

    def render(self) -> str | None:
        """A line on where the episode is."""
        s = self.batch.episodes[0]
        return f"round {s['round']} day {s['day']}: {'over' if self.batch.done else self.batch.phase.name}"

    def close(self) -> None:
        """Nothing to release."""
