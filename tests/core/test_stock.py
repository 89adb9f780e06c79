"""A day's goods: opening stock, FEFO, expiry, quarantine, issued blood. Known answers."""

from collections import Counter

import pytest

from medchain.core.words import CENTRAL, NEVER, Kind, Refusal
from tests.core.quiet import ER, FFP, GENERAL, GLOVE, ICU, MASK, MEDLINE, OXY, PLT, RBC, SALINE, Game, quiet


def lots(game: Game, sku: int, location: int) -> dict[int, int]:
    """Units at a location by expiry day."""
    found: Counter[int] = Counter()
    for i in range(int(game.s["lot_count"])):
        if game.s["lot_sku"][i] == sku:
            found[int(game.s["lot_expiry"][i])] += int(game.s["on_hand"][i, location])
    return dict(+found)


@pytest.mark.parametrize(
    "sku, ward, central",
    [
        (RBC, {1 + 29: 12}, {1 + 33: 13 * 18}),
        (PLT, {1 + 3: 6}, {1 + 4: 13 * 6}),
        (FFP, {1 + 255: 8}, {1 + 292: 13 * 8}),
        (SALINE, {1 + 378: 40}, {1 + 432: 13 * 80}),
        (OXY, {NEVER: 16}, {NEVER: 13 * 16}),
    ],
)
def test_opening_stock_of_five_days(sku: int, ward: dict[int, int], central: dict[int, int]) -> None:
    game = Game()
    assert lots(game, sku, ICU + 1) == ward
    assert lots(game, sku, CENTRAL) == central


def test_opening_stock_is_rounded_down_but_never_nothing() -> None:
    game = Game(quiet(opening={"days_low": 0.1, "days_high": 0.1}))
    assert lots(game, RBC, ICU + 1) == {30: 1}  # 0.24
    assert lots(game, SALINE, GENERAL + 1) == {379: 1}  # 1.6
    assert lots(game, RBC, CENTRAL) == {34: 4}  # 4.68
    assert lots(game, MASK, ICU + 1) == {}


def test_the_earliest_expiry_is_used_first_and_moves_first() -> None:
    game = Game()
    game.ask()
    game.plan({(ICU, RBC): 12})
    assert lots(game, RBC, ICU + 1) == {30: 12, 34: 12}
    game.s["need"][0, ICU, RBC] = 20
    game.s["need"][1, ICU, RBC] = 0
    game.advance()
    assert game.s["consumed"][:2, ICU, RBC].tolist() == [20, 0]
    assert game.s["discarded"][RBC] == 4


def test_of_equal_expiry_the_older_lot_goes_first_and_what_is_quarantined_stays() -> None:
    game = Game()
    game.ask()
    for _ in range(2):
        game.order(MEDLINE, GLOVE, 60)
    game.to_day(3)
    lots_of_gloves = [i for i in range(int(game.s["lot_count"])) if game.s["lot_sku"][i] == GLOVE]
    _, opening, first, second = lots_of_gloves  # those of the wards come first
    game.s["on_hand"][opening, CENTRAL] = 0
    game.s["quarantined"][first, CENTRAL] = 40
    game.plan({(ICU, GLOVE): 30})
    assert game.s["on_hand"][[first, second], CENTRAL].tolist() == [40, 50]
    assert game.s["on_hand"][[first, second], ICU + 1].tolist() == [20, 10]


def test_issued_blood_does_not_keep() -> None:
    game = Game()
    game.ask()
    game.plan({(ICU, RBC): 12, (GENERAL, RBC): 12, (ICU, GLOVE): 50})
    game.advance()
    for ward in (ICU, ER, GENERAL):
        assert lots(game, RBC, ward + 1) == {}
    assert lots(game, GLOVE, ICU + 1) == {NEVER: 50}
    # Each ward used its opening 12; the 24 issued units are waste, at $220.
    assert (game.s["used"][RBC], game.s["discarded"][RBC]) == (36, 24)
    assert game.s["wasted_value"] == 24 * 22_000
    assert lots(game, RBC, CENTRAL) == {34: 13 * 18 - 24}


def test_a_lot_is_unusable_from_the_morning_of_its_expiry_day() -> None:
    """Platelets at central expire on day 5: they serve days 3 and 4 only if they are issued on day 3."""
    game = Game()
    game.to_day(3)
    assert game.free(PLT, CENTRAL) == 78
    game.plan({(ICU, PLT): 6})
    game.advance()
    assert game.s["consumed"][2:4, ICU, PLT].tolist() == [3, 3]
    assert game.free(PLT, CENTRAL) == 0
    assert game.s["expired"][PLT] == 72 and game.s["wasted_value"] == 72 * 45_000


def test_a_lot_that_expires_on_the_second_day_serves_the_first() -> None:
    """Opening platelets in the wards expire on day 4; on day 3 an untouched ward would have them, on day 4 not."""
    game = Game(quiet(opening={"ward_shelf_left": 0.2}))  # floor(0.2 x 5) = 1: expires on day 2
    assert lots(game, PLT, ICU + 1) == {2: 6}
    game.advance()
    assert game.s["consumed"][:2, ICU, PLT].tolist() == [3, 0]
    assert game.s["expired"][PLT] == 6


def test_unmet_need_is_lost() -> None:
    game = Game()
    game.advance(2)
    assert game.s["consumed"][2:4, ICU, GLOVE].tolist() == [0, 0]
    game.ask()
    game.plan({(ICU, GLOVE): 50})
    game.advance()
    assert game.s["consumed"][4:6, ICU, GLOVE].tolist() == [25, 25]
    assert lots(game, GLOVE, ICU + 1) == {}


def test_quarantine_holds_what_stands_there_now_and_later_arrivals_are_usable() -> None:
    game = Game()
    game.ask()
    assert game.do(Kind.QUARANTINE_LOT, sku=SALINE, location=ICU + 1, lot=-1)["a"] == 40
    assert (game.free(SALINE, ICU + 1), game.free(SALINE, ER + 1)) == (0, 40)
    game.plan({(ICU, SALINE): 25})
    assert game.free(SALINE, ICU + 1) == 25
    game.advance()
    assert game.s["consumed"][:2, ICU, SALINE].tolist() == [20, 5]
    assert lots(game, SALINE, ICU + 1) == {379: 40}


def test_one_lot_moves_under_its_number_and_is_held_at_one_place_only() -> None:
    game = Game()
    game.ask()
    game.plan({(ICU, SALINE): 10})
    central = next(i for i in range(20) if game.s["lot_expiry"][i] == 433 and game.s["lot_sku"][i] == SALINE)
    assert game.do(Kind.QUARANTINE_LOT, sku=SALINE, location=ICU + 1, lot=central)["a"] == 10
    assert game.free(SALINE, ICU + 1) == 40
    assert game.free(SALINE, CENTRAL) == 13 * 80 - 10


def test_quarantined_stock_expires_and_is_waste() -> None:
    game = Game()
    game.ask()
    game.do(Kind.QUARANTINE_LOT, sku=PLT, location=CENTRAL, lot=-1)
    game.to_day(5)
    assert game.s["expired"][PLT] == 78
    assert game.s["on_hand"][game.s["lot_sku"] == PLT].sum() == 0


@pytest.mark.parametrize(
    "fields, refusal",
    [
        ({"lot": 0}, Refusal.UNKNOWN_LOT),  # red cells
        ({"lot": 20}, Refusal.UNKNOWN_LOT),
        ({"lot": -2}, Refusal.UNKNOWN_LOT),
        ({"location": 4}, Refusal.UNKNOWN_LOCATION),
        ({"sku": MASK, "location": ICU + 1}, Refusal.NOTHING_TO_QUARANTINE),
    ],
)
def test_a_quarantine_of_nothing_is_refused(fields: dict[str, int], refusal: Refusal) -> None:
    game = Game()
    game.ask()
    assert game.do(Kind.QUARANTINE_LOT, **{"sku": SALINE, "location": CENTRAL, "lot": -1, **fields})["refusal"] == refusal


def test_erp_shows_the_opening_of_the_round_before() -> None:
    game = Game()
    opening = game.s["on_hand"].copy()
    game.ask()
    game.plan({(ICU, SALINE): 40})
    assert (game.s["erp_before"] == opening).all()
    game.advance()
    assert (game.s["erp_before"] == opening).all()
    second = game.s["on_hand"].copy()
    assert not (second == opening).all()
    game.advance()
    assert (game.s["erp_before"] == second).all()
