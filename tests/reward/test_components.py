"""Each component on a record written by hand. Where a comment gives a sum, it was done by hand."""

from __future__ import annotations

import pytest

from medchain.core.words import Event, Verdict
from medchain.reward.components import (
    allocation_accuracy,
    approval_workflow_score,
    audit_score,
    briefing_efficiency,
    budget_efficiency,
    critical_service_level,
    event_response,
    network_service_level,
    tool_discovery_score,
    waste_control,
)
from medchain.reward.lines import ABSENT
from tests.reward.records import BLOOD, ER, GENERAL, GLOVE, ICU, SALINE, served, toy_params

P = toy_params()


def with_event(kind: Event, day: int):
    s = served()
    s["event_count"], s["event_type"][0], s["event_day"][0] = 1, kind, day
    return s


def test_network_service_weighs_lines_by_ward_priority():
    s = served()
    s["consumed"][0, ICU, BLOOD] = 0  # fill 1/2 of one ICU line in round 1
    s["consumed"][2:4, GENERAL, GLOVE] = 0  # fill 0 of one General line in round 2
    # weights: 2 rounds x (2 x 1 + 2 x 0.5 + 2 x 0.25) = 7; lost: 1 x 0.5 + 0.25 x 1 = 0.75
    assert network_service_level(s, P) == pytest.approx(6.25 / 7)


def test_a_line_without_need_is_filled():
    s = served()
    s["need"][:] = s["consumed"][:] = 0
    assert network_service_level(s, P) == 1.0
    assert critical_service_level(s, P) == 1.0


def test_network_service_is_absent_where_no_ward_has_priority():
    p = P.copy()
    p["ward_priority"] = 0
    assert network_service_level(served(), p) == ABSENT


def test_critical_service_counts_units_of_acute_blood():
    s = served()
    s["consumed"][0:2, ER, BLOOD] = 0
    s["consumed"][:, ICU, SALINE] = 0  # not blood
    s["consumed"][:, GENERAL, GLOVE] = 0  # not acute
    # needed: 2 wards x 4 days x 5 = 40; lost: 2 days x 5 = 10
    assert critical_service_level(s, P) == 0.75


def test_accuracy_punishes_shortage_by_priority_and_surplus_by_its_complement():
    s = served()
    s["consumed"][0, ICU, BLOOD] = 0  # 1 - 1 x 1/2 = 0.5
    s["allocated"][0, ICU, SALINE] = 20  # priority 1: surplus is free
    s["allocated"][0, GENERAL, GLOVE] = 20  # surplus 10/20: 1 - 0.5 x 0.75 x 0.5 = 0.8125
    s["consumed"][2, ER, SALINE] = 0  # 1 - 0.5 x 1/2 = 0.75
    # 12 line-rounds: 9 x 1 + 0.5 + 0.8125 + 0.75
    assert allocation_accuracy(s, P) == pytest.approx(11.0625 / 12)


def test_no_event_is_absent():
    assert event_response(served(), P) == ABSENT


def test_mci_is_acute_blood_on_its_days_within_the_episode():
    s = with_event(Event.MCI, 3)  # days 3, 4 (and 5, beyond the end)
    s["consumed"][1, ICU, BLOOD] = 0  # day 2: before it
    s["consumed"][2, ICU, BLOOD] = 0
    s["consumed"][2, ICU, SALINE] = 0  # not blood
    assert event_response(s, P) == 0.75  # 15 of 2 wards x 2 days x 5


def test_disruption_is_acute_critical_and_high_over_it_and_the_day_after():
    s = with_event(Event.SUPPLIER_DISRUPTION, 2)  # one day here, so days 2 and 3
    s["consumed"][1, ICU, BLOOD] = 0
    s["consumed"][2, ER, SALINE] = 0
    s["consumed"][3, ER, SALINE] = 0  # day 4: over
    s["consumed"][:, GENERAL, :] = 0
    assert event_response(s, P) == 0.75  # 30 of 4 lines x 2 days x 5


def test_breach_is_the_breached_line_over_its_days():
    s = with_event(Event.COLD_CHAIN_BREACH, 1)  # two days here
    s["consumed"][0, ICU, BLOOD] = 2
    s["consumed"][2, ICU, BLOOD] = 0  # day 3: over
    s["consumed"][0, ER, BLOOD] = 0  # another ward
    assert event_response(s, P) == 0.7  # 7 of 10


def test_recall_is_one_less_the_share_of_recalled_units_used():
    s = with_event(Event.PRODUCT_RECALL, 1)
    s["recalled_used"][0] = 18
    assert event_response(s, P) == pytest.approx(0.8)  # 18 of 30 units x 3 wards that stock saline


def test_event_response_is_the_mean_over_events():
    s = with_event(Event.PRODUCT_RECALL, 1)
    s["event_count"], s["event_type"][1], s["event_day"][1] = 2, Event.COLD_CHAIN_BREACH, 3
    s["recalled_used"][0] = 90
    assert event_response(s, P) == 0.5  # 0 and 1


@pytest.mark.parametrize(
    ("used", "spent", "value"),
    [
        (200_000, 100_000, 0.8),  # against a quarter of the limit of 1,000,000
        (200_000, 400_000, 0.5),  # against the spending
        (500_000, 400_000, 1.0),  # bought under list price: at most 1
        (0, 0, 0.0),
    ],
)
def test_budget_efficiency(used, spent, value):
    s = served()
    s["ordered_value_used"], s["spent_on_orders"] = used, spent
    assert budget_efficiency(s, P) == value


def test_waste_control_is_waste_against_what_was_handled():
    s = served()
    s["spent_on_orders"], s["wasted_value"] = 50_000, 30_000
    assert waste_control(s, P) == pytest.approx(0.8)  # 30,000 of 150,000
    s["wasted_value"] = 200_000
    assert waste_control(s, P) == 0.0


def padded_episode():
    """Round 1: ICU blood asks 12 for 10, General gloves 20 for 10; excess 2 x 10,000 + 10 x 100 = 21,000 cents."""
    s = served()
    s["requested"][0, ICU, BLOOD] = 12
    s["requested"][0, GENERAL, GLOVE] = 20
    return s


def test_audit_needs_citations():
    s = padded_episode()
    assert audit_score(s, P) == 0.0  # nothing allocated above need, but neither cited nor reviewed


def test_audit_is_excess_cut_times_the_mean_of_citing_and_reviewing():
    s = padded_episode()
    s["allocated"][0, GENERAL, GLOVE] = 17  # paid 7 x 100 of 21,000: cut 1 - 1/30
    s["evidence"][0, ICU, BLOOD], s["evidence"][0, GENERAL, GLOVE], s["evidence"][1, ER, BLOOD] = 1, 2, 3
    s["cited"][0, ICU, BLOOD] = s["cited"][1, ER, BLOOD] = 1  # 2 of 3 disclosures (more than the 2 rounds)
    s["verdict"][0, ICU, BLOOD] = Verdict.DENY  # right
    s["verdict"][0, GENERAL, GLOVE] = Verdict.APPROVE  # right too: the line was padded
    s["verdict"][1, ER, BLOOD] = Verdict.APPROVE  # wrong: (2 - 0.5) / 3 reviews
    assert audit_score(s, P) == pytest.approx((29 / 30) * (2 / 3 + 1.5 / 3) / 2)


def test_audit_expects_a_review_in_each_round_with_padding():
    s = padded_episode()
    s["requested"][1, ER, BLOOD] = 12
    s["verdict"][0, ICU, BLOOD] = Verdict.REDUCE
    assert audit_score(s, P) == 0.25  # cited 0; right 1 of 2 rounds with a padded line


def test_wrong_reviews_never_go_below_zero():
    s = padded_episode()
    s["verdict"][1, ER, BLOOD] = s["verdict"][1, ICU, BLOOD] = Verdict.DENY
    assert audit_score(s, P) == 0.0


def test_audit_is_citing_alone_where_nothing_was_padded_or_reviewed():
    s = served()
    s["requested"][0, ICU, BLOOD] = 11  # 1.10 x need exactly: honest
    s["evidence"][0, ICU, BLOOD], s["cited"][0, ICU, BLOOD] = 1, 1
    assert audit_score(s, P) == 0.5  # 1 cited of 2 rounds
    s["verdict"][0, ICU, BLOOD] = Verdict.APPROVE
    assert audit_score(s, P) == 0.25  # reviewed an honest line: the second half counts, as 0


def test_approval_is_the_share_of_tickets_approved_at_once():
    s = served()
    assert approval_workflow_score(s, P) == ABSENT
    s["tickets"], s["approved_at_once"] = 4, 3
    assert approval_workflow_score(s, P) == 0.75


def test_tool_discovery_counts_systems():
    s = served()
    s["system_used"][[0, 3]] = 1
    assert tool_discovery_score(s, P) == 0.4


def test_a_second_briefing_in_a_round_spoils_it():
    s = served()
    s["briefings"][:] = 1
    assert briefing_efficiency(s, P) == 1.0
    s["briefings"][1] = 2
    assert briefing_efficiency(s, P) == 0.5
