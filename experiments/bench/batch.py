"""The batched core with reset, its scripted policies compiled with it, against loops that do a part of its work."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np

from experiments.bench.fefo import move_goods
from experiments.bench.row import Line, median_ratio, side_by_side
from medchain.core.kernel import kernel
from medchain.core.params import new_params
from medchain.core.record import as_bytes, new_episodes, spans, wipe
from medchain.core.session import start_episodes
from medchain.scenario import load_scenario
from policies.knobs import load_knobs
from policies.roster import coordinator
from policies.scripted.batch import parse_personas
from policies.scripted.play import Desk, play_range

Array = np.ndarray[Any, Any]

EPISODES = 2_000
REACH, SHARE = 20_000, 0.5
HELD_TO_IT, BESIDE_IT = "rubber_stamp", ("restock", "auditor")
"""What is to be reached is a matter of the core: the first thinks least. The others show what thinking costs on top."""


@kernel
def start_all(episodes: Array, raw: Array, record_spans: Array, p: Array, seeds: Array) -> None:
    """Reset every episode: what chance costs."""
    for i in range(len(seeds)):
        s = episodes[i]
        wipe(raw[i], record_spans, int(s["lot_count"]), int(s["order_count"]), int(s["quote_count"]))
        start_episodes(episodes, p, seeds, i)


class Batch:
    """An array of episodes of one coordinator, ready to be played again and again."""

    def __init__(self, name: str, n: int) -> None:
        """Make `n` blank episodes for the coordinator `name`."""
        scenario = load_scenario()
        self.n, self.params, self.desk = n, new_params(scenario), Desk(scenario.sizes).all()
        self.episodes, self.seeds = new_episodes(scenario.sizes, n), np.arange(n, dtype=np.uint64)
        self.raw, self.spans = as_bytes(self.episodes), spans(self.episodes.dtype)
        self.which, self.knobs = int(coordinator(name)), load_knobs(name)
        self.personas = parse_personas(scenario, None)

    def play(self) -> None:
        """Play all episodes from reset to end."""
        range_of_all = (self.raw, self.seeds, 0, self.n, self.params)
        play_range(self.episodes, *range_of_all, self.which, self.knobs, *self.personas, self.desk)

    def move_goods(self) -> None:
        """Redo the goods of the episodes that were played last."""
        move_goods(self.episodes, 0, self.n, self.params)

    def reset(self) -> None:
        """Only start all episodes."""
        start_all(self.episodes, self.raw, self.spans, self.params, self.seeds)


def measure(repeats: int) -> list[Line]:
    """Episodes per second of some coordinators."""
    return [line for name in (HELD_TO_IT, *BESIDE_IT) for line in _coordinator(name, repeats)]


def _coordinator(name: str, repeats: int) -> list[Line]:
    batch, other = Batch(name, EPISODES), Batch(name, EPISODES)
    played, moved, started = side_by_side(repeats, batch.play, batch.move_goods, other.reset)
    ours, share = rate(played), median_ratio(moved, played)
    world = [a + b for a, b in zip(moved, started, strict=True)]
    reach = f">= {REACH:,}/s, >= {SHARE:.0%}" if name == HELD_TO_IT else ""
    reached = ours >= REACH and share >= SHARE if reach else None
    goods, both = "their FEFO alone", "their FEFO and reset"
    return [
        Line(f"{name}, {EPISODES:,} at once", ours, "episodes/s", goods, rate(moved), share, reach, reached),
        Line(f"{name}, the same", ours, "episodes/s", both, rate(world), median_ratio(world, played)),
    ]


def rate(seconds: list[float]) -> float:
    """Episodes per second, of repeats of EPISODES."""
    return EPISODES / statistics.median(seconds)
