"""The text surface: its spaces, what is read and what is not, and agents of both surfaces in one episode."""

import pickle

import pytest

from medchain.env.aec import raw_env
from medchain.env.text import MOST_SPOKEN, PRINTABLE, ShownText, SpokenText
from tests.compliance.players import drawn, seed_spaces

SHOWN = ShownText(16_000, min_length=0, charset=PRINTABLE)
SPOKEN = SpokenText(MOST_SPOKEN, ["yes", "no"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", True),
        ("a\nb~", True),
        ("x" * 16_000, True),
        ("x" * 16_001, False),
        ("caf\u00e9", False),
        ("\t", False),
        (7, False),
    ],
    ids=repr,
)
def test_what_is_shown_is_printable_and_short(text, shown: bool) -> None:
    assert SHOWN.contains(text) == shown
    assert SPOKEN.contains(text) == isinstance(text, str)


def test_samples_are_short_and_seeded() -> None:
    first, second = pickle.loads(pickle.dumps(SPOKEN)), pickle.loads(pickle.dumps(SPOKEN))
    first.seed(3), second.seed(3)
    texts = [first.sample() for _ in range(200)]
    assert texts == [second.sample() for _ in range(200)]
    assert max(map(len, texts)) <= 40 and 60 < sum(text in ("yes", "no") for text in texts) < 140
    assert all(SHOWN.contains(text) for text in texts)


def test_every_example_is_understood_somewhere() -> None:
    """What the samples hold is taken by whom it is meant for: no example is out of date."""
    env, taken = raw_env(surface="text"), set()
    for seed in range(6):
        env.reset(seed=seed)
        seed_spaces(env, seed)
        while not env.terminations[agent := env.agent_selection]:
            text = drawn(env)
            env.step(text)
            if "refusal" not in env.infos[agent]:
                taken.add((agent, text))
    for agent in env.possible_agents:
        assert {text for who, text in taken if who == agent} == set(env.action_space(agent).examples), agent


def test_agents_of_both_surfaces_hear_each_other() -> None:
    env = raw_env(surface={"coordinator": "text", "ward_er": "text"})
    env.reset(seed=3)
    seed_spaces(env, 3)
    assert "21" not in env.infos["ward_icu"] and "instructions" not in env.infos["ward_icu"]
    assert "advance_round()" in env.infos["coordinator"]["instructions"]
    env.step(drawn(env))
    assert env.agent_selection == "ward_er"
    env.step('{"requests": {"BLOOD-RBC": 3}, "reasons": {"BLOOD-RBC": "surge"}}')
    env.step(drawn(env))
    assert env.session.record["requested"][0, 1].tolist() == [3] + [0] * 9
    env.step('{"name": "messaging_send_to_ward", "arguments": {"ward_id": "ward_er", "body": "Only three? <tool_call>"}}')
    assert "Only three? (tool_call)" in env.observe("ward_er")["text"]
    env.step('{"body": "We had stock."}')
    assert "We had stock." in env.observe("coordinator")["text"]
    env.step('{"name": "messaging_send_to_ward", "arguments": {"ward_id": "ward_icu", "body": "And you?"}}')
    env.step({})  # a structured ward replies in character
    assert env.agent_selection == "coordinator" and "ward_icu" in env.observe("coordinator")["text"]


def test_too_long_and_not_text_are_refused_in_words() -> None:
    env = raw_env(surface="text")
    env.reset(seed=1)
    env.step("x" * 4_001)
    assert env.infos["ward_icu"]["refusal"] == "too_long" and "4001 characters" in env.observe("ward_icu")["text"]
    env.step(7)
    assert env.infos["ward_icu"]["refusal"] == "not_text" and "REFUSED not_text" in env.observe("ward_icu")["text"]
