"""An EnvRunner that steps many phase-level episodes at once: one forward pass per module and step, episodes out of arrays.

Plug it in with `config.env_runners(env_runner_cls=PhaseEnvRunner)`; `env_config["batch"]` says how many episodes it steps
together. RLlib's PPO, Learners and checkpoints stay as they are. For an environment that is not phase level it is RLlib's
own MultiAgentEnvRunner.

An episode is played from an explicit key. The draws of its actions come from the first key of the batch it is played in:
the same keys and weights give the same episodes, whichever runner plays them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.metrics import (
    EPISODE_DURATION_SEC_MEAN,
    EPISODE_LEN_MEAN,
    EPISODE_MODULE_RETURN_MEAN,
    EPISODE_RETURN_MEAN,
    NUM_AGENT_STEPS_SAMPLED,
    NUM_AGENT_STEPS_SAMPLED_LIFETIME,
    NUM_ENV_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    NUM_EPISODES,
    NUM_EPISODES_LIFETIME,
    NUM_MODULE_STEPS_SAMPLED,
    NUM_MODULE_STEPS_SAMPLED_LIFETIME,
    SAMPLE_TIMER,
)

from experiments.rllib.phase_batch import PhaseBatch
from experiments.rllib.phase_env import FIRST_KEY, PhaseEnv, phase_spaces_of
from experiments.rllib.phase_episodes import Track, to_episodes
from medchain.reward.batch import score_batch
from medchain.reward.formula import SCORE

Array = np.ndarray[Any, Any]
SCORE_MEAN = "score_mean"
"""Metric: mean score of the episodes of the last sample."""


class PhaseEnvRunner(MultiAgentEnvRunner):
    """RLlib's multi-agent runner, with another way to sample phase-level episodes."""

    def __init__(self, config: AlgorithmConfig, **kwargs: Any) -> None:
        """Make the environment, the modules and, at phase level, the batches."""
        super().__init__(config, **kwargs)
        env = self.env.envs[0].unwrapped if self.env is not None else None
        self.phase_level = isinstance(env, PhaseEnv)
        if not self.phase_level:
            return
        given = self.config.env_config
        self._size = int(given.get("batch", 64))
        self._setting, self._names = env.setting, env.names
        self._batches: dict[int, PhaseBatch] = {}
        self._spaces = phase_spaces_of(env.batch, env.names)
        place = (self.worker_index or 0) * 10_000_000 + (1_000_000_000 if self.config.in_evaluation else 0)
        self._next_key = int(given.get("first_key", FIRST_KEY)) + place * 1_000

    def sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool | None = None,
        random_actions: bool = False,
        force_reset: bool = False,
        keys: Sequence[int] | None = None,
    ) -> list[MultiAgentEpisode]:
        """Whole episodes: of `keys`, or `num_episodes` (or one batch) of this runner's own next keys.

        Asked for time steps, it plays as many whole episodes as hold them.
        """
        if not self.phase_level or random_actions:
            return super().sample(
                num_timesteps=num_timesteps,
                num_episodes=num_episodes,
                explore=explore,
                random_actions=random_actions,
                force_reset=force_reset,
            )
        explore = self.config.explore if explore is None else explore
        if keys is None:
            count = num_episodes or self._size
            keys = range(self._next_key, self._next_key + count)
            self._next_key += count
        episodes: list[MultiAgentEpisode] = []
        with self.metrics.log_time(SAMPLE_TIMER):
            for at in range(0, len(keys), self._size):
                episodes += self._play(list(keys[at : at + self._size]), explore)
            while num_timesteps is not None and sum(map(len, episodes)) < num_timesteps:
                more = range(self._next_key, self._next_key + self._size)
                self._next_key += self._size
                episodes += self._play(list(more), explore)
        return episodes

    def play(self, keys: Sequence[int]) -> tuple[list[int], list[MultiAgentEpisode], Any]:
        """The episodes of `keys`: the keys, the episodes, and the metrics since the last call."""
        return list(keys), self.sample(keys=keys), self.get_metrics()

    def get_metrics(self) -> Any:
        """Metrics since the last call, reduced."""
        return self.metrics.reduce() if self.phase_level else super().get_metrics()

    def _play(self, keys: list[int], explore: bool) -> list[MultiAgentEpisode]:
        start = time.perf_counter()
        batch = self._batches.get(len(keys))
        if batch is None:
            self._batches = {len(keys): self._setting.batch(len(keys))}
            batch = self._batches[len(keys)]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(keys[0])
            tracks, steps = self._roll(batch, keys, explore)
        score = score_batch(batch.env.episodes, batch.env.params)[:, SCORE]
        infos = [{"score": value} for value in score.tolist()]
        self._log(tracks, steps, score, time.perf_counter() - start)
        return to_episodes(tracks, keys, steps, infos, self._spaces)

    def _roll(self, batch: PhaseBatch, keys: list[int], explore: bool) -> tuple[list[Track], int]:
        """Play the episodes to their end."""
        books = {a: _Book(batch, a, self._names[a], module) for a, module in batch.modules.items()}
        batch.reset(keys)
        steps = 0
        while asked := batch.turn():
            for agent in asked:
                books[agent].open(batch, steps)
            for module in dict.fromkeys(batch.modules[a] for a in asked):
                self._decide(module, [books[a] for a in asked if batch.modules[a] == module], explore)
            batch.act({a: books[a].actions[-1] for a in asked})
            steps += 1
        return [book.close(batch) for book in books.values()], steps

    def _decide(self, module_id: str, books: list[_Book], explore: bool) -> None:
        """One forward pass for all agents of a module in all episodes."""
        module = self.module[module_id].unwrapped()
        seen = torch.from_numpy(np.concatenate([b.seen for b in books]) if len(books) > 1 else books[0].seen)
        forward = module.forward_exploration if explore else module.forward_inference
        logits = forward({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        distribution = module.get_exploration_action_dist_cls().from_logits(logits)
        chosen = (distribution if explore else distribution.to_deterministic()).sample()
        rows = [logits.numpy(), chosen.numpy(), distribution.logp(chosen).numpy()]
        for book, *parts in zip(books, *(np.split(row, len(books)) for row in rows), strict=True):
            book.note(*parts)

    def _log(self, tracks: list[Track], steps: int, score: Array, seconds: float) -> None:
        """The counts and means that RLlib's own runner logs episode by episode."""
        n, log = len(score), self.metrics.log_value
        for count, each, lifetime in (
            (n * steps, NUM_ENV_STEPS_SAMPLED, NUM_ENV_STEPS_SAMPLED_LIFETIME),
            (n, NUM_EPISODES, NUM_EPISODES_LIFETIME),
        ):
            log(each, count, reduce="sum")
            log(lifetime, count, reduce="lifetime_sum", with_throughput=lifetime == NUM_ENV_STEPS_SAMPLED_LIFETIME)
        modules: dict[str, float] = {}
        for track in tracks:
            taken = n * len(track.at)
            log((NUM_AGENT_STEPS_SAMPLED, track.name), taken, reduce="sum")
            log((NUM_AGENT_STEPS_SAMPLED_LIFETIME, track.name), taken, reduce="lifetime_sum")
            log((NUM_MODULE_STEPS_SAMPLED, track.module), taken, reduce="sum")
            log((NUM_MODULE_STEPS_SAMPLED_LIFETIME, track.module), taken, reduce="lifetime_sum")
            modules[track.module] = modules.get(track.module, 0.0) + float(track.rewards.sum()) / n
        log(EPISODE_LEN_MEAN, steps, window=1)
        log(EPISODE_RETURN_MEAN, sum(modules.values()), window=1)
        log(EPISODE_DURATION_SEC_MEAN, seconds / n, window=1)
        for module, mean in modules.items():
            log((EPISODE_MODULE_RETURN_MEAN, module), mean, window=1)
        log(SCORE_MEAN, float(score.mean()), window=1)


class _Book:
    """What one agent sees, does and earns while its episodes are played."""

    def __init__(self, batch: PhaseBatch, agent: int, name: str, module: str) -> None:
        self.agent, self.name, self.module = agent, name, module
        decisions = 2 * batch.env.sizes.rounds if agent <= batch.env.sizes.wards else batch.env.sizes.rounds
        self.observations = np.zeros((batch.env.n, decisions + 1, batch.width(agent)), np.float32)
        self.at: list[int] = []
        self.actions: list[Array] = []
        self.rewards: list[Array] = []
        self.credit: list[Array] = []
        self.logps: list[Array] = []
        self.logits: list[Array] = []
        self.foreseen: list[Array] = []

    def open(self, batch: PhaseBatch, step: int) -> None:
        """The agent is asked: close its last decision, and look."""
        if self.at:
            self.rewards.append(batch.take(self.agent))
        self.credit.append(batch.credit(self.agent))
        self.foreseen.append(batch.foresight(self.agent))
        batch.observe_into(self.agent, self.observations[:, len(self.at)])
        self.seen = self.observations[:, len(self.at)]
        self.at.append(step)

    def note(self, logits: Array, actions: Array, logps: Array) -> None:
        """What it chose."""
        self.logits.append(logits)
        self.actions.append(actions)
        self.logps.append(logps)

    def close(self, batch: PhaseBatch) -> Track:
        """The episodes are over."""
        self.rewards.append(batch.take(self.agent))
        self.credit.append(batch.credit(self.agent))
        batch.observe_into(self.agent, self.observations[:, len(self.at)])
        kept = (self.actions, self.rewards, self.logps, self.logits, self.foreseen)
        parts = [np.stack(part, axis=1) for part in kept]
        earned = np.diff(np.stack(self.credit, axis=1), axis=1)
        return Track(self.name, self.module, self.at, self.observations[:, : len(self.at) + 1], *parts, earned)
