"""Whose turn it is, what happens to who cannot be understood, and how a round ends."""

import numpy as np
import pytest

from medchain.core.session import Session
from medchain.core.words import EVERY, Kind, Phase, Reason, Refusal, Verdict
from medchain.errors import ReplayError, SeedError, UnknownNameError
from medchain.scenario import load_scenario
from tests.core.quiet import ER, GLOVE, ICU, MEDLINE, RBC, SALINE, Game


def test_the_turns_of_a_round() -> None:
    game = Game()
    wards = []
    while game.session.pending().phase == Phase.REQUEST:
        wards.append(game.session.pending().agent)
        game.do(Kind.REQUEST)
    assert wards == [1, 2, 3]
    assert game.session.pending() == (0, Phase.COORDINATE, EVERY, EVERY)
    game.do(Kind.REQUEST_EVIDENCE, ward=ER, sku=RBC)
    assert game.session.pending() == (2, Phase.DISCLOSE, ER, RBC)
    game.do(Kind.DISCLOSE)
    game.do(Kind.MESSAGING_SEND_TO_WARD, ward=ICU)
    assert game.session.pending() == (1, Phase.REPLY, ICU, EVERY)
    game.do(Kind.REPLY)
    game.ask({(ER, RBC): 12})
    assert game.session.pending().agent == 0
    game.advance()
    assert game.session.pending() == (1, Phase.REQUEST, ICU, EVERY)


def test_the_arbiter_has_the_turn_in_a_review() -> None:
    game = Game()
    game.ask()
    game.do(Kind.ESCALATE_TO_CLINICAL_REVIEW, ward=ER, sku=RBC)
    assert game.session.pending() == (4, Phase.VERDICT, ER, RBC)


@pytest.mark.parametrize("kind", [Kind.NOT_UNDERSTOOD, Kind.ADVANCE_ROUND, Kind.DISCLOSE, Kind.REQUEST])
def test_a_ward_refused_three_times_asks_for_its_usual_demand(kind: Kind) -> None:
    game = Game()
    game.s["need"][:2, ICU, RBC] = 1  # usual 12, legal at most 5
    for n in range(3):
        assert game.session.pending().agent == 1
        out = game.do(kind, quantities=-1)
        assert not out["ok"] and out["forfeit"] == (n == 2)
    assert game.session.pending().agent == 2
    asked = game.s["requested"][0, ICU]
    assert asked[SALINE] == 40 and asked[RBC] == 5
    assert set(game.s["reason"][0, ICU].tolist()) == {Reason.CENSUS}
    assert game.s["forfeits"].tolist() == [0, 1, 0, 0, 0]


def test_two_refusals_and_an_answer_forfeit_nothing() -> None:
    game = Game()
    for _ in range(2):
        game.do(Kind.NOT_UNDERSTOOD)
    game.do(Kind.REQUEST)
    game.do(Kind.NOT_UNDERSTOOD)
    assert game.s["forfeits"].sum() == 0 and game.session.pending().agent == 2


@pytest.mark.parametrize(
    "call, kind",
    [
        (Kind.REQUEST_EVIDENCE, Kind.RULE),
        (Kind.ESCALATE_TO_CLINICAL_REVIEW, Kind.REPLY),
        (Kind.MESSAGING_SEND_TO_WARD, Kind.NOT_UNDERSTOOD),
    ],
)
def test_whoever_is_asked_by_a_tool_is_answered_for_too(call: Kind, kind: Kind) -> None:
    """Full disclosure, APPROVE, an empty reply."""
    game = Game()
    game.ask({(ER, RBC): 20})
    game.do(call, ward=ER, sku=RBC)
    outs = [game.do(kind) for _ in range(3)]
    assert [int(out["forfeit"]) for out in outs] == [0, 0, 1]
    assert game.session.pending().phase == Phase.COORDINATE
    if call == Kind.REQUEST_EVIDENCE:
        assert game.s["evidence"][0, ER, RBC] == 1 and game.s["redacted"].sum() == 0
    elif call == Kind.ESCALATE_TO_CLINICAL_REVIEW:
        assert game.s["verdict"][0, ER, RBC] == Verdict.APPROVE and game.s["verdict_quantity"][0, ER, RBC] == 20


def test_the_coordinator_is_never_answered_for_but_its_calls_run_out() -> None:
    game = Game()
    game.ask()
    for n in range(60):
        assert game.s["round"] == 1
        out = game.do(Kind.NOT_UNDERSTOOD)
        assert out["refusal"] == Refusal.NOT_UNDERSTOOD and out["advanced"] == (n == 59)
    assert game.s["round"] == 2 and game.s["phase"] == Phase.REQUEST and game.s["forfeits"].sum() == 0


def test_an_answer_to_the_last_call_still_counts() -> None:
    game = Game()
    game.ask()
    for _ in range(59):
        game.do(Kind.VIEW_REQUESTS)
    game.do(Kind.REQUEST_EVIDENCE, ward=ER, sku=RBC)
    assert game.session.pending().phase == Phase.DISCLOSE
    assert game.do(Kind.DISCLOSE)["advanced"] == 1
    assert game.s["evidence"][0, ER, RBC] == 1 and game.s["round"] == 2


def test_after_the_end_every_call_is_refused_and_changes_nothing() -> None:
    game = Game()
    game.advance(8)
    assert game.session.ended and game.s["day"] == 16
    over = game.session.digest()
    for kind in Kind:
        out = game.do(kind, supplier=MEDLINE, sku=GLOVE, quantity=1)
        assert out["refusal"] == Refusal.EPISODE_ENDED
    assert game.session.digest() == over


@pytest.mark.parametrize("units, ok", [(0, True), (5, True), (6, False), (-1, False)])
def test_legal_requests(units: int, ok: bool) -> None:
    game = Game()
    game.s["need"][:2, ICU, RBC] = 1, 1
    quantities = np.zeros_like(game.p["demand"])
    quantities[ICU, RBC] = units
    out = game.do(Kind.REQUEST, quantities=quantities)
    assert bool(out["ok"]) == ok
    if not ok:
        assert (out["a"], out["b"], out["c"]) == (units, 0, 5)


def test_legal_requests_are_rounded_up() -> None:
    game = Game()
    game.s["need"][:2, ICU, RBC] = 1, 0
    quantities = np.zeros_like(game.p["demand"])
    quantities[ICU, RBC] = 3  # 2.5
    assert game.do(Kind.REQUEST, quantities=quantities)["ok"]


def test_a_session_says_what_is_wrong() -> None:
    session = Session(load_scenario("light"), 1)
    with pytest.raises(UnknownNameError, match=r"agent number 5.*0 \(coordinator\)"):
        session.view(5)
    with pytest.raises(UnknownNameError):
        session.view(-1)
    with pytest.raises(ReplayError, match="3 bytes"):
        session.load(b"123")
    for seed in (-1, 2**63, 1.5, True, "7"):
        with pytest.raises(SeedError):
            session.reset(seed)  # type: ignore[arg-type]
    assert session.save() == Session(load_scenario("light"), 1).save()
