"""The score is the weighted sum of its breakdown, less the penalty; its laws hold on arbitrary records."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medchain.core.params import new_params
from medchain.reward import components, formula
from medchain.reward.formula import COMPONENTS, breakdown, fill
from medchain.reward.lines import ABSENT
from medchain.scenario import load_scenario
from tests.reward.records import BLOOD, GENERAL, GLOVE, ICU, SALINE, digest, random_record, served, toy, toy_params

P = toy_params()
CASES = st.tuples(st.sampled_from(["toy", "heavy"]), st.integers(0, 2**32))


def case(drawn):
    """A random record of the named scenario, and its parameters."""
    name, seed = drawn
    scenario = toy() if name == "toy" else load_scenario(name)
    return random_record(scenario, seed), new_params(scenario)[0]


def starved():
    """General gets nothing of gloves and half of saline: fills 1, 1 and 1/4; all process work done."""
    s = served()
    s["consumed"][:, GENERAL, GLOVE] = 0
    s["consumed"][::2, GENERAL, SALINE] = 0
    s["briefings"] = s["system_used"] = 1
    s["ordered_value_used"] = s["spent_on_orders"] = 250_000
    return s


def test_fill_is_each_wards_mean_over_lines_and_rounds():
    assert fill(starved(), P).tolist() == [1.0, 1.0, 0.25]


def test_process_components_earn_in_proportion_to_the_worst_served_ward():
    found = breakdown(starved(), P)
    gate = 0.25 / 0.6
    assert found["gate"] == gate
    assert found["budget_efficiency"] == found["waste_control"] == found["tool_discovery_score"] == gate
    assert found["critical_service_level"] == 1.0
    assert found["event_response"] is None
    assert found["approval_workflow_score"] is None


def test_score_by_hand():
    # network: 0.25 x (1 + 0.5) lost in each of 2 rounds, of 7 in all
    # accuracy: 0.25 x fill lost on 2 glove and 2 saline line-rounds of 12
    network, accuracy, gate = 1 - 0.75 / 7, 1 - (2 * 0.25 + 2 * 0.125) / 12, 0.25 / 0.6
    present = 1 - 0.12 - 0.05  # neither event nor ticket
    earned = 0.25 * network + 0.18 + 0.18 * accuracy + gate * (0.07 + 0.04 + 0.03 + 0.03)
    s = starved()
    assert breakdown(s, P)["score"] == pytest.approx(earned / present)
    s["unsound"] = 2
    assert breakdown(s, P)["score"] == pytest.approx(earned / present - 0.10)
    s["unsound"] = 9
    assert breakdown(s, P)["justification_penalty"] == pytest.approx(0.15)


def test_a_served_ward_keeps_the_gate_open():
    s = served()
    s["consumed"][0, ICU, BLOOD] = 0  # fill 1/2 of one of four: 0.875
    assert breakdown(s, P)["gate"] == 1.0


def test_nothing_earns_a_full_mark_for_doing_nothing():
    s = served()
    s["consumed"][:] = s["allocated"][:] = 0
    found = breakdown(s, P)
    # what is left is accuracy, mean of 1 - priority: (2 x 0 + 2 x 0.5 + 2 x 0.75) / 6, weight 0.18 of 0.83
    assert found["score"] == pytest.approx(0.18 / 0.83 * 2.5 / 6)
    assert not any(found[name] for name in COMPONENTS if name != "allocation_accuracy")


def test_nothing_to_judge_at_all_scores_zero():
    p = P.copy()
    p["weights"] = 0.0
    p["weights"][COMPONENTS.index("event_response")] = 1.0
    assert breakdown(served(), p)["score"] == 0.0


def test_names_are_those_of_the_functions_in_the_order_of_the_weights():
    scenario = toy()
    assert list(scenario.score.weights.model_dump().values()) == P["weights"].tolist()
    assert all(callable(getattr(components, name)) for name in COMPONENTS)
    assert list(breakdown(served(), P)) == [*COMPONENTS, "gate", "justification_penalty", "score"]


@given(CASES)
def test_breakdown_adds_up_to_the_last_bit(drawn):
    s, p = case(drawn)
    found = breakdown(s, p)
    weights = [(float(w), found[name]) for w, name in zip(p["weights"], COMPONENTS, strict=True)]
    present, total = 0.0, 0.0
    for weight, value in weights:
        present += weight if value is not None else 0.0
    for weight, value in weights:
        total += weight / present * value if value is not None else 0.0
    assert found["score"] == min(1.0, max(0.0, total - found["justification_penalty"]))


@given(CASES)
def test_every_component_is_a_share_or_absent(drawn):
    s, p = case(drawn)
    for name in COMPONENTS:
        ungated = getattr(components, name)(s, p)
        assert ungated == ABSENT or 0.0 <= ungated <= 1.0, name
    found = breakdown(s, p)
    assert all(value is None or 0.0 <= value <= 1.0 for value in found.values())
    may_lack = {"event_response": s["event_count"], "approval_workflow_score": s["tickets"]}
    assert [name for name in COMPONENTS if found[name] is None] == [name for name, n in may_lack.items() if n == 0]


@given(CASES)
def test_one_more_unit_to_a_patient_never_lowers_the_score(drawn):
    s, p = case(drawn)
    before = breakdown(s, p)["score"]
    unmet = (s["need"] > s["consumed"]).nonzero()
    if len(unmet[0]):
        day, ward, sku = (axis[drawn[1] % len(axis)] for axis in unmet)
        s["consumed"][day, ward, sku] += 1
    assert breakdown(s, p)["score"] >= before - 1e-12


@given(CASES)
def test_scoring_leaves_the_record_alone(drawn):
    s, p = case(drawn)
    before = s.tobytes()
    breakdown(s, p)
    assert s.tobytes() == before


def test_the_scores_components_are_those_of_components_py():
    s, values = random_record(toy(), 7), np.zeros(len(COMPONENTS))
    formula.components_into(s, P, values)
    assert values.tolist() == [getattr(components, name)(s, P) for name in COMPONENTS]


def test_compiled_and_plain_python_agree_to_the_byte():
    """All rewards of random records, here (compiled, unless this whole run is plain) and in a plain process."""
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "tests.reward.records", "12"]
    plain = subprocess.run(
        command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, cwd=root, check=True, capture_output=True, text=True
    )
    assert plain.stdout.strip() == digest(range(12))
