"""Commands spelled as calls: read again they are the same command, and whole scripted episodes reach the same digests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medchain.core.record import new_commands
from medchain.core.session import Session
from medchain.core.words import EVERY, Kind, Phase
from medchain.errors import ToolError
from medchain.scenario import load_scenario
from medchain.tools.claims import claim_from_text, claims_text
from medchain.tools.desk import Desk
from medchain.tools.names import Names
from medchain.tools.parse import read_call, written
from medchain.tools.registry import TOOLS
from policies.drive import play_session
from policies.roster import coordinator_names
from policies.scripted.single import ScriptedArbiter, ScriptedCoordinator, ScriptedWard
from tests.tools.tables import EVERY_TOOL, a_desk, say

SCENARIO = load_scenario("medium")
NAMES = Names(SCENARIO)
CLAIMED = ("claimed_types", "claimed_events", "claimed_nonsense", "claimed_skus", "claimed_shortage", "claimed_supplier")


@pytest.mark.parametrize("xml", [False, True], ids=["json", "xml"])
@pytest.mark.parametrize("name", EVERY_TOOL)
def test_a_call_spelled_and_read_again_is_the_same_command(name, xml):
    desk = a_desk()
    say(desk, "request_evidence", ward_id="ward_er", sku="BLOOD-RBC")
    command, said = desk.build({"name": name, "arguments": EVERY_TOOL[name]})
    view = desk.session.view(0)[0]
    for words in (said, {}):
        call = desk.registry.call_of(command[0], view, words)
        again, said_again = desk.build(read_call(written(call, xml)))
        assert again.tobytes() == command.tobytes()
        assert not words or said_again == said


@given(st.tuples(st.integers(0, 15), st.integers(0, 31), st.booleans(), st.integers(0, 1023), st.booleans(), st.booleans()))
def test_claims_in_words_claim_the_same(fields):
    c, again = new_commands(SCENARIO.sizes, 2)
    for field, value in zip(CLAIMED, fields, strict=True):
        c[field] = value
    claim_from_text(claims_text(NAMES, c), again, NAMES)
    assert claims_text(NAMES, again) == claims_text(NAMES, c)
    assert again.tobytes() == c.tobytes()


def echoes(session, desk):
    """An on_step that spells each command of `session`, says it at the desk, and compares the two records."""
    count = []

    def on_step(agent, commands, result):
        view = desk.session.view(agent)[0]
        call = desk.registry.call_of(commands[0], view)
        outcome = desk.call(written(call, xml=len(count) % 2 == 1))
        assert outcome.error is None, outcome.text
        assert outcome.result["refusal"] == result["refusal"]
        assert desk.session.digest() == session.digest(), call
        count.append(call.name)

    return on_step, count


@pytest.mark.parametrize("name", [name for name in coordinator_names() if name != "oracle"])
def test_a_scripted_episode_through_text_is_the_same_episode(name):
    scenario = load_scenario("heavy")
    session, desk = Session(scenario, 51), Desk(Session(scenario, 51))
    wards = {i + 1: ScriptedWard(scenario, ward) for i, ward in enumerate(scenario.wards)}
    policies = {0: ScriptedCoordinator(name, scenario), **wards, len(wards) + 1: ScriptedArbiter(scenario)}
    on_step, calls = echoes(session, desk)
    play_session(session, policies, on_step)
    assert session.ended and desk.session.ended
    assert calls.count("advance_round") == 8 and calls.count("request") == 24


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": Kind.REQUEST_EVIDENCE, "ward": 9},
        {"kind": Kind.SUBMIT_PO, "supplier": -2, "quantity": 5},
        {"kind": Kind.SUBMIT_PO, "quantity": -5},
        {"kind": Kind.READ_INBOX, "option": 9},
        {"kind": Kind.QUARANTINE_LOT, "lot": 9999},
        {"kind": Kind.QUARANTINE_LOT, "lot": -7},
        {"kind": Kind.SUPPLIER_PORTAL_GET_QUOTE, "quote": -1},
    ],
)
def test_a_command_that_the_core_refuses_is_refused_as_text(fields):
    desk = a_desk()
    command = desk.session.command()
    for field, value in fields.items():
        command[0][field] = value
    call = desk.registry.call_of(command[0], desk.session.view(0)[0])
    assert not desk.call(written(call)).result["ok"]


def test_wildcards_are_left_out():
    desk = a_desk()
    command = desk.session.command()
    command[0]["kind"], command[0]["location"], command[0]["sku"] = Kind.WMS_SCAN_INVENTORY, EVERY, EVERY
    assert desk.registry.call_of(command[0], desk.session.view(0)[0]).arguments == {}


def test_a_command_of_no_tool_has_no_call():
    desk = a_desk()
    with pytest.raises(ToolError, match="unknown_tool"):
        desk.registry.call_of(desk.session.command()[0], desk.session.view(0)[0])


def test_answers_are_spelled_from_their_agents_view():
    desk = Desk(Session(SCENARIO, 3))
    view = desk.session.view(1)[0]
    command = desk.session.command()
    command[0]["kind"] = Kind.REQUEST
    command[0]["quantities"][0, :3], command[0]["reasons"][0, 1] = (5, 6, 7), 2
    call = desk.registry.call_of(command[0], view)
    assert call.arguments == {
        "requests": {"BLOOD-RBC": 5, "BLOOD-PLT": 6, "BLOOD-FFP": 7},
        "reasons": {"BLOOD-PLT": "surge"},
    }
    assert desk.registry.build(call, Phase.REQUEST, view).command.tobytes() == command.tobytes()


def test_every_tool_can_be_spelled():
    desk, view = a_desk(), a_desk().session.view(0)[0]
    for tool in TOOLS:
        command = desk.session.command()
        command[0]["kind"], command[0]["quantity"] = tool.kind, 1
        call = desk.registry.call_of(command[0], view)
        assert call.name == tool.name
        required = {p.name for p in tool.parameters if p.required}
        assert required <= set(call.arguments)
    assert np.all(view["requested"] >= 0)
