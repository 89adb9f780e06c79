"""The tape over many seeds: the moments that the rules promise, within generous bounds."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from medchain.core.params import new_params
from medchain.core.record import new_episodes
from medchain.core.session import start_episodes
from medchain.core.words import CENTRAL, Event
from medchain.scenario import DIFFICULTIES, Scenario, load_scenario
from tests.core.quiet import ER, GENERAL, GLOVE, ICU, RBC, SALINE, quiet

SEEDS = 600
BIG = 10_000
"""Units a day: so large that rounding does not show."""


def tapes(scenario: Scenario, seeds: int = SEEDS) -> Any:
    """Fresh records of many seeds."""
    episodes, params = new_episodes(scenario.sizes, seeds), new_params(scenario)
    keys = np.arange(seeds, dtype=np.uint64)
    for i in range(seeds):
        start_episodes(episodes, params, keys, i)
    return episodes


@cache
def shipped(difficulty: str) -> Any:
    return tapes(load_scenario(difficulty))


def factors(need: Mapping[str, float], **changes: Any) -> Any:
    """need / usual demand, [seed, day, ward, sku], of a large hospital with only these parts of the need model on."""
    data = quiet().model_dump()
    for sku in data["skus"].values():
        sku["demand_per_day"] = dict.fromkeys(data["wards"], BIG)
    return tapes(quiet(skus=data["skus"], need=need, **changes))["need"] / BIG


def lag_correlation(x: Any) -> float:
    """Correlation of neighbouring rounds; x: [seed, round, ...]."""
    return float(np.corrcoef(x[:, :-1].ravel(), x[:, 1:].ravel())[0, 1])


def test_census_is_log_normal_ar1_with_mean_one_and_common_to_a_ward() -> None:
    found = factors({"census_sigma": 0.25})
    assert (found == found[:, :, :, :1]).all()  # every line of the ward
    assert (found[:, 0::2] == found[:, 1::2]).all()  # both days
    rounds = found[:, 0::2, :, 0]
    assert rounds.mean() == pytest.approx(1, abs=0.02)
    assert np.log(rounds).std() == pytest.approx(0.25, rel=0.05)
    assert lag_correlation(np.log(rounds)) == pytest.approx(0.7, abs=0.04)
    assert abs(np.corrcoef(rounds[:, :, 0].ravel(), rounds[:, :, 1].ravel())[0, 1]) < 0.08


def test_mix_is_log_normal_with_mean_one_and_fresh_for_every_line_and_round() -> None:
    found = factors({"mix_sigma": 0.35})
    assert (found[:, 0::2] == found[:, 1::2]).all()
    rounds = found[:, 0::2]
    assert rounds.mean() == pytest.approx(1, abs=0.01)
    assert np.log(rounds).std() == pytest.approx(0.35, rel=0.03)
    assert abs(lag_correlation(rounds)) < 0.03
    assert abs(np.corrcoef(rounds[..., 0].ravel(), rounds[..., 1].ravel())[0, 1]) < 0.05


def test_daily_noise_is_normal_and_fresh_every_day() -> None:
    found = factors({"daily_sigma": 0.1})
    assert found.mean() == pytest.approx(1, abs=0.003)
    assert found.std() == pytest.approx(0.1, rel=0.03)
    assert abs(np.corrcoef(found[:, 0::2].ravel(), found[:, 1::2].ravel())[0, 1]) < 0.02


def test_line_surges() -> None:
    found = factors({"line_surge_probability": 0.2})
    assert (found[:, 0::2] == found[:, 1::2]).all()
    surged = found[:, 0::2][found[:, 0::2] != 1]
    assert surged.size / found[:, 0::2].size == pytest.approx(0.2, abs=0.01)
    assert surged.min() >= 2 and surged.max() <= 3 and surged.mean() == pytest.approx(2.5, abs=0.02)


@pytest.mark.parametrize("difficulty, rates", [("light", (0.1, 0.1)), ("medium", (0.1, 0.25)), ("heavy", (0.1, 0.4))])
def test_ward_surges(difficulty: str, rates: tuple[float, float]) -> None:
    found = factors({}, wards=load_scenario(difficulty).model_dump()["wards"])[:, 0::2]
    assert set(np.unique(found)) == {1.0, 2.0}
    assert (found == found[..., :1]).all()
    surged = (found[..., 0] == 2).mean(axis=(0, 1))
    assert surged.tolist() == pytest.approx([rates[0], rates[1], 0.1], abs=0.025)


def test_an_mci_multiplies_critical_and_high_need_of_icu_and_er_on_its_days() -> None:
    """2.8, or the surge if that is larger: factors do not multiply."""
    data = load_scenario("light").model_dump()["events"] | {"count": (4, 4)}
    scenario = quiet(events=data)
    records = tapes(scenario, 100)
    usual = new_params(scenario)[0]["demand"]
    for s in records:
        day = int(s["event_day"][s["event_type"] == Event.MCI][0])
        hit = slice(day - 1, day + 2)
        assert (s["need"][hit, ICU, RBC] == 17).all() and (s["need"][hit, ER, SALINE] == 56).all()  # 16.8, 56
        assert (s["need"][hit, GENERAL] == usual[GENERAL]).all() and (s["need"][hit, ER, GLOVE] == 25).all()
        rest = np.delete(s["need"], np.r_[hit], axis=0)
        assert (rest == usual).all()
    surging = factors({"line_surge_probability": 1.0}, events=data)
    assert surging.max() <= 3 and surging.min() >= 2


@pytest.mark.parametrize("difficulty, counts", [("light", (1, 2)), ("medium", (2, 3)), ("heavy", (3, 4, 5))])
def test_events_of_a_difficulty(difficulty: str, counts: tuple[int, ...]) -> None:
    found = shipped(difficulty)
    share = [float((found["event_count"] == n).mean()) for n in counts]
    assert share == pytest.approx([1 / len(counts)] * len(counts), abs=0.07)
    types: list[int] = []
    for s in found:
        n = int(s["event_count"])
        days, kinds = s["event_day"][:n].tolist(), s["event_type"][:n].tolist()
        assert days == sorted(set(days)) and days[0] >= 2 and days[-1] <= 14
        assert all(d % 2 for d, k in zip(days, kinds, strict=True) if k in (Event.PRODUCT_RECALL, Event.COLD_CHAIN_BREACH))
        assert len(set(kinds)) == min(n, 4)
        types += kinds
    assert np.bincount(types).tolist() == pytest.approx([len(types) / 4] * 4, rel=0.15)


def test_days_of_events_spread_over_the_schedule() -> None:
    found = shipped("medium")
    for kind, days in ((Event.MCI, range(2, 15)), (Event.PRODUCT_RECALL, range(3, 15, 2))):
        drawn = np.bincount(found["event_day"][found["event_type"] == kind], minlength=15)
        assert set(np.flatnonzero(drawn)) == set(days)
        assert drawn.max() < 2.5 * drawn.sum() / len(days)


def test_difficulties_are_nested() -> None:
    """The events of an easier one are among those of a harder one; need only grows, and stock is the same."""
    light, medium, heavy = (shipped(d) for d in DIFFICULTIES)
    for easy, hard in ((light, medium), (medium, heavy)):
        for a, b in zip(easy, hard, strict=True):
            events_a, events_b = (
                set(zip(s["event_type"][: s["event_count"]].tolist(), s["event_day"].tolist(), strict=False)) for s in (a, b)
            )
            assert events_a <= events_b
        assert (easy["on_hand"] == hard["on_hand"]).all() and (easy["lot_expiry"] == hard["lot_expiry"]).all()
        assert (easy["need"] <= hard["need"]).all()
        assert (easy["need"][:, :, GENERAL] == hard["need"][:, :, GENERAL]).all()
        same = [not ({Event.MCI} & (set(b["event_type"]) - set(a["event_type"]))) for a, b in zip(easy, hard, strict=True)]
        twice = (hard["event_type"] == Event.MCI).sum(axis=1) > 1
        same = np.array(same) & ~twice
        assert same.sum() > SEEDS / 4
        assert (easy["need"][same][:, :, ICU] == hard["need"][same][:, :, ICU]).all()


def test_opening_stock_is_one_uniform_draw_per_sku() -> None:
    found, demand = shipped("medium"), new_params(load_scenario("medium"))[0]["demand"]
    for k in range(demand.shape[1]):
        mine = found[0]["lot_sku"][: found[0]["lot_count"]] == k
        stock = found["on_hand"][:, : len(mine)][:, mine].sum(axis=1)
        days = stock[:, CENTRAL] / (2.6 * demand[:, k].sum())
        assert days.min() > 3.4 and days.max() < 7 and days.mean() == pytest.approx(5.25, abs=0.15)
        for w in np.flatnonzero(demand[:, k]):
            assert (np.abs(stock[:, w + 1] - 0.4 * days * demand[w, k]) <= 1.3).all()


def past_of(pressure: float) -> Any:
    """Requests before round 1 / need, [seed, round, line], of wards that always need their usual."""
    wards = quiet().model_dump()["wards"]
    scenario = quiet(wards={name: ward | {"hoarding_pressure": pressure} for name, ward in wards.items()})
    usual = 2 * new_params(scenario)[0]["demand"]
    return tapes(scenario)["past_requested"][:, :, usual >= 80] / usual[usual >= 80]


def test_history_is_lived_by_the_scripted_rule() -> None:
    honest, greedy = past_of(0.0), past_of(1.0)
    assert honest.min() >= 0.94 and honest.max() <= 1.06 and honest.mean() == pytest.approx(1, abs=0.003)
    padded = greedy[greedy > 1.1]
    assert padded.size / greedy.size == pytest.approx(0.95, abs=0.01)
    assert padded.min() >= 1.29 and padded.max() <= 2.5 and padded.mean() == pytest.approx(1.9, abs=0.02)


def test_history_was_allocated_a_part_of_what_was_asked() -> None:
    found = shipped("heavy")
    lines = np.broadcast_to(new_params(load_scenario("heavy"))[0]["demand"] > 0, found["past_requested"].shape)
    asked, got, used, short = (found[f"past_{n}"][lines] for n in ("requested", "allocated", "consumed", "short"))
    assert (used <= got).all() and (got <= asked).all()
    assert (used[short == 1] == got[short == 1]).all()
    large = asked > 50
    assert (got[large] / asked[large]).mean() == pytest.approx(0.9, abs=0.01)
    assert (got[large] >= 0.8 * asked[large] - 0.5).all()


def test_neighbouring_seeds_share_nothing() -> None:
    found = shipped("medium")["need"][:, :, ICU, GLOVE].astype(float)
    assert abs(np.corrcoef(found[:-1].ravel(), found[1:].ravel())[0, 1]) < 0.05
    assert len({s.tobytes() for s in found}) == SEEDS


def test_seeds_up_to_the_last_one_are_legal() -> None:
    scenario = load_scenario("medium")
    episodes = new_episodes(scenario.sizes, 3)
    keys = np.array([0, 2**53 + 1, 2**63 - 1], np.uint64)
    for i in range(3):
        start_episodes(episodes, new_params(scenario), keys, i)
    assert episodes["seed"].tolist() == [0, 2**53 + 1, 2**63 - 1]
    assert len({s.tobytes() for s in episodes["need"]}) == 3
