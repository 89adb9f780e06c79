"""Results of calls that close the round because they were its last, and other corners of telling results."""

import pytest

from medchain.core.words import COORDINATOR
from medchain.tools.parse import read_turn
from tests.tools.tables import a_desk, say

LINE = {"ward_id": "ward_er", "sku": "BLOOD-RBC"}
CLOSED = "\nYour calls are used up: round 1 was closed."


def with_one_call_left(**before):
    """A desk at the coordinator's last call of round 1."""
    desk = a_desk()
    for name, arguments in before.items():
        say(desk, name, **arguments)
    while desk.session.record["calls"] < 59:
        desk.call("x")
    return desk


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("request_evidence", LINE, "ward_er BLOOD-RBC: disclosed as EV-0001."),
        ("escalate_to_clinical_review", LINE | {"concern": ""}, "ward_er BLOOD-RBC: ruled."),
        ("messaging_send_to_ward", {"ward_id": "ward_er", "body": "?"}, 'ward_er replies: "We ask for what we need."'),
        (
            "submit_allocation_plan",
            {"plan_json": {"ward_er": {"BLOOD-RBC": 3}}},
            "Plan committed: 3 units moved from central.",
        ),
        ("finance_sap_get_budget", {}, None),
        ("quarantine_lot", {"location_id": "ward_er", "sku": "SYR-10", "lot_id": "all"}, None),
        ("supplier_portal_get_quote", {"quote_id": "QT-0001"}, None),
    ],
)
def test_a_rounds_last_call_is_told_and_the_close_with_it(name, arguments, text):
    quote = {"supplier_id": "MEDLINE", "product_id": "SYR-10", "quantity": 5}
    desk = with_one_call_left(supplier_portal_request_quote=quote)
    told = say(desk, name, **arguments)
    assert desk.session.record["round"] == 2
    assert told.endswith(CLOSED)
    if text is None:
        other = a_desk()
        say(other, "supplier_portal_request_quote", **quote)
        text = say(other, name, **arguments)
    assert told.removesuffix(CLOSED) == text


def test_a_last_call_that_cannot_be_read_closes_the_round_too():
    text = with_one_call_left().call("x").text
    assert text.startswith("REFUSED no_call") and text.endswith(CLOSED)


def test_what_read_turn_could_not_read_is_told_like_the_text_itself():
    (error,) = read_turn("no idea")
    assert a_desk().call(error).text == a_desk().call("no idea").text


def test_a_desk_that_is_reset_has_heard_nothing():
    desk = a_desk()
    say(desk, "messaging_send_to_ward", ward_id="ward_er", body="?")
    desk.session.reset(51)
    desk.reset()
    assert desk.transcript.entries == [] and desk.heard(COORDINATOR) == ""
    assert "It is not your turn." in desk.prompt(COORDINATOR)


def test_erp_tables_are_what_the_oracle_shows():
    desk = a_desk()
    order = {"supplier_id": "MEDLINE", "product_id": "SYR-10", "destination_id": "central_pharmacy", "quantity": 5}
    say(desk, "submit_po", **order)
    say(desk, "submit_po", **order | {"product_id": "GAUZE-01", "destination_id": "ward_er"})
    assert say(desk, "query_erp", table="inventory") == say(desk, "erp_oracle_get_inventory")
    assert say(desk, "query_erp", table="pipeline_orders") == say(desk, "erp_oracle_get_pipeline")
    at_er = say(desk, "query_erp", table="pipeline_orders", location="ward_er")
    assert "PO-0002" in at_er and "PO-0001" not in at_er
    assert say(desk, "query_ward_history", ward_id="ward_icu", product_id="GAUZE-01") == "ward_icu does not stock GAUZE-01"


def test_a_used_quote_says_so():
    desk = a_desk()
    terms = {"supplier_id": "MEDLINE", "product_id": "SYR-10", "quantity": 5}
    say(desk, "supplier_portal_request_quote", **terms)
    say(desk, "advance_round")
    assert "Quotes:\n- QT-0001" in say(desk, "finance_sap_get_budget")
    assert "$9.60" in say(desk, "submit_po", **terms, destination_id="central_pharmacy")
    assert say(desk, "supplier_portal_get_quote", quote_id="QT-0001") == "QT-0001 MEDLINE SYR-10 x 5: used"
    assert "Quotes" not in desk.brief()


def test_requests_show_evidence_verdict_and_allocation():
    desk = a_desk()
    say(desk, "request_evidence", **LINE)
    say(desk, "escalate_to_clinical_review", **LINE, concern="")
    most = int(desk.session.view(COORDINATOR)[0]["most_allowed"][1, 0])
    brief, short = desk.brief(), desk.brief(short=True)
    assert "- EV-0001 ward_er BLOOD-RBC" in brief and f"verdict on ward_er BLOOD-RBC: APPROVE, at most {most}" in brief
    assert f"={most} EV-0001" in short
    say(desk, "submit_allocation_plan", plan_json={"ward_er": {"BLOOD-RBC": 3}})
    assert f", EV-0001, verdict APPROVE: at most {most}, allocated 3" in say(desk, "view_requests")
