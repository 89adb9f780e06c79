"""Small set-ups that the tests of learned roles share: tiny networks, few episodes, no Ray processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.envs.classes.multi_agent import MultiAgentCartPole

from experiments.rllib.phase_env import register
from experiments.rllib.phase_runner import PhaseEnvRunner
from medchain.scenario import load_scenario
from policies.learned.layout import layout, role_of
from policies.learned.module import PhaseModule

LEARNERS = [
    ("coordinator",),
    ("ward_icu", "ward_general"),
    ("coordinator", "ward_icu", "ward_er", "ward_general", "arbiter"),
]
"""Who learns: alone, sharing weights beside a scripted coordinator, everyone."""


def module_of(name: str) -> str:
    return "wards" if name.startswith("ward") else name


def env_config(learners: tuple[str, ...], **more: Any) -> dict[str, Any]:
    agents: dict[str, Any] = {name: {"role": "scripted"} for name in load_scenario().agents}
    agents |= {name: {"role": "learned", "module": module_of(name)} for name in learners}
    if "coordinator" not in learners:
        agents["coordinator"] = {"role": "scripted", "policy": "rubber_stamp"}
    return {"scenario": "medium", "agents": agents, "reward": "progress", **more}


def specs(learners: tuple[str, ...], net: str = "lines", hidden: int = 8) -> MultiRLModuleSpec:
    scenario = load_scenario()
    found = {}
    for name in learners:
        shape = layout(role_of(list(scenario.agents).index(name), scenario.sizes), scenario.sizes)
        kind = "alone" if shape.role == "arbiter" else net
        found[module_of(name)] = RLModuleSpec(PhaseModule, model_config={"layout": shape, "net": kind, "hidden": hidden})
    return MultiRLModuleSpec(rl_module_specs=found)


def ppo(learners: tuple[str, ...], config: Any = None, **more: Any) -> Any:
    """A PPO config with the batched runner."""
    made = config or PPOConfig()
    return (
        made.environment(register(), env_config=env_config(learners, **more), disable_env_checking=True)
        .env_runners(env_runner_cls=PhaseEnvRunner, num_env_runners=0, batch_mode="complete_episodes")
        .multi_agent(policies={module_of(a) for a in learners}, policy_mapping_fn=lambda agent, *_, **__: module_of(agent))
        .rl_module(rl_module_spec=specs(learners))
        .debugging(seed=3, log_level="ERROR")
    )


def batched_runner(learners: tuple[str, ...], **more: Any) -> PhaseEnvRunner:
    return PhaseEnvRunner(ppo(learners, **more))


def stock_runner() -> PhaseEnvRunner:
    config = (
        PPOConfig()
        .environment(MultiAgentCartPole, env_config={"num_agents": 2})
        .env_runners(num_env_runners=0, rollout_fragment_length=20)
        .multi_agent(policies={"p"}, policy_mapping_fn=lambda *_, **__: "p")
        .debugging(log_level="ERROR")
    )
    return PhaseEnvRunner(config)


@contextmanager
def start_ray() -> Iterator[None]:
    """A small Ray on this machine; remote processes find this checkout."""
    root = str(Path(__file__).resolve().parents[2])
    env = {"env_vars": {"PYTHONPATH": root, "OMP_NUM_THREADS": "1"}}
    ray.init(
        "local",
        num_cpus=3,
        include_dashboard=False,
        object_store_memory=100_000_000,
        log_to_driver=False,
        runtime_env=env,
    )
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch on one thread, as in the remote processes."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
