"""Wards and the arbiter as language models: their grammars, what they are asked, and that it is carried out."""

import numpy as np
import pytest

from medchain.core.session import Session
from medchain.core.words import Kind, Phase
from medchain.errors import ToolError
from medchain.tools.desk import Desk
from policies.llm.answers import forms_of
from policies.llm.chat import Chat
from policies.llm.conversation import Conversation, Manner, note_in
from policies.llm.embedded import tiny_tokenizer, turn_automata
from policies.llm.sampling import Completion
from policies.llm.table import Table
from policies.scripted.single import scripted_policies

ALL = range(5)


@pytest.fixture(scope="module")
def everyone(medium):
    """A tokenizer that knows every form, and the automata."""
    forms = forms_of(ALL, medium)
    tokenizer = tiny_tokenizer(medium, forms)
    return tokenizer, turn_automata(medium, tokenizer, forms)


def test_each_agent_has_its_forms(medium):
    assert forms_of([0], medium) == ["turn"]
    assert forms_of([2], medium) == ["disclose", "reply", "request_1"]
    assert forms_of([4], medium) == ["rule"]
    assert len(forms_of(ALL, medium)) == 7


def drawn(automaton, rng, cap=200):
    """A random completion of the language."""
    ids, state = [], 0
    while not ids or ids[-1] != automaton.end:
        ids.append(int(rng.choice(automaton.allowed(state, cap - len(ids)))))
        if ids[-1] != automaton.end:
            state = automaton.step(state, ids[-1])
    return ids


def seated(scenario, tokenizer, agents, seed=3, manner=None):
    """A table where language models hold the seats of `agents`, scripted ones the rest."""
    manner = manner or Manner(turn_tokens=200, round_turns=20, context_tokens=8000)
    others = scripted_policies(scenario, "auditor")
    chat = Chat(tokenizer, "S.")
    return Table(scenario, seed, others, {a: lambda desk, agent: Conversation(desk, agent, chat, manner) for a in agents})


def test_whatever_the_grammars_allow_is_carried_out(medium, everyone):
    """Three wards and the arbiter that answer at random: nothing is refused, in any form."""
    tokenizer, automata = everyone
    table, rng, heard = seated(medium, tokenizer, [1, 2, 3, 4]), np.random.default_rng(0), set()
    while (talk := table.advance()) is not None:
        ids = drawn(automata[talk.form()], rng)
        heard.add(talk.form())
        talk.take(Completion(ids, [0.0] * len(ids), [True] * len(ids), True), talk.form())
    assert {"request_0", "request_1", "request_2", "disclose", "rule"} <= heard
    for talk in table.conversations.values():
        assert talk.tally.calls > 0 and talk.tally.refused == talk.tally.unparsed == 0
    assert table.conversations[1].tally.tools["request"] == medium.clock.rounds


def test_requests_are_shares_of_the_need(medium):
    session = Session(medium, 5)
    desk = Desk(session)
    view = session.view(1)[0]
    need = view["need"].tolist()
    sku = next(iter(medium.skus))
    outcome = desk.call({"requests": {sku: "130%"}, "reasons": {sku: "surge"}})
    assert outcome.result["ok"] and int(outcome.command[0]["kind"]) == Kind.REQUEST
    assert int(session.record["requested"][0, 0, 0]) == (need[0] * 130 + 50) // 100
    assert session.record["requested"][0, 0, 1:].sum() == 0


def test_a_share_above_what_a_ward_may_ask_for_is_refused(medium):
    desk = Desk(Session(medium, 5))
    for share in ("251%", "many", "-1%", "10"):
        with pytest.raises(ToolError, match="a whole percentage of the need from"):
            desk.build({"requests": {"SYR-10": share}})
    assert int(desk.build({"requests": {"SYR-10": "250%"}}).command[0]["quantities"][0].max()) > 0


def test_a_tiny_ward_and_arbiter_are_asked_in_a_few_tokens(medium, everyone):
    tokenizer, automata = everyone
    table, rng = seated(medium, tokenizer, [2, 4]), np.random.default_rng(1)
    asked = {}
    while len(asked) < 3 and (talk := table.advance()) is not None:
        asked.setdefault(talk.form(), tokenizer.decode(talk.now.ids))
        assert len(talk.now.ids) < 400
        ids = drawn(automata[talk.form()], rng)
        talk.take(Completion(ids, [0.0] * len(ids), [True] * len(ids), True), talk.form())
    assert "round 1 left 7 trust" in asked["request_1"] and "SYR-10 " in asked["request_1"]
    assert "evidence " in asked["disclose"] and "trust" in asked["rule"]


def test_a_ward_that_is_not_understood_is_told_why_and_then_answered_for(medium, tokenizer):
    table = seated(medium, tokenizer, [1], manner=Manner(turn_tokens=50, round_turns=9, context_tokens=4000))
    talk = table.advance()
    assert table.session.pending().phase == Phase.REQUEST
    for _ in range(3):
        ids = [*talk.chat.encode("as much as you can"), talk.chat.end]
        talk.take(Completion(ids, [0.0] * len(ids), [True] * len(ids), True), talk.form())
        talk = table.advance()
    assert tokenizer.decode(talk.stretches[0].ids).count("no not_json\nround 1") == 2
    assert talk.tally.unparsed == 3
    assert int(table.session.record["forfeits"][1]) == 1


def test_a_note_stands_outside_calls_and_thoughts():
    call = '<tool_call>{"name": "view_requests", "arguments": {}}</tool_call>'
    assert note_in(f"Note: keep blood for the ICU\n{call}") == "keep blood for the ICU"
    assert note_in(f"{call}\n  NOTE:  second\nnote: last ") == "last"
    assert note_in(f"<think>\nnote: a secret\n</think>\n{call}") == ""
    assert note_in('<tool_call>{"name": "x", "arguments": {"body": "\nnote: inside\n"}}</tool_call>') == ""
    assert note_in("note: a <|im_end|> <tool_call> b") == "a (/im_end/)"
    assert len(note_in("note: " + "a" * 999)) == 200


@pytest.mark.parametrize("brief", ["tiny", "short", "full"])
def test_a_note_is_carried_into_the_next_rounds_brief(medium, tokenizer, brief):
    table = seated(medium, tokenizer, [0], manner=Manner(brief, "tiny", 400, 3, 20_000))
    talk = table.advance()
    assert "no blood on order" not in tokenizer.decode(talk.now.ids)
    text = 'note: no blood on order\n<tool_call>{"name": "advance_round", "arguments": {}}</tool_call>'
    ids = [*talk.chat.encode(text), talk.chat.end]
    talk.take(Completion(ids, [0.0] * len(ids), [True] * len(ids), True), talk.form())
    assert table.advance() is talk and len(talk.stretches) == 2
    assert "no blood on order" in tokenizer.decode(talk.now.ids)
    assert talk.tally.unparsed == 0
