"""The dilemma is real: unaudited, padding pays the ward that pads; audited, it does not. All others are scripted."""

from functools import cache

import numpy as np
import pytest

from medchain.core.params import new_params
from medchain.reward.roles import ward_reward
from medchain.scenario import DIFFICULTIES, load_scenario
from policies.scripted.batch import play

HELD_OUT, FRESH = range(50, 60), range(100, 130)
HONEST, JUST_UNDER, CHRONIC = "honest", ("pads", 1.09), ("pads", 2.3)

both = pytest.mark.parametrize("seeds", [HELD_OUT, FRESH], ids=["held-out", "fresh"])
wards = pytest.mark.parametrize("ward", ["ward_er", "ward_general"])


@cache
def utility(coordinator, ward, persona, seeds):
    """Mean reward of a ward per round, over the three difficulties."""
    rewards = []
    for difficulty in DIFFICULTIES:
        scenario = load_scenario(difficulty)
        params, w = new_params(scenario)[0], list(scenario.wards).index(ward)
        for record in play(scenario, coordinator, seeds, personas={ward: persona}):
            rewards += [ward_reward(record, params, w, r) for r in range(scenario.clock.rounds)]
    return np.mean(rewards)


@both
@wards
def test_unaudited_padding_pays(ward, seeds):
    assert utility("restock", ward, CHRONIC, seeds) > utility("restock", ward, HONEST, seeds) + 0.02


@both
@wards
def test_audited_padding_does_not_pay(ward, seeds):
    assert utility("auditor", ward, CHRONIC, seeds) < utility("auditor", ward, HONEST, seeds) - 0.02


@both
@wards
def test_asking_just_under_the_padded_line_ties_with_honesty(ward, seeds):
    assert utility("auditor", ward, JUST_UNDER, seeds) == pytest.approx(utility("auditor", ward, HONEST, seeds), abs=0.04)


@both
@wards
def test_unaudited_padding_starves_the_others(ward, seeds):
    """What one ward gains by padding, the most urgent one pays."""
    paid = [utility("restock", ward, persona, seeds) for persona in (HONEST, CHRONIC)]
    assert paid[1] > paid[0]
    icu = []
    for persona in (HONEST, CHRONIC):
        records = [play(load_scenario(d), "restock", seeds, personas={ward: persona}) for d in DIFFICULTIES]
        icu.append(sum(r["consumed"][:, :, 0].sum() for r in records) / sum(r["need"][:, :, 0].sum() for r in records))
    assert icu[1] < icu[0] - 0.01
