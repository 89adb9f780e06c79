"""Sharing what central has: known answers."""

from collections.abc import Mapping

import numpy as np
import pytest

from medchain.core.allocation import share
from medchain.core.params import new_params
from medchain.core.words import CENTRAL, Kind, Refusal, Verdict
from tests.core.quiet import ER, FFP, GENERAL, GLOVE, ICU, OXY, PLT, RBC, SALINE, Game, quiet


def shared(rule: str, plan: list[int], stock: int) -> list[int]:
    row = np.array(plan, np.int64)
    share(new_params(quiet(allocation_rule=rule))[0], RBC, stock, row, np.zeros_like(row))
    return row.tolist()


@pytest.mark.parametrize(
    "plan, stock, got",
    [
        ([50, 30, 20], 100, [50, 30, 20]),
        ([50, 30, 20], 10, [5, 3, 2]),
        ([10, 0, 5], 7, [5, 0, 2]),  # 4.67 and 2.33: the larger remainder is rounded up
        ([1, 1, 1], 2, [1, 1, 0]),  # equal remainders: the earlier wards
        ([0, 3, 6], 5, [0, 2, 3]),  # 1.67 and 3.33
        ([7, 7, 7], 0, [0, 0, 0]),
        ([0, 0, 0], 9, [0, 0, 0]),
    ],
)
def test_proportional_shares_by_largest_remainder(plan: list[int], stock: int, got: list[int]) -> None:
    assert shared("proportional", plan, stock) == got


@pytest.mark.parametrize(
    "plan, stock, got",
    [
        ([10, 2, 10], 12, [5, 2, 5]),
        ([10, 2, 10], 13, [6, 2, 5]),
        ([9, 9, 9], 2, [1, 1, 0]),
        ([0, 9, 1], 6, [0, 5, 1]),
    ],
)
def test_uniform_gives_every_ward_the_same_up_to_its_plan(plan: list[int], stock: int, got: list[int]) -> None:
    assert shared("uniform", plan, stock) == got


@pytest.mark.parametrize("plan, stock, got", [([5, 5, 5], 12, [5, 5, 2]), ([5, 5, 5], 4, [4, 0, 0])])
def test_priority_serves_the_icu_first(plan: list[int], stock: int, got: list[int]) -> None:
    assert shared("priority", plan, stock) == got


def scarce(central: int, sku: int = RBC) -> Game:
    """A game in which central holds so many units of a SKU."""
    game = Game()
    lot = np.flatnonzero((game.s["lot_sku"] == sku) & (game.s["on_hand"][:, CENTRAL] > 0))[0]
    game.s["on_hand"][lot, CENTRAL] = central
    return game


def allocated(game: Game, sku: int) -> list[int]:
    return game.s["allocated"][game.r, :, sku].tolist()


def test_padding_steals_when_a_sku_is_short() -> None:
    fair, padded = scarce(24), scarce(24)
    fair.ask()
    padded.ask({(GENERAL, RBC): 30})
    for game in (fair, padded):
        game.plan({(w, RBC): int(game.s["requested"][0, w, RBC]) for w in range(3)})
    assert allocated(fair, RBC) == [8, 8, 8]
    assert allocated(padded, RBC) == [
        6,
        5,
        13,
    ]  # of 24: 5.33, 5.33 and 13.33: equal remainders, the ICU is first


@pytest.mark.parametrize("lines", [{(ICU, RBC): 99, (ER, RBC): 12}])
def test_a_line_gets_at_most_its_request_or_the_verdict(lines: Mapping[tuple[int, int], int]) -> None:
    game = Game()
    game.ask({(ER, RBC): 20})
    granted = game.review(ER, RBC, Verdict.DENY)
    assert granted == 11  # 0.95 x 12 = 11.4
    game.plan({(ICU, RBC): 99, (ER, RBC): 20})
    assert allocated(game, RBC) == [12, 11, 0]  # General was left out


def test_quarantined_stock_is_not_shared() -> None:
    game = scarce(24)
    game.ask()
    game.do(Kind.QUARANTINE_LOT, sku=RBC, location=CENTRAL, lot=-1)
    game.plan({(ICU, RBC): 12})
    assert allocated(game, RBC) == [0, 0, 0]


def test_the_plan_moves_goods_at_once_and_only_once_a_round() -> None:
    game = Game()
    game.ask()
    before = game.free(SALINE, CENTRAL), game.free(SALINE, ICU + 1)
    assert game.plan({(ICU, SALINE): 40, (ER, OXY): 5})["a"] == 45
    assert (game.free(SALINE, CENTRAL), game.free(SALINE, ICU + 1)) == (before[0] - 40, before[1] + 40)
    assert game.plan({(ICU, SALINE): 1})["refusal"] == Refusal.PLAN_ALREADY_COMMITTED
    game.advance()
    game.ask()
    assert game.plan({(ICU, SALINE): 1})["ok"]


def test_without_a_plan_nothing_is_allocated() -> None:
    game = Game()
    game.advance()
    assert game.s["allocated"].sum() == 0
    assert game.s["planned"].tolist() == [0] * 8


@pytest.mark.parametrize(
    "lines, refusal",
    [({(ICU, RBC): -1}, Refusal.QUANTITY_OUT_OF_RANGE), ({(GENERAL, PLT): 1}, Refusal.NOT_A_LINE)],
)
def test_a_plan_that_cannot_be_is_refused_whole(lines: dict[tuple[int, int], int], refusal: Refusal) -> None:
    game = Game()
    game.ask()
    assert game.plan({(ER, GLOVE): 7, **lines})["refusal"] == refusal
    assert game.s["planned"][0] == 0 and game.s["allocated"].sum() == 0


def test_a_request_says_nothing_of_skus_that_the_ward_does_not_stock() -> None:
    game = Game()
    while game.s["asked_ward"] >= 0:
        reasons = np.where(game.p["demand"] > 0, 1, 77)
        assert game.do(Kind.REQUEST, quantities=2 * game.p["demand"], reasons=reasons)["ok"]
    assert game.s["reason"][0, GENERAL, FFP] == 0
    assert set(np.unique(game.s["reason"])) == {0, 1}
