"""Held-out episodes of learned roles, beside scripted agents in the same places; curves and tables of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.rllib.phase_batch import PhaseBatch
from experiments.rllib.phase_config import PhaseConfig, stand_in
from experiments.run_folder import write_json
from experiments.statistics import cluster_bootstrap, paired_difference
from medchain.reward.formula import COMPONENTS, breakdown
from medchain.scenario import Scenario, load_scenario
from policies.learned.player import decider

Outcome = dict[str, Any]
PANELS = (
    ("score_mean", "score of the sampled episodes"),
    ("entropy", "entropy, nats"),
    ("vf_explained_var", "explained variance"),
)


def held_out(config: PhaseConfig, nets: Mapping[str, Any]) -> Outcome:
    """The learned roles, most probable choices, on the held-out seeds of every difficulty."""

    def play(scenario: Scenario, seeds: Sequence[int]) -> PhaseBatch:
        batch = PhaseBatch(scenario, len(seeds), config.agents, "terminal")
        for agent, module in batch.modules.items():
            batch.freeze(agent, decider(nets[module], agent))
        return play_out(batch, seeds)

    return _outcome(config, play)


def beside(config: PhaseConfig, name: str) -> Outcome:
    """Scripted agents in the learned ones' places: the coordinator called `name`, or wards of that persona."""
    parts = config.agents | {agent: stand_in(agent, name) for agent in config.train}

    def play(scenario: Scenario, seeds: Sequence[int]) -> PhaseBatch:
        return play_out(PhaseBatch(scenario, len(seeds), parts, "terminal"), seeds)

    return _outcome(config, play)


def play_out(batch: PhaseBatch, seeds: Sequence[int]) -> PhaseBatch:
    """Play the episodes of `seeds` to their end; nobody is left to be asked."""
    batch.reset(seeds)
    if batch.turn():
        raise ValueError("a learned agent is asked that nothing plays")
    return batch


def _outcome(config: PhaseConfig, play: Any) -> Outcome:
    episodes, parts, earned = [], [], []
    for difficulty in config.evaluation.difficulties:
        scenario, seeds = load_scenario(difficulty), config.evaluation.seeds
        batch = play(scenario, seeds)
        told = [breakdown(record, batch.env.params[0]) for record in batch.env.episodes]
        episodes += [[difficulty, seed, part["score"]] for seed, part in zip(seeds, told, strict=True)]
        parts += told
        earned.append(batch.env.returns())
    names = list(config.scenario().agents)
    return {
        "score": float(np.mean([score for _, _, score in episodes])),
        "components": {name: _mean([part[name] for part in parts]) for name in COMPONENTS},
        "returns": dict(zip(names, np.concatenate(earned).mean(0).tolist(), strict=True)),
        "episodes": episodes,
    }


def _mean(values: list[Any]) -> float | None:
    present = [value for value in values if value is not None]
    return float(np.mean(present)) if present else None


def write_report(out: Path, config: PhaseConfig) -> dict[str, Any]:
    """Write results.json and curves.png; returns the results: an outcome by row, and the gain paired by seed."""
    rows = {f"learned, {when}": json.loads((out / f"{when}.json").read_text("utf-8")) for when in ("before", "after")}
    rows |= {name: beside(config, name) for name in config.evaluation.against}
    after = [score for _, _, score in rows["learned, after"]["episodes"]]
    seeds = [seed for _, seed, _ in rows["learned, after"]["episodes"]]
    gains = {
        name: paired_difference(after, [score for _, _, score in row["episodes"]], seeds)._asdict()
        for name, row in rows.items()
        if name != "learned, after"
    }
    intervals = {name: cluster_bootstrap([s for *_, s in row["episodes"]], seeds)._asdict() for name, row in rows.items()}
    results = {"rows": rows, "intervals": intervals, "gain over": gains}
    write_json(out / "results.json", results)
    if (out / "metrics.jsonl").is_file():
        draw_curves(out, config)
    return results


def draw_curves(out: Path, config: PhaseConfig) -> None:
    """Write curves.png."""
    from matplotlib.figure import Figure

    metrics = [json.loads(line) for line in (out / "metrics.jsonl").read_text("utf-8").splitlines()]
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    for axis, (key, title) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        for name in [key] if key == "score_mean" else [f"{module}/{key}" for module in config.modules]:
            points = [(m["iteration"], m[name]) for m in metrics if name in m]
            axis.plot([x for x, _ in points], [y for _, y in points], lw=1, label=name.split("/")[0])
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("iteration", fontsize=8)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.grid(alpha=0.25)
        if key != "score_mean":
            axis.legend(fontsize=7)
    figure.savefig(out / "curves.png", dpi=110)


def results_table(config: PhaseConfig, results: dict[str, Any]) -> Any:
    """Score with interval, critical service, audit score, returns of wards: one row each."""
    from experiments.tables import plain_table

    table = plain_table(f"Held-out seeds {config.evaluation.seeds[0]}..{config.evaluation.seeds[-1]}")
    wards = list(config.scenario().wards)
    for column in ("who", "score", "interval", "learned gains", "critical", "audit", *wards):
        table.add_column(column, justify="left" if column == "who" else "right", no_wrap=True)
    for name, row in results["rows"].items():
        interval, gain = results["intervals"][name], results["gain over"].get(name)
        parts = [row["components"][key] for key in ("critical_service_level", "audit_score")]
        cells = ["-" if part is None else f"{part:.3f}" for part in parts]
        cells += [f"{row['returns'][ward]:.2f}" for ward in wards]
        gained = "" if gain is None else f"{gain['mean']:+.3f} ({gain['low']:+.3f} .. {gain['high']:+.3f})"
        table.add_row(name, f"{row['score']:.3f}", f"{interval['low']:.3f} .. {interval['high']:.3f}", gained, *cells)
    return table
