"""What a training file may not ask for, beyond the form of its keys: each refusal names file, key and what is legal."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from experiments.train_config import AgentPart, ScalePart, TrainConfig
from medchain.errors import ConfigError, MedChainError
from medchain.scenario import load_scenario
from medchain.tools.registry import TOOLS
from policies.roster import coordinator as find_coordinator
from policies.scripted.batch import parse_persona

KEYS = {
    "scripted": ("persona", "policy"),
    "llm": ("checkpoint",),
    "checkpoint": ("path",),
    "llm_api": ("url", "model", "key", "timeout_s", "parallel"),
}
NEEDED = {"checkpoint": ("path",), "llm_api": ("url", "model")}


def told_at(where: str, check: Callable[..., Any], *given: Any) -> None:
    """Run a check; what it refuses is told with its place in the file."""
    try:
        check(*given)
    except MedChainError as error:
        raise ConfigError(f"{where}: {error}") from None


def check_platform(config: TrainConfig, path: Path) -> None:
    """What the file asks of this machine."""
    if config.model.quantisation != "none" and find_spec("bitsandbytes") is None:
        raise ConfigError(
            f"{path}: model.quantisation = {config.model.quantisation!r} needs bitsandbytes, which is not installed"
        )
    check_scale(config.scale, path)


PER_CORE = 8
"""Runners and learners that a core may be asked to carry."""


def check_scale(scale: ScalePart, path: Path) -> None:
    """Refuse to begin with more processes or GPUs than this machine carries, unless it runs elsewhere."""
    if scale.ray_address:
        return
    processes, most = scale.num_env_runners + scale.num_learners, PER_CORE * (os.cpu_count() or 1)
    if processes > most:
        raise ConfigError(
            f"{path}: scale asks for {processes} runners and learners, this machine carries {most}, {PER_CORE} for each"
            " core; set scale.ray_address or fewer"
        )
    wanted = scale.num_gpus_per_env_runner * max(1, scale.num_env_runners)
    wanted += scale.num_gpus_per_learner * max(1, scale.num_learners)
    if wanted:
        import torch

        have = torch.cuda.device_count()
        if have < wanted:
            raise ConfigError(
                f"{path}: scale asks for {wanted:g} GPUs, this machine has {have}; set scale.ray_address or fewer"
            )


def check_names(config: TrainConfig, path: Path) -> None:
    for name in (*config.difficulties, *config.evaluation.difficulties):
        load_scenario(name)
    known = list(load_scenario(config.difficulties[0]).agents)
    for agent in known:
        if agent not in config.agents:
            raise ConfigError(f"{path}: agents.{agent}: missing; expected a role for each of {', '.join(known)}")
    for agent in config.agents:
        if agent not in known:
            raise ConfigError(f"{path}: agents.{agent}: no such agent; known: {', '.join(known)}")
    _check_scripted(config, path)
    models = [agent for agent in known if config.agents[agent].role == "llm"]
    for agent in config.train:
        if agent not in models:
            raise ConfigError(
                f"{path}: train: {agent!r} is not an agent with role llm; those are: {', '.join(models) or 'none'}"
            )
    if not config.train:
        raise ConfigError(
            f"{path}: train: expected at least one agent with role llm; those are: {', '.join(models) or 'none'}"
        )
    for agent, part in config.agents.items():
        _check_role(agent, part, path)
    if config.warm_start is not None and config.model.name != "tiny":
        raise ConfigError(f"{path}: warm_start: only the model named tiny is warm-started, not {config.model.name!r}")
    if config.warm_start is not None and "coordinator" not in models:
        raise ConfigError(f"{path}: warm_start: imitates a coordinator, but agents.coordinator.role is not llm")


def check_room(config: TrainConfig, path: Path) -> None:
    """A round's context has room for more than one turn's tokens."""
    text = config.text
    if text.context_tokens <= text.turn_tokens:
        raise ConfigError(
            f"{path}: text.context_tokens = {text.context_tokens}: expected more than turn_tokens = {text.turn_tokens},"
            " since a round's context holds its brief and its turns"
        )


def check_seeds(config: TrainConfig, path: Path) -> None:
    """Training, imitation and held-out episodes are apart."""
    pool = config.grpo.last_seed + 1 - config.grpo.first_seed
    if 0 < pool < config.grpo.seeds_per_iteration:
        raise ConfigError(
            f"{path}: grpo.seeds_per_iteration = {config.grpo.seeds_per_iteration}: there are {pool} training seeds only"
        )
    if config.grpo.last_seed < config.grpo.first_seed:
        raise ConfigError(
            f"{path}: grpo.last_seed = {config.grpo.last_seed}: expected at least first_seed = {config.grpo.first_seed}"
        )
    used = {"grpo": (config.grpo.first_seed, config.grpo.last_seed)}
    if config.warm_start is not None:
        first = config.warm_start.first_seed
        used["warm_start"] = (first, first + config.warm_start.seeds - 1)
    for part, (first, last) in used.items():
        held = [seed for seed in config.evaluation.seeds if first <= seed <= last]
        if held:
            raise ConfigError(f"{path}: evaluation.seeds: {held[0]} is among the seeds {first} .. {last} of {part}")


def _check_scripted(config: TrainConfig, path: Path) -> None:
    """What is to be imitated, and what plays scripted roles, exists."""

    for i, name in enumerate(config.warm_start.teachers if config.warm_start else ()):
        told_at(f"{path}: warm_start.teachers.{i}", find_coordinator, name)
    for i, name in enumerate(config.evaluation.against):
        told_at(f"{path}: evaluation.against.{i}", find_coordinator, name)
    tools = [tool.name for tool in TOOLS]
    for i, name in enumerate(config.warm_start.skip if config.warm_start else ()):
        if name not in tools:
            raise ConfigError(f"{path}: warm_start.skip.{i}: no tool {name!r}; known: {', '.join(tools)}")
    for agent, part in config.agents.items():
        told_at(f"{path}: agents.{agent}.policy", find_coordinator, part.policy)
        told_at(f"{path}: agents.{agent}.persona", parse_persona, part.persona)


def _check_role(agent: str, part: AgentPart, path: Path) -> None:
    """Check the keys of an agent's role, and that what they name is there."""
    legal = KEYS[part.role]
    for key in sorted(part.model_fields_set - {"role", *legal}):
        raise ConfigError(f"{path}: agents.{agent}.{key}: the role {part.role} takes {', '.join(legal)}")
    for key in NEEDED.get(part.role, ()):
        if getattr(part, key) is None:
            raise ConfigError(f"{path}: agents.{agent}.{key}: missing; the role {part.role} takes {', '.join(legal)}")
    for key in ("checkpoint", "path"):
        folder = getattr(part, key)
        if folder is not None and not Path(folder).is_dir():
            raise ConfigError(f"{path}: agents.{agent}.{key}: no folder {folder}")
