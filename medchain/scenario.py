"""Scenario files: YAML -> validated `Scenario`. The only place that reads a number of the game.

A file may say `extends: other.yaml`; its keys then override that file's. Unknown, missing or impossible entries raise
`ScenarioError` naming file, key, value and what is legal.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from medchain.errors import ScenarioError, UnknownNameError
from medchain.reading import describe, read_yaml
from medchain.scenario_parts import (
    Arbiter,
    Clock,
    Events,
    Evidence,
    Finance,
    Limits,
    Need,
    Opening,
    Part,
    Score,
    ScriptedArbiter,
    ScriptedWard,
    Shaping,
    Share,
    Sku,
    Supplier,
    Trust,
    Ward,
    WardReward,
)

FOLDER = Path(__file__).resolve().parent.parent / "configs" / "scenario"
DIFFICULTIES = ("light", "medium", "heavy")
GAMES = ("inspection", "rationing")
"""Files of this folder that are no hospital, but small games of `medchain study`."""


class Sizes(NamedTuple):
    """What shapes a record: two scenarios with equal sizes share dtypes, spaces and compiled code."""

    wards: int
    skus: int
    suppliers: int
    rounds: int
    days: int
    history: int
    lots: int
    orders: int
    quotes: int
    events: int

    @property
    def locations(self) -> int:
        """Central pharmacy and the wards."""
        return self.wards + 1

    @property
    def agents(self) -> int:
        """Coordinator, wards, arbiter."""
        return self.wards + 2


class Scenario(Part):
    """A validated scenario. `names` of wards, SKUs and suppliers are their order in the file."""

    clock: Clock
    limits: Limits
    wards: dict[str, Ward] = Field(min_length=1, max_length=60)
    skus: dict[str, Sku] = Field(min_length=1, max_length=60)
    suppliers: dict[str, Supplier] = Field(min_length=1, max_length=60)
    opening: Opening
    finance: Finance
    need: Need
    events: Events
    trust: Trust
    scripted_ward: ScriptedWard
    scripted_arbiter: ScriptedArbiter
    arbiter: Arbiter
    evidence: Evidence
    wms_noise: float = Share
    allocation_rule: Literal["proportional", "uniform", "priority"]
    score: Score
    shaping: Shaping
    ward_reward: WardReward

    @property
    def sizes(self) -> Sizes:
        """Sizes of the record that this scenario needs."""
        clock, limits = self.clock, self.limits
        return Sizes(
            wards=len(self.wards),
            skus=len(self.skus),
            suppliers=len(self.suppliers),
            rounds=clock.rounds,
            days=clock.rounds * clock.days_per_round,
            history=clock.history_rounds,
            lots=limits.lots,
            orders=limits.orders_per_round * clock.rounds,
            quotes=limits.calls_per_round * clock.rounds,
            events=5,
        )

    @property
    def agents(self) -> list[str]:
        """Agent names by agent number."""
        return ["coordinator", *self.wards, "arbiter"]

    @property
    def locations(self) -> list[str]:
        """Location names by location number."""
        return ["central_pharmacy", *self.wards]

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for (where, value), known in self._references():
            if value not in known:
                raise ValueError(f"{where} = {value!r}: unknown name; legal: {', '.join(known)}")
        sold = {sku for s in self.suppliers.values() for sku in (self.skus if s.sells == "all" else s.sells)}
        for sku in self.skus:
            if sku not in sold:
                raise ValueError(f"skus.{sku}: nobody sells it; list it under some supplier's `sells`")
        if set(self.wards) & {"coordinator", "arbiter", "central_pharmacy"}:
            raise ValueError("wards: coordinator, arbiter and central_pharmacy are taken names")
        (low, high), first, last = self.events.count, self.events.first_day, self.events.last_day
        if not 0 <= low <= high <= 5:
            raise ValueError(f"events.count = [{low}, {high}]: impossible; legal: 0 <= low <= high <= 5")
        if last > self.sizes.days or (high and last - first < 2 * high):
            raise ValueError(f"events: days {first} .. {last} hold no {high} events in an episode of {self.sizes.days} days")
        needed = 2 * len(self.skus) + self.sizes.orders + 2
        if self.limits.lots < needed:
            raise ValueError(f"limits.lots = {self.limits.lots}: this scenario can make {needed} lots; legal: no fewer")
        return self

    def _references(self) -> list[tuple[tuple[str, str], list[str]]]:
        """Every name that points at another part, with where it stands and what it may be."""
        wards, skus, suppliers, events = list(self.wards), list(self.skus), list(self.suppliers), self.events
        found = [(("events.recall_sku", events.recall_sku), skus), (("events.breach_sku", events.breach_sku), skus)]
        found += [(("events.breach_ward", events.breach_ward), wards)]
        found += [(("events.disrupted_supplier", events.disrupted_supplier), suppliers)]
        found += [((f"skus.{s}.demand_per_day", w), wards) for s, sku in self.skus.items() for w in sku.demand_per_day]
        for name, supplier in self.suppliers.items():
            found += [((f"suppliers.{name}.sells", s), skus) for s in (supplier.sells if supplier.sells != "all" else [])]
        return found


@lru_cache(maxsize=64)
def _load(path: Path, modified: int) -> Scenario:
    try:
        return Scenario.model_validate(read_yaml(path))
    except ValidationError as error:
        raise ScenarioError(describe(error, path, Scenario)) from None


def load_scenario(name: str | Path = "medium") -> Scenario:
    """Load a shipped difficulty by name, or a scenario file by path.

    Raises:
        ScenarioError: a file is wrong (names file, key, value, what is legal).
        UnknownNameError: neither a shipped name nor an existing file.
    """
    path = Path(name)
    if path.stem in GAMES and (path.parent == FOLDER or path == Path(path.stem)):
        raise ScenarioError(
            f"{name}: not a hospital but a small game of its own: play it by `medchain study {path.stem}`; "
            f"legal here: {', '.join(DIFFICULTIES)}, or the path of a scenario's .yaml file"
        )
    if path.suffix not in (".yaml", ".yml"):
        path = FOLDER / f"{name}.yaml"
        if not path.is_file():
            raise UnknownNameError("difficulty", str(name), [*DIFFICULTIES, "or the path of a .yaml file"])
    return _load(path, path.stat().st_mtime_ns if path.is_file() else 0)
