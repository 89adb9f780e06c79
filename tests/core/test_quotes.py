"""Quotes: ready next round, good for two, the lead time of the day they were asked for, 4 % off, used once."""

import pytest

from medchain.core.words import Event, Kind, Refusal
from tests.core.quiet import BACKUP, GLOVE, MEDLINE, SALINE, TRUE_CLAIM, Game

LIST = 900
"""Cents: a box of gloves."""


def quoted(*events: tuple[Event, int], quantity: int = 100) -> Game:
    """A game in which a quote for gloves was asked of MEDLINE on day 1."""
    game = Game()
    game.schedule(*events)
    game.ask()
    asked = game.do(Kind.SUPPLIER_PORTAL_REQUEST_QUOTE, supplier=MEDLINE, sku=GLOVE, quantity=quantity)
    assert asked["number"] == 1
    return game


@pytest.mark.parametrize("day, cents", [(1, LIST), (3, LIST * 96 // 100), (5, LIST * 96 // 100), (7, LIST)])
def test_a_quote_is_good_in_the_two_rounds_after_it_was_asked_for(day: int, cents: int) -> None:
    game = quoted()
    game.to_day(day)
    assert game.order(MEDLINE, GLOVE, 100)["a"] == 100 * cents


@pytest.mark.parametrize("supplier, sku, quantity", [(BACKUP, GLOVE, 100), (MEDLINE, SALINE, 100), (MEDLINE, GLOVE, 101)])
def test_it_is_good_for_its_supplier_its_sku_and_its_quantity(supplier: int, sku: int, quantity: int) -> None:
    game = quoted()
    game.to_day(3)
    game.order(supplier, sku, quantity)
    assert game.s["order_quoted"][0] == 0 and game.s["quote_used"][0] == 0


def test_it_is_used_once_whole_or_in_part() -> None:
    game = quoted()
    game.to_day(3)
    assert game.order(MEDLINE, GLOVE, 60)["a"] == 60 * 864
    assert game.order(MEDLINE, GLOVE, 40)["a"] == 40 * LIST


def test_it_keeps_the_lead_time_a_disruption_notwithstanding() -> None:
    game = quoted((Event.SUPPLIER_DISRUPTION, 3))
    game.to_day(3)
    assert game.order(MEDLINE, GLOVE, 100)["b"] == 5
    assert game.order(MEDLINE, GLOVE, 100)["b"] == 8


def test_it_keeps_it_for_an_order_that_waited_for_approval() -> None:
    game = quoted((Event.SUPPLIER_DISRUPTION, 3), quantity=2000)
    game.to_day(3)
    assert game.order(MEDLINE, GLOVE, 2000)["b"] == 0
    game.to_day(5)
    assert game.approve(1, **TRUE_CLAIM, claimed_types=1 << Event.SUPPLIER_DISRUPTION)["b"] == 7


def test_a_quote_of_a_disrupted_day_keeps_that_lead_time_too() -> None:
    game = Game()
    game.schedule((Event.SUPPLIER_DISRUPTION, 2))
    game.to_day(5)
    game.do(Kind.SUPPLIER_PORTAL_REQUEST_QUOTE, supplier=MEDLINE, sku=GLOVE, quantity=9)
    game.to_day(7)
    assert game.order(MEDLINE, GLOVE, 9)["b"] == 12
    assert game.order(MEDLINE, GLOVE, 9)["b"] == 9


def test_an_expedited_order_may_use_one() -> None:
    game = quoted()
    game.to_day(3)
    game.s["on_hand"][game.s["lot_sku"] == GLOVE] = 0
    assert game.order(MEDLINE, GLOVE, 100, expedited=True)["a"] == 100 * 1037  # 9.00 x 1.2 x 0.96 = 10.368
    assert game.justify(1, **TRUE_CLAIM)["b"] == 4


def test_a_refused_order_leaves_its_quote() -> None:
    game = quoted()
    game.to_day(3)
    game.s["limit"] = 100
    assert game.order(MEDLINE, GLOVE, 100)["refusal"] == Refusal.BUDGET_EXCEEDED
    assert game.s["quote_used"][0] == 0


def test_get_quote_needs_one() -> None:
    game = quoted()
    assert game.do(Kind.SUPPLIER_PORTAL_GET_QUOTE, quote=0)["number"] == 1
    assert game.do(Kind.SUPPLIER_PORTAL_GET_QUOTE, quote=1)["refusal"] == Refusal.UNKNOWN_QUOTE
