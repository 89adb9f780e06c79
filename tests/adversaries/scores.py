"""Held-out scores of coordinators, played once per test run: seeds 50-59, three difficulties, wards and arbiter scripted."""

from functools import cache

import numpy as np

from medchain.core.params import new_params
from medchain.reward.batch import score_batch
from medchain.reward.formula import COMPONENTS, GATED_FROM, PRESENT, SCORE
from medchain.scenario import DIFFICULTIES, load_scenario
from policies.scripted.batch import play

SEEDS = range(50, 60)


@cache
def records(name, difficulty):
    """Finished episode records, by seed."""
    return play(load_scenario(difficulty), name, SEEDS)


@cache
def breakdowns(name):
    """Breakdown arrays [difficulty and seed, BREAKDOWN]."""
    return np.concatenate([score_batch(records(name, d), new_params(load_scenario(d))) for d in DIFFICULTIES])


def score(name):
    """Mean score."""
    return float(breakdowns(name)[:, SCORE].mean())


def part(name, component):
    """Mean of a component over the episodes in which it is present, as it enters the sum."""
    i = COMPONENTS.index(component)
    rows = breakdowns(name)
    return float(rows[rows[:, PRESENT + i] > 0, i].mean())


def process_points(name):
    """Score points from the components that are not service to patients, before the weights are rescaled."""
    weights = new_params(load_scenario("medium"))[0]["weights"]
    return float(breakdowns(name)[:, GATED_FROM:PRESENT].mean(axis=0) @ weights[GATED_FROM:])


def earned(base, trick):
    """What the trick adds to its base, on the same episodes."""
    return score(f"{base}+{trick}") - score(base)
