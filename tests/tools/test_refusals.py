"""Refusals of the core as text: each says what would be right, and changes nothing but the call counts."""

import re

import numpy as np
import pytest

from medchain.core.session import Session
from medchain.core.words import Kind, Phase, Refusal
from medchain.scenario import load_scenario
from medchain.tools.desk import Desk
from medchain.tools.text_refusals import Refused, refusal_error
from tests.tools.tables import EVERY_TOOL, a_desk, honest, say, settle

PO = EVERY_TOOL["submit_po"] | {"priority": "normal", "quantity": 1}
ER_LINE = {"ward_id": "ward_er", "sku": "BLOOD-RBC"}
COUNTS = ("calls", "calls_total", "refusals_in_a_row")


def told_by(desk, refusal, name, arguments):
    """Make a call that is refused; returns what its text says after `REFUSED code: `."""
    before = desk.session.record.copy()
    outcome = desk.call({"name": name, "arguments": arguments})
    assert outcome.result["refusal"] == refusal, outcome.text
    after = desk.session.record
    assert [f for f in before.dtype.names if f not in COUNTS and not np.array_equal(before[f], after[f])] == []
    assert after["calls_total"] == before["calls_total"] + 1
    code = f"REFUSED {refusal.name.lower()}: "
    assert outcome.text.startswith(code)
    return outcome.text.removeprefix(code)


@pytest.mark.parametrize(
    ("name", "arguments", "refusal", "text"),
    [
        (
            "finance_sap_request_approval",
            {"approval_id": "APR-0009", "justification": "MCI"},
            Refusal.UNKNOWN_TICKET,
            "expected an APR ticket of this episode; got APR-0009. Right: open: none",
        ),
        (
            "file_justification",
            {"ticket_id": "JUS-0", "reason": "MCI"},
            Refusal.UNKNOWN_TICKET,
            "expected an JUS ticket of this episode; got ticket number 0. Right: open: none",
        ),
        (
            "supplier_portal_get_quote",
            {"quote_id": "QT-0002"},
            Refusal.UNKNOWN_QUOTE,
            "expected a quote of this episode; got quote number 2. Right: ask with supplier_portal_request_quote first",
        ),
        (
            "submit_allocation_plan",
            {"plan_json": {"ward_icu": {"MASK-001": 1}}},
            Refusal.NOT_A_LINE,
            r"expected a product that ward_icu stocks; got MASK-001. Right: one of BLOOD-RBC, .*GLOVE-001",
        ),
        (
            "submit_po",
            PO | {"quantity": 100_000},
            Refusal.BUDGET_EXCEEDED,
            r"expected at most the headroom of \$90,000\.00; got a cost of \$22,000,000\.00\. Right: a smaller order",
        ),
        (
            "quarantine_lot",
            {"location_id": "ward_icu", "sku": "BLOOD-RBC", "lot_id": "LOT-0003"},
            Refusal.UNKNOWN_LOT,
            "expected a lot of BLOOD-RBC; got LOT-0003. Right: the lots of BLOOD-RBC that wms_scan_inventory shows, or all",
        ),
        (
            "quarantine_lot",
            {"location_id": "ward_general", "sku": "OXY-MASK", "lot_id": "all"},
            Refusal.NOTHING_TO_QUARANTINE,
            "expected usable units there; got none of OXY-MASK all at ward_general. Right: see wms_scan_inventory",
        ),
    ],
)
def test_at_once(name, arguments, refusal, text):
    assert re.match(text, told_by(a_desk(), refusal, name, arguments))


def test_after_the_plan():
    desk = a_desk()
    say(desk, "submit_allocation_plan", plan_json={})
    text = told_by(desk, Refusal.PLAN_ALREADY_COMMITTED, "submit_allocation_plan", {"plan_json": {}})
    assert "expected one plan a round" in text
    text = told_by(desk, Refusal.PLAN_ALREADY_COMMITTED, "escalate_to_clinical_review", ER_LINE | {"concern": ""})
    assert "expected a review before the plan" in text


def test_quotas():
    desk = a_desk()
    skus = [desk.registry.names.skus[k] for k in desk.registry.names.lines(1)]
    for sku in skus[:8]:
        say(desk, "request_evidence", ward_id="ward_er", sku=sku)
    ninth = {"ward_id": "ward_icu", "sku": "SYR-10"}
    assert "at most 8 evidence requests a round" in told_by(desk, Refusal.EVIDENCE_USED_UP, "request_evidence", ninth)
    for sku in skus[:3]:
        say(desk, "escalate_to_clinical_review", ward_id="ward_er", sku=sku, concern="")
    again = {"ward_id": "ward_er", "sku": skus[0], "concern": ""}
    text = told_by(desk, Refusal.ALREADY_REVIEWED, "escalate_to_clinical_review", again)
    assert f"got ward_er {skus[0]} again" in text
    text = told_by(desk, Refusal.REVIEWS_USED_UP, "escalate_to_clinical_review", again | {"sku": skus[3]})
    assert "at most 3 reviews a round" in text
    for _ in range(30):
        say(desk, "submit_po", **PO)
    assert "at most 30 orders a round" in told_by(desk, Refusal.ORDERS_USED_UP, "submit_po", PO)


def test_an_order_that_arrives_after_the_end():
    desk = a_desk()
    for _ in range(7):
        say(desk, "advance_round")
    text = told_by(desk, Refusal.ARRIVES_TOO_LATE, "submit_po", PO)
    assert "expected an arrival by day 16; got an order that arrives on day 17" in text


def test_a_line_that_asked_for_nothing():
    desk = Desk(Session(load_scenario("medium"), 3))
    while desk.session.pending().phase == Phase.REQUEST:
        desk.call({"requests": {}})
    text = told_by(desk, Refusal.NOT_REQUESTED, "escalate_to_clinical_review", ER_LINE | {"concern": ""})
    assert "for which nothing was asked" in text


def test_a_supplier_that_does_not_sell_it():
    base = load_scenario("medium")
    data = base.model_dump()
    data["suppliers"]["FASTMED"]["sells"] = ["SYR-10"]
    desk = Desk(Session(type(base).model_validate(data), 3))
    settle(desk)
    text = told_by(desk, Refusal.NOT_SOLD, "submit_po", PO | {"supplier_id": "FASTMED"})
    assert "expected a product that FASTMED sells; got BLOOD-RBC. Right: MEDLINE, BACKUP-B sell it" in text
    assert "sells SYR-10" in say(desk, "query_supplier", supplier_id="FASTMED")


def test_three_refused_answers_are_a_forfeit():
    desk = Desk(Session(load_scenario("medium"), 3))
    texts = [desk.call({"requests": {"BLOOD-RBC": 10**6}}).text for _ in range(3)]
    assert [text.endswith("You were answered for.") for text in texts] == [False, False, True]
    assert desk.session.pending().agent == 2
    assert desk.session.record["forfeits"].tolist() == [0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("fields", "refusal", "text"),
    [
        ({"kind": Kind.REQUEST_EVIDENCE, "ward": 9}, Refusal.UNKNOWN_WARD, "a ward number from 0 to 2; got 9"),
        ({"kind": Kind.REQUEST_EVIDENCE, "sku": -5}, Refusal.UNKNOWN_SKU, "a sku number from 0 to 9; got -5"),
        ({"kind": Kind.QUERY_SUPPLIER, "supplier": 3}, Refusal.UNKNOWN_SUPPLIER, "numbers of MEDLINE, BACKUP-B, FASTMED"),
        ({"kind": Kind.WMS_SCAN_INVENTORY, "location": 4}, Refusal.UNKNOWN_LOCATION, "a location number from 0 to 3; got 4"),
        ({"kind": Kind.READ_INBOX, "option": 7}, Refusal.ILLEGAL_OPTION, "expected a legal option; got option 7"),
        ({"kind": Kind.REPLY}, Refusal.NOT_YOUR_TURN, "expected a tool of the coordinator; got reply"),
        ({"kind": 99}, Refusal.NOT_YOUR_TURN, "got a command of kind 99"),
        ({"kind": Kind.NOT_UNDERSTOOD}, Refusal.NOT_UNDERSTOOD, "expected a legal call or answer"),
        ({"kind": Kind.QUARANTINE_LOT, "lot": 9999}, Refusal.UNKNOWN_LOT, "got LOT-10000"),
    ],
)
def test_commands_from_other_surfaces_are_told_too(fields, refusal, text):
    desk = a_desk()
    command = desk.session.command()
    for field, value in fields.items():
        command[0][field] = value
    assert desk.submit(command)["refusal"] == refusal
    assert text in desk.heard(0)


def test_answers_of_the_wrong_kind_are_told_what_is_asked():
    desk = Desk(Session(load_scenario("medium"), 3))
    command = desk.session.command()
    command[0]["kind"] = Kind.RULE
    desk.submit(command)
    assert desk.heard(1).startswith("REFUSED not_your_turn: expected the answer request(requests, [reasons]); got rule.")
    assert desk.call(honest(desk)).result["ok"]


@pytest.mark.parametrize("refusal", [r for r in Refusal if r != Refusal.NONE])
def test_every_refusal_has_a_sentence(refusal):
    desk = a_desk()
    say(desk, "submit_po", **PO)
    result = desk.session.results[0].copy()
    result["refusal"], result["a"] = refusal, 1
    error = refusal_error(Refused(desk.registry.names, desk.session.view(0)[0], desk.session.command()[0], result))
    assert error.code == refusal.name.lower()
    assert error.expected and error.came
