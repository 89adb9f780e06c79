"""The advance is a function of what was counted, capped by round."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from medchain.core.words import Fact, System
from medchain.reward.shaping import advance
from tests.reward.records import random_record, served, toy, toy_params

P = toy_params()


def test_nothing_done_pays_nothing():
    assert advance(served(), P) == 0


def test_advance_by_hand():
    s = served()
    s["tally"][0, Fact.BRIEFING] = 2  # once a round: 2,000
    s["tally"][0, Fact.EVIDENCE] = 8  # six a round: 6,000
    s["tally"][0, Fact.ORDER_RELEASED] = 5  # three a round: 6,000
    s["tally"][1, Fact.REVIEW_OF_PADDED] = 4  # three a round: 15,000
    s["tally"][1, Fact.REVIEW_OF_HONEST] = 4  # every time: -12,000
    s["tally"][1, Fact.BRIEFING] = 1  # 2,000
    s["tally"][1, Fact.APPROVAL_UNSOUND] = 1  # -2,000
    s["system_used"][[System.WMS, System.MESSAGING]] = 1  # 2 x 500
    assert advance(s, P) == 18_000


def test_every_fact_pays_what_the_scenario_says():
    shaping = toy().shaping
    for fact in Fact:
        s = served()
        s["tally"][0, fact] = 1
        assert advance(s, P) == round(getattr(shaping, fact.name.lower()) * shaping.scale * 1_000_000)


@given(st.integers(0, 2**32), st.sampled_from([f for f in Fact if f != Fact.REVIEW_OF_HONEST]))
def test_a_loop_of_calls_is_paid_once(seed, fact):
    s = random_record(toy(), seed)
    s["tally"][0, fact] = P["shaping_most"][fact]
    before = advance(s, P)
    s["tally"][0, fact] += 100
    assert advance(s, P) == before
