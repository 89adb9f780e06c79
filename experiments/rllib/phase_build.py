"""From an experiment's config to RLlib's: the algorithm that trains it."""

from __future__ import annotations

from typing import Any

from experiments.rllib.phase_config import PhaseConfig
from experiments.rllib.phase_env import register
from experiments.rllib.phase_learning import PhaseTrainBatch
from experiments.rllib.phase_ppo import PhasePPOConfig
from experiments.rllib.phase_roles import roles_as_data
from experiments.rllib.phase_runner import PhaseEnvRunner
from policies.learned.layout import layout


def algorithm_config(config: PhaseConfig) -> PhasePPOConfig:
    """RLlib's config of an experiment."""
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec

    ppo, scale = config.ppo, config.scale
    how = {"gamma": 1.0, "lambda_": ppo.lambda_, "others": ppo.others, "over": run_steps(config), "foresight": ppo.foresight}
    modules = {agent: config.module_of(agent) for agent in config.train}
    built: PhasePPOConfig = (
        PhasePPOConfig()
        .environment(register(), env_config=env_config(config), disable_env_checking=True)
        .env_runners(
            env_runner_cls=PhaseEnvRunner,
            num_env_runners=scale.num_env_runners,
            num_gpus_per_env_runner=scale.num_gpus_per_env_runner,
            sample_timeout_s=scale.sample_timeout_s,
            batch_mode="complete_episodes",
        )
        .fault_tolerance(restart_failed_env_runners=True)
        .multi_agent(policies=set(modules.values()), policy_mapping_fn=lambda agent, *_, **__: modules[agent])
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=module_specs(config)))
        .learners(
            num_learners=scale.num_learners,
            num_gpus_per_learner=scale.num_gpus_per_learner,
            learner_connector=lambda seen, chosen: PhaseTrainBatch(seen, chosen, **how),
            add_default_connectors_to_learner_pipeline=False,
        )
        .training(
            gamma=1.0,
            lambda_=ppo.lambda_,
            lr=_line(config, ppo.learning_rate),
            entropy_coeff=_line(config, ppo.entropy),
            clip_param=ppo.clip,
            num_epochs=ppo.epochs,
            minibatch_size=ppo.minibatch,
            train_batch_size=ppo.episodes * config.env_steps(),
            grad_clip=ppo.grad_clip,
            grad_clip_by="global_norm",
            use_kl_loss=False,
        )
        .debugging(seed=config.run.seed, log_level="ERROR")
    )
    return built


def env_config(config: PhaseConfig) -> dict[str, Any]:
    """What environment, runners and algorithm read of it."""
    ppo = config.ppo
    return {
        "scenario": config.scenario(),
        "agents": roles_as_data(config.agents),
        "reward": ppo.reward,
        "episodes": ppo.episodes,
        "batch": ppo.batch,
        "first_key": ppo.first_key,
    }


def module_specs(config: PhaseConfig) -> dict[str, Any]:
    """An RLModuleSpec for each module."""
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    from policies.learned.module import PhaseModule

    sizes = config.scenario().sizes
    return {
        name: RLModuleSpec(
            module_class=PhaseModule,
            model_config={
                "layout": layout(config.role_of_module(name), sizes),
                "net": part.net,
                "hidden": part.hidden,
                "prefer": part.prefer,
            },
        )
        for name, part in config.modules.items()
    }


def _line(config: PhaseConfig, ends: tuple[float, float]) -> Any:
    """A straight line over the run, as RLlib takes it: by env steps."""
    if ends[0] == ends[1]:
        return ends[0]
    return [[0, ends[0]], [run_steps(config), ends[1]]]


def run_steps(config: PhaseConfig) -> int:
    """Env steps of the whole run."""
    return config.run.iterations * config.ppo.episodes * config.env_steps()
