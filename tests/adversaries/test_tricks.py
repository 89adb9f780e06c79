"""Every known way to farm points earns nothing: paired with its base, on held-out seeds, at every difficulty."""

import pytest

from medchain.core.words import OrderStatus, Ticket
from medchain.reward.formula import PENALTY
from medchain.scenario import DIFFICULTIES, load_scenario
from policies.scripted.adversaries import Trick
from tests.adversaries.scores import breakdowns, earned, part, records, score

LOSSES = {
    # what a trick costs its base at least, in score points: restock, auditor
    "one_unit_orders": (0.10, 0.12),
    "cheap_only": (0.08, 0.10),
    "starve_last": (0.05, 0.15),
    "name_all": (0.25, 0.30),
    "split": (0.02, 0.02),
    "tiny_gated": (0.002, 0.002),
    "looks": (0.02, 0.02),
}


@pytest.mark.parametrize("trick", LOSSES)
@pytest.mark.parametrize("base", ["restock", "auditor"])
def test_a_trick_costs_its_base(base, trick):
    assert earned(base, trick) < -LOSSES[trick][base == "auditor"]


@pytest.mark.parametrize("trick", ["too_late", "scans"])
@pytest.mark.parametrize("base", ["restock", "auditor"])
def test_calls_without_effect_earn_exactly_nothing(base, trick):
    assert (breakdowns(f"{base}+{trick}") == breakdowns(base)).all()
    for difficulty in DIFFICULTIES:
        spoilt, honest = records(f"{base}+{trick}", difficulty), records(base, difficulty)
        assert (spoilt["calls_total"] > honest["calls_total"]).all()
        changed = {name for name in honest.dtype.names if spoilt[name].tobytes() != honest[name].tobytes()}
        assert changed <= {"calls", "calls_total"}


def test_process_without_patients_stays_far_below_giving_what_is_asked():
    assert score("zero+process_only") < score("rubber_stamp") - 0.15
    assert score("zero+process_only") < score("zero") + 0.06


@pytest.mark.parametrize(("trick", "most"), [("one_review", 0.05), ("review_all", 0.10), ("ask_all", 0.35)])
def test_audit_points_need_good_audits(trick, most):
    """Of the audit component, one sure review, blind reviews or blind evidence get little; the auditor loses by them."""
    assert part(f"restock+{trick}", "audit_score") < most < part("auditor", "audit_score") - 0.4
    assert score(f"restock+{trick}") < score("auditor") - 0.15
    assert earned("auditor", trick) < 0.0


def test_one_unit_does_not_answer_an_event():
    assert part("restock+one_unit_orders", "event_response") < part("restock", "event_response") - 0.05


def test_naming_every_event_costs_the_whole_penalty():
    for base in ("restock", "auditor"):
        assert (breakdowns(f"{base}+name_all")[:, PENALTY] > 0.14).all()


def test_splitting_does_not_dodge_the_gate():
    """What one supplier delivers of a SKU, ordered in one round and approved by nobody, costs no more than the gate."""
    gate, crossed = load_scenario("medium").finance.gate_cents, 0
    for difficulty in DIFFICULTIES:
        for s in records("restock+split", difficulty):
            totals: dict[tuple[int, int, int], int] = {}
            for o in range(s["order_count"]):
                if s["order_status"][o] == OrderStatus.RECEIVED and s["order_approval"][o] == Ticket.NONE:
                    key = ((s["order_placed_day"][o] + 1) // 2, s["order_supplier"][o], s["order_sku"][o])
                    totals[key] = totals.get(key, 0) + s["order_cost"][o]
            assert max(totals.values()) <= gate
            crossed += s["tickets"]
    assert crossed > 0


def test_every_trick_is_tested():
    tested = {*LOSSES, "too_late", "scans", "process_only", "one_review", "review_all", "ask_all"}
    assert tested == {trick.name.lower() for trick in Trick if trick != Trick.NONE}
