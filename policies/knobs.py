"""Knobs of the scripted coordinators: configs/policy/NAME.yaml, validated, as one numeric record that kernels read.

Every knob of every coordinator is a field of that record, so one compiled loop plays them all; each reads its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from medchain.errors import ConfigError, UnknownNameError
from medchain.reading import describe, read_yaml
from medchain.scenario import FOLDER as SCENARIOS
from policies.scripted.habits_vector import HABITS

FOLDER = SCENARIOS.parent / "policy"


class Knobs(BaseModel):
    """Base of all knobs: numbers only, none unknown, none missing."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class DiscountGeneral(Knobs):
    """Of `discount_general`."""

    general_percent: int = Field(ge=0, le=100)


class StockKeeper(Knobs):
    """Of `restock` and `par_blind`."""

    par_days: float = Field(ge=0, le=100)
    par_days_fresh: float = Field(ge=0, le=100)
    fresh_days: float = Field(ge=0)


class ParBlind(StockKeeper):
    """Of `par_blind`."""

    issue_factor: float = Field(ge=0)


class Careful(Knobs):
    """Of `cap_blind`; the files say what each means."""

    pad_memory: float = Field(ge=0, le=1)
    quantile_blood: float = Field(ge=0, le=1)
    quantile_durable: float = Field(ge=0, le=1)
    price: float = Field(gt=0)
    blood_worth: float = Field(ge=0)
    gate_margin: float = Field(ge=-1, le=1)
    gate_worth: float = Field(ge=0)
    haste_worth: float = Field(ge=0)
    fresh_days: float = Field(ge=0)
    par_fresh: float = Field(ge=0)
    par_blood: float = Field(ge=0)
    par_durable: float = Field(ge=0)
    last_par: float = Field(ge=0)
    quote_factor: float = Field(ge=0, le=100)


class Auditor(Careful):
    """Of `auditor` and `oracle`."""

    audit_cents_per_round: float = Field(ge=0)
    evidence_worth: float
    first_evidence_worth: float
    padded_from: float = Field(ge=0)
    redacted_odds: float = Field(ge=0)
    review_from: float = Field(ge=0)
    catch_worth: float


class Background(Knobs):
    """Of the background wards: what they ask for when they pad, as a multiple of their need."""

    chronic: float = Field(gt=1, le=1000)
    adaptive: float = Field(gt=1, le=1000)
    cyclical: float = Field(gt=1, le=1000)
    retaliating: float = Field(gt=1, le=1000)


Share = Annotated[float, Field(ge=0, le=1)]
Habits: type[Knobs] = create_model("Habits", __base__=Knobs, **dict.fromkeys(HABITS, (Share, ...)))

MODELS: dict[str, type[Knobs]] = {
    "habits": Habits,
    "discount_general": DiscountGeneral,
    "restock": StockKeeper,
    "par_blind": ParBlind,
    "cap_blind": Careful,
    "auditor": Auditor,
    "oracle": Auditor,
}
"""The knobs of each coordinator that has some."""


@cache
def knobs_dtype() -> np.dtype[Any]:
    """One float field per knob."""
    names = sorted({name for model in MODELS.values() for name in model.model_fields})
    return np.dtype([(name, "f8") for name in names])


@lru_cache(maxsize=256)
def _read(path: Path, modified: int) -> dict[str, Any]:
    return read_yaml(path)


def background_factors() -> dict[str, float]:
    """By how much each background ward pads, from configs/policy/background.yaml.

    Raises:
        ConfigError, ScenarioError: as `load_knobs`.
    """
    path = FOLDER / "background.yaml"
    try:
        factors: dict[str, float] = Background.model_validate(_read(path, path.stat().st_mtime_ns)).model_dump()
    except ValidationError as error:
        raise ConfigError(describe(error, path, Background)) from None
    return factors


def load_knobs(name: str, overrides: Mapping[str, Any] | None = None) -> np.ndarray[Any, Any]:
    """Knobs of coordinator `name` from its file, some replaced by `overrides`: an array of one record.

    Raises:
        ConfigError: a key is unknown or missing, or a value impossible; names file, key, value and what is legal.
        ScenarioError: the file cannot be read.
        UnknownNameError: an override for a coordinator without such a knob.
    """
    name, _, _ = name.partition("+")  # an adversary has the knobs of its base
    record = np.zeros(1, knobs_dtype())
    model = MODELS.get(name)
    known = sorted(model.model_fields) if model else []
    for key in overrides or {}:
        if key not in known:
            raise UnknownNameError(f"knob of {name}", key, known)
    if model is None:
        return record
    path = FOLDER / f"{name}.yaml"
    data = _read(path, path.stat().st_mtime_ns if path.is_file() else 0)
    try:
        knobs = model.model_validate({**data, **(overrides or {})})
    except ValidationError as error:
        raise ConfigError(describe(error, path if not overrides else f"{path} with overrides", model)) from None
    for key, value in knobs.model_dump().items():
        record[key] = value
    return record
