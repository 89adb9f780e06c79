"""Populations of coordinators and of wards, every pair of them played; the empirical game, and what self-play overstates.

A learned population has a member per seed. Members that learned together never meet here: coordinator i plays the wards of
seed i + 1. How they do with those they grew up with is in their own trial, and the difference is the gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.studies.config import PaddingConfig
from experiments.studies.meta_game import alpha_rank, equilibria
from experiments.studies.plan import SELF, alone, snapshot, together, trial
from experiments.studies.players import ARBITER, COORDINATOR, WARDS
from experiments.studies.trial import Trial

Array = np.ndarray[Any, Any]
PAST = "{}-halfway"


class Populations(NamedTuple):
    """Members by population: each a cast of the coordinator's side (its arbiter with it) or of the wards'."""

    coordinators: dict[str, list[dict[str, str]]]
    wards: dict[str, list[dict[str, str]]]


def populations(config: PaddingConfig, out: Path) -> Populations:
    """Scripted ones, then those that have learned."""
    rows = {name: [{COORDINATOR: name}] for name in config.cross_play.coordinators}
    columns = {name: [{WARDS: name}] for name in config.cross_play.wards}
    for t in alone(config):
        name, side = t.name.partition("/")[0], t.sides()[0]
        (columns if side == WARDS else rows).setdefault(name, []).append({side: snapshot(out, t.name, side, -1)})
    for t in together(config):
        name = t.name.partition("/")[0]
        for called, part in ((name, 1.0), (PAST.format(name), 0.5)):
            rows.setdefault(called, []).append(_members(t, out, [COORDINATOR, ARBITER], part))
            columns.setdefault(called, []).append(_members(t, out, [WARDS], part))
    return Populations(rows, columns)


def _members(t: Trial, out: Path, sides: list[str], part: float) -> dict[str, str]:
    found = {}
    for side in [side for side in sides if side in t.sides()]:
        learned = sum(side in stage.learns for stage in t.stages)
        found[side] = snapshot(out, t.name, side, max(0, round(part * learned)))
    return found


def pairs(rows: list[Any], columns: list[Any]) -> list[tuple[int, int]]:
    """Which members of two populations meet."""
    if len(rows) > 1 and len(columns) > 1:
        return [(i, (i + 1) % len(columns)) for i in range(len(rows))]
    return [(i, j) for i in range(len(rows)) for j in range(len(columns))]


def meetings(config: PaddingConfig, out: Path) -> list[Trial]:
    """One trial without learning per coordinator, which plays every population of wards."""
    made, (rows, columns) = [], populations(config, out)
    for row, members in rows.items():
        for i, coordinator in enumerate(members):
            casts = {
                f"{column}/{j}": coordinator | wards[j]
                for column, wards in columns.items()
                for at, j in pairs(members, wards)
                if at == i
            }
            made.append(trial(config, f"cross-play/{row}-{i}", i, [], casts, config.scenario()))
    return made


class Matrix(NamedTuple):
    """Mean score [row, column] and mean reward of the studied wards [row, column], with the names of both sides."""

    rows: list[str]
    columns: list[str]
    score: Array
    reward: Array
    audit_rate: Array
    inflation: Array


def matrix(config: PaddingConfig, out: Path, results: Mapping[str, Any]) -> Matrix:
    """The cross-play matrix out of the finished meetings."""
    rows, columns = populations(config, out)
    found = np.zeros((4, len(rows), len(columns)))
    for r, (row, members) in enumerate(rows.items()):
        for c, (column, wards) in enumerate(columns.items()):
            told = [
                results[f"cross-play/{row}-{i}"]["evaluations"][f"{column}/{j}"]["facts"] for i, j in pairs(members, wards)
            ]
            for k, name in enumerate(("score", "studied/reward", "studied/audit_rate", "studied/inflation")):
                found[k, r, c] = np.mean([t[name] for t in told])
    return Matrix(list(rows), list(columns), *found)


def solved(m: Matrix) -> dict[str, Any]:
    """Equilibria and alpha-rank of the empirical game, strategies by name."""
    ranks = alpha_rank(m.score, m.reward)
    return {
        "equilibria": [
            {
                "coordinators": _named(m.rows, e.rows),
                "wards": _named(m.columns, e.columns),
                "score": e.row_value,
                "reward": e.column_value,
            }
            for e in equilibria(m.score, m.reward)
        ],
        "alpha_rank": {"coordinators": _named(m.rows, ranks.rows), "wards": _named(m.columns, ranks.columns)},
    }


def _named(names: list[str], mass: Array) -> dict[str, float]:
    """Strategies with more than 1 % of the mass, the heaviest first."""
    order = np.argsort(-mass, kind="stable")
    return {names[i]: float(mass[i]) for i in order if mass[i] > 0.01}


def gaps(config: PaddingConfig, results: Mapping[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Per scheme, what each seed's coordinator and wards get with each other, less what they get among strangers."""
    found: dict[str, dict[str, list[float]]] = {}
    seeds = config.seeds
    for scheme in config.together.schemes:
        own = [results[f"{scheme}/seed-{seed}"]["evaluations"][SELF]["facts"] for seed in seeds]
        met = [results[f"cross-play/{scheme}-{i}"]["evaluations"] for i in range(len(seeds))]
        strangers = [met[i][f"{scheme}/{(i + 1) % len(seeds)}"]["facts"] for i in range(len(seeds))]
        hosts = [met[(i - 1) % len(seeds)][f"{scheme}/{i}"]["facts"] for i in range(len(seeds))]
        found[scheme] = {
            "score": [a["score"] - b["score"] for a, b in zip(own, strangers, strict=True)],
            "reward": [a["studied/reward"] - b["studied/reward"] for a, b in zip(own, hosts, strict=True)],
        }
    return found
