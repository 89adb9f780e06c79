"""What `medchain train` is told: one YAML file, read and checked before anything starts."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from medchain.errors import ConfigError, MedChainError
from medchain.scenario import describe, load_scenario, read_yaml

CONFIGS = Path(__file__).resolve().parent.parent / "configs" / "experiment"
EXTRA = ("torch", "transformers", "peft", "ray")


class Part(BaseModel):
    """A part of the file: nothing unknown, nothing changed later, no number that is none."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def distinct(found: list[Any]) -> list[Any]:
    """The list, if nothing is in it twice."""
    twice = [item for i, item in enumerate(found) if item in found[:i]]
    if twice:
        raise ValueError(f"expected each once, got {twice[0]!r} twice")
    return found


LAST_SEED = 2**63 - 1
Names = Annotated[list[str], Field(min_length=1), AfterValidator(distinct)]
Seeds = Annotated[
    list[Annotated[int, Field(strict=True, ge=0, le=LAST_SEED)]], Field(min_length=1), AfterValidator(distinct)
]
Rate = Annotated[float, Field(ge=0)]


class LoraPart(Part):
    """The adapter."""

    rank: int = Field(ge=1)
    alpha: int = Field(ge=1)
    targets: str | list[str] = "all-linear"


class TinyPart(Part):
    """Size of the embedded model."""

    width: int = Field(ge=8)
    layers: int = Field(ge=1)
    heads: int = Field(ge=2)
    seed: int = 0


class ModelPart(Part):
    """The base model: `tiny` (built on the spot), a packaged one, a hub name or a folder."""

    name: str
    quantisation: Literal["none", "nf4", "int8"] = "none"
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    attention: Literal["eager", "sdpa"] = "sdpa"
    gradient_checkpointing: bool = False
    lora: LoraPart
    tiny: TinyPart | None = None

    @model_validator(mode="after")
    def _sized(self) -> ModelPart:
        if (self.name == "tiny") != (self.tiny is not None):
            raise ValueError("the section `tiny` (width, layers, heads) belongs to the model named tiny, and to it alone")
        return self


class WarmStartPart(Part):
    """Imitation of scripted coordinators, a seed each in turn, before reinforcement learning; for the model `tiny`."""

    teachers: list[str] = Field(min_length=1)
    first_seed: int = Field(ge=0, le=LAST_SEED)
    seeds: int = Field(ge=1)
    skip: list[str] = []
    steps: int = Field(ge=1)
    batch: int = Field(ge=1)
    rate: float = Field(gt=0)


class AgentPart(Part):
    """Who plays a role.

    scripted: `persona` of a ward, `policy` of the coordinator. llm: `checkpoint`, an adapter to begin with. checkpoint:
    `path` of a run or an adapter on the same base model, which stays as it is. llm_api: `url` of an OpenAI-compatible
    endpoint, the `model` there, `key`: the environment variable that holds the key, `timeout_s`, requests in `parallel`.
    """

    role: Literal["scripted", "llm", "checkpoint", "llm_api"]
    persona: str | tuple[str, float] = "scripted"
    policy: str = "auditor"
    checkpoint: str | None = None
    path: str | None = None
    url: str | None = None
    model: str | None = None
    key: str | None = None
    timeout_s: float = Field(default=120.0, gt=0)
    parallel: int = Field(default=8, ge=1, le=256)


LOCAL = ("llm", "checkpoint")
"""Roles that the base model plays."""

KEYS = {
    "scripted": ("persona", "policy"),
    "llm": ("checkpoint",),
    "checkpoint": ("path",),
    "llm_api": ("url", "model", "key", "timeout_s", "parallel"),
}
NEEDED = {"checkpoint": ("path",), "llm_api": ("url", "model")}


class TextPart(Part):
    """How models are spoken to."""

    brief: Literal["tiny", "short", "full"]
    results: Literal["tiny", "full"]
    turn_tokens: int = Field(ge=16)
    round_turns: int = Field(ge=1)
    context_tokens: int = Field(ge=64)
    constrained: bool
    temperature: float = Field(gt=0)
    thinking: bool = False
    system: str | None = None
    batch: int = Field(default=64, ge=1)


class GRPOPart(Part):
    """How they learn."""

    group_size: int = Field(ge=2)
    seeds_per_iteration: int = Field(ge=1)
    first_seed: int = Field(default=0, ge=0, le=LAST_SEED)
    last_seed: int = Field(default=49, ge=0, le=LAST_SEED)
    learning_rate: float = Field(ge=0)
    loss: Literal["grpo", "reinforce"] = "grpo"
    credit: Literal["episode", "round", "shaping", "gigpo"] = "episode"
    anchor_weight: float = 1.0
    clip_low: float = Field(default=0.2, gt=0, lt=1)
    clip_high: float = Field(default=0.28, gt=0)
    kl: float = Field(default=0.0, ge=0)
    micro_batch: int = Field(default=16, ge=1)
    epochs: int = Field(default=1, ge=1)
    grad_clip: float = Field(default=1.0, gt=0)


class ScalePart(Part):
    """On what it runs."""

    num_env_runners: int = Field(default=0, ge=0)
    num_gpus_per_env_runner: float = Field(default=0, ge=0)
    num_learners: int = Field(default=0, ge=0)
    num_gpus_per_learner: float = Field(default=0, ge=0)
    ray_address: str | None = None
    ray_cpus: int = Field(default=2, ge=1)
    threads: int = Field(default=1, ge=1)
    sample_timeout_s: float = Field(default=3600, gt=0)


class EvaluationPart(Part):
    """Held-out episodes before and after."""

    seeds: Seeds
    difficulties: Names
    temperature: float = Field(default=1.0, ge=0)
    unconstrained: int = Field(default=2, ge=1)  # episodes that are played once more without constraints
    against: Annotated[list[str], AfterValidator(distinct)] = []


class RunPart(Part):
    """How long, and what is kept."""

    iterations: int = Field(ge=1)
    checkpoint_every: int = Field(default=1, ge=1)
    restarts: int = Field(default=3, ge=0)
    seed: int = Field(default=0, ge=0, lt=2**32)


class TrainConfig(Part):
    """A whole experiment."""

    name: str
    difficulties: Names
    model: ModelPart
    warm_start: WarmStartPart | None = None
    agents: dict[str, AgentPart]
    train: Annotated[list[str], AfterValidator(distinct)]
    text: TextPart
    grpo: GRPOPart
    scale: ScalePart = ScalePart()
    evaluation: EvaluationPart
    run: RunPart


def load_train_config(path: Path) -> TrainConfig:
    """Read and check an experiment.

    Raises:
        MedChainError: the file, a key, an agent, a role or a scenario is wrong, naming file, key and what is legal; or the
            train extra is not installed.
    """
    if not path.is_file() and (CONFIGS / f"{path}.yaml").is_file():
        path = CONFIGS / f"{path}.yaml"
    data = read_yaml(path)
    try:
        config = TrainConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(describe(error, path)) from None
    _check_names(config, path)
    _check_seeds(config, path)
    missing = [name for name in EXTRA if find_spec(name) is None]
    if missing:
        raise ConfigError(f"training needs medchain[train]; not installed: {', '.join(missing)}")
    _check_platform(config, path)
    return config


def _check_platform(config: TrainConfig, path: Path) -> None:
    """What the file asks of this machine."""
    if config.model.quantisation != "none" and find_spec("bitsandbytes") is None:
        raise ConfigError(
            f"{path}: model.quantisation = {config.model.quantisation!r} needs bitsandbytes, which is not installed"
        )
    check_gpus(config.scale, path)


def check_gpus(scale: ScalePart, path: Path) -> None:
    """Refuse to begin with more GPUs than this machine has, unless it runs elsewhere."""
    wanted = scale.num_gpus_per_env_runner * max(1, scale.num_env_runners)
    wanted += scale.num_gpus_per_learner * max(1, scale.num_learners)
    if wanted and not scale.ray_address:
        import torch

        if torch.cuda.device_count() < wanted:
            have = torch.cuda.device_count()
            raise ConfigError(
                f"{path}: scale asks for {wanted:g} GPUs, this machine has {have}; set scale.ray_address or fewer"
            )


def _check_names(config: TrainConfig, path: Path) -> None:
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


def _check_seeds(config: TrainConfig, path: Path) -> None:
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
    from medchain.tools.registry import TOOLS
    from policies.roster import coordinator as find_coordinator
    from policies.scripted.batch import parse_persona

    def told(key: str, find: Callable[[Any], Any], name: Any) -> None:
        try:
            find(name)
        except MedChainError as error:
            raise ConfigError(f"{path}: {key}: {error}") from None

    for i, name in enumerate(config.warm_start.teachers if config.warm_start else ()):
        told(f"warm_start.teachers.{i}", find_coordinator, name)
    for i, name in enumerate(config.evaluation.against):
        told(f"evaluation.against.{i}", find_coordinator, name)
    tools = [tool.name for tool in TOOLS]
    for i, name in enumerate(config.warm_start.skip if config.warm_start else ()):
        if name not in tools:
            raise ConfigError(f"{path}: warm_start.skip.{i}: no tool {name!r}; known: {', '.join(tools)}")
    for agent, part in config.agents.items():
        told(f"agents.{agent}.policy", find_coordinator, part.policy)
        told(f"agents.{agent}.persona", parse_persona, part.persona)


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


def resolved(config: TrainConfig) -> dict[str, Any]:
    """The whole config, defaults included, as plain data."""
    return config.model_dump(mode="json")


__all__ = ["MedChainError", "TrainConfig", "load_train_config", "resolved"]
