"""What the views hold after moves whose outcome is known."""

import numpy as np

from medchain.core.words import EVERY, Event, Kind, OrderStatus, Phase, Verdict
from tests.core.quiet import ER, FASTMED, GENERAL, GLOVE, ICU, MEDLINE, PLT, RBC, SALINE, Game, quiet

HISTORY = 8
"""Rounds before the episode."""


def test_the_coordinator_sees_requests_once_every_ward_has_asked() -> None:
    game = Game()
    for ward in range(3):
        view = game.session.view(0)[0]
        assert view["phase"] == -1 and view["requested"].sum() == 0 and view["most_allowed"].sum() == 0, ward
        game.do(Kind.REQUEST, quantities=2 * game.p["demand"], reasons=2 * (game.p["demand"] > 0))
    view = game.session.view(0)[0]
    assert view["phase"] == Phase.COORDINATE
    assert (view["requested"] == 2 * game.p["demand"]).all()
    assert (view["reason"] == 2 * (game.p["demand"] > 0)).all()


def test_what_is_left_of_calls_orders_evidence_and_reviews() -> None:
    game = Game()
    game.ask({(ER, RBC): 20})
    game.order(MEDLINE, GLOVE, 5)
    game.evidence(ER, RBC)
    granted = game.review(ER, RBC, Verdict.REDUCE)
    view = game.session.view(0)[0]
    left = [int(view[f"{what}_left"]) for what in ("calls", "orders", "evidence", "reviews")]
    assert left == [57, 29, 7, 2]
    assert view["most_allowed"][ER, RBC] == granted == 13
    assert view["verdict"][ER, RBC] == Verdict.REDUCE and view["requested"][ER, RBC] == 20
    assert (view["committed"], view["spent"]) == (4_500, 15_000)
    assert view["headroom"] == view["limit"] - 19_500


def test_a_closed_round_becomes_history() -> None:
    game = Game()
    game.ask()
    game.plan({(ICU, GLOVE): 30})
    game.advance(2)
    view = game.session.view(0)[0]
    past = [
        view[f"past_{what}"][HISTORY : HISTORY + 3, ICU, GLOVE].tolist() for what in ("requested", "allocated", "consumed")
    ]
    assert past == [[50, 50, 0], [30, 0, 0], [50, 30, 0]]
    assert view["past_short"][HISTORY : HISTORY + 3, ICU, GLOVE].tolist() == [0, 1, 0]
    assert (view["past_requested"][:HISTORY] == game.s["past_requested"]).all()


def test_history_before_round_one_is_there_from_the_start() -> None:
    game = Game()
    assert (game.session.view(0)["past_consumed"][0, :HISTORY] == game.s["past_consumed"]).all()
    assert (game.session.view(ER + 1)["past_consumed"][0, :HISTORY] == game.s["past_consumed"][:, ER]).all()


def test_a_scan_without_noise_is_exact_and_live() -> None:
    game = Game(quiet(wms_noise=0.0))
    game.ask()
    game.plan({(ICU, SALINE): 40})
    game.do(Kind.QUARANTINE_LOT, sku=SALINE, location=ER + 1, lot=EVERY)
    view = game.session.view(0)[0]
    assert (view["scan"] == game.s["on_hand"] - game.s["quarantined"]).all()
    assert (view["quarantined"] == game.s["quarantined"]).all()
    assert not (view["scan"] == view["erp"]).all()


def test_scan_noise_is_drawn_per_round_location_and_lot() -> None:
    game = Game(seed=3)
    first = game.session.view(0)["scan"][0]
    assert 0 < np.abs(first - game.s["on_hand"]).max() <= 0.05 * game.s["on_hand"].max() + 0.5
    noise = {round(float(first[i, x] / game.s["on_hand"][i, x]), 3) for i, x in np.argwhere(game.s["on_hand"] > 200)}
    assert len(noise) > 3
    game.advance()
    assert not (game.session.view(0)["scan"][0] == first).all()


def test_orders_and_lead_times() -> None:
    game = Game()
    game.schedule((Event.SUPPLIER_DISRUPTION, 3))
    game.to_day(3)
    game.order(FASTMED, PLT, 4, to=ICU + 1)
    view = game.session.view(0)[0]
    assert view["lead_time"].tolist() == [5, 2, 1] and view["disrupted"] == 1
    assert view["order_count"] == 1 and view["order_due_day"][0] == 4
    assert (view["order_destination"][0], view["order_status"][0]) == (ICU + 1, OrderStatus.IN_TRANSIT)
    game.to_day(7)
    assert game.session.view(0)["lead_time"][0].tolist() == [2, 2, 1]


def test_a_ward_sees_its_own_lines() -> None:
    game = Game()
    game.s["need"][:2, GENERAL, RBC] = 3, 4
    view = game.session.view(GENERAL + 1)[0]
    assert view["phase"] == -1 and view["ward"] == GENERAL
    assert (view["need"][RBC], view["most"][RBC], view["stock"][RBC]) == (7, 18, 12)
    assert view["need"][PLT] == 0 and view["stock"][PLT] == 0
    assert (view["pressure"], view["reputation"]) == (7000, 5000)
    assert game.session.view(ICU + 1)["phase"][0] == Phase.REQUEST


def test_who_is_asked_by_a_tool_sees_for_which_line() -> None:
    game = Game()
    game.ask()
    game.do(Kind.REQUEST_EVIDENCE, ward=ER, sku=RBC)
    asked, other = game.session.view(ER + 1)[0], game.session.view(ICU + 1)[0]
    assert (asked["phase"], asked["asked_sku"]) == (Phase.DISCLOSE, RBC)
    assert (other["phase"], other["asked_sku"]) == (-1, -1)
    assert game.session.view(0)["phase"][0] == -1


def test_the_arbiter_sees_nothing_of_a_line_that_is_not_under_review() -> None:
    game = Game()
    game.ask()
    view = game.session.view(4)[0]
    assert view["phase"] == -1 and view["asked_ward"] == -1
    assert view["request"] == view["estimate"] == 0 and view["past_requested"].sum() == 0


def test_everyone_sees_the_end() -> None:
    game = Game()
    game.advance(8)
    assert [int(game.session.view(agent)["phase"][0]) for agent in range(5)] == [Phase.ENDED] * 5
    assert (game.session.view(0)["past_requested"][0, HISTORY:] == game.s["requested"]).all()
