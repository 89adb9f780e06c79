"""The four events and their mail: known answers on scheduled days."""

import pytest

from medchain.core.demand import is_mci_day
from medchain.core.words import Event, EventStatus, Kind, Mail
from medchain.scenario import load_scenario
from tests.core.quiet import ER, FASTMED, GENERAL, ICU, MEDLINE, PLT, SALINE, Game, quiet


def game_with(*events: tuple[Event, int]) -> Game:
    game = Game()
    game.schedule(*events)
    return game


def status(game: Game, e: int = 0) -> int:
    return int(game.session.view(0)["event_status"][0, e])


@pytest.mark.parametrize(
    "kind, seen",
    [
        (Event.MCI, {3: 0, 5: 1, 7: 2, 9: 3}),
        (Event.SUPPLIER_DISRUPTION, {3: 0, 5: 0, 7: 2, 9: 2, 11: 3}),
    ],
)
def test_status_of_an_event_of_day_six(kind: Event, seen: dict[int, int]) -> None:
    for day, expected in seen.items():
        game = game_with((kind, 6))
        game.to_day(day)
        assert status(game) == EventStatus(expected), day


def test_a_breach_counts_for_three_days_and_a_recall_until_all_is_quarantined() -> None:
    game = game_with((Event.COLD_CHAIN_BREACH, 5), (Event.PRODUCT_RECALL, 7))
    game.to_day(5)
    assert (status(game, 0), status(game, 1)) == (EventStatus.ACTIVE, EventStatus.UNKNOWN)
    game.to_day(7)
    assert (status(game, 0), status(game, 1)) == (EventStatus.ACTIVE, EventStatus.ACTIVE)
    for ward in (ICU, ER):
        game.do(Kind.QUARANTINE_LOT, sku=SALINE, location=ward + 1, lot=-1)
    assert status(game, 1) == EventStatus.ACTIVE
    game.do(Kind.QUARANTINE_LOT, sku=SALINE, location=GENERAL + 1, lot=-1)
    assert status(game, 1) == EventStatus.OVER
    game.to_day(9)
    assert status(game, 0) == EventStatus.OVER


def test_recalled_units_are_used_first_and_each_is_harm() -> None:
    game = game_with((Event.PRODUCT_RECALL, 3))
    game.ask()
    game.plan({(w, SALINE): 2 * int(game.p["demand"][w, SALINE]) for w in range(3)})
    game.to_day(3)
    lot = int(game.s["recall_lot"][0])
    assert game.s["on_hand"][lot].tolist() == [0, 30, 30, 30]
    assert game.s["injected"][SALINE] == 90
    assert game.do(Kind.QUARANTINE_LOT, sku=SALINE, location=ICU + 1, lot=lot)["a"] == 30
    game.advance()
    # ICU is safe; ER uses 20 a day, General 40: all 30 bad ones in each go first.
    assert game.s["recalled_used"][0] == 60
    assert game.s["consumed"][2:4, :, SALINE].tolist() == [[20, 20, 40], [20, 20, 40]]
    assert game.s["on_hand"][lot].tolist() == [0, 30, 0, 0]


def test_a_second_recall_is_a_lot_of_its_own() -> None:
    game = game_with((Event.PRODUCT_RECALL, 3), (Event.PRODUCT_RECALL, 5))
    game.to_day(5)
    first, second = (int(game.s["recall_lot"][e]) for e in range(2))
    assert first != second
    view = game.session.view(0)[0]
    assert (view["lot_recall"][first], view["lot_recall"][second]) == (1, 2)


def test_quarantine_of_everything_stops_the_recall_too() -> None:
    game = game_with((Event.PRODUCT_RECALL, 3))
    game.to_day(3)
    for ward in range(3):
        game.do(Kind.QUARANTINE_LOT, sku=SALINE, location=ward + 1, lot=-1)
    game.advance()
    assert game.s["recalled_used"][0] == 0
    assert game.s["consumed"][2:4, :, SALINE].sum() == 0


def test_a_breach_quarantines_the_platelets_that_are_in_the_icu() -> None:
    game = game_with((Event.COLD_CHAIN_BREACH, 3))
    game.ask()
    game.order(MEDLINE, PLT, 6, to=ICU + 1)
    game.order(MEDLINE, PLT, 6, to=ER + 1)
    game.order(FASTMED, PLT, 5, to=ICU + 1)  # comes on day 2, is waste before the breach
    game.to_day(3)
    assert (game.free(PLT, ICU + 1), game.free(PLT, ER + 1)) == (0, 6)
    game.plan({(ICU, PLT): 4})
    game.advance()
    assert game.s["consumed"][2:4, ICU, PLT].tolist() == [3, 1]  # what came later is usable
    assert game.s["consumed"][2:4, ER, PLT].tolist() == [3, 3]
    assert game.s["discarded"][PLT] == 6 + 5  # the quarantined six and FASTMED's five


@pytest.mark.parametrize(
    "kind, day, warned, told",
    [
        (Event.MCI, 4, 3, 5),
        (Event.MCI, 5, 5, 5),
        (Event.MCI, 2, 1, 3),
        (Event.SUPPLIER_DISRUPTION, 4, None, 5),
        (Event.PRODUCT_RECALL, 5, None, 5),
        (Event.COLD_CHAIN_BREACH, 5, None, 5),
    ],
)
def test_mail_is_there_on_the_morning_after_it_was_sent(kind: Event, day: int, warned: int | None, told: int) -> None:
    """The coordinator reads at a round's opening: a warning of the day before, a message of the day itself."""
    game = game_with((kind, day))
    game.s["mail"] = Mail.ABSENT
    game.advance()  # the first morning was over when the schedule was written
    while game.s["day"] <= 7:
        now = int(game.s["day"])
        mail = game.s["mail"][0].tolist()
        assert mail[1] == (Mail.UNREAD if now >= told else Mail.ABSENT)
        if warned is None or warned > 1 or now > 1:
            assert mail[0] == (Mail.UNREAD if warned is not None and now >= warned else Mail.ABSENT)
        game.advance()


def test_reading_marks_what_it_shows() -> None:
    game = game_with((Event.MCI, 4), (Event.SUPPLIER_DISRUPTION, 3))
    game.to_day(5)
    mci, warning, disruption = 1 << 1, 1 << 0, 1 << 3
    assert game.do(Kind.READ_INBOX, option=2)["a"] == mci | warning  # flagged: urgent ones
    assert game.s["mail"][:2].tolist() == [[Mail.READ, Mail.READ], [Mail.ABSENT, Mail.UNREAD]]
    assert game.do(Kind.READ_INBOX, option=0)["a"] == disruption
    assert game.do(Kind.READ_INBOX, option=0)["a"] == 0
    assert game.do(Kind.READ_INBOX, option=1)["a"] == mci | warning | disruption
    assert game.do(Kind.READ_INBOX, option=3)["ok"] == 0


def test_a_briefing_reads_the_mail_too() -> None:
    game = game_with((Event.SUPPLIER_DISRUPTION, 3))
    game.to_day(3)
    assert game.do(Kind.GET_ROUND_BRIEFING)["a"] == 1 << 1
    assert game.s["mail"][0, 1] == Mail.READ and game.s["briefings"][1] == 1


def test_an_mci_lasts_three_days() -> None:
    game = game_with((Event.MCI, 6))
    assert [day for day in range(1, 17) if is_mci_day(game.s, game.p, day)] == [6, 7, 8]


def test_the_budget_grows_by_event_and_twice_by_mci() -> None:
    for seed in range(20):
        game = Game(load_scenario("heavy"), seed)
        kinds = game.s["event_type"][: int(game.s["event_count"])].tolist()
        assert game.s["limit"] == 6_000_000 + 500_000 * (len(kinds) + kinds.count(Event.MCI))
    assert Game(quiet()).s["limit"] == 6_000_000
