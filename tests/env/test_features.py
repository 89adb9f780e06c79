"""Features: known answers, sums that must agree with the view, and the table that documents them."""

from typing import Any

import numpy as np
import pytest

from medchain.core.words import Field, Kind
from medchain.env.aec import raw_env
from medchain.env.spaces import BANDS, ROLES, feature_table, features, features_dtype, heads, sheet_dtype, width
from medchain.scenario import load_scenario

LINE = (1, 0)  # ER, packed red cells: usual need of a round 12


def named(env: raw_env, agent: str, role: str) -> Any:
    return env.observe(agent)["observation"].view(features_dtype(role, env.scenario.sizes))[0]


def told(env: raw_env, **fields: Any) -> None:
    """Submit a command for whoever is asked."""
    command = env.game.commands
    command[:] = np.zeros((), command.dtype)
    for name, value in fields.items():
        command[name] = value
    env.submit()
    assert "refusal" not in env.infos[env.possible_agents[int(env.session.results["agent"][0])]]


@pytest.fixture
def reviewed() -> raw_env:
    """ER asked for 9 packs of red cells as a surge, disclosed but for the census, and the arbiter is asked."""
    env = raw_env()
    env.reset(seed=6)
    for w in range(3):
        quantities, reasons = np.zeros((3, 10), int), np.zeros((3, 10), int)
        quantities[LINE] = 9 if w == LINE[0] else 0
        reasons[LINE] = 2
        told(env, kind=Kind.REQUEST, quantities=quantities, reasons=reasons)
    told(env, kind=Kind.REQUEST_EVIDENCE, ward=LINE[0], sku=LINE[1])
    told(env, kind=Kind.DISCLOSE, option=Field.CENSUS)
    told(env, kind=Kind.ESCALATE_TO_CLINICAL_REVIEW, ward=LINE[0], sku=LINE[1])
    return env


def test_the_arbiter_sees_the_line_under_review(reviewed: raw_env) -> None:
    f, s = named(reviewed, "arbiter", "arbiter"), reviewed.session.record
    need = int(s["need"][:2, 1, 0].sum())
    assert f["asked"] == 1 and f["round"] == np.float32(1 / 8)
    assert f["ward"].tolist() == [0, 1, 0] and f["sku"].tolist() == [1] + [0] * 9
    assert f["request"] == np.float32(9 / 12) and f["estimate"] == np.float32(need / 12)
    assert f["inflation"] == np.float32(9 / need)
    assert f["reason"].tolist() == [0, 0, 1, 0]
    assert f["disclosed"] == 1 and f["redacted"].tolist() == [1, 0]
    assert f["patients"] == -1 and 0 <= f["acuity"] < 1
    past = s["past_requested"][:, 1, 0]
    assert f["history"][0] == np.float32(past.mean() / 12) and f["history"][4] == np.float32(past[-1] / 12)


def test_the_coordinator_sees_what_it_paid_for(reviewed: raw_env) -> None:
    told(reviewed, kind=Kind.RULE, option=3)
    f, s = named(reviewed, "coordinator", "coordinator"), reviewed.session.record
    assert f["requested"][LINE] == np.float32(9 / 12) and f["requested"].sum() == f["requested"][LINE]
    assert f["reason"][LINE].tolist() == [0, 0, 1, 0]
    assert f["allowed"][LINE] == np.float32(int(s["verdict_quantity"][(0, *LINE)]) / 12)
    assert f["verdict"][LINE].tolist() == [0, 0, 1]
    assert f["evidence_left"] == np.float32(7 / 8) and f["reviews_left"] == np.float32(2 / 3)
    assert f["calls_left"] == np.float32(58 / 60)
    assert f["money"][1] == np.float32(15_000 / int(s["limit"])) and f["money"][0] == 0


def test_a_ward_sees_its_need_and_what_it_asked_for(reviewed: raw_env) -> None:
    f, s = named(reviewed, "ward_er", "ward"), reviewed.session.record
    demand = np.array([6, 3, 4, 20, 12, 8, 40, 25, 0, 35])
    need = s["need"][:2, 1].sum(axis=0)
    expected = np.divide(need, 2 * demand, out=np.zeros(10), where=demand > 0)
    assert f["need"] == pytest.approx(expected)
    assert f["inflation"][0] == np.float32(9 / need[0]) and f["requested"][1:].sum() == 0
    assert f["pressure"] == np.float32(0.5) and f["redacted"][0].tolist() == [1, 0]


def test_stock_by_band_adds_up_to_the_scan() -> None:
    env = raw_env()
    env.reset(seed=1)
    f, view = named(env, "coordinator", "coordinator"), env.session.view(0)[0]
    demand = env.session.params["demand"][0]
    usual = 2 * np.vstack([demand.sum(axis=0), demand])
    for location, sku in np.argwhere(usual > 0):
        lots = view["lot_sku"][: view["lot_count"]] == sku
        units = view["scan"][: view["lot_count"], location][lots].sum()
        assert f["stock"][location, sku].sum() == pytest.approx(units / usual[location, sku], rel=1e-6)
    platelets = f["stock"][0, 1]  # central's expire on day 5: in the second band
    assert platelets[1] > 0 and platelets[[0, 2, 3]].sum() == 0 and BANDS[0] < 4 <= BANDS[1]


def test_orders_and_tickets_are_seen_newest_first() -> None:
    env = raw_env()
    env.reset(seed=1)
    for _ in range(3):
        told(env, kind=Kind.REQUEST)
    for sku, option in ((6, 0), (7, 1), (8, 1)):
        told(env, kind=Kind.SUBMIT_PO, supplier=2, sku=sku, quantity=60, option=option)
    told(env, kind=Kind.SUBMIT_PO, supplier=2, sku=2, quantity=60)  # 60 x $252 is above the gate
    f = named(env, "coordinator", "coordinator")
    assert f["on_order"][0, 0].nonzero()[0].tolist() == [6]
    assert f["on_order"][2, 0].nonzero()[0].tolist() == [2, 7, 8]
    assert f["justification_sku"][:3].argmax(axis=1).tolist()[:2] == [8, 7] and f["justification_sku"].sum() == 2
    assert f["approval_sku"][0, 2] == 1 and f["approval_sku"].sum() == 1
    assert f["approval_cost"][0] == np.float32(60 * 25_200 / int(env.session.record["limit"]))
    assert f["orders_left"] == np.float32(26 / 30)


def test_every_feature_is_in_the_table_once() -> None:
    table = feature_table(load_scenario())
    for role in ROLES:
        rows = features(role, load_scenario().sizes)
        assert len({f.name for f in rows}) == len(rows)
        assert all(f"| `{f.name}` |" in table for f in rows)
    assert "**coordinator**: 1" in table


@pytest.mark.parametrize("role", ROLES)
def test_sheets_hold_features_and_masks_without_gaps(role: str) -> None:
    z = load_scenario().sizes
    assert sheet_dtype(role, z).itemsize == 4 * width(role, z) + sum(heads(role, z).values())
