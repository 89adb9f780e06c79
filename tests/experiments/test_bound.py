"""The bound on the score: tiny hospitals worked by hand, laws, and no policy above it."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.bound import bound, bound_for, cheapest_prices
from medchain.core.params import new_params
from medchain.core.record import new_episodes
from medchain.core.session import Session
from medchain.core.words import CENTRAL, NEVER, Event, Kind, Origin, Phase
from medchain.reward.components import waste_control
from medchain.reward.formula import breakdown
from medchain.scenario import DIFFICULTIES, Scenario, load_scenario
from policies.roster import coordinator_names
from policies.scripted import batch

SERVICE, CRITICAL, ACCURACY, RESPONSE, WASTE, PROCESS = 0.25, 0.18, 0.18, 0.12, 0.04, 0.27
PRIORITY, PRICE = 0.4, 1000


def tiny(criticality: str = "NORMAL", rounds: int = 2, shelf: int | None = None, suppliers: Any = None) -> Scenario:
    """One acute ward, one SKU of $10."""
    data = load_scenario("medium").model_dump()
    data["clock"]["rounds"] = rounds
    data["wards"] = {"ward": {**data["wards"]["ward_icu"], "priority": PRIORITY}}
    sku = {"title": "thing", "shelf_life_days": shelf, "criticality": criticality, "unit_cost_cents": PRICE}
    data["skus"] = {"thing": {**sku, "demand_per_day": {"ward": 10}}}
    data["suppliers"] = suppliers or {"only": {"lead_time_days": 2, "price_percent": 100, "sells": "all"}}
    names = {"recall_sku": "thing", "breach_sku": "thing", "breach_ward": "ward"}
    names |= {"disrupted_supplier": next(iter(data["suppliers"]))}
    data["events"] |= {"count": (0, 0), "first_day": 1, "last_day": 2, **names}
    return Scenario.model_validate(data)


def episode(
    scenario: Scenario,
    need: list[int],
    central: int = 0,
    ward: int = 0,
    limit: int = 0,
    events: tuple[tuple[Event, int], ...] = (),
    expiry: int = NEVER,
) -> Any:
    """A record after reset of a tiny hospital: need per day, opening stock in units, limit in cents."""
    record = new_episodes(scenario.sizes)[0]
    record["day"] = record["round"] = 1
    record["need"][:, 0, 0] = need
    record["event_type"] = -1
    record["event_count"] = len(events)
    for e, (kind, day) in enumerate(events):
        record["event_type"][e], record["event_day"][e] = kind, day
    record["lot_count"] = 1
    record["lot_expiry"][0], record["lot_cost"][0] = expiry, PRICE
    record["on_hand"][0] = central, ward
    record["opening_value"] = (central + ward) * PRICE
    record["limit"] = limit
    return record


def solve(scenario: Scenario, record: Any) -> float:
    return bound(record, new_params(scenario), scenario.sizes)


def score(fill: float, critical: float = 1.0, response: float | None = None, waste: float = 0.0) -> float:
    """The score of one line with this mean fill and flawless paperwork; `waste` is the share of value wasted."""
    total = SERVICE * fill + CRITICAL * critical + ACCURACY * (1 - PRIORITY * (1 - fill)) + PROCESS - WASTE * waste
    return total / (1 - RESPONSE) if response is None else total + RESPONSE * response


def test_ample_stock_allows_a_perfect_score() -> None:
    scenario = tiny()
    assert solve(scenario, episode(scenario, [10, 10, 10, 10], central=40)) == 1.0
    assert solve(scenario, episode(scenario, [10, 10, 10, 10], ward=20, central=20)) == 1.0
    assert solve(scenario, episode(scenario, [0, 0, 0, 0])) == 1.0


def test_nothing_to_give_and_no_money() -> None:
    scenario = tiny("CRITICAL")
    assert solve(scenario, episode(scenario, [10, 10, 10, 10])) == pytest.approx(score(0, critical=0))


def test_scarce_stock_goes_where_a_unit_fills_most() -> None:
    scenario = tiny()
    # 20 units for rounds that need 20 and 60: the first is served in full
    assert solve(scenario, episode(scenario, [10, 10, 30, 30], central=20)) == pytest.approx(score(0.5))
    # the second round needs less, and the ward keeps what it does not use
    assert solve(scenario, episode(scenario, [30, 30, 10, 10], ward=20)) == pytest.approx(score(0.5))


def test_stock_in_central_reaches_the_ward_at_openings_only_and_on_time() -> None:
    scenario = tiny(suppliers={"slow": {"lead_time_days": 4, "price_percent": 100, "sells": "all"}})
    # expedited on day 1 it arrives on day 4, too late for central; at the ward itself it serves that day
    assert solve(scenario, episode(scenario, [0, 0, 10, 10], limit=20 * PRICE)) == pytest.approx(score(0.75))


def test_issued_blood_does_not_keep() -> None:
    scenario = tiny("CRITICAL")
    found = solve(scenario, episode(scenario, [10, 0, 10, 0], ward=20))
    assert found == pytest.approx(score(0.5, critical=0.5, waste=0.5))
    assert solve(scenario, episode(scenario, [10, 0, 10, 0], central=20)) == 1.0


def test_expired_stock_serves_nobody() -> None:
    scenario = tiny("HIGH", shelf=5)
    found = solve(scenario, episode(scenario, [10, 10, 10, 10], central=40, expiry=3))
    assert found == pytest.approx(score(0.5, waste=0.5))
    found = solve(scenario, episode(scenario, [10, 10, 10, 10], central=40, expiry=4))
    assert found == pytest.approx(score(0.75, waste=0.25))


def test_the_limit_buys_at_the_cheapest_price_in_time() -> None:
    scenario = tiny()
    found = solve(scenario, episode(scenario, [0, 0, 10, 10], limit=12 * PRICE))
    assert found == pytest.approx(score(0.5 + 0.5 * 12 / 20))
    # on day 2 only an expedited order can be there, at 1.2 times the price
    found = solve(scenario, episode(scenario, [0, 20, 0, 0], limit=12 * PRICE))
    assert found == pytest.approx(score(0.5 + 0.5 * 10 / 20))
    # ordered with a quote in round 2
    found = solve(tiny(rounds=3), episode(tiny(rounds=3), [0, 0, 0, 0, 20, 20], limit=24 * PRICE * 96 // 100))
    assert found == pytest.approx(score(2 / 3 + 24 / 40 / 3))


def test_prices_and_lead_times_under_a_disruption() -> None:
    scenario = load_scenario("medium")
    record = new_episodes(scenario.sizes)[0]
    record["event_count"], record["event_type"][0], record["event_day"][0] = 1, Event.SUPPLIER_DISRUPTION, 1
    params = new_params(scenario)[0]
    quiet = cheapest_prices(new_episodes(scenario.sizes)[0], params, scenario.sizes)
    found = cheapest_prices(record, params, scenario.sizes)
    blood = quiet[0] / 22_000
    assert np.isinf(quiet[:, 0]).all() and np.isinf(found[:, 0]).all()
    assert blood[1:5] == pytest.approx([1.2, 1.0, 1.2 * 0.96, 0.96])
    # days 2 to 5, struck on days 1 to 4: FASTMED, BACKUP-B, FASTMED with a quote, MEDLINE expedited on day 1
    assert found[0, 1:5] / 22_000 == pytest.approx([1.4, 1.3, 1.4 * 0.96, 1.2])
    # MEDLINE ordered on day 5, without a quote of two days; on day 3 with the quote of day 1, which holds its five days
    assert found[0, 6:8] / 22_000 == pytest.approx([1.0, 0.96])
    assert blood[6:8] == pytest.approx([0.96, 1.2 * 0.96])


def test_a_breach_takes_what_is_in_the_ward_that_morning() -> None:
    scenario = tiny("HIGH")
    breach = ((Event.COLD_CHAIN_BREACH, 3),)
    need = [0, 0, 10, 10]
    assert solve(scenario, episode(scenario, need, ward=20, events=breach)) == pytest.approx(score(0.5, response=0))
    assert solve(scenario, episode(scenario, need, central=20, events=breach)) == 1.0


def test_recalled_units_serve_patients_and_harm_them() -> None:
    scenario = tiny("HIGH", rounds=1)
    recall = ((Event.PRODUCT_RECALL, 1),)
    # 30 recalled units, need 20: a unit's harm, 0.12/30, is below its worth, (0.25 + 0.4 · 0.18)/20
    found = solve(scenario, episode(scenario, [10, 10], events=recall))
    assert found == pytest.approx(score(1, response=1 - 20 / 30))
    assert solve(scenario, episode(scenario, [10, 10], central=20, events=recall)) == 1.0


def test_an_mci_counts_its_own_days() -> None:
    scenario = tiny("CRITICAL")
    record = episode(scenario, [0, 0, 10, 30], central=20, events=((Event.MCI, 4),))
    # everything on the day of the incident: 20 of 30, and 20 of 40 over the round
    assert solve(scenario, record) == pytest.approx(score(0.75, critical=0.5, response=20 / 30))


def test_a_record_in_play_is_refused() -> None:
    scenario = tiny()
    record = episode(scenario, [0, 0, 0, 0])
    record["day"] = 3
    with pytest.raises(ValueError, match="day 3"):
        solve(scenario, record)


needs = st.lists(st.integers(0, 30), min_size=6, max_size=6)


@given(needs, st.integers(0, 60), st.integers(0, 60), st.integers(0, 40), st.integers(0, 40_000))
def test_more_money_or_stock_never_lowers_the_bound(need: list[int], central: int, ward: int, more: int, limit: int) -> None:
    scenario = tiny("HIGH", rounds=3)
    base = solve(scenario, episode(scenario, need, central, ward, limit))
    tolerance = 1e-7
    assert solve(scenario, episode(scenario, need, central + more, ward, limit)) >= base - tolerance
    assert solve(scenario, episode(scenario, need, central, ward + more, limit)) >= base - tolerance
    assert solve(scenario, episode(scenario, need, central, ward, limit + more * 100)) >= base - tolerance


@given(needs, st.integers(0, 60), st.integers(0, 40_000))
def test_stock_is_worth_more_in_central_than_in_the_ward(need: list[int], units: int, limit: int) -> None:
    scenario = tiny("CRITICAL", rounds=3, shelf=3)
    in_ward = solve(scenario, episode(scenario, need, ward=units, limit=limit, expiry=4))
    assert solve(scenario, episode(scenario, need, central=units, limit=limit, expiry=4)) >= in_ward - 1e-7


def _send(session: Session, kind: Kind, **arguments: Any) -> Any:
    command = session.command()
    command["kind"] = kind
    for name, value in arguments.items():
        command[name][0] = value
    return session.submit(command)


def _order(session: Session, sku: int, units: int, location: int, rng: np.random.Generator, wise: bool) -> None:
    supplier, expedited = (0, 0) if wise else (int(rng.integers(3)), int(rng.integers(2)))
    result = _send(session, Kind.SUBMIT_PO, sku=sku, supplier=supplier, location=location, quantity=units, option=expedited)
    if result["ok"] and result["b"] == 0:
        ticket = int(result["number"]) - 1
        _send(session, Kind.FINANCE_SAP_REQUEST_APPROVAL, ticket=ticket, claimed_shortage=1)
        _send(session, Kind.FILE_JUSTIFICATION, ticket=ticket, claimed_shortage=1)
    _send(session, Kind.SUPPLIER_PORTAL_REQUEST_QUOTE, sku=sku, supplier=supplier, quantity=1_000)


def play(session: Session, rng: np.random.Generator, care: float) -> None:
    """Play an episode to the end, reading the record; each decision is a random one with probability 1 - care."""
    s, p = session.record, session.params[0]
    lines, demand = p["demand"] > 0, p["demand"]
    while not session.ended:
        r, phase = int(s["round"]) - 1, session.pending().phase
        need = s["need"][2 * r : 2 * r + 2].sum(axis=0)
        if phase == Phase.REQUEST:
            _send(session, Kind.REQUEST, quantities=np.ceil(p["legal_request"] * need))
            continue
        usable = np.zeros((s["on_hand"].shape[1], demand.shape[1]), int)
        for lot in range(int(s["lot_count"])):
            harmful = int(s["lot_origin"][lot]) == Origin.RECALL
            usable[:, s["lot_sku"][lot]] += 0 if harmful else (s["on_hand"] - s["quarantined"])[lot]
            for location in np.flatnonzero(s["on_hand"][lot]) if harmful and rng.random() < care else []:
                _send(session, Kind.QUARANTINE_LOT, sku=s["lot_sku"][lot], location=location, lot=lot)
        plan = np.maximum(0, need - usable[1:]) if rng.random() < care else rng.integers(0, 1 + 4 * demand)
        coming = s["need"][2 * r + 2 : 2 * r + 4].sum(axis=(0, 1))
        short = coming - np.maximum(0, usable[0] - plan.sum(axis=0))
        for sku in rng.permutation(demand.shape[1]):
            wise = rng.random() < care
            units = int(short[sku] if wise else rng.integers(0, 2 * demand[:, sku].sum()))
            to = CENTRAL if wise or rng.random() < 0.5 else int(rng.choice(np.flatnonzero(lines[:, sku]))) + 1
            _order(session, sku, max(units, 0), to, rng, wise)
        _send(session, Kind.SUBMIT_ALLOCATION_PLAN, quantities=plan * lines)
        _send(session, Kind.ADVANCE_ROUND)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_no_play_beats_the_bound(difficulty: str) -> None:
    scenario = load_scenario(difficulty)
    for seed, care in product(range(50, 54), (1.0, 0.7, 0.0)):
        session = Session(scenario, seed)
        play(session, np.random.default_rng(seed), care)
        assert (breakdown(session.record, session.params[0])["score"] or 0) <= bound_for(scenario, seed) <= 1


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("policy", coordinator_names())
def test_no_scripted_coordinator_beats_the_bound(policy: str, difficulty: str) -> None:
    scenario, seeds = load_scenario(difficulty), range(50, 60)
    params = new_params(scenario)[0]
    for seed, record in zip(seeds, batch.play(scenario, policy, seeds), strict=True):
        assert (breakdown(record, params)["score"] or 0) <= bound_for(scenario, seed)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_what_was_played_is_possible_in_the_program(difficulty: str) -> None:
    """Had patients needed what they got, and the limit been what was spent, the bound must allow all of it."""
    scenario = load_scenario(difficulty)
    for seed, care in product(range(60, 70), (0.9, 0.5, 0.0)):
        session = Session(scenario, seed)
        record = session.record.copy()
        play(session, np.random.default_rng(seed), care)
        record["need"], record["limit"] = session.record["consumed"], session.record["spent_on_orders"]
        found = waste_control(session.record, session.params[0])
        lost = WASTE * (1 - found)
        for event in np.flatnonzero(record["event_type"] == Event.PRODUCT_RECALL):
            lost += RESPONSE / record["event_count"] * int(session.record["recalled_used"][event]) / 90
        assert bound(record, session.params, scenario.sizes) >= 1 - lost - 1e-9


def test_a_bound_is_computed_once_for_equal_scenarios() -> None:
    first = bound_for(load_scenario("light"), 7)
    assert bound_for(load_scenario("light").model_copy(deep=True), 7) == first
