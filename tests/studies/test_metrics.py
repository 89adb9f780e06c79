"""What a study counts, on a record written by hand and on played episodes."""

import numpy as np
import pytest

from experiments.studies.metrics import count, facts, line_sums
from medchain.core.record import new_episodes
from medchain.core.words import Field, Verdict
from medchain.scenario import load_scenario
from policies.scripted.batch import play

MEDIUM = load_scenario()
WARDS = list(MEDIUM.wards)
GENERAL = WARDS.index("ward_general")


def one_round() -> tuple[np.ndarray, np.ndarray]:
    """Ward 0 has three lines of need 10, 10 and 0; it asks for 11, 20 and 0 in round 1. Nothing else happens."""
    s = new_episodes(MEDIUM.sizes)
    demand = np.zeros((MEDIUM.sizes.wards, MEDIUM.sizes.skus), np.int64)
    demand[0, :3] = 5
    s["need"][0, 0, 0, :2], s["need"][0, 1, 0, :2] = 4, 6
    s["requested"][0, 0, 0, :2] = 11, 20
    s["evidence"][0, 0, 0, :2] = 1, 2
    s["redacted"][0, 0, 0, 1] = Field.CENSUS
    s["verdict"][0, 0, 0, :2] = Verdict.APPROVE, Verdict.DENY
    s["consumed"][0, 0, 0, :2], s["consumed"][0, 1, 0, :2] = 4, (6, 1)
    return s, demand


def test_sums_of_a_record_by_hand() -> None:
    s, demand = one_round()
    sums = {name: values[0, 0] for name, values in line_sums(s, demand).items()}
    rounds = MEDIUM.clock.rounds
    assert sums == {
        "lines": 2,
        "padded": 1,
        "edge": 1,  # 11 of 10 is not padded, but just under
        "inflation": pytest.approx(1.1 + 2.0),
        "asked": 2,
        "evidence": 2,
        "redacted": 1,
        "reviews": 2,
        "hits": 1,
        "caught": 1,
        "fill": pytest.approx(1.0 + 0.5 + 1.0 + 3 * (rounds - 1)),  # without need a line is full
        "rounds": 3 * rounds,
    }
    assert all(values[0, 1:].sum() == 0 for values in line_sums(s, demand).values())


def test_rates_are_ratios_of_sums() -> None:
    counts = count(play(MEDIUM, "auditor", range(4)), MEDIUM)
    one, two = counts.rates([GENERAL], slice(0, 1)), counts.rates([GENERAL], slice(1, 2))
    both, lines = counts.rates([GENERAL], slice(0, 2)), counts.sums["lines"][:2, GENERAL]
    expected = (one["padding_rate"] * lines[0] + two["padding_rate"] * lines[1]) / lines.sum()
    assert both["padding_rate"] == pytest.approx(expected)
    assert 0 < both["precision"] <= 1 and 0 < both["recall"] < 1


def test_personas_are_what_they_are_called() -> None:
    def rates(coordinator: str, persona: object) -> dict[str, float]:
        return count(play(MEDIUM, coordinator, range(8), personas={"ward_general": persona}), MEDIUM).rates([GENERAL])

    honest, padded = rates("restock", "honest"), rates("restock", ("pads", 2.0))
    assert (honest["inflation"], honest["padding_rate"]) == (1.0, 0.0)
    assert padded["inflation"] == pytest.approx(2.0, abs=0.01) and padded["padding_rate"] == 1.0
    assert padded["fill"] > honest["fill"]
    assert padded["audit_rate"] == 0.0 and np.isnan(padded["precision"]) and padded["recall"] == 0.0
    assert rates("auditor", ("pads", 2.0))["recall"] > 0


def test_facts_name_everything() -> None:
    told = facts(count(play(MEDIUM, "auditor", range(3)), MEDIUM), WARDS)
    assert {"score", "welfare", "waste", "audit_score", "wards/inflation", "ward_er/recall", "ward_icu/reward"} <= set(told)
    rewards = sum(told[f"{ward}/reward"] for ward in WARDS)
    assert told["welfare"] == pytest.approx(rewards)
