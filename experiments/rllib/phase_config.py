"""What `medchain train` is told about roles that learn at phase level: one YAML file with a section `ppo`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from experiments.rllib.phase_roles import RolePart, assemble, check_roles, roles_as_data
from experiments.train_checks import check_scale, told_at
from experiments.train_config import CONFIGS, LAST_SEED, Distinct, Part, Rate, RunPart, ScalePart, Seeds
from medchain.env.phases import Step
from medchain.errors import ConfigError, UnknownNameError
from medchain.scenario import Scenario, describe, load_scenario, read_yaml
from policies.learned.layout import role_of
from policies.roster import coordinator
from policies.scripted.batch import parse_persona

SECTION = "ppo"
"""The key by which an experiment's file says that it is one of these."""

EXTRA = ("torch", "ray")


class ModulePart(Part):
    """A network: its kind (policies/learned/nets.py), its width, and the weights of its first policy's choices."""

    net: str
    hidden: int = Field(ge=4)
    prefer: dict[str, list[float]] = Field(default_factory=dict)


Share = Annotated[float, Field(ge=0, le=1)]


class PPOPart(Part):
    """How they learn. Pairs are values at the first and the last iteration, with a straight line between them.

    `foresight`: while they learn, the values (not the policies) are told the needs that are to come.
    """

    reward: str
    episodes: int = Field(ge=1)
    batch: int = Field(ge=1)
    first_key: int = Field(ge=0, le=LAST_SEED)
    learning_rate: tuple[Rate, Rate]
    entropy: tuple[Rate, Rate]
    lambda_: float = Field(alias="lambda", ge=0, le=1)
    others: tuple[Share, Share] = (1.0, 1.0)
    foresight: bool = False
    clip: float = Field(gt=0)
    epochs: int = Field(ge=1)
    minibatch: int = Field(ge=1)
    grad_clip: float = Field(gt=0)


class HeldOutPart(Part):
    """Held-out episodes before and after, beside scripted agents in the same places."""

    seeds: Seeds
    difficulties: Distinct
    against: list[str] = Field(default_factory=list)


class PhaseConfig(Part):
    """A whole experiment."""

    name: str
    difficulty: str
    agents: dict[str, RolePart]
    train: list[str]
    modules: dict[str, ModulePart]
    ppo: PPOPart
    scale: ScalePart = ScalePart()
    evaluation: HeldOutPart
    run: RunPart

    def scenario(self) -> Scenario:
        """The hospital that is trained on."""
        return load_scenario(self.difficulty)

    def module_of(self, agent: str) -> str:
        """The module that plays a learned agent."""
        return self.agents[agent].module or agent

    def role_of_module(self, module: str) -> str:
        """The role that a module plays."""
        names = list(self.scenario().agents)
        return next(role_of(names.index(a), self.scenario().sizes) for a in self.train if self.module_of(a) == module)

    def decisions(self, module: str) -> int:
        """Decisions of a module in an episode."""
        agents = [a for a in self.train if self.module_of(a) == module]
        return len(agents) * self.scenario().sizes.rounds * (1 if self.role_of_module(module) == "arbiter" else 2)

    def env_steps(self) -> int:
        """Steps of an episode at which some learned agent decides: RLlib's env steps."""
        when = {"coordinator": {Step.AUDIT, Step.PLAN}, "ward": {Step.REQUEST, Step.RESPOND}, "arbiter": {Step.REVIEW}}
        names, z = list(self.scenario().agents), self.scenario().sizes
        return z.rounds * len(set().union(*(when[role_of(names.index(a), z)] for a in self.train)))


def is_phase_file(path: Path) -> bool:
    """Whether an experiment's file is one of these."""
    return SECTION in read_yaml(found(path))


def found(path: Path) -> Path:
    """An experiment's file: the path itself, or the shipped one of that name."""
    shipped = CONFIGS / f"{path}.yaml"
    return shipped if not path.is_file() and shipped.is_file() else path


def load_phase_config(path: Path) -> PhaseConfig:
    """Read and check an experiment.

    Raises:
        MedChainError: the file, a key, an agent, a role, a module or a scenario is wrong, naming file, key and what is
            legal; or the train extra is not installed.
    """
    path = found(path)
    try:
        config = PhaseConfig.model_validate(read_yaml(path))
    except ValidationError as error:
        raise ConfigError(describe(error, path)) from None
    missing = [name for name in EXTRA if find_spec(name) is None]
    if missing:
        raise ConfigError(f"training needs medchain[train]; not installed: {', '.join(missing)}")
    try:
        check_roles(config.scenario(), config.agents, str(path))
        check_scale(config.scale, path)
        _check_learners(config, path)
        _check_rest(config, path)
    except UnknownNameError as error:
        raise ConfigError(f"{path}: {error}") from None
    return config


def _check_learners(config: PhaseConfig, path: Path) -> None:
    from policies.learned.layout import layout
    from policies.learned.nets import new_net

    learned = [name for name, part in config.agents.items() if part.role == "learned"]
    if not learned or sorted(config.train) != sorted(learned):
        told = ", ".join(config.train) or "none"
        raise ConfigError(
            f"{path}: train: expected the learned agents ({', '.join(learned) or 'there is none'}), got {told}"
        )
    needed = {config.module_of(agent) for agent in learned}
    if needed != set(config.modules):
        raise ConfigError(f"{path}: modules: expected {', '.join(sorted(needed))}; got {', '.join(sorted(config.modules))}")
    for name, part in config.modules.items():
        role = config.role_of_module(name)
        if role == "arbiter" and part.net != "alone":
            raise ConfigError(
                f"{path}: modules.{name}.net: an arbiter sees one line at a time: expected alone, got {part.net}"
            )
        new_net(layout(role, config.scenario().sizes), part.net, part.hidden, part.prefer)


def _check_rest(config: PhaseConfig, path: Path) -> None:
    from medchain.env.vector import REWARDS

    ppo, how = config.ppo, config.evaluation
    if ppo.reward not in REWARDS:
        raise UnknownNameError("reward mode", ppo.reward, REWARDS)
    rows = min(ppo.episodes * config.decisions(module) for module in config.modules)
    if ppo.minibatch > rows:
        raise ConfigError(f"{path}: ppo.minibatch = {ppo.minibatch}: an iteration has {rows} decisions of a module")
    last = ppo.first_key + config.run.iterations * ppo.episodes
    if last > LAST_SEED:
        raise ConfigError(
            f"{path}: ppo.first_key = {ppo.first_key}: the run's {last - ppo.first_key} keys go beyond 2^63 - 1"
        )
    held = [seed for seed in how.seeds if ppo.first_key <= seed < last]
    if held:
        raise ConfigError(f"{path}: evaluation.seeds: {held[0]} is among the training keys {ppo.first_key} .. {last - 1}")
    for name in how.difficulties:
        if load_scenario(name).sizes != config.scenario().sizes:
            raise ConfigError(f"{path}: evaluation.difficulties: {name} has other sizes than {config.difficulty}")
    for key, given in (("seeds", how.seeds), ("difficulties", how.difficulties)):
        if not given:
            raise ConfigError(f"{path}: evaluation.{key}: expected at least one, got none")
    for i, name in enumerate(how.against):
        for agent in config.train:
            told_at(f"{path}: evaluation.against.{i}", stand_in, agent, name)
    told_at(f"{path}: agents", assemble, config.scenario(), config.agents)


def stand_in(agent: str, name: str) -> RolePart:
    """The scripted part that plays in a learned agent's place: the coordinator `name`, else an agent of that persona.

    Raises:
        UnknownNameError, ConfigError: there is none.
    """
    if agent == "coordinator":
        coordinator(name)
        return RolePart(role="scripted", policy=name)
    found = persona(name)
    parse_persona(found)
    return RolePart(role="scripted", persona=found)


def persona(name: str) -> str | tuple[str, float]:
    """`scripted`, `honest`, or `pads 1.5`.

    Raises:
        ConfigError: what follows the word is no number.
    """
    word, _, factor = name.partition(" ")
    try:
        return (word, float(factor)) if factor else word
    except ValueError:
        raise ConfigError(f"persona {name!r}: expected a number after {word}, as in `pads 1.5`") from None


def resolved(config: PhaseConfig) -> dict[str, Any]:
    """The whole config, defaults included, as plain data that can be read again."""
    return config.model_dump(mode="json", by_alias=True) | {"agents": roles_as_data(config.agents)}
