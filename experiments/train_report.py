"""What a training run says of itself: curves, before against after, and the scripted coordinators on the same seeds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.page import Page, figure_html, paragraph, table_html
from experiments.run_folder import write_json
from experiments.statistics import Estimate, cluster_bootstrap, paired_difference
from experiments.train_config import TrainConfig

CURVES = (
    ("score_mean", "score of the sampled episodes"),
    ("group_spread", "spread of returns within a group"),
    ("entropy", "entropy of a choice, nats"),
    ("parse_rate", "turns that parse"),
    ("tokens_per_episode", "tokens per episode"),
    ("groups_constant", "constant groups"),
)


SPOKEN = (
    "parse_rate",
    "unconstrained_parse_rate",
    "unconstrained_score",
    "refused_share",
    "calls_per_round",
    "tokens_per_episode",
)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """JSON lines of a file; empty if there is none."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def compare(out: Path, config: TrainConfig) -> dict[str, Any]:
    """Held-out scores before and after, their paired difference, and the scripted coordinators'."""
    before, after = (json.loads((out / f"evaluation_{when}.json").read_text("utf-8")) for when in ("before", "after"))
    seeds = [seed for _, seed, _ in after["episodes"]]
    scores = {when: [score for _, _, score in data["episodes"]] for when, data in (("before", before), ("after", after))}
    found: dict[str, Any] = {
        "before": _estimate(cluster_bootstrap(scores["before"], seeds)),
        "after": _estimate(cluster_bootstrap(scores["after"], seeds)),
        "gain": _estimate(paired_difference(scores["after"], scores["before"], seeds)),
        "scripted": scripted_scores(config),
    }
    return found


def scripted_scores(config: TrainConfig) -> dict[str, dict[str, float]]:
    """The scripted coordinators of `evaluation.against` on the held-out seeds."""
    from experiments.evaluation import score_record
    from experiments.players import player
    from medchain.core.params import new_params
    from medchain.scenario import load_scenario

    found = {}
    for name in config.evaluation.against:
        scores, seeds = [], []
        for difficulty in config.evaluation.difficulties:
            scenario = load_scenario(difficulty)
            records = player(name)(scenario, config.evaluation.seeds)
            for seed, record in zip(config.evaluation.seeds, records, strict=True):
                scores.append(score_record(record, new_params(scenario)[0], list(scenario.wards))[0]["score"])
                seeds.append(seed)
        found[name] = _estimate(cluster_bootstrap(scores, seeds))
    return found


def _estimate(e: Estimate) -> dict[str, float]:
    return {key: float(value) for key, value in e._asdict().items()}


def draw_curves(metrics: list[dict[str, Any]], warm: list[dict[str, Any]]) -> Any:
    """Curves of training as one figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6.5), layout="constrained")
    axes = figure.subplots(2, 3).flat
    for axis, (key, title) in zip(axes, CURVES, strict=True):
        points = [(m["iteration"], m[key]) for m in metrics if key in m]
        axis.plot([x for x, _ in points], [y for _, y in points], marker="o", ms=3, color="#0b6e8a")
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("iteration", fontsize=8)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.grid(alpha=0.25)
    return figure


def draw_warm_start(warm: list[dict[str, Any]]) -> Any:
    """Loss and accuracy of imitation."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3), layout="constrained")
    for axis, key in zip(figure.subplots(1, 2), ("loss", "right"), strict=True):
        axis.plot([w["step"] for w in warm], [w[key] for w in warm], lw=0.8, color="#0b6e8a")
        axis.set_title(f"warm start: {'cross-entropy' if key == 'loss' else 'choices like the teachers'}", fontsize=9)
        axis.grid(alpha=0.25)
    return figure


def write_report(out: Path, config: TrainConfig) -> dict[str, Any]:
    """Write results.json, curves.png and report.html; returns the results."""
    results = compare(out, config)
    write_json(out / "results.json", results)
    metrics, warm = read_lines(out / "metrics.jsonl"), read_lines(out / "base" / "warmstart.jsonl")
    curves = draw_curves(metrics, warm)
    curves.savefig(out / "curves.png", dpi=110)
    evaluations = {when: json.loads((out / f"evaluation_{when}.json").read_text("utf-8")) for when in ("before", "after")}
    page = Page(
        f"Training {config.name}", f"{len(metrics)} iterations of GRPO on RLlib; held out: seeds {config.evaluation.seeds}"
    )
    page.add("Held-out score", table_html(["who", "mean", "low", "high"], _score_rows(results)), paragraph(verdict(results)))
    page.add("Training", figure_html(curves))
    if warm:
        page.add("Warm start", figure_html(draw_warm_start(warm)))
    parts = evaluations["after"]["components"]
    rows = [[name, *(_cell(evaluations[when]["components"][name]) for when in ("before", "after"))] for name in parts]
    page.add("Components", table_html(["component", "before", "after"], rows))
    spoken = [key for key in SPOKEN if key in evaluations["after"]]
    page.add(
        "How it speaks",
        table_html(["what", "before", "after"], [[k, *(e.get(k, "-") for e in evaluations.values())] for k in spoken]),
    )
    tools = sorted(
        {t for w in evaluations.values() for t in w["tools"]}, key=lambda t: -evaluations["after"]["tools"].get(t, 0)
    )
    page.add(
        "Tool calls",
        table_html(["tool", "before", "after"], [[t, *(w["tools"].get(t, 0) for w in evaluations.values())] for t in tools]),
    )
    page.write(out / "report.html")
    return results


def _cell(value: float | None) -> Any:
    return "-" if value is None else value


def _score_rows(results: dict[str, Any]) -> list[list[Any]]:
    rows = [[f"this model, {when}", *list(results[when].values())[:3]] for when in ("before", "after")]
    return rows + [[name, *list(e.values())[:3]] for name, e in results["scripted"].items()]


def results_table(config: TrainConfig, out: Path, results: dict[str, Any]) -> Any:
    """Held-out score with interval, before and after, beside the scripted coordinators; and how the model speaks."""
    from experiments.tables import plain_table

    seeds = config.evaluation.seeds
    table = plain_table(f"Held-out seeds {seeds[0]}..{seeds[-1]}, {', '.join(config.evaluation.difficulties)}")
    for column in ("who", "score", "interval", "parsed", "parsed\nfree", "calls a\nround", "tokens an\nepisode", "top tool"):
        side = "left" if column in ("who", "top tool") else "right"
        table.add_column(column, justify=side, no_wrap=True, vertical="bottom")
    for when in ("before", "after"):
        told = json.loads((out / f"evaluation_{when}.json").read_text("utf-8"))
        tool, count = next(iter(told["tools"].items()), ("-", 0))
        share = count / max(1, sum(told["tools"].values()))
        free = told.get("unconstrained_parse_rate")
        table.add_row(
            f"this model, {when}",
            *_cells(results[when]),
            f"{told['parse_rate']:.1%}",
            "-" if free is None else f"{free:.1%}",
            f"{told['calls_per_round']:.1f}",
            f"{told['tokens_per_episode']:.0f}",
            f"{tool} {share:.0%}",
        )
    for name, estimate in results["scripted"].items():
        table.add_row(name, *_cells(estimate))
    return table


def _cells(estimate: dict[str, float]) -> list[str]:
    return [f"{estimate['mean']:.3f}", f"{estimate['low']:.3f} .. {estimate['high']:.3f}"]


def verdict(results: dict[str, Any]) -> str:
    """What training has gained, in a sentence."""
    mean, low, high = list(results["gain"].values())[:3]
    sure = "above zero" if low > 0 else "below zero" if high < 0 else "not told apart from zero"
    return f"Gain, paired by seed: {mean:+.3f} [{low:+.3f}, {high:+.3f}], {sure}."
