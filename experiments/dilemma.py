"""Does padding pay the ward that pads? One ward changes how it asks, the other wards stay scripted, nobody learns.

`python -m experiments.dilemma` prints the table: without audits padding pays, with audits it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np

from medchain.core.params import new_params
from medchain.reward.batch import ward_rewards
from medchain.scenario import DIFFICULTIES, load_scenario
from policies.scripted.batch import PersonaName, play

WARDS = ("ward_general", "ward_er")
COORDINATORS = ("restock", "auditor")
WAYS: dict[str, PersonaName] = {
    "honest": "honest",
    "scripted": "scripted",
    "pads x 1.5": ("pads", 1.5),
    "pads x 2.3": ("pads", 2.3),
}
"""How a ward asks, by the heading of its column."""

Cell = tuple[str, str, str]
"""Ward, coordinator, way of asking."""


def mean_reward(
    ward: str, coordinator: str, way: PersonaName, seeds: Sequence[int], difficulties: Iterable[str] = DIFFICULTIES
) -> float:
    """Mean reward of `ward` per round, in units of fill, over seeds and difficulties."""
    found = []
    for name in difficulties:
        scenario = load_scenario(name)
        episodes = play(scenario, coordinator, seeds, personas={ward: way})
        found.append(ward_rewards(episodes, new_params(scenario))[:, :, list(scenario.wards).index(ward)])
    return float(np.mean(found))


def dilemma(seeds: Sequence[int], difficulties: Sequence[str] = DIFFICULTIES) -> dict[Cell, float]:
    """The whole table."""
    cells = product(WARDS, COORDINATORS, WAYS)
    return {(w, c, way): mean_reward(w, c, WAYS[way], seeds, difficulties) for w, c, way in cells}


def print_dilemma(table: dict[Cell, float]) -> None:
    """One row per ward and coordinator, one column per way of asking."""
    from rich.console import Console
    from rich.table import Table

    shown = Table("ward", "coordinator", *WAYS, title="mean ward reward per round")
    for ward, coordinator in product(WARDS, COORDINATORS):
        shown.add_row(ward, coordinator, *(f"{table[ward, coordinator, way]:.3f}" for way in WAYS))
    Console().print(shown)


if __name__ == "__main__":
    print_dilemma(dilemma(range(50, 60)))
