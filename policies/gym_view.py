"""The coordinator alone, for Gymnasium: wards and arbiter are scripted, or any policies.

    env = gymnasium.make("policies.gym_view:MedChain-v0", surface="structured", difficulty="medium")

One step is one tool call. What the other agents answer happens within it, and its reward is all that the coordinator
earns until its next turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium

from medchain.core.words import COORDINATOR
from medchain.env.aec import RENDER_MODES, raw_env
from medchain.errors import ToolError, check_seed
from medchain.scenario import Scenario
from policies.protocol import Policy
from policies.scripted.batch import PersonaName
from policies.scripted.single import ScriptedArbiter, ScriptedWard


class MedChainEnv(gymnasium.Env[Any, Any]):
    """A Gymnasium environment over `medchain_v0.raw_env`; the spaces are the coordinator's."""

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        surface: str = "structured",
        difficulty: str | Path | Scenario = "medium",
        reward: str = "terminal",
        personas: Mapping[str, PersonaName] | None = None,
        policies: Mapping[int, Policy] | None = None,
        record_to: str | Path | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Make the environment.

        Args:
            surface: "structured" or "text".
            difficulty: light, medium, heavy, or anything else that `raw_env` takes as a scenario.
            reward: "terminal" or "shaped".
            personas: how the scripted wards ask, by ward; those left out: "scripted".
            policies: who plays instead of a scripted ward or arbiter, by agent number.
            record_to, render_mode: as in `raw_env`.

        Raises:
            ScenarioError, UnknownNameError: a name or a file is wrong.
        """
        self.render_mode = render_mode
        self._personas, self._policies = dict(personas or {}), dict(policies or {})
        self._env = raw_env(difficulty, {"coordinator": surface}, reward, record_to, render_mode)
        self.observation_space = self._env.observation_space("coordinator")
        self.action_space = self._env.action_space("coordinator")
        self._others: dict[int, Any] = {}
        self._states: dict[int, Any] = {}

    @property
    def aec(self) -> raw_env:
        """The environment underneath, all five agents of it."""
        return self._env

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; arguments as in `raw_env.reset`. Returns the first observation and its info."""
        super().reset(seed=None if seed is None else check_seed(seed))
        episode = int(self.np_random.integers(2**63)) if seed is None else seed
        self._env.reset(episode, options)
        scenario = self._env.session.scenario
        self._others = {i: ScriptedWard(scenario, w, self._persona(w)) for i, w in enumerate(scenario.wards, 1)}
        self._others[len(self._others) + 1] = ScriptedArbiter(scenario)
        self._others |= self._policies
        self._states = {i: policy.initial_state(1, [episode]) for i, policy in self._others.items()}
        info = dict(self._env.infos["coordinator"])
        self._answer()
        return self._env.observe("coordinator"), info

    def _persona(self, ward: str) -> PersonaName:
        return self._personas.get(ward, "scripted")

    def _answer(self) -> None:
        """Let the others play until it is the coordinator's turn, or the end."""
        session = self._env.session
        while not session.ended and (asked := session.pending().agent) != COORDINATOR:
            commands, self._states[asked] = self._others[asked].act(session.view(asked), self._states[asked])
            self._env.game.commands[:] = commands[:1]
            self._env.submit()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make one call. A wrong one is refused and the info says why; so is every call after the end."""
        if self._env.session.ended:
            error = ToolError("episode_ended", "no further call", "a call after the end", "reset() to play another episode")
            info = {"refusal": error.code, "message": str(error), "forfeit": False}
            return self._env.observe("coordinator"), 0.0, True, False, info
        self._env.step(action)
        info = self._env.infos["coordinator"]
        self._answer()
        observation, reward, terminated, truncated, now = self._env.last()
        return observation, float(reward), terminated, truncated, {**info, **now}

    def digest(self) -> str:
        """SHA-256 of the episode's record, hex."""
        return self._env.digest()

    def render(self) -> Any:
        """As `raw_env.render`."""
        return self._env.render()

    def close(self) -> None:
        """Close the replay file, if one is open."""
        self._env.close()
