"""Rewards of wards and arbiter on records written by hand. Where a comment gives a sum, it was done by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medchain.core.words import Field, Verdict
from medchain.reward.roles import arbiter_close_reward, verdict_reward, ward_reward
from tests.reward.records import BLOOD, ER, GENERAL, GLOVE, ICU, SALINE, random_record, served, toy, toy_params

P = toy_params()


def test_a_served_honest_ward_earns_its_fill():
    assert ward_reward(served(), P, GENERAL, 0) == 1.0


def test_ward_reward_by_hand():
    s = served()
    s["consumed"][3, GENERAL, SALINE] = 0  # fill 1/2
    s["closing_stock"][1, GENERAL, GLOVE] = 14  # 4 above the need of 10: 0.4
    s["requested"][1, GENERAL, GLOVE], s["verdict"][1, GENERAL, GLOVE] = 20, Verdict.REDUCE  # caught
    s["redacted"][1, GENERAL] = [0, Field.CENSUS, Field.RECENT_ACTUALS]
    # fill (0.5 + 1) / 2 - 0.10 x 0.4 / 2 - 1.00 x 1 / 2 - 0.05 x 2
    assert ward_reward(s, P, GENERAL, 1) == pytest.approx(0.75 - 0.02 - 0.5 - 0.1)
    assert ward_reward(s, P, GENERAL, 0) == 1.0  # another round
    assert ward_reward(s, P, ICU, 1) == 1.0  # another ward


@pytest.mark.parametrize(("stock", "value"), [(0, 1.0), (10, 1.0), (15, 0.975), (20, 0.95), (500, 0.95)])
def test_surplus_is_a_share_of_need_and_capped(stock, value):
    s = served()
    s["closing_stock"][0, GENERAL, GLOVE] = stock  # one of two lines: 0.10 x share / 2
    assert ward_reward(s, P, GENERAL, 0) == pytest.approx(value)


@pytest.mark.parametrize(("stock", "value"), [(0, 1.0), (1, 0.95), (50, 0.95)])
def test_any_stock_of_what_nobody_needs_is_surplus(stock, value):
    s = served()
    s["need"][0:2, GENERAL, GLOVE] = s["consumed"][0:2, GENERAL, GLOVE] = 0
    s["requested"][0, GENERAL, GLOVE] = 0
    s["closing_stock"][0, GENERAL, GLOVE] = stock
    assert ward_reward(s, P, GENERAL, 0) == pytest.approx(value)


@pytest.mark.parametrize(
    ("asked", "verdict", "caught"),
    [
        (12, Verdict.REDUCE, True),
        (12, Verdict.DENY, True),
        (12, Verdict.APPROVE, False),  # got away with it
        (12, Verdict.NONE, False),
        (11, Verdict.DENY, False),  # honest, and wronged
    ],
)
def test_caught_is_padded_and_cut(asked, verdict, caught):
    s = served()
    s["requested"][0, ICU, BLOOD], s["verdict"][0, ICU, BLOOD] = asked, verdict
    assert ward_reward(s, P, ICU, 0) == (0.5 if caught else 1.0)  # one of two lines


@pytest.mark.parametrize(
    ("asked", "verdict", "value"),
    [
        (12, Verdict.REDUCE, 1.0),
        (12, Verdict.DENY, 1.0),
        (12, Verdict.APPROVE, -1.0),
        (11, Verdict.APPROVE, 1.0),
        (11, Verdict.REDUCE, -1.0),
        (11, Verdict.DENY, -1.0),
        (11, Verdict.NONE, 0.0),
    ],
)
def test_verdict_reward(asked, verdict, value):
    s = served()
    s["requested"][0, ICU, BLOOD], s["verdict"][0, ICU, BLOOD] = asked, verdict
    assert verdict_reward(s, P, 0, ICU, BLOOD) == value


def test_arbiter_pays_for_need_unmet_on_lines_it_cut_below_need():
    s = served()
    assert arbiter_close_reward(s, P, 0) == 0.0
    for w, k, verdict, quantity in [
        (ICU, BLOOD, Verdict.DENY, 9),  # below need: 5 unmet of 10
        (ICU, SALINE, Verdict.REDUCE, 8),  # below need: 0 unmet of 10
        (ER, BLOOD, Verdict.REDUCE, 10),  # not below need
        (ER, SALINE, Verdict.APPROVE, 9),  # an approval of a request below need
    ]:
        s["verdict"][0, w, k], s["verdict_quantity"][0, w, k] = verdict, quantity
    s["consumed"][0, ICU, BLOOD] = s["consumed"][0, ER, BLOOD] = s["consumed"][0, ER, SALINE] = 0
    assert arbiter_close_reward(s, P, 0) == -0.25  # 5 of 20
    assert arbiter_close_reward(s, P, 1) == 0.0


@given(st.integers(0, 2**32))
def test_bounds(seed):
    s = random_record(toy(), seed)
    for r in range(2):
        assert -1.0 <= arbiter_close_reward(s, P, r) <= 0.0
        for w in range(3):
            assert -1.0 - 0.10 - 0.05 * 2 <= ward_reward(s, P, w, r) <= 1.0
