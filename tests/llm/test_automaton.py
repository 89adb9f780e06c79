import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medchain.core.session import Session
from medchain.core.words import COORDINATOR, Kind
from medchain.errors import ToolError
from medchain.tools.names import Names
from medchain.tools.parse import read_turn
from policies.llm.automaton import Automaton, Grammar
from policies.llm.calls import GRID, Speller, near
from policies.llm.embedded import turn_automata

END = 99


def letters(build):
    """An automaton over letters: a is token 0, b is 1 ..."""
    grammar = Grammar(lambda text: [ord(c) - 97 for c in text])
    return Automaton(grammar, build(grammar), END, 100)


def test_a_language_of_two_words():
    a = letters(lambda g: g.chain(g.literal("a"), g.either([g.literal("b"), g.literal("cc")])))
    assert a.allowed(0, 50).tolist() == [0]
    after = a.step(0, 0)
    assert a.allowed(after, 50).tolist() == [1, 2]
    assert a.allowed(a.step(after, 1), 50).tolist() == [END]


def test_near_the_cap_only_what_can_be_completed_is_allowed():
    a = letters(lambda g: g.repeat(g.either([g.literal("a"), g.literal("bbbb")])))
    assert a.allowed(0, 50).tolist() == [0, 1]
    assert a.allowed(0, 4).tolist() == [0]
    after = a.step(0, 0)
    assert a.allowed(after, 50).tolist() == [0, 1, END]
    assert a.allowed(after, 1).tolist() == [END]


def test_a_turn_that_is_not_of_the_language_is_not_spelled():
    a = letters(lambda g: g.literal("ab"))
    assert a.spell("ab", list("abcdef")) == [0, 1]
    with pytest.raises(ValueError, match="not a legal turn"):
        a.spell("ac", list("abcdef"))


@pytest.fixture(scope="module")
def turns(medium, tokenizer):
    return turn_automata(medium, tokenizer)["turn"]


@given(seed=st.integers(0, 2**32), cap=st.integers(40, 300))
def test_every_allowed_turn_parses_and_names_legal_tools(turns, tokenizer, seed, cap):
    rng, ids, state = np.random.default_rng(seed), [], 0
    while not ids or ids[-1] != turns.end:
        ids.append(int(rng.choice(turns.allowed(state, cap - len(ids)))))
        if ids[-1] != turns.end:
            state = turns.step(state, ids[-1])
    assert len(ids) <= cap
    calls = read_turn(tokenizer.decode(ids[:-1]))
    assert calls and not any(isinstance(call, ToolError) for call in calls)
    assert all(call.name.upper() in Kind.__members__ for call in calls)
    walked = turns.walk(ids, cap)
    assert all(token in allowed for token, allowed in zip(ids, walked, strict=True))


def test_a_plan_is_spelled_in_percent_of_the_requests(medium):
    names, session = Names(medium), Session(medium)
    view = session.view(COORDINATOR)[0]
    view["requested"] = 100
    command = session.command()[0]
    command["kind"] = Kind.SUBMIT_ALLOCATION_PLAN
    command["quantities"] = 100
    command["quantities"][1, 0] = 69
    text = Speller(names).spell(command, view)
    assert '"ward_icu": "100%"' in text and '"ward_er": {"BLOOD-RBC": "70%", "*": "100%"}' in text


def test_near_is_the_closest_of_the_grid():
    assert [near(n) for n in (1, 21, 104, 10_000)] == [1, 20, 100, GRID[-1]]
