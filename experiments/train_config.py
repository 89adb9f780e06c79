"""What `medchain train` is told: one YAML file, read and checked before anything starts."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from medchain.errors import ConfigError, MedChainError
from medchain.scenario import describe, read_yaml

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
Distinct = Annotated[list[str], AfterValidator(distinct)]
Names = Annotated[Distinct, Field(min_length=1)]
Seeds = Annotated[list[Annotated[int, Field(strict=True, ge=0, le=LAST_SEED)]], AfterValidator(distinct)]
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

    seeds: Annotated[Seeds, Field(min_length=1)]
    difficulties: Names
    temperature: float = Field(default=1.0, ge=0)
    unconstrained: int = Field(default=2, ge=1)  # episodes that are played once more without constraints
    against: Distinct = []


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
    train: Distinct
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
    from experiments import train_checks as checks

    checks.check_names(config, path)
    checks.check_seeds(config, path)
    checks.check_room(config, path)
    missing = [name for name in EXTRA if find_spec(name) is None]
    if missing:
        raise ConfigError(f"training needs medchain[train]; not installed: {', '.join(missing)}")
    checks.check_platform(config, path)
    return config


def resolved(config: TrainConfig) -> dict[str, Any]:
    """The whole config, defaults included, as plain data."""
    return config.model_dump(mode="json")


__all__ = ["MedChainError", "TrainConfig", "load_train_config", "resolved"]
