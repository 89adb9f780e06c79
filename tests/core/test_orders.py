"""Orders from placing to receipt: lead times, limits, expediting, disruption."""

import pytest

from medchain.core.words import CENTRAL, Event, Kind, OrderStatus, Refusal
from tests.core.quiet import (
    BACKUP,
    FASTMED,
    GENERAL,
    GLOVE,
    ICU,
    MEDLINE,
    PLT,
    SALINE,
    TRUE_CLAIM,
    Game,
    quiet,
)


def opened(*events: tuple[Event, int]) -> Game:
    game = Game()
    game.schedule(*events)
    game.ask()
    return game


@pytest.mark.parametrize("supplier, due", [(MEDLINE, 3), (BACKUP, 3), (FASTMED, 2)])
def test_an_order_arrives_on_the_morning_of_its_due_day(supplier: int, due: int) -> None:
    game = opened()
    assert game.order(supplier, GLOVE, 100)["b"] == due
    game.advance()
    lot = int(game.s["lot_count"]) - 1
    assert game.s["on_hand"][lot, CENTRAL] == 100 and game.status(1) == OrderStatus.RECEIVED


def test_fastmed_to_a_ward_serves_its_second_day() -> None:
    game = opened()
    game.s["on_hand"][:, ICU + 1] = 0
    game.order(FASTMED, SALINE, 15, to=ICU + 1)
    game.advance()
    assert game.s["consumed"][:2, ICU, SALINE].tolist() == [0, 15]


def test_a_received_lot_expires_on_its_receipt_day_plus_shelf_life() -> None:
    game = opened()
    game.order(MEDLINE, PLT, 4)
    game.advance()
    assert game.s["lot_expiry"][int(game.s["lot_count"]) - 1] == 3 + 5


def test_an_expedited_order_is_dearer_a_day_faster_and_waits_for_its_reason() -> None:
    game = opened()
    placed = game.order(MEDLINE, GLOVE, 10, expedited=True)
    assert (placed["a"], placed["b"]) == (10 * 1080, 0)
    game.s["on_hand"][game.s["lot_sku"] == GLOVE] = 0
    assert game.justify(1, **TRUE_CLAIM)["b"] == 2
    assert game.order(FASTMED, GLOVE, 1, expedited=True)["ok"]
    assert game.justify(2, **TRUE_CLAIM)["b"] == 2  # never today


def test_an_expedited_order_above_the_gate_needs_both_tickets() -> None:
    game = opened()
    game.s["on_hand"][game.s["lot_sku"] == GLOVE] = 0
    game.order(MEDLINE, GLOVE, 1000, expedited=True)
    assert game.approve(1, **TRUE_CLAIM)["b"] == 0
    assert game.status(1) == OrderStatus.WAITING
    assert game.justify(1, **TRUE_CLAIM)["b"] == 2


@pytest.mark.parametrize(
    "day, supplier, expedited, due",
    [(3, MEDLINE, False, 8), (3, MEDLINE, True, 7), (3, BACKUP, False, 5), (5, MEDLINE, False, 10), (7, MEDLINE, False, 9)],
)
def test_a_disruption_lengthens_medlines_lead_time_for_four_days(day: int, supplier: int, expedited: bool, due: int) -> None:
    game = opened((Event.SUPPLIER_DISRUPTION, 3))
    game.to_day(day)
    placed = game.order(supplier, GLOVE, 10, expedited=expedited)
    if expedited:
        placed = game.justify(1, claimed_supplier=1)
    assert placed["b"] == due


def test_a_disruption_that_begins_on_an_even_day_is_met_the_next_morning() -> None:
    game = opened((Event.SUPPLIER_DISRUPTION, 4))
    game.to_day(3)
    assert game.order(MEDLINE, GLOVE, 10)["b"] == 5
    game.to_day(7)
    assert game.order(MEDLINE, GLOVE, 10)["b"] == 12


@pytest.mark.parametrize("supplier, ok", [(MEDLINE, False), (FASTMED, True)])
def test_an_order_that_cannot_arrive_by_the_last_day_is_refused(supplier: int, ok: bool) -> None:
    game = opened()
    game.to_day(15)
    placed = game.order(supplier, GLOVE, 10)
    assert bool(placed["ok"]) == ok
    assert placed["refusal"] == (Refusal.NONE if ok else Refusal.ARRIVES_TOO_LATE)


def test_thirty_orders_a_round() -> None:
    game = opened()
    for _ in range(30):
        assert game.order(MEDLINE, GLOVE, 1)["ok"]
    assert game.order(MEDLINE, GLOVE, 1)["refusal"] == Refusal.ORDERS_USED_UP
    game.to_day(3)
    assert game.order(MEDLINE, GLOVE, 1)["ok"]


@pytest.mark.parametrize(
    "fields, refusal",
    [
        ({"supplier": 3}, Refusal.UNKNOWN_SUPPLIER),
        ({"sku": 10}, Refusal.UNKNOWN_SKU),
        ({"sku": -1}, Refusal.UNKNOWN_SKU),
        ({"location": 4}, Refusal.UNKNOWN_LOCATION),
        ({"location": GENERAL + 1, "sku": PLT}, Refusal.NOT_A_LINE),
        ({"quantity": 0}, Refusal.QUANTITY_OUT_OF_RANGE),
        ({"quantity": 10**6 + 1}, Refusal.QUANTITY_OUT_OF_RANGE),
        ({"option": 2}, Refusal.ILLEGAL_OPTION),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(fields: dict[str, int], refusal: Refusal) -> None:
    game = opened()
    call = {"supplier": 0, "sku": GLOVE, "location": 0, "quantity": 5, **fields}
    assert game.do(Kind.SUBMIT_PO, **call)["refusal"] == refusal


def test_a_supplier_sells_what_it_sells() -> None:
    suppliers = {
        "MEDLINE": {"lead_time_days": 2, "price_percent": 100, "sells": "all"},
        "BACKUP-B": {"lead_time_days": 2, "price_percent": 130, "sells": ["GLOVE-001"]},
        "FASTMED": {"lead_time_days": 1, "price_percent": 140, "sells": "all"},
    }
    game = Game(quiet(suppliers=suppliers))
    game.ask()
    assert game.order(BACKUP, SALINE, 1)["refusal"] == Refusal.NOT_SOLD
    assert game.order(BACKUP, GLOVE, 1)["ok"]
