"""Evidence and verdicts: known answers."""

import pytest

from medchain.core.audit import granted
from medchain.core.words import Field, Kind, Phase, Refusal, Verdict
from tests.core.quiet import ANTIBIO, ER, GENERAL, GLOVE, ICU, PLT, RBC, SALINE, Game, quiet

APPROVE, REDUCE, DENY = Verdict.APPROVE, Verdict.REDUCE, Verdict.DENY
UNSEEN = -1


def asked(lines: dict[tuple[int, int], int] | None = None) -> Game:
    game = Game(quiet(evidence={"census_sigma": 0.0, "acuity_low": 0.0, "acuity_high": 0.0}))
    game.ask(lines)
    return game


@pytest.mark.parametrize(
    "verdict, named, wanted, estimate, units",
    [
        (APPROVE, 0, 30, 12, 30),
        (APPROVE, 5, 30, 12, 30),
        (REDUCE, 0, 30, 12, 13),  # 12.6
        (DENY, 0, 30, 12, 11),  # 11.4
        (REDUCE, 0, 30, 10, 11),  # 10.5 rounds up
        (REDUCE, 0, 9, 12, 9),  # never above the request
        (DENY, 0, 30, 0, 1),  # at least one
        (DENY, 8, 30, 12, 8),  # an arbiter may name a quantity
        (DENY, 2, 30, 12, 6),  # from half the estimate
        (DENY, 2, 30, 13, 7),  # 6.5 rounds into the range
        (REDUCE, 99, 30, 12, 13),  # to 1.10 times the estimate: 13.2
        (REDUCE, 99, 10, 12, 10),  # or the request
        (REDUCE, 5, 30, 0, 1),
    ],
)
def test_what_a_verdict_grants(verdict: Verdict, named: int, wanted: int, estimate: int, units: int) -> None:
    assert granted(verdict, named, wanted, estimate) == units


def test_a_disclosure_shows_patients_and_acuity() -> None:
    game = asked()
    game.s["need"][0:2, ICU, RBC] = 9, 12  # usual: 6 a day
    assert game.evidence(ICU, RBC)["number"] == 1
    assert game.evidence(GENERAL, GLOVE)["number"] == 2
    view = game.session.view(0)[0]
    assert view["patients"][ICU, RBC] == 32  # 18 x 21/12 = 31.5
    assert view["acuity"][ICU, RBC] == 850_000
    assert view["patients"][GENERAL, GLOVE] == 36
    assert view["acuity"][GENERAL, GLOVE] == 255_000
    assert view["patients"][ER, RBC] == UNSEEN and view["acuity"][ER, RBC] == UNSEEN


@pytest.mark.parametrize("field, patients", [(Field.NONE, 18), (Field.CENSUS, UNSEEN), (Field.RECENT_ACTUALS, 18)])
def test_a_ward_may_redact_one_field(field: Field, patients: int) -> None:
    game = asked()
    game.evidence(ICU, RBC, redacted=field)
    view = game.session.view(0)[0]
    assert (view["patients"][ICU, RBC], view["redacted"][ICU, RBC]) == (patients, field)
    assert view["acuity"][ICU, RBC] == 850_000


def test_asking_a_line_again_returns_the_same_disclosure_free() -> None:
    game = asked()
    game.evidence(ICU, RBC)
    again = game.evidence(ICU, RBC)
    assert (again["number"], game.s["spent_on_audit"], game.s["evidence_count"]) == (1, 5_000, 1)
    assert game.session.view(0)["evidence_left"][0] == 7


def test_eight_disclosures_and_three_reviews_a_round() -> None:
    game = asked()
    lines = [(w, k) for w in range(3) for k in (RBC, SALINE, ANTIBIO)]
    for line in lines[:8]:
        assert game.evidence(*line)["ok"]
    assert game.evidence(*lines[8])["refusal"] == Refusal.EVIDENCE_USED_UP
    for line in lines[:3]:
        game.review(*line, APPROVE)
    refused = game.do(Kind.ESCALATE_TO_CLINICAL_REVIEW, ward=ER, sku=SALINE)
    assert refused["refusal"] == Refusal.REVIEWS_USED_UP
    assert game.s["spent_on_audit"] == 8 * 5_000 + 3 * 10_000
    game.to_day(3)
    assert game.evidence(*lines[8])["number"] == 9
    assert game.review(ICU, RBC, APPROVE) == 12


@pytest.mark.parametrize("line, refusal", [((ICU, RBC), Refusal.ALREADY_REVIEWED), ((ER, SALINE), Refusal.NOT_REQUESTED)])
def test_a_line_is_reviewed_once_and_only_if_it_asked(line: tuple[int, int], refusal: Refusal) -> None:
    game = asked({(ER, SALINE): 0})
    game.review(ICU, RBC, APPROVE)
    assert game.do(Kind.ESCALATE_TO_CLINICAL_REVIEW, ward=line[0], sku=line[1])["refusal"] == refusal


def test_reviews_come_before_the_plan_evidence_may_come_after() -> None:
    game = asked()
    game.plan({})
    refused = game.do(Kind.ESCALATE_TO_CLINICAL_REVIEW, ward=ICU, sku=RBC)
    assert refused["refusal"] == Refusal.PLAN_ALREADY_COMMITTED
    assert game.evidence(ICU, RBC)["ok"]


def test_only_lines_can_be_audited() -> None:
    game = asked()
    for kind in (Kind.REQUEST_EVIDENCE, Kind.ESCALATE_TO_CLINICAL_REVIEW):
        assert game.do(kind, ward=GENERAL, sku=PLT)["refusal"] == Refusal.NOT_A_LINE
        assert game.do(kind, ward=3, sku=PLT)["refusal"] == Refusal.UNKNOWN_WARD
        assert game.do(kind, ward=ICU, sku=10)["refusal"] == Refusal.UNKNOWN_SKU


def test_a_plan_cites_disclosures_of_its_round() -> None:
    game = asked()
    game.evidence(ICU, RBC)
    game.plan({}, cites=1)
    assert game.s["cited"].sum() == 1 and game.s["cited"][0, ICU, RBC] == 1
    game.to_day(3)
    game.plan({}, cites=1)
    assert game.s["cited"].sum() == 1


def test_the_arbiter_sees_the_line_and_its_chart_review() -> None:
    game = asked({(ER, RBC): 20})
    game.evidence(ER, RBC)
    game.do(Kind.ESCALATE_TO_CLINICAL_REVIEW, ward=ER, sku=RBC)
    view = game.session.view(4)[0]
    seen = {name: int(view[name]) for name in ("asked_ward", "asked_sku", "request", "estimate", "usual", "patients")}
    assert seen == {"asked_ward": ER, "asked_sku": RBC, "request": 20, "estimate": 12, "usual": 12, "patients": 13}
    assert view["phase"] == Phase.VERDICT


def test_chart_noise_blurs_the_estimate() -> None:
    game = Game(quiet(arbiter={"noise_sigma": 0.3}), seed=5)
    game.ask()
    found = set()
    for w, k in [(ICU, GLOVE), (ER, GLOVE), (GENERAL, GLOVE)]:
        game.do(Kind.ESCALATE_TO_CLINICAL_REVIEW, ward=w, sku=k)
        view = game.session.view(4)[0]
        found.add(float(view["estimate"] / view["usual"]))
        game.do(Kind.RULE, option=APPROVE)
    assert len(found) == 3 and 0 < min(found) < max(found) < 2.2
