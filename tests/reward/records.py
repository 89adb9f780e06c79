"""Hand-written and random episode records for the tests of the rewards; run as a script, it prints their rewards."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from typing import Any

import numpy as np

from medchain.core.params import new_params
from medchain.core.record import new_episodes
from medchain.reward import components, formula, roles, shaping
from medchain.scenario import FOLDER, Scenario, load_scenario, read_yaml

ICU, ER, GENERAL = 0, 1, 2
BLOOD, SALINE, GLOVE = 0, 1, 2
LINES = [(ICU, BLOOD), (ER, BLOOD), (ICU, SALINE), (ER, SALINE), (GENERAL, SALINE), (GENERAL, GLOVE)]


def _ward(priority: float, acute: bool) -> dict[str, Any]:
    return {"title": "w", "priority": priority, "census": 10, "acute": acute} | {
        "hoarding_pressure": 0.5,
        "surge_probability": 0.1,
    }


def _sku(criticality: str, cents: int, wards: list[str]) -> dict[str, Any]:
    return {"title": "s", "shelf_life_days": None, "criticality": criticality, "unit_cost_cents": cents} | {
        "demand_per_day": dict.fromkeys(wards, 5)
    }


@cache
def toy() -> Scenario:
    """Two rounds, priorities 1, 1/2, 1/4 and the six LINES; the shipped scoring."""
    data = read_yaml(FOLDER / "base.yaml")
    data["clock"] |= {"rounds": 2, "history_rounds": 0}
    data["wards"] = {"icu": _ward(1.0, True), "er": _ward(0.5, True), "general": _ward(0.25, False)}
    data["skus"] = {
        "BLOOD": _sku("CRITICAL", 10_000, ["icu", "er"]),
        "SALINE": _sku("HIGH", 1_000, ["icu", "er", "general"]),
        "GLOVE": _sku("NORMAL", 100, ["general"]),
    }
    data["events"] |= {"count": [0, 1], "first_day": 1, "last_day": 4, "disruption_days": 1, "breach_days": 2}
    data["events"] |= {"recall_sku": "SALINE", "recall_units": 30, "breach_sku": "BLOOD", "breach_ward": "icu"}
    return Scenario.model_validate(data)


def toy_params() -> Any:
    return new_params(toy())[0]


def served() -> Any:
    """A toy episode in which every line needed, asked for, got and used 5 units a day; nothing else happened."""
    s = new_episodes(toy().sizes)[0]
    for w, k in LINES:
        s["need"][:, w, k] = s["consumed"][:, w, k] = 5
        s["requested"][:, w, k] = s["allocated"][:, w, k] = 10
    s["event_type"] = s["recall_lot"] = -1
    s["limit"], s["opening_value"] = 1_000_000, 100_000
    return s


def random_record(scenario: Scenario, seed: int) -> Any:
    """An episode record with random contents that keep the core's laws (no more used than needed, and the like)."""
    chance = np.random.default_rng(seed)
    z, p = scenario.sizes, new_params(scenario)[0]
    s = new_episodes(z)[0]
    stocked, shape = p["demand"] > 0, (z.rounds, z.wards, z.skus)

    def flags(share: float) -> Any:
        return stocked & (chance.random(shape) < share)

    s["need"] = chance.integers(0, chance.integers(1, 50), s["need"].shape) * stocked
    s["consumed"] = np.minimum(s["need"], chance.integers(0, 50, s["need"].shape))
    round_need = s["need"].reshape(z.rounds, 2, z.wards, z.skus).sum(axis=1)
    s["requested"] = np.floor(round_need * chance.uniform(0, 2.5, shape))
    s["allocated"] = np.floor(s["requested"] * chance.uniform(0, 1, shape))
    s["closing_stock"] = chance.integers(0, 99, shape) * stocked
    s["evidence"] = chance.integers(1, 99, shape) * flags(chance.random())
    s["cited"] = (s["evidence"] > 0) & flags(0.5)
    s["redacted"] = chance.integers(1, 3, shape) * flags(0.3)
    s["verdict"] = chance.integers(1, 4, shape) * flags(chance.random() / 2)
    s["verdict_quantity"] = np.floor(s["requested"] * chance.uniform(0.4, 1, shape)) * (s["verdict"] > 0)
    s["event_count"] = count = chance.integers(0, z.events + 1)
    s["event_type"] = np.where(np.arange(z.events) < count, chance.integers(0, 4, z.events), -1)
    s["event_day"] = chance.integers(1, z.days + 1, z.events)
    s["recalled_used"] = chance.integers(0, 30 * z.wards + 1, z.events)
    for name in ("limit", "opening_value", "spent_on_orders", "ordered_value_used", "wasted_value"):
        s[name] = chance.integers(0, 10**7) * chance.integers(0, 2)
    s["unsound"], s["tickets"] = chance.integers(0, 6), chance.integers(0, 4)
    s["approved_at_once"] = chance.integers(0, s["tickets"] + 1)
    s["system_used"] = chance.integers(0, 2, s["system_used"].shape)
    s["briefings"] = chance.integers(0, 4, z.rounds)
    s["tally"] = chance.integers(0, 9, s["tally"].shape)
    return s


def rewards(scenario: Scenario, s: Any) -> list[float]:
    """Every reward of a record, in one row."""
    p, row = new_params(scenario)[0], np.zeros(formula.BREAKDOWN)
    score = formula.score_into(s, p, row)
    found = [float(getattr(components, name)(s, p)) for name in formula.COMPONENTS]
    found += [score, *row, *formula.fill(s, p), float(shaping.advance(s, p))]
    for r in range(scenario.clock.rounds):
        found.append(roles.arbiter_close_reward(s, p, r))
        for w in range(len(scenario.wards)):
            found.append(roles.ward_reward(s, p, w, r))
            found += [roles.verdict_reward(s, p, r, w, k) for k in range(len(scenario.skus))]
    return found


def digest(seeds: range) -> str:
    """SHA-256 of the bytes of all rewards of random records, toy and shipped."""
    sha = hashlib.sha256()
    for scenario in (toy(), load_scenario("medium")):
        for seed in seeds:
            sha.update(np.array(rewards(scenario, random_record(scenario, seed))).tobytes())
    return sha.hexdigest()


if __name__ == "__main__":
    print(digest(range(int(sys.argv[1]))))
