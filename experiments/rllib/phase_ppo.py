"""PPO on explicit episode keys: iteration t plays the keys of iteration t, whoever plays them, and none is lost.

RLlib's PPO asks its runners for "enough steps". Here the keys of an iteration are dealt out in blocks; a block whose runner
dies is dealt again, so that a run with a killed runner learns from the same episodes as one without.
"""

from __future__ import annotations

import random
import time
from collections import deque
from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core import ALL_MODULES
from ray.rllib.utils.metrics import (
    ENV_RUNNER_RESULTS,
    ENV_RUNNER_SAMPLING_TIMER,
    LEARNER_RESULTS,
    LEARNER_UPDATE_TIMER,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    SYNCH_WORKER_WEIGHTS_TIMER,
    TIMERS,
)

from experiments.rllib.phase_env import FIRST_KEY
from experiments.rllib.phase_loss import PhaseLearner

SCORE_MEAN, KEYS_DEALT_AGAIN = "score_mean", "keys_dealt_again"
"""Metrics of an iteration: mean score of its episodes, and how many keys had to be dealt again."""

PATIENCE_S = 120.0
"""How long to wait for a dead runner to come back when no other is left."""


class PhasePPO(PPO):
    """PPO whose `env_config["episodes"]` says how many episodes an iteration has, and `["batch"]` how many a block."""

    def training_step(self) -> None:
        """Play this iteration's keys, learn from them, send the weights out."""
        given = self.config.env_config
        count, size = int(given["episodes"]), int(given["batch"])
        first = int(given.get("first_key", FIRST_KEY)) + self.training_iteration * count
        self._seed_everything()
        with self.metrics.log_time((TIMERS, ENV_RUNNER_SAMPLING_TIMER)):
            blocks = [list(range(at, min(at + size, first + count))) for at in range(first, first + count, size)]
            episodes = self._play(blocks)
        scores = [next(iter(e.agent_episodes.values())).infos.data[-1]["score"] for e in episodes]
        self.metrics.log_value(SCORE_MEAN, float(np.mean(scores)), window=1)
        with self.metrics.log_time((TIMERS, LEARNER_UPDATE_TIMER)):
            sampled = self.metrics.peek((ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME))
            learned = self.learner_group.update(
                episodes=episodes,
                timesteps={NUM_ENV_STEPS_SAMPLED_LIFETIME: sampled},
                num_epochs=self.config.num_epochs,
                minibatch_size=self.config.minibatch_size,
                shuffle_batch_per_epoch=self.config.shuffle_batch_per_epoch,
            )
            self.metrics.aggregate(learned, key=LEARNER_RESULTS)
        with self.metrics.log_time((TIMERS, SYNCH_WORKER_WEIGHTS_TIMER)):
            self.env_runner_group.sync_weights(
                from_worker_or_learner_group=self.learner_group,
                policies=set(learned[0]) - {ALL_MODULES},
                inference_only=True,
            )

    def set_state(self, state: Any) -> None:
        """Continue from a checkpoint: the Learners' schedules too, which RLlib sets forth only after an update."""
        super().set_state(state)
        sampled = self.metrics.peek((ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME), default=0)
        timesteps = {NUM_ENV_STEPS_SAMPLED_LIFETIME: sampled}

        def catch_up(learner: Any) -> None:
            learner.after_gradient_based_update(timesteps=timesteps)
            learner.metrics.reduce()  # drops what that logged: it would be averaged with the next update's

        self.learner_group.foreach_learner(catch_up)

    def _seed_everything(self) -> None:
        """An iteration's own draws (the order of minibatches) depend on the run's seed and the iteration only."""
        number = np.random.SeedSequence((self.config.seed or 0, self.training_iteration)).generate_state(1)[0]
        random.seed(int(number))
        np.random.seed(number)
        torch.manual_seed(int(number))

    def _play(self, blocks: list[list[int]]) -> list[Any]:
        """The episodes of all blocks, in the order of their keys."""
        group, played, again = self.env_runner_group, {}, 0
        if group.num_remote_workers() == 0:
            keys = [key for block in blocks for key in block]
            results = [group.local_env_runner.play(keys)]
            self.metrics.aggregate([metrics for _, _, metrics in results], key=ENV_RUNNER_RESULTS)
            return results[0][1]
        waiting = deque(blocks)
        while waiting:
            hands = self._deal(waiting)
            results = group.foreach_env_runner(
                "play",
                kwargs=[{"keys": keys} for keys in hands.values()],
                local_env_runner=False,
                remote_worker_ids=list(hands),
                timeout_seconds=self.config.sample_timeout_s,
            )
            self.metrics.aggregate([metrics for _, _, metrics in results], key=ENV_RUNNER_RESULTS)
            played |= {keys[0]: episodes for keys, episodes, _ in results}
            lost = [keys for keys in hands.values() if keys[0] not in played]
            again += sum(map(len, lost))
            waiting.extend(lost)
        self.metrics.log_value(KEYS_DEALT_AGAIN, again, reduce="lifetime_sum")
        return [episode for first in sorted(played) for episode in played[first]]

    def _deal(self, waiting: deque[list[int]]) -> dict[int, list[int]]:
        """A block for each living runner, by its number.

        Raises:
            RuntimeError: none lives, and none came back in time.
        """
        group, deadline = self.env_runner_group, time.monotonic() + PATIENCE_S
        while not (living := group.healthy_worker_ids()):
            if time.monotonic() > deadline:
                raise RuntimeError(f"no sampling process has come back within {PATIENCE_S:.0f} s")
            time.sleep(0.5)
            self.restore_env_runners(group)
        return {runner: waiting.popleft() for runner in living[: len(waiting)]}


class PhasePPOConfig(PPOConfig):
    """PPOConfig that builds a PhasePPO, whose learner connector is to be a PhaseTrainBatch."""

    def __init__(self) -> None:
        """RLlib's defaults."""
        super().__init__(algo_class=PhasePPO)

    def get_default_learner_class(self) -> type[PhaseLearner]:
        """The Learner with a ratio and an advantage for each head."""
        return PhaseLearner
