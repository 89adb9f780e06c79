"""The AEC shell: turns in, observations out, PettingZoo's books in between."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from medchain.core.session import Session
from medchain.core.words import COORDINATOR
from medchain.env import snapshot
from medchain.env.game import Game
from medchain.env.render import ansi
from medchain.env.replay_log import Recorder
from medchain.env.spaces import state_space
from medchain.env.structured import Structured
from medchain.env.text import Spoken
from medchain.errors import MedChainError, UnknownNameError, check_seed
from medchain.scenario import DIFFICULTIES, Scenario, load_scenario

SURFACES: dict[str, Any] = {"structured": Structured, "text": Spoken}
REWARDS = ["terminal", "shaped"]
RENDER_MODES = ["ansi", "rgb_array", "human"]


def env(**kwargs: Any) -> Ordered:
    """`raw_env` behind PettingZoo's check that methods are called in order; arguments as in `raw_env`."""
    return Ordered(raw_env(**kwargs))


class Ordered(OrderEnforcingWrapper[str, Any, Any]):
    """PettingZoo's wrapper; its `last` goes through once, not once for each of six attributes."""

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward, terminated, truncated and info of the agent whose turn it is."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        seen: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return seen

    def __str__(self) -> str:
        return str(self.env)


class raw_env(AECEnv[str, Any, Any]):
    """The hospital, turn by turn: ICU, ER and General request, then the coordinator calls tools until the round ends.

    A tool that asks a ward or the arbiter hands them the turn. Every call is one step; a refused one changes only the
    call counts. All agents terminate together after the last round.

    Infos: after a reset, `seed` (and on the text surface `instructions`); after an agent's refused call its `refusal`,
    `message` and `forfeit` (whether it was answered for); at the end the coordinator's `score`, `breakdown`, `forfeits`.
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
            record_to: a .jsonl file, overwritten by each episode, or a folder for one file per episode (replay_log.py).
            render_mode: "ansi", "rgb_array", "human" or None.

        Raises:
            ScenarioError, UnknownNameError: a name or a file is wrong.
        """
        super().__init__()
        _known("reward mode", reward, REWARDS)
        _known("render mode", render_mode, [None, *RENDER_MODES])
        self.scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        self.reward, self.render_mode = reward, render_mode
        self.possible_agents = self.scenario.agents
        self.agents: list[str] = []
        self.state_space = state_space(self.scenario)
        self._number = {agent: i for i, agent in enumerate(self.possible_agents)}
        chosen = self._chosen(surface)
        self._surfaces = {a: SURFACES[s](self.scenario, self._number[a]) for a, s in chosen.items()}
        self._watchers = {a: Structured(self.scenario, i) for a, i in self._number.items()}
        self._spoken = "text" in chosen.values() or record_to is not None
        self._recorder = Recorder(record_to) if record_to is not None else None
        self._name = Path(scenario).stem if isinstance(scenario, str | Path) else "scenario"
        self._games: dict[str | None, Game] = {}
        self._difficulty: str | None = None
        self._clock = 0  # moves with everything that changes the game
        self._rng = np.random.default_rng()

    def _chosen(self, surface: str | Mapping[str, str]) -> dict[str, str]:
        by_agent = dict.fromkeys(self.possible_agents, surface) if isinstance(surface, str) else dict(surface)
        for agent, name in by_agent.items():
            _known("agent", agent, self.possible_agents)
            _known("surface", name, list(SURFACES))
        return {agent: by_agent.get(agent, "structured") for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's observation space; always the same object."""
        space: spaces.Space[Any] = self._surfaces[agent].observation_space
        return space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's action space; always the same object."""
        space: spaces.Space[Any] = self._surfaces[agent].action_space
        return space

    @property
    def session(self) -> Session:
        """The episode that is being played."""
        return self.game.session

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: 0 .. 2^63 - 1; None draws a fresh one, which infos report.
            options: `difficulty`, light, medium or heavy, for this episode; others are ignored.

        Raises:
            SeedError, UnknownNameError, MedChainError: a seed or a difficulty is wrong, or does not fit the spaces.
        """
        fresh = seed is None
        seed = int(self._rng.integers(2**63)) if seed is None else check_seed(seed)
        difficulty = (options or {}).get("difficulty")
        game = self._game_of(difficulty)
        if self._recorder is not None:
            self._recorder.close()  # before its session starts over
        game.reset(seed)
        if not fresh:
            self._rng = np.random.default_rng(seed)
        self.game, self._difficulty = game, difficulty
        self._forget()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"seed": seed, **self._instructions(agent)} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.session.pending().agent]
        self._skip_agent_selection = None
        if self._recorder is not None:
            self._recorder.start(self.session, difficulty or self._name)

    def _instructions(self, agent: str) -> dict[str, str]:
        surface = self._surfaces[agent]
        return {"instructions": surface.instructions(self.game)} if isinstance(surface, Spoken) else {}

    def _game_of(self, difficulty: str | None) -> Game:
        """The game of a difficulty; None: of the constructor's scenario."""
        if difficulty not in self._games:
            _known("difficulty", difficulty, [None, *DIFFICULTIES])
            scenario = self.scenario if difficulty is None else load_scenario(difficulty)
            if snapshot.shape_of(scenario) != snapshot.shape_of(self.scenario):
                raise MedChainError(f"difficulty {difficulty!r} has other wards, SKUs or sizes than the env's scenario")
            self._games[difficulty] = Game(scenario, self.reward == "shaped", self._spoken)
        return self._games[difficulty]

    def _forget(self) -> None:
        """The game has changed otherwise than by a turn."""
        self._clock += 1
        for surface in (*self._surfaces.values(), *self._watchers.values()):
            surface.forget()

    def observe(self, agent: str) -> Any:
        """What the agent may know now; changes nothing."""
        return self._surfaces[agent].observe(self.game, self._clock)

    def step(self, action: Any) -> None:
        """Take the action of the agent whose turn it is; None for one that has terminated.

        A wrong action is refused: it only counts as a call, and the agent's info says why.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        game = self.game
        self.submit(self._surfaces[agent].read(game, self._clock, action, game.commands))

    def submit(self, read: Any = None) -> None:
        """Take the command in `game.commands` as the turn of the agent that is asked: what `step` does after reading.

        For shells that command scripted agents directly; `read` is what reading a surface's action gave.
        """
        agent, game = self.agent_selection, self.game
        asked = game.submit(read)
        self._clock += 1
        self.infos[agent] = game.info
        self._cumulative_rewards[agent] = 0.0
        if game.earned is None:
            self.rewards = dict.fromkeys(self.possible_agents, 0.0)
        else:
            self.rewards = dict(zip(self.possible_agents, game.earned, strict=True))
            self._accumulate_rewards()
        if self._recorder is not None:
            self._recorder.add(agent, game.commands[0], game.said)
        if asked >= 0:
            self.agent_selection = self.possible_agents[asked]
        else:
            self._end()
        if self.render_mode == "human":
            self.render()

    def _end(self) -> None:
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]
        coordinator = self.possible_agents[COORDINATOR]
        self.infos[coordinator] = {**self.infos[coordinator], **self.game.outcome()}
        if self._recorder is not None:
            self._recorder.close()

    def state(self) -> np.ndarray[Any, Any]:
        """Every agent's observation vector, one after another: the global view for centralised critics, float32."""
        return np.concatenate([watcher.observe(self.game, -1)["observation"] for watcher in self._watchers.values()])

    def digest(self) -> str:
        """SHA-256 of the episode's record, hex."""
        return self.session.digest()

    def save(self) -> bytes:
        """The whole state at any moment after reset; `load` continues from it identically."""
        return snapshot.pack(self)

    def load(self, data: bytes) -> None:
        """Continue from `save`'s bytes; a replay of this episode is given up.

        Raises:
            ReplayError: they are of another version or scenario, or damaged; the environment is unchanged.
        """
        snapshot.unpack(self, data)

    def render(self) -> str | np.ndarray[Any, Any] | None:
        """A page of text (ansi), a picture [height, width, 3] uint8 (rgb_array), or a print (human)."""
        if self.render_mode is None:
            logger.warn("render() was called on an env without render_mode; choose one of " + ", ".join(RENDER_MODES))
            return None
        if self.render_mode == "rgb_array":
            from medchain.env.dashboard import rgb_array  # matplotlib is slow to import

            return rgb_array(self.session)
        page = ansi(self.session)
        if self.render_mode == "ansi":
            return page
        print(page)
        return None

    def close(self) -> None:
        """Close the replay file, if one is open."""
        if self._recorder is not None:
            self._recorder.close()


def _known(what: str, name: Any, known: list[Any]) -> None:
    if name not in known:
        raise UnknownNameError(what, name, [str(k) for k in known])
