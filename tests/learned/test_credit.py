"""What SKUs and audits have earned adds up to the parts of the reward that they stand for."""

import numpy as np
import pytest

pytest.importorskip("ray", reason="learned roles need medchain[train]")

from experiments.rllib.credit.kernels import ACCURACY, AUDIT, CRITICAL, EVENTS, NETWORK, WASTE, credit
from experiments.rllib.phase_batch import PhaseBatch
from experiments.rllib.phase_report import play_out
from experiments.rllib.phase_roles import RolePart
from medchain.reward.formula import BREAKDOWN, components_into
from medchain.scenario import load_scenario


@pytest.fixture(scope="module")
def played() -> PhaseBatch:
    """Eight scripted episodes of a padding ward and a coordinator that audits, to their end."""
    scenario = load_scenario("heavy")
    return play_out(
        PhaseBatch(scenario, 8, {name: RolePart(role="scripted") for name in scenario.agents}, "progress"), range(8)
    )


def test_a_wards_reward_is_all_earned_by_skus(played: PhaseBatch) -> None:
    for agent in (1, 2, 3):
        found = credit(played.env.episodes, played.env.params, agent, played.env.sizes.rounds)
        np.testing.assert_allclose(found.sum(1), played.env.returns()[:, agent], atol=1e-12)


def test_a_coordinators_credit_is_what_the_score_says(played: PhaseBatch) -> None:
    """Service, accuracy and events by SKU, less what was lost; audits by themselves."""
    episodes, params = played.env.episodes, played.env.params
    weights, parts = params[0]["weights"], np.zeros((len(episodes), BREAKDOWN))
    for record, row in zip(episodes, parts, strict=True):
        components_into(record, params[0], row)
    found, by_sku = credit(episodes, params, 0, played.env.sizes.rounds), [NETWORK, CRITICAL, ACCURACY, EVENTS]
    lost = weights[WASTE] * (1.0 - parts[:, WASTE])
    np.testing.assert_allclose(found[:, :-1].sum(1), parts[:, by_sku] @ weights[by_sku] - lost, atol=1e-3)
    np.testing.assert_allclose(found[:, -1], weights[AUDIT] * parts[:, AUDIT], atol=1e-12)


def test_an_arbiter_has_none(played: PhaseBatch) -> None:
    assert not credit(played.env.episodes, played.env.params, 4, 8).any()
