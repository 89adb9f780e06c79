"""The study of padding versus auditing: its trials, wave after wave, and what they add up to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from experiments.run_folder import open_folder, plain, write_json
from experiments.studies import cross_play, plan, regret
from experiments.studies.aggregate import Interval, difference, mean_of, stratified
from experiments.studies.config import PaddingConfig
from experiments.studies.meta_game import check_libraries
from experiments.studies.tuned import TRIALS, Tell, run_trials

MEASURES = ("inflation", "padding_rate", "audit_rate", "review_rate", "precision", "recall", "redaction_rate", "fill")
WHOLE = ("score", "welfare", "waste", "critical_service_level", "audit_score")


def run_padding(config: PaddingConfig, out: Path, tell: Tell) -> dict[str, Any]:
    """Run what is missing of the study in `out`, write results.json, pictures and report.html; the results.

    Raises:
        ConfigError: the `study` extra is missing, or `out` cannot be made.
        StudyError: a trial failed.
    """
    check_libraries()
    open_folder(out, config.model_dump(mode="json", by_alias=True))
    results = run_trials(plan.alone(config) + plan.together(config), out, config.scale, tell)
    later = plan.best_responses(config, out) + cross_play.meetings(config, out)
    results |= run_trials(later, out, config.scale, tell)
    found = summarise(config, out, results)
    write_json(out / "results.json", plain(found))
    from experiments.studies.padding_report import write_padding_report

    write_padding_report(config, out, found, results)
    return found


def summarise(config: PaddingConfig, out: Path, results: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that the report says, in numbers, and the folder that each of them comes from."""
    met = cross_play.matrix(config, out, results)
    rows = regret.candidates(config, results)
    left = regret.regrets(rows)
    return {
        "study": config.name,
        "claims": claims(config, results),
        "alone": {name: _evaluated(config, results, name) for name in _alone(config)},
        "together": {scheme: _together(config, out, results, scheme) for scheme in config.together.schemes},
        "nash_conv": {
            scheme: {side: mean_of(values)._asdict() for side, values in sides.items()}
            | {"all": mean_of(np.sum(list(sides.values()), axis=0).tolist())._asdict()}
            for scheme, sides in left.items()
        },
        "best_responses": rows,
        "cross_play": {name: value if isinstance(value, list) else value.tolist() for name, value in met._asdict().items()}
        | cross_play.solved(met),
        "gap": {
            scheme: {name: mean_of(values)._asdict() for name, values in sides.items()}
            for scheme, sides in cross_play.gaps(config, results).items()
        },
        "interquartile_means": {
            name: stratified(runs)._asdict() for name, runs in coordinator_runs(config, results).items()
        },
        "trials": {
            name: {"folder": f"{TRIALS}/{name}", "seed": r["seed"], "cpu_seconds": round(r["cpu_seconds"], 1)}
            for name, r in results.items()
        },
    }


def _alone(config: PaddingConfig) -> list[str]:
    return list(dict.fromkeys(t.name.partition("/")[0] for t in plan.alone(config)))


def facts_of(config: PaddingConfig, results: Mapping[str, Any], name: str, cast: str) -> list[dict[str, float]]:
    """Facts of one evaluation of a condition, per seed."""
    return [results[f"{name}/seed-{seed}"]["evaluations"][cast]["facts"] for seed in config.seeds]


def _evaluated(config: PaddingConfig, results: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Means over seeds with intervals, of every evaluation of a condition."""
    casts = results[f"{name}/seed-{config.seeds[0]}"]["evaluations"]
    return {cast: measured(facts_of(config, results, name, cast)) for cast in casts}


def measured(facts: list[dict[str, Any]]) -> dict[str, Any]:
    """Each measure's mean over seeds with its interval; seeds in which it does not exist are left out."""
    found = {}
    for name in [*(f"studied/{m}" for m in (*MEASURES, "reward")), *WHOLE]:
        values = [f[name] for f in facts if f[name] is not None]
        if values:
            found[name] = mean_of(values)._asdict()
    return found


def _together(config: PaddingConfig, out: Path, results: Mapping[str, Any], scheme: str) -> dict[str, Any]:
    """At the end, and as time averages over training."""
    rows = [curve(out, f"{scheme}/seed-{seed}") for seed in config.seeds]
    averages = [{name: _average(run, name) for name in run[0] if "/" in name or name in WHOLE} for run in rows]
    return {"end": _evaluated(config, results, scheme)[plan.SELF], "time_average": measured(averages)}


def curve(out: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a trial's training, iteration by iteration."""
    text = (out / TRIALS / name / "metrics.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _average(run: list[dict[str, Any]], name: str) -> float | None:
    values = [row[name] for row in run if row.get(name) is not None]
    return float(np.mean(values)) if values else None


def coordinator_runs(config: PaddingConfig, results: Mapping[str, Any]) -> dict[str, list[list[float]]]:
    """Scores of every coordinator population against each scripted ward, [task][run]."""
    found: dict[str, list[list[float]]] = {}
    for name, result in results.items():
        if name.startswith("cross-play/"):
            row = name.removeprefix("cross-play/").rpartition("-")[0]
            tasks = found.setdefault(row, [[] for _ in config.cross_play.wards])
            for task, ward in zip(tasks, config.cross_play.wards, strict=True):
                task.append(result["evaluations"][f"{ward}/0"]["facts"]["score"])
    return found


def claims(config: PaddingConfig, results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What must hold in the full game, each with its figure, interval, threshold and verdict."""
    made = []
    honest = {row: results[f"cross-play/{row}-0"]["evaluations"] for row in config.cross_play.coordinators}

    def of(name: str, cast: str, measure: str) -> list[float]:
        return [f[measure] for f in facts_of(config, results, name, cast)]

    if {"restock", "auditor"} <= set(config.alone.wards):
        free, audited = (of(f"wards-vs-{c}", c, "studied/inflation") for c in ("restock", "auditor"))
        made.append(_claim("A learned ward pads where nobody audits: mean inflation against restock", mean_of(free), 1.3))
        if "restock" in honest and "honest" in config.cross_play.wards:
            base = honest["restock"]["honest/0"]["facts"]["studied/fill"]
            gain = mean_of([value - base for value in of("wards-vs-restock", "restock", "studied/fill")])
            made.append(_claim("... and is served better for it: fill above that of an honest ward", gain, 0.0))
        made.append(
            _claim(
                "It pads less where requests are audited: inflation, restock less auditor", difference(free, audited), 0.15
            )
        )
    for name in config.alone.coordinator:
        for measure, what in (("audit_rate", "asked about or reviewed"), ("review_rate", "reviewed")):
            found = mean_of(suspicion(config, results, name, measure))
            text = f"A learned coordinator audits chronic padders more than honest wards: share of lines {what}"
            made.append(_claim(text, found, 0.0))
    return made


def suspicion(config: PaddingConfig, results: Mapping[str, Any], name: str, measure: str) -> list[float]:
    """Per seed, the rate on chronic wards less that on honest ones, over wards that are the one here and the other there.

    Each ward counts as often on both sides, so that who a ward is cancels out.
    """
    casts = config.alone.coordinator[name]
    wards = [w for w in casts[0] if {cast.get(w) for cast in casts} >= {"chronic", "honest"}]
    sums = []
    for seed in config.seeds:
        told = results[f"coordinator-vs-{name}/seed-{seed}"]["evaluations"]
        rates = {
            persona: [
                told[str(i)]["facts"][f"{w}/{measure}"] for w in wards for i, cast in enumerate(casts) if cast[w] == persona
            ]
            for persona in ("chronic", "honest")
        }
        sums.append(float(np.mean(rates["chronic"]) - np.mean(rates["honest"])))
    return sums


def _claim(text: str, figure: Interval, least: float) -> dict[str, Any]:
    """A claim that `figure` is at least `least` (above 0, if that is 0)."""
    sure = figure.low > least if least == 0 else figure.low >= least
    held = figure.value > least if least == 0 else figure.value >= least
    verdict = (
        "holds" if sure else "holds on average, the interval does not exclude the contrary" if held else "does not hold"
    )
    return {"claim": text, **figure._asdict(), "at_least": least, "verdict": verdict}
