"""The budget and the approval gate: known answers."""

import pytest

from medchain.core.words import Kind, OrderStatus, Refusal, Ticket
from tests.core.quiet import (
    BACKUP,
    ER,
    FASTMED,
    ICU,
    MEDLINE,
    PLT,
    RBC,
    SALINE,
    TRUE_CLAIM,
    Game,
    quiet,
)

GATE = 1_000_000
"""Cents."""


def game_with_money(cents: int = 20_000_000) -> Game:
    game = Game(quiet(finance={"budget_cents": cents}))
    game.ask()
    return game


def test_the_order_that_crosses_the_gate_waits_and_so_does_each_later_one() -> None:
    game = game_with_money()
    assert game.order(MEDLINE, PLT, 22)["b"] == 3  # $9,900
    crossing, later = game.order(MEDLINE, PLT, 1), game.order(MEDLINE, PLT, 1)
    assert (crossing["b"], later["b"]) == (0, 0)
    assert game.s["order_approval"][:3].tolist() == [Ticket.NONE, Ticket.OPEN, Ticket.OPEN]
    assert game.s["tickets"] == 2


def test_ten_thousand_dollars_sharp_pass() -> None:
    game = game_with_money()
    assert game.order(MEDLINE, SALINE, GATE // 900)["b"] == 3
    exactly = Game(quiet(finance={"budget_cents": 20_000_000, "gate_cents": 900_000}))
    exactly.ask()
    assert exactly.order(MEDLINE, SALINE, 1000)["b"] == 3
    assert exactly.order(MEDLINE, SALINE, 1)["b"] == 0


def test_the_total_runs_over_one_supplier_one_sku_one_round() -> None:
    game = game_with_money()
    game.order(MEDLINE, PLT, 22)
    assert game.order(BACKUP, PLT, 17)["b"] == 3  # another supplier: $9,945
    assert game.order(MEDLINE, RBC, 45)["b"] == 3  # another SKU: $9,900
    game.to_day(3)
    assert game.order(MEDLINE, PLT, 22)["b"] == 5  # another round


def test_a_cancelled_order_leaves_the_running_total() -> None:
    game = game_with_money()
    big = game.order(MEDLINE, PLT, 23)
    game.approve(int(big["number"]))
    assert game.order(MEDLINE, PLT, 22)["b"] == 3


def test_a_waiting_order_holds_its_money_and_an_unsound_filing_frees_it() -> None:
    game = game_with_money(2_000_000)
    waiting = game.order(MEDLINE, PLT, 40)
    assert game.s["committed"] == waiting["a"] == 1_800_000
    short = game.order(MEDLINE, RBC, 10)
    assert (short["refusal"], short["a"], short["b"]) == (Refusal.BUDGET_EXCEEDED, 220_000, 200_000)
    filed = game.approve(int(waiting["number"]))
    assert filed["ok"] and filed["a"] == 0
    assert (game.s["committed"], game.s["unsound"], game.status(1)) == (0, 1, OrderStatus.CANCELLED)
    assert game.approve(1)["refusal"] == Refusal.TICKET_CLOSED


def test_an_approval_filed_a_round_later_arrives_a_round_later() -> None:
    prompt, late = game_with_money(), game_with_money()
    for game in (prompt, late):
        game.s["on_hand"][game.s["lot_sku"] == PLT] = 0
        assert game.order(MEDLINE, PLT, 40)["b"] == 0
    assert prompt.approve(1, **TRUE_CLAIM)["b"] == 3
    late.to_day(3)
    assert late.approve(1, **TRUE_CLAIM)["b"] == 5
    assert (prompt.s["approved_at_once"], late.s["approved_at_once"]) == (1, 0)


def test_an_approval_that_comes_too_late_is_refused_and_changes_nothing() -> None:
    game = game_with_money()
    game.to_day(13)
    game.order(MEDLINE, PLT, 40)
    game.to_day(15)
    filed = game.approve(1, **TRUE_CLAIM)
    assert (filed["refusal"], filed["a"], filed["b"]) == (Refusal.ARRIVES_TOO_LATE, 17, 16)
    assert game.status(1) == OrderStatus.WAITING and game.s["system_used"].sum() == 0


def test_committed_money_is_spent_when_the_goods_come() -> None:
    game = game_with_money()
    cost = int(game.order(MEDLINE, RBC, 10)["a"])
    assert (game.s["committed"], game.s["spent_on_orders"]) == (cost, 0)
    game.advance()
    assert (game.s["committed"], game.s["spent_on_orders"]) == (0, cost)


def test_audit_is_paid_at_once_and_only_from_headroom() -> None:
    game = game_with_money(12_000)
    game.evidence(ICU, RBC)
    assert game.s["spent_on_audit"] == 5_000
    assert game.do(Kind.ESCALATE_TO_CLINICAL_REVIEW, ward=ER, sku=RBC)["refusal"] == Refusal.BUDGET_EXCEEDED
    game.evidence(ER, RBC)
    assert game.evidence(ER, PLT)["refusal"] == Refusal.BUDGET_EXCEEDED
    assert game.s["spent_on_audit"] == 10_000


@pytest.mark.parametrize(
    "supplier, expedited, cents",
    [(MEDLINE, False, 900), (BACKUP, False, 1170), (FASTMED, False, 1260), (MEDLINE, True, 1080), (FASTMED, True, 1512)],
)
def test_prices(supplier: int, expedited: bool, cents: int) -> None:
    game = game_with_money()
    assert game.order(supplier, SALINE, 10, expedited=expedited)["a"] == 10 * cents
