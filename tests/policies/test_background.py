"""Background wards ask as they are described, and never illegally."""

import numpy as np
import pytest

from medchain.core.words import Verdict
from medchain.errors import ConfigError
from medchain.scenario import load_scenario
from policies.knobs import background_factors
from policies.scripted.batch import parse_persona, play

MEDIUM = load_scenario()
GENERAL = list(MEDIUM.wards).index("ward_general")
LINES = np.array(["ward_general" in sku.demand_per_day for sku in MEDIUM.skus.values()])
BACKGROUND = ("chronic", "adaptive", "cyclical", "retaliating", "edge")
FACTORS = background_factors()
SEEDS = range(40)


def played(persona: str, coordinator: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Requests and needs [n, round, line] of General, units, and the records."""
    s = play(MEDIUM, coordinator, SEEDS, personas={"ward_general": persona})
    need = s["need"].reshape(len(s), MEDIUM.clock.rounds, 2, *s["need"].shape[2:]).sum(2)
    return s["requested"][:, :, GENERAL, LINES], need[:, :, GENERAL, LINES], s


def is_times(asked: np.ndarray, need: np.ndarray, factor: float) -> np.ndarray:
    """bool [n, round]: whether all lines ask for `factor` x need, within rounding."""
    return (np.abs(asked - need * factor) <= 0.5001).all(-1)


@pytest.mark.parametrize("persona", BACKGROUND)
@pytest.mark.parametrize("coordinator", ["restock", "auditor"])
def test_nothing_is_forfeited(persona: str, coordinator: str) -> None:
    assert not played(persona, coordinator)[2]["forfeits"].any()


def test_chronic_always_pads() -> None:
    asked, need, _ = played("chronic", "auditor")
    assert is_times(asked, need, FACTORS["chronic"]).all()


def test_edge_is_never_padded_by_one_unit() -> None:
    asked, need, _ = played("edge", "restock")
    assert (10 * asked <= 11 * need).all() and (10 * (asked + 1) > 11 * need).all()


def test_cyclical_is_honest_for_two_rounds_and_pads_for_two() -> None:
    asked, need, _ = played("cyclical", "restock")
    pads = is_times(asked, need, FACTORS["cyclical"])
    assert (pads | is_times(asked, need, 1.0)).all()
    assert (pads[:, :-4] == pads[:, 4:]).all() and (pads[:, :-2] != pads[:, 2:]).all()
    assert len({tuple(row) for row in pads.tolist()}) == 4  # every place to begin occurs


def test_adaptive_climbs_until_it_is_caught() -> None:
    asked, need, s = played("adaptive", "auditor")
    padded = 10 * s["requested"][:, :, GENERAL] > 11 * s["need"].reshape(len(s), 8, 2, 3, -1).sum(2)[:, :, GENERAL]
    caught = (padded & (s["verdict"][:, :, GENERAL] > Verdict.APPROVE)).any(-1)
    level = np.ones(len(s))
    for r in range(MEDIUM.clock.rounds):
        expected = need[:, r] * (1 + (FACTORS["adaptive"] - 1) * level / 4)[:, None]
        assert (np.abs(asked[:, r] - expected) <= 0.5001).all()
        level = np.where(caught[:, r], 0, np.minimum(4, level + 1))
    assert caught.any() and not caught.all()
    free, need, _ = played("adaptive", "restock")
    assert is_times(free[:, 3:], need[:, 3:], FACTORS["adaptive"]).all()


def test_retaliating_answers_wrongs_only() -> None:
    asked, need, s = played("retaliating", "auditor")
    pads = is_times(asked, need, FACTORS["retaliating"])
    starved = 2 * (s["allocated"][:, :, GENERAL, LINES] < need).sum(-1) > LINES.sum()
    accused = ((s["verdict"][:, :, GENERAL, LINES] > 0) & (10 * asked <= 11 * need)).any(-1)
    assert not pads[:, 0].any() and pads[:, 1:].any() and not pads[:, 1:].all()
    assert (pads[:, 1:] == (starved | accused)[:, :-1]).all()


def test_background_wards_take_no_factor_from_outside() -> None:
    with pytest.raises(ConfigError, match="the others take none"):
        parse_persona(("chronic", 2.0))
    assert parse_persona("chronic")[1] == FACTORS["chronic"]
    assert parse_persona("edge")[1] == 1.0
