"""The table of section 9, row by row. Medium opens with pressure 0.15, 0.50, 0.70; 1.0 is 10,000."""

from collections.abc import Callable

import pytest

from medchain.core.words import Field, Verdict
from tests.core.quiet import ANTIBIO, ER, FFP, GENERAL, ICU, PLT, RBC, SALINE, Game, quiet

APPROVE, REDUCE, DENY = Verdict.APPROVE, Verdict.REDUCE, Verdict.DENY
PADDED = {(ER, RBC): 20, (ER, PLT): 10, (ER, FFP): 14, (ER, SALINE): 60}


def trust(game: Game, w: int) -> tuple[int, int]:
    return int(game.s["pressure"][w]), int(game.s["reputation"][w])


def after_round_one(play: Callable[[Game], object], asked: dict[tuple[int, int], int] | None = None) -> Game:
    """Opening stock serves round 1 fully, so that only what `play` does moves trust."""
    game = Game()
    game.ask(asked)
    play(game)
    game.advance()
    return game


def test_a_quiet_round_moves_nothing() -> None:
    game = after_round_one(lambda game: None)
    assert [trust(game, w) for w in range(3)] == [(1500, 5000), (5000, 5000), (7000, 5000)]


@pytest.mark.parametrize(
    "verdicts, fall",
    [
        ({RBC: REDUCE}, 1200),
        ({RBC: DENY}, 1800),
        ({RBC: REDUCE, PLT: REDUCE}, 1400),
        ({RBC: REDUCE, PLT: REDUCE, FFP: REDUCE}, 1600),
        ({RBC: REDUCE, PLT: DENY}, 2000),
        ({RBC: DENY, PLT: DENY, FFP: DENY}, 2000),
        ({RBC: APPROVE}, 0),  # a pardon
    ],
)
def test_padding_caught_by_a_verdict(verdicts: dict[int, Verdict], fall: int) -> None:
    game = after_round_one(lambda game: [game.review(ER, k, v) for k, v in verdicts.items()], PADDED)
    reputation = 8500 * 3000 // 10_000 + 750 if fall else 5000
    assert trust(game, ER) == (5000 - fall + fall * 5 // 100, reputation)
    assert trust(game, ICU) == (1500, 5000)


def test_cutting_an_honest_line_is_not_catching_it() -> None:
    game = after_round_one(lambda game: game.review(ER, RBC, DENY))
    assert trust(game, ER) == (5000, 5000)


@pytest.mark.parametrize("units, caught", [(44, False), (45, True)])
def test_padded_is_above_ten_percent_more_than_needed(units: int, caught: bool) -> None:
    """ER needs 40 bags of saline: 44 is 1.10 times that."""
    game = after_round_one(lambda game: game.review(ER, SALINE, REDUCE), {(ER, SALINE): units})
    assert (trust(game, ER)[0] < 5000) == caught


@pytest.mark.parametrize("units, rise", [(12, 0), (13, 88), (20, 88)])
def test_padding_paid(units: int, rise: int) -> None:
    """1.05 x 12 = 12.6; one of ER's nine lines: 0.08/9."""
    game = after_round_one(lambda game: game.plan({(ER, RBC): units}), PADDED)
    assert trust(game, ER)[0] == 5000 + rise - (rise * 5 + 99) // 100


def test_an_honest_line_is_never_padding_paid() -> None:
    game = after_round_one(lambda game: game.plan({(ER, RBC): 13}), {(ER, RBC): 13})  # 1.10 x 12 = 13.2
    assert trust(game, ER)[0] == 5000


def test_ran_short() -> None:
    game = Game()
    game.advance(2)  # nobody plans: round 2 has nothing at all
    assert trust(game, ICU) == (1500 + 600 - 30, 5000)
    assert trust(game, GENERAL) == (7000 + 600 - 30, 5000)


def test_ran_short_by_share_of_line_days() -> None:
    game = Game()
    game.to_day(3)
    game.plan({(ICU, k): 2 * int(game.p["demand"][ICU, k]) for k in range(10) if k != ANTIBIO})
    game.s["need"][2, ICU, SALINE] = 0
    game.s["need"][3, ICU, SALINE] = 41  # one of 40 units missing on one day
    game.advance()
    share = (2 + 1) / 16
    assert trust(game, ICU)[0] == pytest.approx(1500 + 0.95 * 600 * share, abs=2)


@pytest.mark.parametrize("lines", [[RBC], [RBC, PLT]])
def test_reviewed_though_honest_and_approved(lines: list[int]) -> None:
    """Once a round, however many lines."""
    game = after_round_one(lambda game: [game.review(ER, k, APPROVE) for k in lines])
    assert trust(game, ER) == (5000 + 300 - 15, 8500 * 5500 // 10_000 + 750)


def test_a_rationale_cited_its_evidence() -> None:
    def play(game: Game) -> None:
        game.evidence(ER, RBC)
        game.plan({}, cites=1)

    game = after_round_one(play)
    assert trust(game, ER) == (5000 - 700 + 35, round(0.85 * 5700) + 750)
    assert trust(game, ICU) == (1500, 5000)


@pytest.mark.parametrize(
    "fields, moved",
    [
        ([Field.NONE], 200),
        ([Field.CENSUS], -500),
        ([Field.RECENT_ACTUALS, Field.CENSUS], -500),
        ([Field.NONE, Field.CENSUS], -300),
    ],
)
def test_disclosing_and_redacting(fields: list[Field], moved: int) -> None:
    game = after_round_one(lambda game: [game.evidence(ER, k, f) for k, f in enumerate(fields)])
    assert trust(game, ER) == (5000, 5000 + round(0.85 * moved))


def test_trust_stays_within_zero_and_one_and_comes_home() -> None:
    game = Game(quiet(trust={"caught_pressure": 1.0, "caught_pressure_most": 1.0, "caught_reputation": 1.0}))
    game.ask(PADDED)
    game.review(ER, RBC, REDUCE)
    game.advance()
    assert trust(game, ER) == (250, 750)  # both 0, then 5 % of the way to 0.5, and one decay of reputation
    assert game.s["round"] == 2


def test_reputation_fades_at_each_opening() -> None:
    game = Game()
    game.s["reputation"][:] = 9000, 5000, 0
    game.advance()
    assert game.s["reputation"].tolist() == [8400, 5000, 750]


def test_a_ward_that_stocks_nothing_has_no_deeds() -> None:
    data = quiet().model_dump()
    for sku in data["skus"].values():
        sku["demand_per_day"].pop("ward_er", None)
    game = Game(quiet(skus=data["skus"]))
    game.advance(3)
    assert trust(game, ER) == (5000, 5000)
