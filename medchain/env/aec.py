"""The AEC shell: turns in, observations out, PettingZoo's books in between."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from medchain.core.record import new_commands
from medchain.core.session import Session
from medchain.core.words import COORDINATOR, Refusal
from medchain.env import snapshot
from medchain.env.actions import ActionError
from medchain.env.spaces import state_space
from medchain.env.structured import Structured
from medchain.env.turn import take_turn
from medchain.errors import MedChainError, UnknownNameError, check_seed
from medchain.reward.formula import breakdown
from medchain.scenario import DIFFICULTIES, Scenario, load_scenario

SURFACES = {"structured": Structured}
RENDER_MODES = ["ansi", "rgb_array", "human"]


def env(**kwargs: Any) -> OrderEnforcingWrapper[str, Any, Any]:
    """`raw_env` behind PettingZoo's check that methods are called in order; arguments as in `raw_env`."""
    return OrderEnforcingWrapper(raw_env(**kwargs))


class raw_env(AECEnv[str, Any, Any]):
    """The hospital, turn by turn: ICU, ER and General request, then the coordinator calls tools until the round ends.

    A tool that asks a ward or the arbiter hands them the turn. Every call is one step; a refused one changes only the
    call count. All agents terminate together after the last round.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo declares it on the instance
        "name": "medchain_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        scenario: str | Path | Scenario = "medium",
        surface: str | Mapping[str, str] = "structured",
        reward: str = "terminal",
        record_to: str | Path | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Fix what shapes the spaces.

        Args:
            scenario: difficulty, path of a scenario file, or a loaded scenario.
            surface: "structured" or "text" for all agents, or by agent name (those left out: structured).
            reward: "terminal" pays the coordinator its score at the end, "shaped" an advance on it while it plays.
            record_to: file or folder for replays.
            render_mode: "ansi", "rgb_array", "human" or None.

        Raises:
            ScenarioError, UnknownNameError: a name or a file is wrong.
        """
        super().__init__()
        self.scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        _known("reward mode", reward, ["terminal", "shaped"])
        _known("render mode", render_mode, [None, *RENDER_MODES])
        self.reward_mode, self.render_mode = reward, render_mode
        self.possible_agents = self.scenario.agents
        self.agents: list[str] = []
        self.state_space = state_space(self.scenario)
        self._number = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._surfaces = {a: SURFACES[s](self.scenario, self._number[a]) for a, s in self._chosen(surface).items()}
        self._watchers = {a: Structured(self.scenario, i) for a, i in self._number.items()}
        self._sessions: dict[str | None, Session] = {}
        self._clock = 0  # moves with everything that changes the session
        self._difficulty: str | None = None
        self._commands = new_commands(self.scenario.sizes)
        self._earned = np.zeros(len(self.possible_agents))
        self._rng = np.random.default_rng()

    def _chosen(self, surface: str | Mapping[str, str]) -> dict[str, str]:
        by_agent = dict.fromkeys(self.possible_agents, surface) if isinstance(surface, str) else dict(surface)
        for agent, name in by_agent.items():
            _known("agent", agent, self.possible_agents)
            _known("surface", name, list(SURFACES))
        return {agent: str(by_agent.get(agent, "structured")) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's observation space; always the same object."""
        return self._surfaces[agent].observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's action space; always the same object."""
        return self._surfaces[agent].action_space

    @property
    def session(self) -> Session:
        """The episode that is being played."""
        return self._sessions[self._difficulty]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: 0 .. 2^63 - 1; None draws a fresh one, which infos report.
            options: `difficulty`, light, medium or heavy, for this episode; others are ignored.

        Raises:
            SeedError, UnknownNameError, MedChainError: a seed or a difficulty is wrong, or does not fit the spaces.
        """
        if seed is None:
            seed = int(self._rng.integers(2**63))
        else:
            self._rng = np.random.default_rng(check_seed(seed))
        difficulty = (options or {}).get("difficulty")
        self._session_of(difficulty).reset(seed)
        self._difficulty = difficulty
        self._forget()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"seed": seed} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.session.pending().agent]
        self._skip_agent_selection = None

    def _forget(self) -> None:
        """The session has changed otherwise than by a turn."""
        self._clock += 1
        for surface in (*self._surfaces.values(), *self._watchers.values()):
            surface.forget()

    def _session_of(self, difficulty: str | None) -> Session:
        """The session of a difficulty; None: of the constructor's scenario."""
        if difficulty not in self._sessions:
            _known("difficulty", difficulty, [None, *DIFFICULTIES])
            scenario = self.scenario if difficulty is None else load_scenario(difficulty)
            if snapshot.shape_of(scenario) != snapshot.shape_of(self.scenario):
                raise MedChainError(f"difficulty {difficulty!r} has other wards, SKUs or sizes than the env's scenario")
            self._sessions[difficulty] = Session(scenario)
        return self._sessions[difficulty]

    def observe(self, agent: str) -> Any:
        """What the agent may know now; changes nothing."""
        return self._surfaces[agent].observe(self.session, self._clock)

    def step(self, action: Any) -> None:
        """Take the action of the agent whose turn it is; None for one that has terminated.

        A wrong action is refused: it only counts as a call, and the agent's info says why.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        session, commands = self.session, self._commands
        info: dict[str, Any] = {}
        try:
            self._surfaces[agent].read(session, self._clock, action, commands)
        except ActionError as error:
            commands["kind"] = 0
            info["message"] = str(error)
        asked, refusal, forfeit = take_turn(
            session.episodes, session.params, commands, session.results, self._earned, self.reward_mode == "shaped"
        )
        if refusal:
            info["refusal"] = Refusal(refusal).name.lower()
            info["forfeit"] = bool(forfeit)
        self._close_turn(agent, asked, info)

    def _close_turn(self, agent: str, asked: int, info: dict[str, Any]) -> None:
        self._clock += 1
        self.infos[agent] = info
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.possible_agents, self._earned.tolist(), strict=True))
        self._accumulate_rewards()
        if asked >= 0:
            self.agent_selection = self.possible_agents[asked]
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            self.infos[self.possible_agents[COORDINATOR]] |= self._outcome()
        if self.render_mode == "human":
            self.render()

    def _outcome(self) -> dict[str, Any]:
        parts = breakdown(self.session.record, self.session.params[0])
        forfeits = dict(zip(self.possible_agents, self.session.record["forfeits"].tolist(), strict=True))
        return {"score": parts["score"], "breakdown": parts, "forfeits": forfeits}

    def state(self) -> np.ndarray[Any, Any]:
        """Every agent's observation vector, one after another: the global view for centralised critics."""
        return np.concatenate([self._watchers[a].observe(self.session, -1)["observation"] for a in self.possible_agents])

    def digest(self) -> str:
        """SHA-256 of the episode's record, hex."""
        return self.session.digest()

    def save(self) -> bytes:
        """The whole state; `load` continues from it identically."""
        return snapshot.pack(self)

    def load(self, data: bytes) -> None:
        """Continue from `save`'s bytes.

        Raises:
            ReplayError: they are of another version or scenario, or damaged; the environment is unchanged.
        """
        snapshot.unpack(self, data)

    def render(self) -> str | np.ndarray[Any, Any] | None:
        """A page of text (ansi), a picture [height, width, 3] uint8 (rgb_array), or a print (human)."""
        if self.render_mode is None:
            logger.warn("render() was called on an env without render_mode; choose one of " + ", ".join(RENDER_MODES))
            return None
        return None

    def close(self) -> None:
        """Release what rendering holds."""


def _known(what: str, name: Any, known: list[Any]) -> None:
    if name not in known:
        raise UnknownNameError(what, name, [str(k) for k in known])
