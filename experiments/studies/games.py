"""Configs of the two small games with closed forms (configs/scenario/inspection.yaml and rationing.yaml)."""

from __future__ import annotations

from pathlib import Path
from typing import Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from medchain.errors import ConfigError
from medchain.reading import describe, read_yaml
from medchain.scenario import FOLDER


class Part(BaseModel):
    """No unknown key, nothing changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Learning(Part):
    """Steps, step size and seeds of the learners."""

    steps: int = Field(ge=10, le=10**7)
    rate: float = Field(gt=0, le=1)
    seeds: int = Field(ge=1, le=1000)


class InspectionConfig(Part):
    """Payoffs of the inspection game; both equilibrium probabilities must lie in (0, 1)."""

    pad_gain: float = Field(gt=0)
    fines: list[float] = Field(min_length=1)
    detection: float = Field(gt=0, le=1)
    false_positive: float = Field(ge=0, lt=1)
    audit_cost: float = Field(gt=0)
    catch_benefit: float = Field(ge=0)
    uncaught_loss: float = Field(ge=0)
    learning: Learning

    @model_validator(mode="after")
    def _mixed(self) -> Self:
        pad = self.audit_cost / (self.detection * (self.catch_benefit + self.uncaught_loss))
        worst = min(self.detection * self.pad_gain + (self.detection - self.false_positive) * f for f in self.fines)
        if not (0 < pad < 1 and worst > 0 and self.pad_gain / worst < 1):
            raise ValueError("these payoffs have no mixed equilibrium: pad* and audit* must lie in (0, 1)")
        return self


class RationingConfig(Part):
    """The rationing game, in ten-thousandths of a unit; stock is above one ward's need and below all wards'."""

    stock: int = Field(ge=1)
    need: int = Field(ge=1)
    value: float = Field(gt=0)
    penalties: list[float] = Field(min_length=1)
    wards: list[int] = Field(min_length=1)
    grid: int = Field(ge=1)
    most: int
    learning: Learning

    @model_validator(mode="after")
    def _scarce(self) -> Self:
        if not self.need < self.stock < min(self.wards) * self.need:
            raise ValueError(
                f"stock {self.stock} must lie between need {self.need} and all wards' {min(self.wards) * self.need}"
            )
        return self


C = TypeVar("C", InspectionConfig, RationingConfig)


def load_game(kind: type[C], path: Path | None = None) -> C:
    """Load a game's config, the shipped one by default.

    Raises:
        ScenarioError: the file cannot be read.
        ConfigError: an entry is wrong; names file, key, value and what is legal.
    """
    name = "inspection" if kind is InspectionConfig else "rationing"
    where = path or FOLDER / f"{name}.yaml"
    try:
        return kind.model_validate(read_yaml(where))
    except ValidationError as error:
        raise ConfigError(describe(error, where, kind)) from None
