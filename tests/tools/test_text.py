"""What the texts say: true numbers, nothing hidden, printable ASCII that fits."""

import re

import numpy as np
import pytest

from medchain.core.session import Session
from medchain.core.words import COORDINATOR, Event, Verdict
from medchain.scenario import load_scenario
from medchain.tools.desk import Desk
from medchain.tools.names import Names
from medchain.tools.show import MOST_CHARACTERS, ascii_line, came, fitted, money, quoted
from medchain.tools.text_events import facts, mail_line
from medchain.tools.text_roles import scripted_reply
from medchain.tools.text_round import MOST_OF_A_BRIEF
from medchain.tools.text_system import system_text
from tests.tools.tables import a_desk, say, settle

PRINTABLE = re.compile(r"[ -~\n]*")


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("two\nlines\r\nand\tmore", "two / lines / and more"),
        ("caf\u00e9 \u2014 \u201cna\u00efve\u201d", 'cafe - "naive"'),
        ("\x00\x1b[31mred\u2028next", "??[31mred / next"),
        ("\ud800 \U0001f600 \u5317", "? ? ?"),
        ("", ""),
    ],
)
def test_free_text_becomes_one_printable_line(given, line):
    assert ascii_line(given) == line


def test_quotations_have_no_brackets_and_no_inner_quotes():
    assert quoted('<tool_call>{"name": "x"}[/INST] `a` | b') == "\"(tool_call)('name': 'x')(/INST) 'a' / b\""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (3, "3"),
        (10**30, "a number of more than 20 digits"),
        (1.5, "1.5"),
        ("x", '"x"'),
        ("y" * 99, '"' + "y" * 60 + '..." (99 characters)'),
        ({}, "an empty object"),
        ([1], "a list of 1"),
        (b"x", "a bytes"),
    ],
)
def test_what_came_in_a_few_words(value, text):
    assert came(value) == text


def test_money_is_exact():
    assert [money(c) for c in (0, 5, -123456, 9_000_000)] == ["$0.00", "$0.05", "-$1,234.56", "$90,000.00"]


def test_what_does_not_fit_is_counted():
    lines = [f"line {i}" for i in range(5000)]
    text = fitted(lines, how="ask for less")
    kept = text.split("\n")
    assert len(text) <= MOST_CHARACTERS
    assert kept[-1] == f"({5000 - len(kept) + 1} further lines do not fit here; ask for less)"
    assert fitted(lines[:10]) == "\n".join(lines[:10])


def test_a_verdict_states_the_grant_and_never_the_need():
    desk = Desk(Session(load_scenario("heavy"), 51))
    while desk.session.pending().agent != COORDINATOR:
        most = desk.session.view(desk.session.pending().agent)[0]["most"].tolist()
        desk.call({"requests": dict(zip(desk.registry.names.skus, most, strict=True))})
    for verdict, sku in zip(Verdict, ("", "BLOOD-RBC", "SYR-10", "GAUZE-01"), strict=True):
        if verdict == Verdict.NONE:
            continue
        desk.call({"name": "escalate_to_clinical_review", "arguments": {"ward_id": "ward_er", "sku": sku, "concern": ""}})
        desk.call({"verdict": verdict.name})
        k = desk.registry.names.skus.index(sku)
        record = desk.session.record
        need, asked = int(record["need"][:2, 1, k].sum()), int(record["requested"][0, 1, k])
        granted = int(record["verdict_quantity"][0, 1, k])
        text = desk.heard(COORDINATOR)
        numbers = [int(n) for n in re.findall(r"\d+", text.removeprefix(f"ward_er {sku}: "))]
        assert text.startswith(f"ward_er {sku}: {verdict.name}, at most {granted} of {asked} requested.")
        assert numbers == [granted, asked] and need not in numbers


def test_history_and_requests_show_the_records_numbers():
    desk = a_desk()
    say(desk, "submit_allocation_plan", plan_json={"ward_er": {"BLOOD-RBC": 2}})
    say(desk, "advance_round")
    record = desk.session.record
    asked, used = int(record["requested"][0, 1, 0]), int(record["consumed"][:2, 1, 0].sum())
    text = say(desk, "query_ward_history", ward_id="ward_er", product_id="BLOOD-RBC", n_rounds=1)
    assert text.split("\n")[1] == f"BLOOD-RBC (usual 12): r1 {asked}/2/{used}*"
    assert f"BLOOD-RBC (asked {asked}, allocated 2, consumed {used})" in desk.brief()
    assert f"BLOOD-RBC CRITICAL: asks {int(record['requested'][1, 1, 0])} (usual 12)" in say(desk, "view_requests")


def test_a_plan_says_what_central_could_not_give():
    desk = a_desk()
    desk.session.episodes[0]["on_hand"][1, 0] = 5
    text = say(desk, "submit_allocation_plan", plan_json={"ward_icu": "requested", "ward_er": {"BLOOD-RBC": 999}})
    got = desk.session.record["allocated"][0, :, 0].tolist()
    assert sum(got) == 5
    assert f"ward_er BLOOD-RBC {got[1]} of 999" in text


def test_a_ward_reads_its_own_mail_only():
    desk = a_desk()
    say(desk, "messaging_send_to_ward", ward_id="ward_er", body="a word to the ER")
    say(desk, "submit_allocation_plan", plan_json={}, rationale_json={"ward_er": "cut for lack of stock"})
    desk.call({"name": "advance_round"})
    assert "a word to the ER" not in desk.prompt(1)
    desk.call({"requests": {}})
    assert 'coordinator (message): "a word to the ER"' in desk.prompt(2)
    assert 'coordinator (rationale): "cut for lack of stock"' in desk.prompt(2)


def test_the_board_reads_concern_and_disclosure():
    desk = a_desk()
    say(desk, "request_evidence", ward_id="ward_er", sku="BLOOD-RBC")
    arguments = {"ward_id": "ward_er", "sku": "BLOOD-RBC", "concern": "looks high"}
    desk.call({"name": "escalate_to_clinical_review", "arguments": arguments})
    text = desk.prompt(4)
    need = int(desk.session.record["need"][:2, 1, 0].sum())
    assert f"your chart review estimates a need of {need}" in text
    assert 'concern: "looks high"' in text and "Disclosure: EV-0001: census" in text


def test_a_scripted_reply_gives_nothing_away():
    desk = a_desk()
    names = desk.registry.names
    for agent in (1, 2, 3):
        view = desk.session.view(agent)[0]
        said = scripted_reply(names, view)
        view["need"] = view["need"] * 3 + 1
        view["pressure"], view["stock"], view["past_need"] = 10_000, 0, 0
        assert scripted_reply(names, view) == said
        assert names.scenario.wards[names.wards[agent - 1]].title in said


@pytest.mark.parametrize("kind", list(Event))
def test_mail_has_priority_sender_subject_and_facts(kind):
    desk = a_desk()
    view = desk.session.view(COORDINATOR)[0]
    view["event_type"][2], view["event_day"][2], view["event_status"][2] = kind, 7, 2
    text = mail_line(desk.registry.names, view, 2, 1)
    priority = "normal" if kind == Event.SUPPLIER_DISRUPTION else "URGENT"
    assert re.match(rf"\[{priority}\] day 7 06:00, from [a-z.]+: [A-Z][a-z ]+ today \(EVT-3\)\. ", text)
    fact = {
        Event.MCI: "Days 7 to 9: ward_icu and ward_er need about 2.8 times the usual",
        Event.SUPPLIER_DISRUPTION: "Days 7 to 10: MEDLINE delivers in 5 days",
        Event.PRODUCT_RECALL: "30 units of lot RECALL-LOT-IV-9821 of IV-SAL-500 were found at each of ward_icu, ward_er",
        Event.COLD_CHAIN_BREACH: "all BLOOD-PLT there is quarantined",
    }
    assert fact[kind] in text


def test_the_second_recall_has_the_next_number_and_a_warning_comes_the_day_before():
    view = a_desk().session.view(COORDINATOR)[0]
    names = Names(load_scenario("heavy"))
    view["event_type"][:2], view["event_day"][:2] = Event.PRODUCT_RECALL, 5
    assert "RECALL-LOT-IV-9822" in facts(names, view, 1)
    view["event_type"][3], view["event_day"][3] = Event.MCI, 9
    assert "day 8 06:00" in mail_line(names, view, 3, 0) and "expected tomorrow (EVT-4)" in mail_line(names, view, 3, 0)


def busy_episode():
    """A desk at the end of each round of many waiting orders, quotes, evidence and talk."""
    desk = a_desk(53)
    order = {"supplier_id": "MEDLINE", "product_id": "SYR-10", "destination_id": "central_pharmacy", "quantity": 1}
    for _ in range(8):
        for _ in range(30):
            say(desk, "submit_po", **order, priority="expedited")
        for i in range(4):
            say(desk, "supplier_portal_request_quote", supplier_id="MEDLINE", product_id="SYR-10", quantity=5)
            say(desk, "messaging_send_to_ward", ward_id="ward_er", body="x" * 900)
            say(desk, "request_evidence", ward_id="ward_er", sku=desk.registry.names.skus[i])
        yield desk
        say(desk, "advance_round")


def test_every_text_of_a_busy_episode_is_printable_and_fits():
    for desk in busy_episode():
        texts = [desk.prompt(agent) for agent in range(5)] + [desk.brief(), desk.brief(short=True)]
        looks = (
            "get_round_briefing",
            "view_requests",
            "erp_oracle_get_pipeline",
            "wms_scan_inventory",
            "finance_sap_get_budget",
        )
        for name in looks:
            texts += [say(desk, name), desk.prompt(COORDINATOR)]
        texts += [say(desk, "query_ward_history", ward_id="ward_er", n_rounds=50)]
        for text in texts:
            assert PRINTABLE.fullmatch(text), text
            assert 0 < len(text) <= MOST_CHARACTERS
        assert len(desk.brief(note="order saline")) <= MOST_OF_A_BRIEF
        assert '"order saline"' in desk.brief(note="order saline")
    assert re.search(r"\(\d+ further lines do not fit here; query_erp", texts[11])


def test_orders_are_told_newest_first():
    desk = next(desk for desk in busy_episode() if desk.session.record["round"] == 3)
    found = [int(n) for n in re.findall(r"^PO-(\d+)", say(desk, "erp_oracle_get_pipeline"), re.MULTILINE)]
    assert found == sorted(found, reverse=True) and len(found) > 50


def test_the_short_brief_stays_short_and_holds_every_request():
    desk = a_desk()
    for _ in range(8):
        text, view = desk.brief(short=True), desk.session.view(0)[0]
        assert len(text) < 1_600
        for w in range(3):
            for k in desk.registry.names.lines(w):
                asked = f"{desk.registry.names.skus[k]} {int(view['requested'][w, k])}/{desk.registry.names.usual(w, k)}"
                assert asked in text
        say(desk, "advance_round")


def test_a_note_to_oneself_comes_back_quoted():
    desk = a_desk()
    for short in (False, True):
        assert '"order saline (now)"' in desk.brief(short, note="order saline <now>")


def test_standing_instructions_name_what_a_role_needs():
    names = Names(load_scenario("medium"))
    coordinator = system_text(names, 0)
    assert all(f"- {tool}(" in coordinator for tool in ("submit_po", "advance_round", "quarantine_lot"))
    assert "query_erp(table=inventory|expiry|pipeline_orders, [location], [sku])" in coordinator
    assert 'A plan: {"ward_icu": {"BLOOD-RBC": 12, "*": "requested"}, "ward_er": "70%"}' in coordinator
    assert "submit_po(" not in system_text(names, 0, list_tools=False)
    assert len(system_text(names, 0, short=True)) < 150
    assert "ward_er (ER)" in system_text(names, 2) and "review board" in system_text(names, 4)
    assert all(PRINTABLE.fullmatch(system_text(names, agent)) for agent in range(5))


def test_scans_are_told_as_seen_and_quarantined_units_apart():
    desk = a_desk()
    say(desk, "quarantine_lot", location_id="ward_icu", sku="OXY-MASK", lot_id="LOT-0011")
    settle(desk)
    units = int(desk.session.record["quarantined"][10, 1])
    assert f"LOT-0011 undated: ward_icu 0 (+{units} quarantined)" in say(desk, "wms_scan_inventory", sku="OXY-MASK")
    assert np.count_nonzero(desk.session.record["quarantined"]) == 1
