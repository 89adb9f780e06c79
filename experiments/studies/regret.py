"""Approximate NashConv: what each side could still gain, at least, by leaving a profile that was learned together.

Candidates are fresh learners trained against the frozen others, for every budget and seed, and every scripted strategy.
The best of them bounds the true best response from below, so each figure is a lower bound. All are measured on the same
episodes as the profile itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.studies.config import PaddingConfig
from experiments.studies.plan import SELF, together
from experiments.studies.players import ARBITER, COORDINATOR, WARDS

VALUE = {COORDINATOR: "score", WARDS: "studied/reward"}
"""What a side plays for. The arbiter's reward is not measured."""


def candidates(config: PaddingConfig, results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row per profile, side and candidate: what the side gains by it (negative: it loses)."""
    rows = []
    for index, profile in enumerate(together(config)):
        scheme = profile.name.partition("/")[0]
        own = results[profile.name]["evaluations"][SELF]["facts"]
        for side in [side for side in profile.sides() if side != ARBITER]:
            for name, facts in _met(config, results, profile.name, scheme, index % len(config.seeds), side):
                gain = facts[VALUE[side]] - own[VALUE[side]]
                rows.append({"scheme": scheme, "seed": profile.seed, "side": side, "candidate": name, "gain": gain})
    return rows


def _met(
    config: PaddingConfig, results: Mapping[str, Any], profile: str, scheme: str, member: int, side: str
) -> list[tuple[str, dict[str, float]]]:
    """Facts of every candidate of `side` against the others of the profile."""
    found = []
    for budget in config.regret.budgets:
        for number in range(config.regret.seeds):
            name = f"responses/{profile.replace('/', '-')}/{side}-{budget}-{number}"
            found.append((f"fresh, {budget} iterations", results[name]["evaluations"][SELF]["facts"]))
    if side == COORDINATOR:
        for name in config.cross_play.coordinators:
            told = results[f"cross-play/{name}-0"]["evaluations"]
            found.append((name, told[f"{scheme}/{member}"]["facts"]))
    else:
        told = results[f"cross-play/{scheme}-{member}"]["evaluations"]
        found += [(name, told[f"{name}/0"]["facts"]) for name in config.cross_play.wards]
    return found


def regrets(rows: list[dict[str, Any]]) -> dict[str, dict[str, list[float]]]:
    """Per scheme and side, the regret of each seed's profile: the best candidate's gain, at least 0."""
    best: dict[tuple[str, str, int], float] = {}
    for row in rows:
        key = (row["scheme"], row["side"], row["seed"])
        best[key] = max(best.get(key, 0.0), row["gain"])
    found: dict[str, dict[str, list[float]]] = {}
    for (scheme, side, _), gain in best.items():
        found.setdefault(scheme, {}).setdefault(side, []).append(gain)
    return found
