"""What makes a justification sound, branch by branch."""

from typing import Any

import pytest

from medchain.core.words import Event, Kind, OrderStatus
from tests.core.quiet import ER, GENERAL, GLOVE, ICU, MEDLINE, PLT, RBC, SALINE, Game

MCI = 1 << Event.MCI
DISRUPTION = 1 << Event.SUPPLIER_DISRUPTION
RECALL = 1 << Event.PRODUCT_RECALL
BREACH = 1 << Event.COLD_CHAIN_BREACH


def verdict(sku: int, day: int, *events: tuple[Event, int], **claims: Any) -> bool:
    """Whether claims about an expedited order of ample stock, filed on `day`, are sound."""
    game = Game()
    game.schedule(*events)
    game.to_day(day)
    game.order(MEDLINE, sku, 1, expedited=True)
    filed = game.justify(1, **claims)
    assert filed["ok"]
    assert (game.status(1) == OrderStatus.CANCELLED) == (filed["a"] == 0) == (game.s["unsound"] == 1)
    return bool(filed["a"])


@pytest.mark.parametrize("day, sound", [(3, False), (5, True), (7, True), (9, False)])
def test_an_event_may_be_named_while_it_is_warned_of_or_active(day: int, sound: bool) -> None:
    """An MCI of day 6 is warned of on day 5 and lasts to day 8."""
    assert verdict(RBC, day, (Event.MCI, 6), claimed_types=MCI) == sound
    assert verdict(RBC, day, (Event.MCI, 6), claimed_events=1) == sound


@pytest.mark.parametrize("kind, sku", [(Event.SUPPLIER_DISRUPTION, GLOVE), (Event.COLD_CHAIN_BREACH, PLT)])
def test_other_events_only_from_their_day_on(kind: Event, sku: int) -> None:
    assert not verdict(sku, 3, (kind, 5), claimed_types=1 << kind)
    assert verdict(sku, 5, (kind, 5), claimed_types=1 << kind)
    assert verdict(sku, 7, (kind, 5), claimed_types=1 << kind)
    assert not verdict(sku, 9, (kind, 5), claimed_types=1 << kind)


@pytest.mark.parametrize(
    "kind, bears, does_not",
    [
        (Event.MCI, SALINE, GLOVE),
        (Event.PRODUCT_RECALL, SALINE, RBC),
        (Event.COLD_CHAIN_BREACH, PLT, RBC),
    ],
)
def test_an_event_must_bear_on_the_sku(kind: Event, bears: int, does_not: int) -> None:
    assert verdict(bears, 5, (kind, 5), claimed_types=1 << kind)
    assert not verdict(does_not, 5, (kind, 5), claimed_types=1 << kind)


def test_one_false_event_spoils_a_true_one() -> None:
    both = (Event.MCI, 5), (Event.COLD_CHAIN_BREACH, 9)
    assert not verdict(RBC, 5, *both, claimed_types=MCI | BREACH)
    assert not verdict(RBC, 5, *both, claimed_types=MCI, claimed_events=1 << 1)
    assert not verdict(RBC, 5, *both, claimed_types=MCI, claimed_events=1 << 4)
    assert not verdict(RBC, 5, *both, claimed_types=MCI, claimed_nonsense=1)
    assert not verdict(RBC, 5, *both, claimed_types=15, claimed_events=31, claimed_shortage=1, claimed_supplier=1)


def test_two_true_events_do_not() -> None:
    both = (Event.MCI, 5), (Event.COLD_CHAIN_BREACH, 4 + 1)
    assert verdict(RBC, 5, *both, claimed_types=MCI | BREACH, claimed_events=3)


def test_a_supplier_problem_is_true_during_a_disruption() -> None:
    assert verdict(GLOVE, 5, (Event.SUPPLIER_DISRUPTION, 5), claimed_supplier=1)
    assert not verdict(GLOVE, 5, claimed_supplier=1)


def test_saying_nothing_or_that_something_else_is_short_is_no_reason() -> None:
    assert not verdict(GLOVE, 1)
    assert not verdict(GLOVE, 1, claimed_shortage=1)
    assert not verdict(GLOVE, 1, claimed_skus=1 << RBC)


def test_a_recall_is_on_until_the_bad_units_are_quarantined() -> None:
    game = Game()
    game.schedule((Event.PRODUCT_RECALL, 5))
    game.to_day(5)
    game.order(MEDLINE, SALINE, 1, expedited=True)
    game.order(MEDLINE, SALINE, 1, expedited=True)
    assert game.justify(1, claimed_types=RECALL)["a"] == 1
    for ward in (ICU, ER, GENERAL):
        lot = int(game.s["recall_lot"][0])
        assert game.do(Kind.QUARANTINE_LOT, sku=SALINE, location=ward + 1, lot=lot)["a"] == 30
    assert game.justify(2, claimed_types=RECALL)["a"] == 0


def stocked(units: int, requests: dict[tuple[int, int], int] | None = None) -> Game:
    """All gloves of the network: `units` at central; usual demand 100 a day, requests 200 a round unless said."""
    game = Game()
    game.ask(requests)
    game.s["on_hand"][game.s["lot_sku"] == GLOVE] = 0
    lot = int((game.s["lot_sku"] == GLOVE).argmax())
    game.s["on_hand"][lot, 0] = units
    return game


@pytest.mark.parametrize("units, sound", [(299, True), (300, False)])
@pytest.mark.parametrize("claims", [{"claimed_shortage": 1}, {"claimed_skus": 1 << GLOVE}])
def test_short_is_under_the_need_of_lead_time_and_a_round(units: int, sound: bool, claims: dict[str, int]) -> None:
    """An expedited MEDLINE order takes 1 day, a round 2: three days at 100 a day."""
    game = stocked(units)
    game.order(MEDLINE, GLOVE, 50, expedited=True)
    assert bool(game.justify(1, **claims)["a"]) == sound


def test_large_requests_make_short() -> None:
    """Requests of 300 a round are 150 a day: 450 for three days."""
    asked = {(ICU, GLOVE): 75, (ER, GLOVE): 75, (GENERAL, GLOVE): 150}
    for units, sound in ((449, True), (450, False)):
        game = stocked(units, asked)
        game.order(MEDLINE, GLOVE, 50, expedited=True)
        assert bool(game.justify(1, claimed_shortage=1)["a"]) == sound


def test_what_is_on_order_counts_but_not_the_order_itself() -> None:
    game = stocked(0)
    game.order(MEDLINE, GLOVE, 290)
    game.order(MEDLINE, GLOVE, 600, expedited=True)
    assert game.justify(2, claimed_shortage=1)["a"] == 1
    game.order(MEDLINE, GLOVE, 1, expedited=True)
    assert game.justify(3, claimed_shortage=1)["a"] == 0  # 890 are on order now


def test_quarantined_stock_does_not_count() -> None:
    game = stocked(5000)
    game.order(MEDLINE, GLOVE, 50, expedited=True)
    game.do(Kind.QUARANTINE_LOT, sku=GLOVE, location=0, lot=-1)
    assert game.justify(1, claimed_shortage=1)["a"] == 1
