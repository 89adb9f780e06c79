"""A turn of several calls: its queue, what it waits for, what is told of it, and where its tokens end up."""

import pytest

from medchain.core.words import COORDINATOR
from policies.llm.chat import Chat
from policies.llm.conversation import Conversation, Manner
from policies.llm.embedded import turn_automata
from policies.llm.imitation import play_teacher
from policies.llm.sampling import Completion
from policies.llm.table import Table
from policies.scripted.single import scripted_policies


def call(name, **arguments):
    import json

    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


@pytest.fixture()
def table(medium, tokenizer):
    chat, manner = Chat(tokenizer, "S."), Manner(turn_tokens=400, round_turns=3)
    others = scripted_policies(medium, "zero")
    return Table(medium, 3, others, {COORDINATOR: lambda desk, agent: Conversation(desk, agent, chat, manner)})


def say(table, *calls):
    """Speak for whoever is asked; returns who is asked then."""
    talk = table.advance()
    ids = [*talk.chat.encode("".join(calls)), talk.chat.end]
    talk.take(Completion(ids, [-1.0] * len(ids), [True] * len(ids), True), talk.form())
    return table.advance()


def test_a_turn_waits_for_the_ward_it_asked(table):
    talk = say(
        table,
        call("get_round_briefing"),
        call("request_evidence", ward_id="ward_er", sku="SYR-10"),
        call("escalate_to_clinical_review", ward_id="ward_er", sku="SYR-10", concern="much"),
    )
    assert talk.tally.calls == 3 and talk.tally.refused == 0
    told = talk.chat.tokenizer.decode(talk.fresh)
    assert "EV-1 ward_er SYR-10" in told and any(v in told for v in ("APPROVE", "REDUCE", "DENY"))


def test_the_context_starts_afresh_with_each_round(table):
    first = say(table, call("view_requests"))
    assert len(first.stretches) == 1
    again = say(table, call("advance_round"), call("view_requests"))
    assert len(again.stretches) == 2 and again.tally.dropped == 1
    assert again.stretches[1].ids == again.fresh and not again.stretches[1].turns


def test_unreadable_text_is_told_and_nothing_is_done_in_its_place(table):
    talk = say(table, "I would rather not")
    assert (talk.tally.unparsed, talk.tally.calls) == (1, 1)
    assert "not_understood" in talk.chat.tokenizer.decode(talk.fresh)
    assert int(table.session.record["round"]) == 1


def test_a_round_without_an_end_is_closed_for_the_talker(table):
    for _ in range(3):
        say(table, call("view_requests"))
    assert table.conversations[0].tally.forced == 1
    assert int(table.session.record["round"]) == 2


def test_what_is_sampled_is_never_encoded_again(table, monkeypatch):
    talk = table.advance()
    odd = [*[i for c in call("view_requests") for i in talk.chat.encode(c)], talk.chat.end]  # spelled letter by letter
    assert odd != [*talk.chat.encode(call("view_requests")), talk.chat.end]
    monkeypatch.setattr(type(talk.chat), "encode", lambda self, text: [0] * len(text))  # whatever is encoded is mutilated
    talk.take(Completion(odd, [-1.0] * len(odd), [True] * len(odd), True), "turn")
    assert table.advance() is talk and talk.tally.tools["view_requests"] == 1
    now = talk.stretches[0]
    assert [now.ids[i] for i in now.sampled()] == odd


def test_the_sampled_positions_hold_what_was_said(medium, tokenizer):
    others = scripted_policies(medium, "auditor")
    automaton, chat = turn_automata(medium, tokenizer)["turn"], Chat(tokenizer, "S.")
    manner = Manner(turn_tokens=600, round_turns=30)
    table = play_teacher(medium, 50, others[0], others, chat, manner, automaton)
    talk = table.conversations[0]
    assert talk.tally.unparsed == 0 and len(talk.stretches) == medium.clock.rounds
    for s in talk.stretches:
        said = "".join(tokenizer.decode(s.ids[a : a + n]) for a, n, _, _ in s.turns)
        assert tokenizer.decode([s.ids[i] for i in s.sampled()]) == said
        assert said.count("<tool_call>") == said.count("</tool_call>") > 0
        between = [i for i in range(len(s.ids)) if i not in set(s.sampled())]
        assert "<tool_call>" not in tokenizer.decode([s.ids[i] for i in between])
    assert table.breakdown()["score"] > 0.7
