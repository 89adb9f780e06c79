"""RLlib's tool-level environment: one episode turn by turn, each agent on the surface that is chosen for it.

Every env step is one call or answer. Only agents that are not scripted appear, each when it is its turn; what it has earned
since its last appearance comes with the next one, what was earned before its first counts to its first decision. At the end
every agent that has appeared does so once more, with what is left. Episodes have explicit keys, as at phase level.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env

from experiments.rllib.phase_env import FIRST_KEY
from medchain.env.aec import raw_env
from medchain.errors import UnknownNameError, check_seed
from policies.scripted.batch import parse_persona
from policies.scripted.single import ScriptedArbiter, ScriptedCoordinator, ScriptedWard

NAME = "medchain_tools_v0"
KEYS_APART = 1_000_000
"""Keys that an environment has to itself: those of another worker or another place in a vector start so much later."""


class ToolEnv(MultiAgentEnv):
    """One tool-level episode at a time. Observations and actions are `raw_env`'s for the agent's surface."""

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Make it from `env_config`.

        Args:
            config: `scenario`, `surface` (a name, or by agent) and `reward` as `raw_env` takes them; `scripted`: who plays
                agents that do not appear, by name (a coordinator's name, a ward's persona, anything for the arbiter);
                `first_key` starts this environment's own keys.

        Raises:
            MedChainError: a scenario, agent, surface or scripted player is wrong.
        """
        super().__init__()
        given = dict(config or {})
        scripted = dict(given.get("scripted", {}))
        self.env = raw_env(**{key: given[key] for key in ("scenario", "surface", "reward") if key in given})
        for agent in scripted:
            if agent not in self.env.possible_agents:
                raise UnknownNameError("agent", agent, self.env.possible_agents)
        self._scripted = {agent: self._player(agent, who) for agent, who in scripted.items()}
        self.possible_agents = [agent for agent in self.env.possible_agents if agent not in scripted]
        self.agents = list(self.possible_agents)
        self.observation_spaces = {agent: self.env.observation_space(agent) for agent in self.possible_agents}
        self.action_spaces = {agent: self.env.action_space(agent) for agent in self.possible_agents}
        place = (getattr(config, "worker_index", 0) or 0) * 10_000 + (getattr(config, "vector_index", 0) or 0)
        self._next_key = int(given.get("first_key", FIRST_KEY)) + place * KEYS_APART

    def _player(self, agent: str, who: Any) -> Any:
        scenario = self.env.scenario
        if agent == self.env.possible_agents[0]:
            return ScriptedCoordinator(who, scenario)
        if agent in scenario.wards:
            parse_persona(who)
            return ScriptedWard(scenario, agent, who)
        return ScriptedArbiter(scenario)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], ...]:
        """Start an episode; its key is in the infos, and on the text surface what an agent should know of its part.

        Raises:
            SeedError: seed is not an integer in 0 .. 2^63 - 1.
        """
        if seed is None:
            seed, self._next_key = self._next_key, self._next_key + 1
        self.key = check_seed(seed)
        self.env.reset(self.key, options)
        self.agents = list(self.possible_agents)
        self._told = {agent: {**self.env.infos[agent], "key": self.key} for agent in self.agents}
        self._earned = dict.fromkeys(self.agents, 0.0)
        self._seen: set[str] = set()
        self._states = {agent: player.initial_state(1, [self.key]) for agent, player in self._scripted.items()}
        self._play_on()
        return self._turn()[0], {agent: self._told[agent] for agent in self._seen}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Carry out the action of the agent whose turn it is; one that is not legal is refused, and the infos say why."""
        agent = self.env.agent_selection
        self.env.step(action_dict[agent])
        self._take()
        refused = {key: value for key, value in self.env.infos[agent].items() if key in ("refusal", "message", "forfeit")}
        self._told[agent] = {**refused, "key": self.key}
        self._play_on()
        over = self._over
        seen, rewards = self._turn()
        infos = {name: self._told[name] for name in seen}
        if over:
            outcome = {**self.env.game.outcome(), "key": self.key}
            infos = {name: {**infos[name], **outcome} for name in seen}
            self.agents = []
        return seen, rewards, {"__all__": over}, {"__all__": False}, infos

    @property
    def _over(self) -> bool:
        return all(self.env.terminations.values())

    def _take(self) -> None:
        for agent in self._earned:
            self._earned[agent] += float(self.env.rewards[agent])

    def _play_on(self) -> None:
        """Let scripted agents act until one that appears is asked, or the episode ends."""
        while not self._over and (agent := self.env.agent_selection) in self._scripted:
            session, player = self.env.session, self._scripted[agent]
            commands, self._states[agent] = player.act(session.view(session.pending().agent), self._states[agent])
            self.env.game.commands[0] = commands[0]
            self.env.submit()
            self._take()

    def _turn(self) -> tuple[dict[str, Any], dict[str, float]]:
        """Observations and rewards of who appears now."""
        here = [agent for agent in self.agents if agent in self._seen] if self._over else [self.env.agent_selection]
        rewards = {}
        for agent in here:
            if agent in self._seen:
                rewards[agent], self._earned[agent] = self._earned[agent], 0.0
            else:
                rewards[agent] = 0.0
                self._seen.add(agent)
        return {agent: self.env.observe(agent) for agent in here}, rewards


class ScoreCallback(RLlibCallback):
    """Keeps of each episode what RLlib drops: the score, its components and how often agents were answered for."""

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **kwargs: Any) -> None:
        """Log what the last infos tell, under `medchain`."""
        ends = [single.get_infos(-1) for single in episode.agent_episodes.values() if len(single.infos)]
        told = next((info for info in ends if "score" in info), None)
        if told is None:
            return
        metrics_logger.log_value(("medchain", "score"), float(told["score"]))
        for name, value in told["breakdown"].items():
            if value is not None:
                metrics_logger.log_value(("medchain", name), float(value))
        for name, count in told["forfeits"].items():
            metrics_logger.log_value(("medchain", "forfeits", name), float(count))


def register() -> str:
    """Make the environment known to RLlib and Tune in this process; its name."""
    register_env(NAME, ToolEnv)
    return NAME
