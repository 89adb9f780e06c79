"""Episodes driven by random commands, kept whole: the record before and after every command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from medchain.core.params import new_params
from medchain.core.record import new_commands, new_results
from medchain.core.session import Session
from medchain.core.words import Kind
from medchain.scenario import Scenario, load_scenario
from tests.laws.chance import Chance
from tests.laws.commands import Habits, Writer

AFTER_THE_END = 4
"""Commands sent to an episode that is over."""

HOSPITALS = ("light", "medium", "heavy", "perishable", "choosy", "uniform", "priority")
OTHER_SIZES = ("wide", "tiny")
"""Of sizes that would have to be compiled anew."""


@cache
def hospital(name: str) -> Scenario:
    """A shipped scenario, heavy with a difference, or one of another size."""
    if name in ("light", "medium", "heavy"):
        return load_scenario(name)
    data = load_scenario("heavy").model_dump()
    changes = {"perishable": _spoil, "choosy": _choose, "wide": _widen, "tiny": _shrink}
    if name in changes:
        changes[name](data)
    else:
        data["allocation_rule"] = name
    return Scenario.model_validate(data)


def _spoil(data: dict[str, Any]) -> None:
    """Everything spoils within days but the SKU of recalls, which are dated for goods that outlast the episode."""
    for days, sku in enumerate(data["skus"].values()):
        if sku["title"] != "IV saline 500 ml":
            sku["shelf_life_days"] = 2 + days % 5
    data["opening"] |= {"ward_shelf_left": 1.0, "central_shelf_left": 1.0}


def _choose(data: dict[str, Any]) -> None:
    """Suppliers that do not sell everything."""
    skus = list(data["skus"])
    data["suppliers"]["MEDLINE"]["sells"], data["suppliers"]["FASTMED"]["sells"] = skus[:6], skus[4:]


def _widen(data: dict[str, Any]) -> None:
    """Twice the wards and SKUs, three rounds, no history; one ward stocks nothing."""
    data["clock"] |= {"rounds": 3, "history_rounds": 0}
    data["events"] |= {"count": (1, 2), "last_day": 6}
    data["wards"] |= {f"{name}_2": ward for name, ward in data["wards"].items()} | {"idle": data["wards"]["ward_er"]}
    for sku in data["skus"].values():
        sku["demand_per_day"] |= {f"{name}_2": units + 1 for name, units in sku["demand_per_day"].items()}
    data["skus"] |= {f"{name}-2": sku for name, sku in data["skus"].items()}


def _shrink(data: dict[str, Any]) -> None:
    """One ward, one SKU, one supplier, four rounds."""
    data["clock"] |= {"rounds": 4, "history_rounds": 2}
    data["events"] |= {"count": (2, 2), "last_day": 8, "breach_sku": "IV-SAL-500"}
    data["wards"] = {"ward_icu": data["wards"]["ward_icu"]}
    data["skus"] = {"IV-SAL-500": data["skus"]["IV-SAL-500"] | {"demand_per_day": {"ward_icu": 20}}}
    data["suppliers"] = {"MEDLINE": data["suppliers"]["MEDLINE"]}


@dataclass(frozen=True, repr=False)
class Trace:
    """One episode: states[i] is the record before commands[i], states[i + 1] the one after; results[i] what came of it."""

    scenario: Scenario
    params: Any
    states: Any
    commands: Any
    results: Any

    @property
    def before(self) -> Any:
        return self.states[:-1]

    @property
    def after(self) -> Any:
        return self.states[1:]

    @property
    def p(self) -> Any:
        return self.params[0]

    @cached_property
    def changed(self) -> dict[str, Any]:
        """For every field of the record, which commands changed it: bool [n]."""
        found = {}
        for name in self.states.dtype.names:
            now = self.states[name].reshape(len(self.states), -1)
            found[name] = (now[1:] != now[:-1]).any(axis=1)
        return found

    @property
    def closes(self) -> Any:
        """Which commands closed a round."""
        return self.results["advanced"] == 1

    def must(self, holds: Any, law: str) -> None:
        """Fail unless `holds`, bool [n], of every command; names the first that breaks the law."""
        broken = np.flatnonzero(~np.asarray(holds))
        if len(broken):
            i = int(broken[0])
            s, c, out = self.before[i], self.commands[i], self.results[i]
            fields = {name: c[name].item() for name in c.dtype.names if not c.dtype[name].shape and c[name]}
            raise AssertionError(f"{law}: command {i} of day {s['day']}, phase {s['phase']}: {fields} -> {out}")


def drive(name: str, seed: int, chance: Chance, habits: Habits, most: int) -> Trace:
    """Play one episode of hospital `name` with random commands: to the end and a little beyond, or `most` commands."""
    scenario = hospital(name)
    session = Session(scenario, seed)
    size = session.episodes.nbytes
    states = np.zeros((most + 1, size), np.uint8)
    commands, results = new_commands(scenario.sizes, most), new_results(scenario.sizes, most)
    params = new_params(scenario)
    writer = Writer(params, chance, habits)
    record = session.episodes.view(np.uint8)
    states[0] = record
    done, late = 0, 0
    while done < most and late < AFTER_THE_END:
        late += session.ended
        writer.write(commands[done], session.record)
        results[done] = session.submit(commands, done)
        done += 1
        states[done] = record
    kept = states[: done + 1].reshape(-1).view(session.episodes.dtype)
    return Trace(scenario, params, kept, commands[:done], results[:done])


def drive_many(name: str, seed: int, habits: Habits, commands: int) -> Iterator[Trace]:
    """Episodes, one after the other, until `commands` have been sent; the next one has the next seed."""
    chance = Chance(seed)
    while commands > 0:
        trace = drive(name, seed, chance, habits, commands)
        commands -= len(trace.commands)
        seed += 1
        yield trace


def kind_is(trace: Trace, *kinds: Kind) -> Any:
    """Which commands are of one of these kinds."""
    return np.isin(trace.commands["kind"], [int(k) for k in kinds])
