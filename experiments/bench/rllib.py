"""RLlib's sampling at phase level: the batched runner against an empty environment and against RLlib's own runner.

The empty environment, with the same spaces and module, is stepped by RLlib's own runner: what it costs to sample there is
RLlib's and the network's. RLlib's own runner is measured as it comes, with one environment, and beside it with ENVS of them,
as the empty one. Lines without a mark to reach say how it does then.
"""

from __future__ import annotations

import statistics
from importlib.util import find_spec
from typing import Any

from experiments.bench.row import Line, median_ratio, side_by_side

ENVS, BATCH, STEPS, ALONE = 32, 256, 512, 128
"""Environments of RLlib's runner, episodes stepped together by the batched one, env steps measured; so many with 1 env."""

SHARE, TIMES = 0.8, 10.0


def measure(repeats: int) -> list[Line]:
    """Decisions of a learned coordinator per second; and of PPO, learning included."""
    if find_spec("ray") is None or find_spec("torch") is None:
        return [Line("not measured: needs medchain[train]", 0.0, "decisions/s")]
    import ray
    import torch

    from experiments.hush import hush
    from experiments.train import start_ray

    hush()
    threads, alone = torch.get_num_threads(), not ray.is_initialized()
    torch.set_num_threads(1)
    if alone:
        start_ray(_experiment().scale)
    try:
        return [*_sampling(repeats), _learning(repeats)]
    finally:
        torch.set_num_threads(threads)
        if alone:
            ray.shutdown()


def _sampling(repeats: int) -> list[Line]:
    from experiments.rllib.phase_env import PhaseEnv

    own, single, empty = _stock_runner(PhaseEnv), _stock_runner(PhaseEnv, 1), _stock_runner(empty_env())
    batched = _batched_runner()
    functions = (
        lambda: own.sample(num_timesteps=STEPS),
        lambda: empty.sample(num_timesteps=STEPS),
        lambda: batched.sample(),
        lambda: single.sample(num_timesteps=ALONE),
    )
    seconds = side_by_side(repeats, *functions)
    per_call = [STEPS, STEPS, 16 * BATCH, ALONE]
    each = [[t / count for t in column] for column, count in zip(seconds, per_call, strict=True)]
    rates = [1.0 / statistics.median(column) for column in each]
    share, times = median_ratio(each[1], each[2]), median_ratio(each[3], each[2])
    ours, stock, empty_ = f"batched runner, {BATCH} episodes", f"RLlib's runner, {ENVS} envs", "RLlib's runner, empty env"
    unit = "decisions/s"
    return [
        Line(ours, rates[2], unit, empty_, rates[1], share, f">= {SHARE:.0%}", share >= SHARE),
        Line(ours, rates[2], unit, "RLlib's runner as it comes", rates[3], times, f">= {TIMES:.0f} x", times >= TIMES),
        Line(ours, rates[2], unit, stock, rates[0], median_ratio(each[0], each[2])),
        Line(stock, rates[0], unit, empty_, rates[1], median_ratio(each[1], each[0])),
    ]


def _learning(repeats: int) -> Line:
    """Whole iterations of the shipped experiment's PPO."""
    from experiments.rllib.phase_build import algorithm_config

    config = _experiment()
    algorithm = algorithm_config(config).build_algo()
    batched = _batched_runner()
    trained, sampled = side_by_side(repeats, algorithm.train, lambda: batched.sample(num_episodes=config.ppo.episodes))
    algorithm.stop()
    count = config.ppo.episodes * config.env_steps()
    rates = [count / statistics.median(column) for column in (trained, sampled)]
    what = f"PPO, {config.ppo.epochs} epochs: sampling and learning"
    return Line(what, rates[0], "decisions/s", "its sampling alone", rates[1], median_ratio(sampled, trained))


def _experiment() -> Any:
    from pathlib import Path

    from experiments.rllib.phase_config import load_phase_config

    return load_phase_config(Path("coordinator_ppo"))


def _config() -> Any:
    from experiments.rllib.phase_build import algorithm_config

    return algorithm_config(_experiment())


def _batched_runner() -> Any:
    from experiments.rllib.phase_runner import PhaseEnvRunner

    config = _config()
    return PhaseEnvRunner(config.environment(env_config={**config.env_config, "batch": BATCH}))


def _stock_runner(env: Any, envs: int = ENVS) -> Any:
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

    config = _config().env_runners(num_envs_per_env_runner=envs, batch_mode="truncate_episodes")
    return MultiAgentEnvRunner(config.environment(env))


def empty_env() -> Any:
    """An environment with the same spaces and episodes of the same length in which nothing happens."""
    import numpy as np
    from ray.rllib.env.multi_agent_env import MultiAgentEnv

    from experiments.rllib.phase_env import PhaseEnv

    class EmptyEnv(MultiAgentEnv):
        """Always the first observation of an episode of the real one."""

        def __init__(self, config: Any) -> None:
            super().__init__()
            real = PhaseEnv(config)
            self.possible_agents = self.agents = real.possible_agents
            self.observation_spaces, self.action_spaces = real.observation_spaces, real.action_spaces
            self._seen = {name: np.array(row) for name, row in real.reset(seed=0)[0].items()}
            self._length = 2 * real.setting.scenario.sizes.rounds

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            self._step = 0
            return dict(self._seen), {}

        def step(self, action_dict: Any) -> Any:
            self._step += 1
            rewards = dict.fromkeys(self._seen, 0.0)
            return dict(self._seen), rewards, {"__all__": self._step == self._length}, {"__all__": False}, {}

    return EmptyEnv
