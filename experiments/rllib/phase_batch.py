"""N phase-level episodes with all roles cast: what runners and environments step through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.rllib.credit.kernels import credit
from experiments.rllib.phase_roles import RolePart, assemble
from medchain.env.phase_spaces import width
from medchain.env.phases import STEPS
from medchain.env.vector import VectorEnv
from medchain.scenario import Scenario
from policies.phase import Decide, Moment

Array = np.ndarray[Any, Any]


class PhaseBatch:
    """`n` episodes in which only learned agents are asked; scripted and frozen ones decide by themselves.

    `turn()` carries the episodes on to the next step at which a learned agent decides, and says who does.
    """

    def __init__(self, scenario: Scenario, n: int, parts: Mapping[str, RolePart], reward: str) -> None:
        """Cast the roles; call `reset` before use."""
        cast = assemble(scenario, parts)
        self.modules = cast.learned
        self.env = VectorEnv(scenario, n, cast.responders, reward)
        self._frozen = cast.frozen
        self._learned = np.array([a in self.modules for a in range(scenario.sizes.agents)], np.int8)
        self._widths = [width(self.env, a) + int(self.env.heads(a).sum()) for a in range(scenario.sizes.agents)]
        self._taken = np.zeros((n, scenario.sizes.agents))

    def freeze(self, agent: int, decide: Decide) -> None:
        """Let `decide` play a learned agent."""
        self._frozen[agent] = decide
        self._learned[agent] = 0
        self.modules = {a: module for a, module in self.modules.items() if a != agent}

    def reset(self, keys: Sequence[int]) -> None:
        """Start one episode per key."""
        self.keys = np.array(keys, np.uint64)
        self.env.reset(list(keys))
        self._need: Array | None = None
        self._taken[:] = 0.0
        self._returns = (-1, self._taken)  # as they stood when that many steps had been made

    def turn(self) -> list[int]:
        """Learned agents that decide now; empty once the episodes are over."""
        while not self.env.done:
            learned = []
            for agent in self.env.deciders():
                if agent in self.modules:
                    learned.append(agent)
                else:
                    self.env.put(agent, self._frozen[agent](self._moment(agent)))
            if learned:
                return learned
            self.env.move()
        return []

    def _moment(self, agent: int) -> Moment:
        rounds = np.full(self.env.n, self.env.step // STEPS + 1)
        return Moment(self.env.phase, self.keys, rounds, *self.env.observe(agent), self.env.mask(agent))

    def observe(self, agent: int) -> Array:
        """[features | mask] of an agent, float32 [n, width + choices]."""
        out = np.empty((self.env.n, self.width(agent)), np.float32)
        self.observe_into(agent, out)
        return out

    def width(self, agent: int) -> int:
        """Length of an observation with its mask."""
        return self._widths[agent]

    def observe_into(self, agent: int, out: Array) -> None:
        """Write the observations of an agent into out[n, width]."""
        lines, hospital = self.env.observe(agent)
        at = lines[0].size
        out[:, :at] = lines.reshape(len(lines), -1)
        out[:, at : at + hospital.shape[1]] = hospital
        out[:, at + hospital.shape[1] :] = self.env.mask(agent)

    def act(self, choices: Mapping[int, Array]) -> None:
        """Carry out the step: int [n, heads] for each agent that `turn` named."""
        for agent, actions in choices.items():
            self.env.put(agent, actions)
        self.env.move()

    def credit(self, agent: int) -> Array:
        """What SKUs and audits have earned an agent since the episodes began, float64 [n, skus + 1]."""
        return credit(self.env.episodes, self.env.params, agent, self.env.step // STEPS)

    def foresight(self, agent: int) -> Array:
        """Need of an agent's lines, in units of their usual one: float32 [n, lines, 3], see policies/learned/layout.py."""
        if self._need is None:
            self._need = self._needs()
        need, now = self._need, min(self.env.step // STEPS, self._need.shape[1] - 1)
        left = need[:, now + 1 :] if now + 1 < need.shape[1] else np.zeros_like(need[:, :1])
        told = np.stack([need[:, now], left[:, 0], left.mean(1)], axis=-1)
        wards = self.env.sizes.wards
        own = told[:, agent - 1] if 0 < agent <= wards else told.reshape(len(told), -1, told.shape[-1])
        return np.ascontiguousarray(own)

    def _needs(self) -> Array:
        """Each round's need in units of the usual one, float32 [n, round, ward, sku]; drawn as an episode starts."""
        days, usual = self.env.episodes["need"], 2.0 * self.env.params[0]["demand"]
        rounds = days.reshape(len(days), -1, 2, *days.shape[2:]).sum(2)
        return np.asarray((rounds / np.maximum(usual, 1.0)).astype(np.float32))

    def take(self, agent: int) -> Array:
        """What an agent has earned since it was last asked for, float64 [n]."""
        if self._returns[0] != self.env.step:
            self._returns = (self.env.step, self.env.returns(self._learned))
        earned = self._returns[1][:, agent] - self._taken[:, agent]
        self._taken[:, agent] = self._returns[1][:, agent]
        return earned
