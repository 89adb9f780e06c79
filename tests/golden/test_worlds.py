"""One seed, one world: whoever plays, however often somebody looks, wherever the episode is continued."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from medchain.core.session import Session
from medchain.core.words import EVERY, Kind, Phase
from medchain.scenario import load_scenario
from policies.scripted.batch import play
from tests.golden.episodes import RANDOM, play_randomly
from tests.laws.chance import Chance
from tests.laws.check_stock import TAPE
from tests.laws.commands import Habits
from tests.laws.trace import Trace, drive

SEEDS = range(50, 54)
COUNTS = {"calls", "calls_total", "tally", "system_used", "mail", "briefings", "refusals_in_a_row"}
"""What a look may change."""

LOOKS = (Kind.GET_ROUND_BRIEFING, Kind.VIEW_REQUESTS, Kind.READ_INBOX, Kind.QUERY_WARD_HISTORY, Kind.QUERY_ERP)
LOOKS += (Kind.QUERY_SUPPLIER, Kind.ERP_ORACLE_GET_INVENTORY, Kind.ERP_ORACLE_GET_PIPELINE)
LOOKS += (Kind.WMS_SCAN_INVENTORY, Kind.FINANCE_SAP_GET_BUDGET)


def look(session: Session, kind: Kind) -> Any:
    """A call that only shows something."""
    c = session.command()
    c["kind"], c["location"], c["sku"], c["quantity"] = kind, EVERY, EVERY, 10
    return session.submit(c)


def lively(seed: int) -> Trace:
    """A random episode with short rounds, so that there is room for more calls."""
    return drive("heavy", seed, Chance(seed), Habits(hostile=5, advance=15), 150)


@pytest.mark.parametrize("seed", SEEDS)
def test_reseeding_an_instance_equals_a_fresh_one(seed: int) -> None:
    scenario = load_scenario("heavy")
    used = Session(scenario, seed + 1)
    play_randomly(used.episodes, 0, "heavy")
    used.reset(seed)
    fresh = Session(scenario, seed)
    assert used.digest() == fresh.digest()
    play_randomly(used.episodes, 0, "heavy")
    play_randomly(fresh.episodes, 0, "heavy")
    assert used.digest() == fresh.digest()


@pytest.mark.parametrize("seed", SEEDS)
def test_looking_changes_nothing_that_happens(seed: int) -> None:
    """No need, no noise, no stock: all later days are the same, however often a player asks."""
    trace, session = lively(seed), Session(load_scenario("heavy"), seed)
    chance = Chance(seed)
    calls = {r: int(trace.states["calls"][trace.states["round"] == r].max(initial=0)) for r in range(1, 9)}
    for i, before in enumerate(trace.before):
        if before["phase"] == Phase.COORDINATE and calls[int(before["round"])] < 20:  # three times that is a round's budget
            for _ in range(chance.below(3)):
                assert look(session, chance.pick(LOOKS))["ok"]
        session.submit(trace.commands, i)
    for name in session.episodes.dtype.names:
        if name not in COUNTS:
            assert (session.record[name] == trace.states[-1][name]).all(), name
    assert session.record["calls_total"] > trace.states[-1]["calls_total"]


@pytest.mark.parametrize("seed", SEEDS)
def test_asking_twice_gives_the_same_answer(seed: int) -> None:
    session = Session(load_scenario("heavy"), seed)
    for s in lively(seed).before[::15]:
        session.load(s.tobytes())
        if s["phase"] == Phase.COORDINATE and s["calls"] < 50:
            look(session, Kind.WMS_SCAN_INVENTORY)
            first = session.view(0)
            for _ in range(5):
                look(session, Kind.WMS_SCAN_INVENTORY)
            again = session.view(0)
            again["calls_left"] = first["calls_left"]
            assert again.tobytes() == first.tobytes()


@pytest.mark.parametrize("difficulty", ["light", "medium", "heavy"])
def test_every_policy_meets_the_same_world(difficulty: str) -> None:
    scenario = load_scenario(difficulty)
    for seed in SEEDS:
        fresh = Session(scenario, seed).record.copy()
        played = {name: play(scenario, name, [seed])[0] for name in ("zero", "rubber_stamp")}
        session = Session(scenario, seed)
        play_randomly(session.episodes, 0, difficulty)
        played[RANDOM] = session.record
        for name, record in played.items():
            for field in TAPE:
                assert (record[field] == fresh[field]).all(), (name, field)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_episode_is_continued_from_its_bytes(seed: int) -> None:
    trace = lively(seed)
    for i in range(0, len(trace.commands), 29):
        state = np.array([trace.states[i]])
        copies = [state.copy(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
        for continued in copies:
            session = Session(trace.scenario, seed + 7)
            session.load(continued.tobytes())
            assert session.save() == state.tobytes()
            for j in range(i, len(trace.commands)):
                session.submit(trace.commands, j)
            assert session.save() == trace.states[-1].tobytes()
