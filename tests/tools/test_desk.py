"""The desk: every tool through text with the result it should have, turns handed over, forfeits, saving."""

import copy
import json
import pickle
import re

import numpy as np
import pytest

from medchain.core.session import Session
from medchain.core.words import COORDINATOR, Kind, OrderStatus, Phase, Refusal
from medchain.errors import ReplayError
from medchain.scenario import load_scenario
from medchain.tools.desk import Desk
from medchain.tools.registry import TOOLS
from tests.tools.tables import EVERY_TOOL, a_desk, as_json, as_xml, say, settle

EXPECTED = {
    "get_round_briefing": r"Round 1 of 8, day 1 of 16\. 59 calls.*Budget:.*Events:.*mail.*Requests.*ERP.*tickets.*Pipeline",
    "view_requests": r"ward_icu \(priority 1, reputation 0\.50\).*BLOOD-RBC CRITICAL: asks \d+ \(usual 12\), census",
    "read_inbox": r"no messages",
    "query_ward_history": r"BLOOD-RBC \(usual 12\): r0 \d+/\d+/\d+\*?, r-1 \d+/\d+/\d+\*?, r-2 \d+/\d+/\d+\*?$",
    "query_erp": r"as of the opening of round 1:\nBLOOD-PLT LOT-0003 expires day 4: ward_icu \d+$",
    "query_supplier": r"FASTMED: lead time 1 days, price 1\.4 x list, sells every product",
    "erp_oracle_get_inventory": r"exact, as of the opening of round 1:\nOXY-MASK: central_pharmacy \d+$",
    "erp_oracle_get_pipeline": r"On order: nothing\nno open orders",
    "wms_scan_inventory": r"within 5 %:.*MASK-001 LOT-0017 undated: ward_general \d+",
    "supplier_portal_request_quote": r"QT-0001 MEDLINE IV-SAL-500 x 300: pending, ready in round 2",
    "supplier_portal_get_quote": r"QT-0001 MEDLINE IV-SAL-500 x 300: pending, ready in round 2",
    "finance_sap_get_budget": r"limit \$90,000\.00, committed \$0\.00, spent \$0\.00, headroom \$90,000\.00",
    "messaging_send_to_ward": r'ward_general replies: "We ask for what we need\."',
    "request_evidence": r"EV-0001 ward_er BLOOD-RBC: census \d+ patients \(baseline 13\); acuity 0\.\d\d; recent",
    "escalate_to_clinical_review": r"ward_er BLOOD-RBC: APPROVE, at most (\d+) of \1 requested",
    "submit_po": r"PO-0001 MEDLINE BLOOD-RBC x 50 expedited to central_pharmacy, .*: waits for APR-0001 and JUS-0001",
    "finance_sap_request_approval": r"APR-0001 unsound\. Understood: shortage of BLOOD-RBC\. PO-0001 .*: cancelled\.",
    "file_justification": r"REFUSED ticket_closed: expected an open ticket; got JUS-0001, whose order is cancelled",
    "quarantine_lot": r"Quarantined at ward_icu: \d+ units of OXY-MASK, lot all\.",
    "submit_allocation_plan": r"Plan committed: \d+ units moved from central\..*Cited: EV-0001 \(ward_er BLOOD-RBC\)\.",
    "advance_round": r"Round 1 closed\.\nward_icu ran short of",
}


@pytest.mark.parametrize("form", [as_json, as_xml])
def test_every_tool_once(form):
    desk = a_desk()
    for name, arguments in EVERY_TOOL.items():
        outcome = desk.call(form(name, arguments))
        assert bool(outcome.result["ok"]) == (name != "file_justification"), outcome.text
        settle(desk)
        assert re.search(EXPECTED[name], desk.heard(COORDINATOR), re.DOTALL), (name, desk.heard(COORDINATOR))
    assert set(EVERY_TOOL) == {tool.name for tool in TOOLS}


def test_text_dict_and_command_are_the_same_world():
    by_text, by_dict, by_command = (a_desk() for _ in range(3))
    for name, arguments in EVERY_TOOL.items():
        command = by_text.call(as_json(name, arguments)).command
        by_dict.call({"name": name, "arguments": arguments})
        by_command.session.submit(command)
        for desk in (by_text, by_dict, by_command):
            settle(desk)
        assert by_text.session.digest() == by_dict.session.digest() == by_command.session.digest()


def test_a_released_order_and_a_waiting_one():
    desk = a_desk()
    order = {"supplier_id": "MEDLINE", "product_id": "BLOOD-RBC", "destination_id": "central_pharmacy"}
    assert "in transit, due day 3. Headroom left $87,800.00" in say(desk, "submit_po", **order, quantity=10)
    assert "waits for APR-0002, then takes 2 days" in say(desk, "submit_po", **order, quantity=90)
    assert "PO-0002" in say(desk, "erp_oracle_get_pipeline").split("\n")[1]
    assert "APR-0002 for PO-0002" in say(desk, "finance_sap_get_budget")
    say(desk, "advance_round")
    text = desk.prompt(COORDINATOR)
    assert "arrived: PO-0001" in text and "APR-0002 for PO-0002 (BLOOD-RBC x 90)" in text


def test_a_sound_filing_releases_the_order():
    desk = a_desk()
    say(desk, "submit_po", **EVERY_TOOL["submit_po"] | {"product_id": "BLOOD-PLT", "quantity": 10})
    desk.session.episodes[0]["on_hand"][:] = 0
    text = say(desk, "file_justification", ticket_id="JUS-0001", reason="platelets are short")
    assert text.startswith("JUS-0001 sound. Understood: shortage of BLOOD-PLT. PO-0001")
    assert "in transit, due day 2" in text and "Unsound" not in text


def test_a_quote_from_asking_to_running_out():
    desk = a_desk()
    say(desk, "supplier_portal_request_quote", supplier_id="MEDLINE", product_id="IV-SAL-500", quantity=100)
    states = []
    for _ in range(4):
        states.append(say(desk, "supplier_portal_get_quote", quote_id="QT-0001").split(": ")[1].split(",")[0])
        say(desk, "advance_round")
    assert states == ["pending", "ready", "ready", "ran out after round 3"]


def test_mail_is_told_with_its_facts_and_marked_read():
    desk = next(d for d in (a_desk(seed) for seed in range(40)) if has_mail(d))
    unread = desk.brief()
    text = say(desk, "read_inbox")
    assert re.search(r"\[(URGENT|normal)\] day \d+ 06:00, from [a-z.]+: .*\(EVT-\d\)\. ", text)
    assert not re.search(r"\n- 0 unread", unread)
    assert "\n- 0 unread" in desk.brief()
    assert say(desk, "read_inbox") == "no messages"
    assert say(desk, "read_inbox", filter="all") == text


def has_mail(desk):
    while not desk.session.ended and not (desk.session.view(0)[0]["mail"] == 1).any():
        say(desk, "advance_round")
    return not desk.session.ended


def test_a_recalled_lot_is_named_and_can_be_quarantined():
    desk = next(d for d in (a_desk(seed) for seed in range(40)) if has_recall(d))
    text = say(desk, "read_inbox", filter="all")
    assert "30 units of lot RECALL-LOT-IV-9821 of IV-SAL-500" in text
    assert "IV-SAL-500 RECALL-LOT-IV-9821" in say(desk, "wms_scan_inventory", sku="IV-SAL-500")
    lot = {"sku": "IV-SAL-500", "lot_id": "RECALL-LOT-IV-9821"}
    assert "30 units" in say(desk, "quarantine_lot", location_id="ward_icu", **lot)
    assert "REFUSED nothing_to_quarantine" in say(desk, "quarantine_lot", location_id="ward_icu", **lot)
    number = int(np.flatnonzero(desk.session.view(0)[0]["lot_recall"])[0]) + 1
    assert "unknown_lot" in say(desk, "quarantine_lot", location_id="ward_er", sku="IV-SAL-500", lot_id=f"LOT-{number:04d}")


def has_recall(desk):
    while not desk.session.ended and not desk.session.view(0)[0]["lot_recall"].any():
        say(desk, "advance_round")
    return not desk.session.ended


def test_a_handed_over_turn_waits_for_the_answer():
    desk = a_desk()
    outcome = desk.call({"name": "request_evidence", "arguments": {"ward_id": "ward_er", "sku": "SYR-10"}})
    assert outcome.waiting and "the ward is answering" in outcome.text
    assert desk.session.pending().phase == Phase.DISCLOSE
    assert (
        desk.call({"name": "request_evidence", "arguments": {"ward_id": "ward_er", "sku": "SYR-10"}}).error.code
        == "not_your_turn"
    )
    desk.call({"redact": "census"})
    assert "EV-0001 ward_er SYR-10: census REDACTED by the ward; acuity" in desk.heard(COORDINATOR)
    assert "REDACTED" not in say(desk, "request_evidence", ward_id="ward_er", sku="SYR-10", evidence_type="acuity")


def test_a_silent_ward_replies_in_character_and_an_answered_one_not_at_all():
    desk = a_desk()
    ask = {"name": "messaging_send_to_ward", "arguments": {"ward_id": "ward_er", "body": "?"}}
    desk.call(ask)
    command = desk.session.command()
    command[0]["kind"] = Kind.REPLY
    assert desk.submit(command)["ok"]
    assert desk.heard(COORDINATOR).startswith('ward_er replies: "ER speaking.')
    desk.call(ask)
    for _ in range(3):
        outcome = desk.call("gibberish")
    assert outcome.result["forfeit"] and outcome.text.endswith("You were answered for.")
    assert desk.heard(COORDINATOR) == "ward_er gave no reply."


def test_a_ward_that_is_refused_reads_why_and_is_asked_again():
    desk = Desk(Session(load_scenario("medium"), 7))
    desk.call({"requests": {"BLOOD-RBC": 100_000}})
    text = desk.prompt(1)
    assert "You are ward_icu (ICU)" in text
    assert text.split("\n")[-1].startswith("REFUSED quantity_out_of_range: expected a quantity of BLOOD-RBC from 0 to ")


def test_the_last_call_of_a_round_is_still_told():
    desk = a_desk()
    for _ in range(59):
        desk.call("x")
    assert "1 calls left]" in desk.prompt(COORDINATOR)
    outcome = desk.call({"name": "view_requests"})
    assert re.search(r"BLOOD-RBC CRITICAL: asks [1-9]", outcome.text)
    assert outcome.text.endswith("Your calls are used up: round 1 was closed.")
    settle(desk)
    assert "round 1 was closed.\n\nRound 2 of 8" in desk.prompt(COORDINATOR)


def test_after_the_end_every_call_is_refused_and_nothing_moves():
    desk = a_desk()
    for _ in range(8):
        say(desk, "advance_round")
    assert desk.heard(COORDINATOR).endswith("The episode has ended.")
    digest = desk.session.digest()
    for given in ("x", {"name": "view_requests"}, as_json("advance_round", {})):
        outcome = desk.call(given)
        assert outcome.result["refusal"] == Refusal.EPISODE_ENDED
        assert outcome.text.startswith("REFUSED episode_ended: expected no further call")
    assert desk.session.digest() == digest


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda desk: pickle.loads(pickle.dumps(desk)), None], ids=["copy", "pickle", "dump"]
)
def test_a_desk_continues_from_a_copy(copied):
    desk = a_desk()
    say(desk, "messaging_send_to_ward", ward_id="ward_er", body="why?")
    desk.call({"name": "request_evidence", "arguments": {"ward_id": "ward_er", "sku": "SYR-10"}})
    if copied:
        other = copied(desk)
    else:
        other = Desk(Session(load_scenario("heavy"), 1))
        other.session.load(desk.session.save())
        other.load(json.loads(json.dumps(desk.dump())))
    for each in (desk, other):
        settle(each)
    assert other.session.digest() == desk.session.digest()
    assert other.heard(COORDINATOR) == desk.heard(COORDINATOR)
    assert other.transcript == desk.transcript
    assert other.prompt(COORDINATOR) == desk.prompt(COORDINATOR)


@pytest.mark.parametrize(
    "data", [None, {}, [], {"heard": {}}, {"said": [], "heard": {"0": {}}}, {"said": [[1]], "heard": {}}]
)
def test_foreign_data_is_refused(data):
    desk = a_desk()
    with pytest.raises(ReplayError):
        desk.load(data)


def test_prompts_are_free_of_effect():
    desk = a_desk()
    say(desk, "submit_po", **EVERY_TOOL["submit_po"])
    digest = desk.session.digest()
    for agent in range(5):
        assert desk.prompt(agent) == desk.prompt(agent)
    assert desk.brief() == desk.brief() and desk.brief(short=True) == desk.brief(short=True)
    assert desk.session.digest() == digest


def test_an_order_is_cancelled_by_an_unsound_filing_only():
    desk = a_desk()
    say(desk, "submit_po", **EVERY_TOOL["submit_po"])
    assert "no claim" in say(desk, "finance_sap_request_approval", approval_id="APR-0001", justification="urgent, please")
    assert desk.session.record["order_status"][0] == OrderStatus.CANCELLED
