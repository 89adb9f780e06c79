"""Groups of episodes that share one world, and what each sample is worth against its group. Pure functions, no RLlib."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medchain.core.words import COORDINATOR
from policies.llm.conversation import Stretch
from policies.llm.rollout import Key, Rollout

CREDITS = ("episode", "round", "shaping", "gigpo")
CONSTANT = 1e-9
"""A group whose returns lie closer together than this teaches nothing."""


@dataclass
class Sample:
    """One training sample: an unbroken prefix and its advantage."""

    stretch: Stretch
    advantage: float


@dataclass
class Grouped:
    """Samples by agent number, and what became of the groups."""

    samples: dict[int, list[Sample]]
    groups: int = 0
    constant: int = 0
    incomplete: int = 0
    spread: float = 0.0  # mean standard deviation of the returns within a group


def group_keys(seeds: Sequence[int], difficulties: Sequence[str], size: int) -> list[Key]:
    """Keys of `size` episodes for each seed; the i-th seed is played at the i-th difficulty, in turn."""
    return [Key(seed, difficulties[i % len(difficulties)], g) for i, seed in enumerate(seeds) for g in range(size)]


def iteration_seeds(first: int, last: int, count: int, seed: int, iteration: int) -> list[int]:
    """`count` different seeds of first .. last: the next of a fresh order; a lap ends when fewer than `count` are left."""
    lap, place = divmod(iteration, (last + 1 - first) // count)
    order = first + np.random.default_rng([seed, lap]).permutation(last + 1 - first)
    return [int(one) for one in order[place * count : (place + 1) * count]]


def grouped(
    rollouts: Sequence[Rollout],
    size: int,
    credit: str = "episode",
    anchor_weight: float = 1.0,
    agents: Collection[int] | None = None,
) -> Grouped:
    """Advantages of the samples of complete groups, of those in `agents` (None: all).

    `episode`: return minus the group's mean, the same for each sample of the episode. `round`: the same of the return to go,
    which is the return minus what it stood at before the round: what is past cannot be credited to what is said now.
    `shaping`: minus what the shaping had paid by then. `gigpo`: the episode's, plus `anchor_weight` times how the return to
    go compares with that of the group's episodes whose record was the same at the round's opening.
    """
    worlds: dict[tuple[int, str], list[Rollout]] = defaultdict(list)
    for rollout in rollouts:
        worlds[rollout.key.seed, rollout.key.difficulty].append(rollout)
    found = Grouped(defaultdict(list), groups=len(worlds))
    spreads = []
    for members in worlds.values():
        if len({m.key.member for m in members}) < size:
            found.incomplete += 1
            continue
        for agent in members[0].returns if agents is None else agents:
            returns = np.array([m.returns[agent] for m in members])
            spreads.append(returns.std())
            if np.ptp(returns) < CONSTANT:
                found.constant += 1
                continue
            for member, advantage in zip(members, returns - returns.mean(), strict=True):
                for stretch in member.stretches[agent]:
                    if stretch.logps:
                        value = _credited(members, member, agent, stretch, float(advantage), credit, anchor_weight)
                        found.samples[agent].append(Sample(stretch, value))
    found.spread = float(np.mean(spreads)) if spreads else 0.0
    return found


def _credited(
    members: list[Rollout], me: Rollout, agent: int, stretch: Stretch, advantage: float, credit: str, weight: float
) -> float:
    if credit == "episode":
        return advantage
    at = stretch.round - 1
    to_go = [_to_go(m, agent, at, credit) for m in members]
    mine = _to_go(me, agent, at, credit)
    if credit != "gigpo":
        return mine - float(np.mean(to_go))
    same = [value for value, m in zip(to_go, members, strict=True) if m.openings[at] == me.openings[at]]
    return advantage + weight * (mine - float(np.mean(same)))


def _to_go(rollout: Rollout, agent: int, at: int, credit: str) -> float:
    """Return from round number `at` (from 0) on; only the coordinator's is shaped."""
    before = rollout.paid if credit == "shaping" and agent == COORDINATOR else rollout.standing[agent]
    return rollout.returns[agent] - before[at]


def columns(samples: Sequence[Sample], padding: int, forms: Sequence[str], rows: int) -> dict[str, np.ndarray[Any, Any]]:
    """Samples as arrays of `rows` rows, the last of them empty where there are fewer samples.

    ids [N, T]; length [N]; spoken [N, T], 1 + form of the turn at sampled tokens, else 0; choice [N, T]; logps [N, T];
    advantage [N]; scale [N]: one over the number of choices in the whole batch, so that the loss is a mean over active
    tokens however the batch is cut.
    """
    longest = max(len(s.stretch.ids) for s in samples)
    made = {
        "ids": np.full((rows, longest), padding, np.int32),
        "length": np.ones(rows, np.int32),
        "spoken": np.zeros((rows, longest), np.int8),
        "choice": np.zeros((rows, longest), np.int8),
        "logps": np.zeros((rows, longest), np.float32),
        "advantage": np.zeros(rows, np.float32),
    }
    for n, sample in enumerate(samples):
        s = sample.stretch
        made["ids"][n, : len(s.ids)] = s.ids
        made["length"][n] = len(s.ids)
        made["advantage"][n] = sample.advantage
        for start, count, form, _ in s.turns:
            made["spoken"][n, start : start + count] = 1 + forms.index(form)
        at = s.sampled()
        made["choice"][n, at] = s.choice
        made["logps"][n, at] = s.logps
    active = int(made["choice"].sum())
    made["scale"] = np.full(rows, 1.0 / max(active, 1), np.float32)
    return made
