"""Stock outside clients on the parallel environment: TorchRL's wrapper, and Stable-Baselines3 through SuperSuit.

pip install torchrl supersuit stable-baselines3, then MEDCHAIN_LONG=1 pytest tests/compliance/test_outside_clients.py
"""

import os
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils import BaseParallelWrapper

from medchain import medchain_v0
from medchain.core.words import Phase
from policies.knobs import load_knobs
from policies.roster import coordinator
from policies.scripted.circle import circle
from policies.scripted.responders import CoordinatorResponder

pytestmark = pytest.mark.skipif(
    os.environ.get("MEDCHAIN_LONG") != "1", reason="learns by outside clients: set MEDCHAIN_LONG=1"
)
STEPS = 40
ARBITER = 4


class WithoutInfos(BaseParallelWrapper[str, Any, Any]):
    """Infos left out: TorchRL's wrapper takes no key that the first ones did not have, and the score is told at the end."""

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        observations, infos = super().reset(seed, options)
        return observations, {agent: {} for agent in infos}

    def step(self, actions: Any) -> Any:
        *told, infos = super().step(actions)
        return *told, {agent: {} for agent in infos}


def test_torchrl_plays_random_legal_episodes() -> None:
    """Masks included: at each step every choice of its random policy is one that the mask allows.

    The arbiter is scripted: TorchRL reads an action space of heads that are all alike as a matrix, and wants such a mask.
    """
    pytest.importorskip("torchrl", reason="needs torchrl")
    import torch
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
    from torchrl.envs.utils import MarlGroupMapType, check_env_specs

    plain = medchain_v0.parallel_env(responders=circle({}, ARBITER))
    env = PettingZooWrapper(env=WithoutInfos(plain), group_map=MarlGroupMapType.ONE_GROUP_PER_AGENT, seed=3)
    check_env_specs(env)
    torch.manual_seed(0)

    def legal(tensordict: Any) -> Any:
        for agent in plain.possible_agents:
            heads = torch.from_numpy(plain.action_space(agent).nvec)
            parts = torch.split(tensordict[agent, "action_mask"][0].float(), heads.tolist())
            tensordict[agent, "action"] = torch.stack([part.multinomial(1)[0] for part in parts])[None]
        return tensordict

    played = env.rollout(STEPS + 5, policy=legal, break_when_any_done=True)
    assert played.shape == (STEPS,)
    assert played["next", "done"].flatten().tolist() == [False] * (STEPS - 1) + [True]
    assert plain.batch.episodes["phase"][0] == Phase.ENDED
    score = played["next", "coordinator", "reward"].sum().item()
    assert 0.0 < score < 1.0
    assert played["next", "ward_icu", "reward"].any()


def test_stable_baselines_learns_the_wards() -> None:
    """Three wards with weights in common, two episodes at a time, beside a scripted coordinator: they learn to be filled."""
    pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
    supersuit = pytest.importorskip("supersuit", reason="needs supersuit")
    import torch
    from stable_baselines3 import PPO

    others = {0: CoordinatorResponder(coordinator("restock"), load_knobs("restock")), **circle({}, ARBITER)}
    env: Any = medchain_v0.parallel_env(responders=others)
    env = supersuit.observation_lambda_v0(env, lambda seen, _: seen["observation"], lambda space: space["observation"])
    env = supersuit.pettingzoo_env_to_vec_env_v1(env)
    env = supersuit.concat_vec_envs_v1(env, 2, num_cpus=1, base_class="stable_baselines3")
    torch.manual_seed(0)
    model = PPO("MlpPolicy", env, n_steps=2 * STEPS, batch_size=2 * STEPS, learning_rate=1e-3, device="cpu")

    def earned() -> float:
        """Mean reward of a ward's step, over an episode of most probable choices."""
        seen, rewards = env.reset(), []
        for _ in range(STEPS):
            seen, reward, _, _ = env.step(model.predict(seen, deterministic=True)[0])
            rewards.append(reward)
        return float(np.mean(rewards))

    before = np.mean([earned() for _ in range(5)])
    model.learn(6 * STEPS * 40)
    assert model.num_timesteps >= 6 * STEPS * 40
    assert np.mean([earned() for _ in range(5)]) > before
