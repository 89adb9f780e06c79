"""The score by ledger: nothing is lost, and each process component stands in its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medchain.core.params import new_params
from medchain.reward.formula import breakdown
from medchain.reward.ledgers import LEDGERS, ledgers
from medchain.scenario import load_scenario
from tests.reward.records import random_record

MEDIUM = load_scenario("medium")
PARAMS = new_params(MEDIUM)[0]
SKUS = len(MEDIUM.skus)


def named(found: np.ndarray) -> dict[str, float]:
    return dict(zip(LEDGERS, found[SKUS:].tolist(), strict=True))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_ledgers_add_up_to_the_score(seed: int) -> None:
    record = random_record(MEDIUM, seed)
    found = ledgers(record, PARAMS)
    assert found.shape == (SKUS + len(LEDGERS),)
    assert found.sum() == pytest.approx(breakdown(record, PARAMS)["score"], abs=1e-12)


def test_a_briefing_too_many_is_booked_to_briefings_alone() -> None:
    """Eight rounds with one briefing each; then one of them with two: that ledger loses an eighth, no other moves."""
    record = random_record(MEDIUM, 3)
    record["briefings"][:] = 1
    before = ledgers(record, PARAMS)
    record["briefings"][2] = 2
    after = ledgers(record, PARAMS)
    lost = named(before)["briefing"] / 8
    assert lost > 0
    moved = np.flatnonzero(np.abs(after - before) > 1e-12)
    assert moved.tolist() == [SKUS + LEDGERS.index("briefing")]
    assert named(before)["briefing"] - named(after)["briefing"] == pytest.approx(lost, abs=1e-12)


def test_an_unsound_justification_is_booked_to_justifications_alone() -> None:
    record = random_record(MEDIUM, 4)
    record["unsound"] = 0
    before = ledgers(record, PARAMS)
    record["unsound"] = 1
    moved = ledgers(record, PARAMS) - before
    assert moved[SKUS + LEDGERS.index("justification")] == pytest.approx(-0.05)
    assert np.abs(np.delete(moved, SKUS + LEDGERS.index("justification"))).max() < 1e-12
