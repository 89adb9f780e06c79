"""Configs of the studies of the full game (configs/study/*.yaml): who learns, against whom, how long, how it is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, ValidationError, model_validator

from experiments.studies.games import Part
from experiments.studies.players import SIDES
from experiments.studies.trial import Learner
from experiments.train_config import ScalePart
from medchain.errors import ConfigError
from medchain.reading import describe, read_yaml
from medchain.scenario import FOLDER as SCENARIOS
from medchain.scenario import Scenario, load_scenario

FOLDER = SCENARIOS.parent / "study"


class Evaluation(Part):
    """Episodes that nobody has learned from: seeds first_seed .. first_seed + episodes - 1."""

    first_seed: int = Field(ge=0)
    episodes: int = Field(ge=2)


class Base(Part):
    """What every study of the full game says."""

    name: str
    difficulty: str
    wards: list[str] = Field(min_length=1)
    seeds: list[int] = Field(min_length=2)
    first_key: int = Field(ge=0)
    evaluation: Evaluation
    learners: dict[str, Learner]
    scale: ScalePart = ScalePart()

    def scenario(self) -> Scenario:
        """The hospital."""
        return load_scenario(self.difficulty)

    @model_validator(mode="after")
    def _sane(self) -> Self:
        odd = [side for side in self.learners if side not in SIDES]
        if odd:
            raise ValueError(f"learners.{odd[0]}: no such side; legal: {', '.join(SIDES)}")
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("seeds: one is there twice")
        last = self.evaluation.first_seed + self.evaluation.episodes
        if last > self.first_key:
            raise ValueError(
                f"evaluation: seeds up to {last - 1} run into the training keys from first_key {self.first_key} on"
            )
        return self


class Alone(Part):
    """One side learns against scripted others."""

    iterations: dict[str, int]
    wards: list[str]  # scripted coordinators, one trial for each
    coordinator: dict[str, list[dict[str, str]]]  # casts that are met in turn, ward by ward; one trial for each name


class Together(Part):
    """Sides learn at the same time, by turns, or against all that the others have been."""

    schemes: list[Literal["simultaneous", "alternating", "league"]] = Field(min_length=1)
    stages: int = Field(ge=1)
    iterations: int = Field(ge=1)  # of a stage, for each side
    arbiter: bool  # whether it learns too


class Regret(Part):
    """Fresh best responses to what was learned together: so many seeds for each budget of iterations."""

    budgets: list[int] = Field(min_length=1)
    seeds: int = Field(ge=1)


class CrossPlay(Part):
    """Scripted populations of the cross-play matrix; the learned ones join by themselves."""

    coordinators: list[str] = Field(min_length=1)
    wards: list[str] = Field(min_length=1)
    held_out: list[str]  # wards that nobody is trained against, among them


class PaddingConfig(Base):
    """Study of padding versus auditing."""

    alone: Alone
    together: Together
    regret: Regret
    cross_play: CrossPlay


class Knob(Part):
    """A knob of the scenario, turned: entries by dotted key, one mapping per setting; `labels` name the settings.

    `coordinator` takes the place of the study's scripted one where that would not feel the knob.
    """

    title: str
    coordinator: str | None = None
    labels: list[str] = Field(min_length=2)
    settings: list[dict[str, Any]] = Field(min_length=2)

    @model_validator(mode="after")
    def _labelled(self) -> Self:
        if len(self.labels) != len(self.settings):
            raise ValueError(f"{len(self.labels)} labels for {len(self.settings)} settings")
        return self


class StaticsConfig(Base):
    """Comparative statics: each knob on its own, all else as shipped."""

    knobs: dict[str, Knob] = Field(min_length=1)
    learn: Literal["nobody", "wards", "together"]
    coordinator: str  # the scripted coordinator, unless it learns
    ward: str  # the persona, unless they learn
    iterations: int = Field(ge=1)


C = TypeVar("C", PaddingConfig, StaticsConfig)


def load_study(kind: type[C], path: Path) -> C:
    """Read a study's config: a file, or the name of a shipped one.

    Raises:
        ScenarioError: the file cannot be read, or its difficulty.
        ConfigError: an entry is wrong; names file, key, value and what is legal.
    """
    shipped = FOLDER / f"{path}.yaml"
    where = shipped if not path.is_file() and shipped.is_file() else path
    if not where.is_file():
        known = sorted(p.stem for p in FOLDER.glob("*.yaml") if p.stem != "base")
        raise ConfigError(f"--config {path}: expected a file, or one of {', '.join(known)}")
    try:
        config = kind.model_validate(read_yaml(where))
    except ValidationError as error:
        raise ConfigError(describe(error, where, kind)) from None
    wards = list(config.scenario().wards)
    for ward in config.wards:
        if ward not in wards:
            raise ConfigError(f"{where}: wards: unknown ward {ward!r}; known: {', '.join(wards)}")
    return config


def altered(scenario: Scenario, changes: dict[str, Any], where: str) -> Scenario:
    """The scenario with some entries replaced, named by dotted keys.

    Raises:
        ConfigError: there is no such key, or the value is impossible.
    """
    data = scenario.model_dump(mode="json")
    for key, value in changes.items():
        *parents, last = key.split(".")
        part = data
        for parent in parents:
            part = part.get(parent) if isinstance(part, dict) else None
        if not isinstance(part, dict) or last not in part:
            raise ConfigError(f"{where}: {key}: no such key of a scenario")
        part[last] = value
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        raise ConfigError(describe(error, where, Scenario)) from None
