"""From a study's config to its trials, wave after wave: later ones play against what earlier ones have learned."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from experiments.studies.config import Base, PaddingConfig, StaticsConfig, altered
from experiments.studies.players import ARBITER, COORDINATOR, FILE, ROLES, WARDS
from experiments.studies.trial import OWN, Stage, Trial
from medchain.scenario import Scenario

SELF = "self"
"""The evaluation of everyone as they ended, together."""


def trial(config: Base, name: str, seed: int, stages: list[Stage], evaluate: dict[str, Any], scenario: Scenario) -> Trial:
    """A trial of the study."""
    sides = {side for stage in stages for side in stage.learns}
    return Trial(
        name=name,
        scenario=scenario.model_dump(mode="json"),
        wards=config.wards,
        seed=seed,
        learners={side: how for side, how in config.learners.items() if side in sides},
        stages=stages,
        evaluate=evaluate,
        first_key=config.first_key,
        evaluation_seeds=(config.evaluation.first_seed, config.evaluation.episodes),
        threads=config.scale.threads,
    )


def alone(config: PaddingConfig) -> list[Trial]:
    """Wards against each scripted coordinator; coordinators against each list of casts."""
    made, scenario = [], config.scenario()
    for seed in config.seeds:
        for opponent in config.alone.wards:
            cast = {COORDINATOR: opponent}
            stage = Stage(learns=[WARDS], casts=[cast], iterations=config.alone.iterations[WARDS])
            made.append(trial(config, f"wards-vs-{opponent}/seed-{seed}", seed, [stage], {opponent: cast}, scenario))
        for name, casts in config.alone.coordinator.items():
            stage = Stage(learns=[COORDINATOR], casts=casts, iterations=config.alone.iterations[COORDINATOR])
            evaluate = {str(number): cast for number, cast in enumerate(casts)}
            made.append(trial(config, f"coordinator-vs-{name}/seed-{seed}", seed, [stage], evaluate, scenario))
    return made


def together(config: PaddingConfig) -> list[Trial]:
    """Everyone learns, by each scheme."""
    how, scenario = config.together, config.scenario()
    sides = [COORDINATOR, WARDS] + ([ARBITER] if how.arbiter else [])
    return [
        trial(config, f"{scheme}/seed-{seed}", seed, _stages(scheme, sides, how), {SELF: {}}, scenario)
        for scheme in how.schemes
        for seed in config.seeds
    ]


def _stages(scheme: str, sides: list[str], how: Any) -> list[Stage]:
    if scheme == "simultaneous":
        return [Stage(learns=sides, casts=[{}], iterations=how.iterations)] * how.stages
    made = []
    for number in range(how.stages):
        for i, side in enumerate(sides):
            # Sides before this one have learned in this round already: their last snapshot is one further.
            last = {other: number + (1 if sides.index(other) < i else 0) for other in sides if other != side}
            back = range(min(last.values()) + 1) if scheme == "league" else [0]
            casts = [{other: f"{OWN}{n - ago}" for other, n in last.items()} for ago in back]
            made.append(Stage(learns=[side], casts=casts, iterations=how.iterations))
    return made


def snapshot(out: Path, name: str, side: str, number: int) -> str:
    """The word for a side's snapshot number `number` (from the end if below 0) of a finished trial."""
    files = sorted((out / "trials" / name / "policies").glob(f"{side}-*.{ROLES[side]}.pt"))
    return FILE + str(files[number].absolute())


def best_responses(config: PaddingConfig, out: Path) -> list[Trial]:
    """Fresh learners against each profile that was learned together, the others frozen as they ended."""
    made, scenario = [], config.scenario()
    for profile in together(config):
        sides = profile.sides()
        for side in [side for side in sides if side != ARBITER]:
            cast = {other: snapshot(out, profile.name, other, -1) for other in sides if other != side}
            for budget in config.regret.budgets:
                for number in range(config.regret.seeds):
                    stage = Stage(learns=[side], casts=[cast], iterations=budget)
                    name = f"responses/{profile.name.replace('/', '-')}/{side}-{budget}-{number}"
                    seed = 500 + 100 * number + profile.seed
                    made.append(trial(config, name, seed, [stage], {SELF: cast}, scenario))
    return made


SHIPPED = "shipped"
"""The name of the setting in which nothing is turned: knobs share it."""


def statics(config: StaticsConfig) -> list[Trial]:
    """Every setting of every knob, on every seed; those that change nothing are there once."""
    made: dict[str, Trial] = {}
    for name, knob in config.knobs.items():
        for number, changes in enumerate(knob.settings):
            scenario = altered(config.scenario(), changes, f"knobs.{name}")
            for seed in config.seeds:
                called = f"{setting_name(config, name, number)}/seed-{seed}"
                made.setdefault(called, _setting(config, knob.coordinator, called, seed, scenario))
    return list(made.values())


def setting_name(config: StaticsConfig, knob: str, number: int) -> str:
    """The name of the trials of a knob's setting."""
    part = config.knobs[knob]
    same = altered(config.scenario(), part.settings[number], f"knobs.{knob}") == config.scenario()
    if same and part.coordinator in (None, config.coordinator):
        return SHIPPED
    return f"{knob}-{re.sub(r'[^A-Za-z0-9.]+', '-', part.labels[number]).strip('-')}"


def _setting(config: StaticsConfig, coordinator: str | None, name: str, seed: int, scenario: Scenario) -> Trial:
    scripted = {COORDINATOR: coordinator or config.coordinator, WARDS: config.ward}
    learns = {"nobody": [], "wards": [WARDS], "together": [COORDINATOR, WARDS]}[config.learn]
    cast = {side: word for side, word in scripted.items() if side not in learns}
    stages = [Stage(learns=learns, casts=[cast], iterations=config.iterations)] if learns else []
    made = trial(config, name, seed, stages, {SELF: cast}, scenario)
    if not learns:  # then chance is all that differs between seeds
        first, episodes = made.evaluation_seeds
        return made.model_copy(update={"evaluation_seeds": (first + config.seeds.index(seed) * episodes, episodes)})
    return made
