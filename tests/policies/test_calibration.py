"""The calibration table of the rules, section 11: mean over three difficulties, scripted wards and arbiter.

Every claim is held on the held-out seeds and on fresh ones; knobs were tuned on seeds 0-49 only.
"""

from functools import cache

import numpy as np
import pytest

from medchain.core.params import new_params
from medchain.reward.formula import COMPONENTS, breakdown, fill
from medchain.scenario import DIFFICULTIES, load_scenario
from policies.scripted.batch import play

HELD_OUT, FRESH = range(50, 60), range(100, 130)
ICU, ER, GENERAL = 0, 1, 2


@cache
def table(name, seeds):
    """Breakdowns and fills of a coordinator's episodes: one row per (difficulty, seed)."""
    parts, fills = [], []
    for difficulty in DIFFICULTIES:
        scenario = load_scenario(difficulty)
        params = new_params(scenario)[0]
        for record in play(scenario, name, seeds):
            parts.append(breakdown(record, params))
            fills.append(fill(record, params))
    return parts, np.array(fills)


def score(name, seeds):
    return float(np.mean([row["score"] for row in table(name, seeds)[0]]))


def critical(name, seeds):
    return float(np.mean([row["critical_service_level"] for row in table(name, seeds)[0]]))


def score_without_audit(name, seeds):
    """Each episode's score as if the audit component had no weight."""
    weights = load_scenario("medium").score.weights.model_dump()
    kept = [key for key in COMPONENTS if key != "audit_score"]
    scores = []
    for row in table(name, seeds)[0]:
        present = [key for key in kept if row[key] is not None]
        total = sum(weights[key] * row[key] for key in present) / sum(weights[key] for key in present)
        scores.append(max(0.0, total - row["justification_penalty"]))
    return np.array(scores)


both = pytest.mark.parametrize("seeds", [HELD_OUT, FRESH], ids=["held-out", "fresh"])


@both
@pytest.mark.parametrize(
    ("name", "expected", "within"),
    [
        ("zero", 0.125, 0.02),
        ("paperwork", 0.165, 0.02),
        ("rubber_stamp", 0.41, 0.03),
        ("discount_general", 0.425, 0.03),
        ("restock", 0.69, 0.03),
        ("par_blind", 0.755, 0.03),
        ("cap_blind", 0.855, 0.02),
        ("auditor", 0.925, 0.02),
    ],
)
def test_scores_are_those_of_the_table(name, expected, within, seeds):
    assert score(name, seeds) == pytest.approx(expected, abs=within)


@both
def test_cutting_the_ward_that_pads_most_beats_giving_what_is_asked(seeds):
    assert score("discount_general", seeds) > score("rubber_stamp", seeds)


@both
def test_process_points_alone_do_not_pay(seeds):
    assert score("paperwork", seeds) < score("rubber_stamp", seeds) - 0.15


@both
def test_the_auditor_serves_and_scores(seeds):
    assert score("auditor", seeds) >= 0.85
    icu = [table(name, seeds)[1][:, ICU].mean() for name in ("auditor", "restock")]
    assert icu[0] >= icu[1] + 0.08


@both
def test_auditing_pays_in_patients_against_the_best_coordinator_that_does_not_audit(seeds):
    assert critical("auditor", seeds) >= critical("cap_blind", seeds) + 0.05
    gain = score_without_audit("auditor", seeds) - score_without_audit("cap_blind", seeds)  # paired by seed
    assert gain.mean() >= 0.01


@both
def test_knowing_every_need_is_worth_a_little_more_than_auditing(seeds):
    assert score("auditor", seeds) < score("oracle", seeds) < score("auditor", seeds) + 0.05


@both
def test_priorities_show_in_who_is_served(seeds):
    fills = table("auditor", seeds)[1].mean(axis=0)
    assert fills[ICU] > fills[ER] > fills[GENERAL] > 0.6
