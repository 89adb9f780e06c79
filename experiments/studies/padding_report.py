"""The report of the padding study: pictures as PNG beside it, everything that is said traceable to a trial's folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from experiments.page import Page, paragraph, table_html
from experiments.studies import pictures
from experiments.studies.aggregate import profile
from experiments.studies.config import PaddingConfig
from experiments.studies.padding import curve, facts_of
from experiments.studies.report_parts import STYLE, Book, claims_html, interval_text, label, trials_html


def write_padding_report(config: PaddingConfig, out: Path, found: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    """Write report.html and the pictures."""
    book, who = Book(out), " and ".join(config.scenario().wards[w].title for w in config.wards)
    learn = "learn" if len(config.wards) > 1 else "learns"
    lead = (
        f"{who} {learn} what to ask for, a coordinator learns whom to audit, in the {config.difficulty} hospital; "
        f"{len(config.seeds)} training seeds, final figures on {config.evaluation.episodes} episodes that nobody trained on."
    )
    page = Page("Padding versus auditing", lead, STYLE)
    page.add(
        "What was asked, what came out",
        claims_html(found["claims"]),
        paragraph(
            f"Intervals resample the {len(config.seeds)} training seeds: few seeds span little more than what was seen. "
            "Learned coordinators had minutes, or hours, and can stay far below the scripted auditor (see the last tables): "
            "what is claimed is whom they audit, not how well they run the hospital."
        ),
    )
    _alone(page, book, config, out, results)
    _together(page, book, config, out, found)
    _regret(page, book, found)
    _cross_play(page, book, config, found)
    _scores(page, book, config, found, results)
    _trace(page, found)
    page.write(out / "report.html", f"medchain study {config.name}")


def _alone(page: Page, book: Book, config: PaddingConfig, out: Path, results: Mapping[str, Any]) -> None:
    def runs(name: str, measure: str) -> list[list[Any]]:
        return [[row[measure] for row in curve(out, f"{name}/seed-{seed}")] for seed in config.seeds]

    asked = {c: runs(f"wards-vs-{c}", "studied/inflation") for c in config.alone.wards}
    title = "What a learning ward asks for"
    figures = {"ward-learning": pictures.curves(title, "request / need", asked, 1.1)}
    for measure, what, line in (("inflation", "request / need", 1.1), ("fill", "fill of its lines", None)):
        rows = {f"honest | {c}": [_scripted(results, c, "honest", measure)] for c in config.cross_play.coordinators}
        rows |= {
            f"learned | {c}": [f[f"studied/{measure}"] for f in facts_of(config, results, f"wards-vs-{c}", c)]
            for c in config.alone.wards
        }
        figures[f"ward-{measure}"] = pictures.dots(f"At the end: {what}", what, rows, line)
    header = ["coordinator", "ward", "request / need", "padded", "just under", "fill", "reward"]
    page.add(
        "A ward learns, the coordinator does not",
        paragraph(
            "Thin lines are training seeds, thick ones their mean. Above the dashed line a request counts as padded. "
            "An honest ward beside each coordinator is the yardstick: dots are runs, bars 95 % intervals."
        ),
        book.grid(figures),
        paragraph(
            "What each way of asking pays. Just under: above 1.05 of the need and yet not padded, which is legal; the ward "
            "edge always asks for the most that is not padded."
        ),
        table_html(header, _what_pays(config, results)),
    )
    for name, casts in config.alone.coordinator.items():
        trials = f"coordinator-vs-{name}"
        figures = {}
        for measure, what in (("audit_rate", "lines audited"), ("review_rate", "lines reviewed")):
            groups = {
                persona: [
                    _mean_curve(out, f"{trials}/seed-{seed}", _where(casts, persona, measure)) for seed in config.seeds
                ]
                for persona in ("chronic", "honest")
            }
            figures[f"{trials}-{measure}"] = pictures.curves(f"By what the ward is: {what}", f"share of {what}", groups)
        page.add(
            "The coordinator learns, the wards do not",
            paragraph(
                "From episode to episode another ward is the chronic padder and the rest are honest; the coordinator is not "
                "told which. Audited: evidence was asked for, or the arbiter reviewed the line. Curves are of the wards "
                "that are the one in some episodes and the other in others."
            ),
            book.grid(figures),
        )


def _where(casts: list[dict[str, str]], persona: str, measure: str) -> list[str]:
    """Names of a measure in the training rows, for every ward that takes turns, where it is `persona`."""
    wards = [w for w in casts[0] if {cast.get(w) for cast in casts} >= {"chronic", "honest"}]
    return [f"cast{i}/{w}/{measure}" for w in wards for i, cast in enumerate(casts) if cast[w] == persona]


def _mean_curve(out: Path, name: str, measures: list[str]) -> list[float]:
    return [float(np.mean([row[m] for m in measures])) for row in curve(out, name)]


def _what_pays(config: PaddingConfig, results: Mapping[str, Any]) -> list[list[Any]]:
    """Per coordinator, each scripted ward and the one that learned against it."""
    rows = []
    for coordinator in config.cross_play.coordinators:
        met = results[f"cross-play/{coordinator}-0"]["evaluations"]
        learned = [f"wards-vs-{coordinator}"] if coordinator in config.alone.wards else []
        for ward in [*config.cross_play.wards, *learned]:
            told = [e["facts"] for name, e in met.items() if name.rpartition("/")[0] == ward]
            measures = ("inflation", "padding_rate", "edge_rate", "fill", "reward")
            values = [float(np.mean([f[f"studied/{m}"] for f in told])) for m in measures]
            rows.append([coordinator, label(ward), *(f"{value:.2f}" for value in values)])
    return rows


def _scripted(results: Mapping[str, Any], coordinator: str, ward: str, measure: str) -> float:
    value: float = results[f"cross-play/{coordinator}-0"]["evaluations"][f"{ward}/0"]["facts"][f"studied/{measure}"]
    return value


def _together(page: Page, book: Book, config: PaddingConfig, out: Path, found: Mapping[str, Any]) -> None:
    figures, rows = {}, []
    for scheme in config.together.schemes:
        told = [curve(out, f"{scheme}/seed-{seed}") for seed in config.seeds]

        def of(name: str, told: list[Any] = told) -> list[list[Any]]:
            return [[row[name] for row in run] for run in told]

        groups = {"lines padded": of("studied/padding_rate"), "lines audited": of("studied/audit_rate")}
        figures[f"{scheme}-rates"] = pictures.curves(f"{scheme}: over training", "share of lines", groups)
        paths = list(zip(of("studied/padding_rate"), of("studied/audit_rate"), strict=True))
        figures[f"{scheme}-path"] = pictures.portrait(f"{scheme}: the path of each seed", paths)
        for when in ("time_average", "end"):
            measures = found["together"][scheme][when]
            cells = [interval_text(measures[m], 2) if m in measures else "—" for m in SHOWN]
            rows.append([scheme, when.replace("_", " "), *cells])
    page.add(
        "Everyone learns",
        paragraph("Last iterates may cycle, so time averages stand beside them: in the picture on the right, crosses."),
        book.grid(figures),
        table_html(["scheme", "when", *SHOWN.values()], rows),
    )


SHOWN = {
    "studied/inflation": "inflation",
    "studied/padding_rate": "padding rate",
    "studied/audit_rate": "audit rate",
    "studied/review_rate": "review rate",
    "studied/precision": "precision",
    "studied/recall": "recall",
    "studied/redaction_rate": "redactions",
    "studied/fill": "fill",
    "score": "score",
    "waste": "waste",
    "welfare": "welfare",
}


def _regret(page: Page, book: Book, found: Mapping[str, Any]) -> None:
    rows = [
        [r["scheme"], r["seed"], r["side"], r["candidate"], f"{r['gain']:+.3f}"]
        for r in sorted(found["best_responses"], key=lambda r: -r["gain"])[:12]
    ]
    figure = pictures.bars("Gain from leaving, at least", "score or ward reward", found["nash_conv"])
    page.add(
        "How far from an equilibrium",
        paragraph(
            "Approximate NashConv: fresh learners and every scripted strategy are tried against the others as they ended, "
            "and the best of them is what a side could still gain. It is a lower bound: a stronger learner might gain more. "
            "All is the sum."
        ),
        book.grid({"nash-conv": figure}),
        paragraph("The twelve most profitable departures:"),
        table_html(["scheme", "seed", "side", "plays instead", "gain"], rows),
    )


def _cross_play(page: Page, book: Book, config: PaddingConfig, found: Mapping[str, Any]) -> None:
    met = found["cross_play"]
    marks = []
    if met["equilibria"]:
        first = met["equilibria"][0]
        marks = [(met["rows"].index(r), met["columns"].index(c)) for r in first["coordinators"] for c in first["wards"]]
    names = [label(c) + (" *" if c in config.cross_play.held_out else "") for c in met["columns"]]
    rows = [label(r) for r in met["rows"]]
    figures = {
        f"cross-play-{key}": pictures.heat(title, rows, names, np.array(met[key]), "{:.2f}", marks)
        for key, title in (("score", "Coordinator's score"), ("reward", "Reward of the wards under study, per round"))
    }
    lines = [
        f"Equilibrium {i + 1}: {_mix(e['coordinators'])} against {_mix(e['wards'])}."
        for i, e in enumerate(met["equilibria"][:3])
    ]
    rank = met["alpha_rank"]
    lines.append(f"Alpha-rank: {_mix(rank['coordinators'])} against {_mix(rank['wards'])}.")
    gaps = [
        f"{scheme}: score {interval_text(g['score'])}, ward reward {interval_text(g['reward'])}"
        for scheme, g in found["gap"].items()
    ]
    lines.append("Self-play minus cross-play, " + "; ".join(gaps) + ".")
    page.add(
        "Everyone meets everyone",
        paragraph(
            "Coordinators in rows, wards in columns; halfway is a snapshot from the middle of training, a star marks "
            "wards that nobody was trained against. Learned coordinators meet wards of another seed. Red frames: the "
            "support of the first equilibrium of this empirical game (nashpy); alpha-rank is OpenSpiel's."
        ),
        book.wide(figures),
        *(paragraph(line) for line in lines),
    )


def _mix(mass: Mapping[str, float]) -> str:
    return ", ".join(f"{label(name)} {share:.0%}" for name, share in mass.items())


def _scores(page: Page, book: Book, config: PaddingConfig, found: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    runs: dict[str, list[list[float]]] = {}
    for name, result in results.items():
        if name.startswith("cross-play/"):
            row = name.removeprefix("cross-play/").rpartition("-")[0]
            scores = [s for ward in config.cross_play.wards for s in result["evaluations"][f"{ward}/0"]["scores"]]
            runs.setdefault(row, []).append(scores)
    rows = [[label(name), interval_text(value), value["runs"]] for name, value in found["interquartile_means"].items()]
    page.add(
        "Coordinators against all scripted wards",
        paragraph(
            "Interquartile mean of the score over wards and runs, with a stratified bootstrap interval over training runs "
            "(scripted coordinators have one run), and the share of episodes above each score."
        ),
        book.grid({"profiles": pictures.profiles("Performance profiles", {label(n): profile(r) for n, r in runs.items()})}),
        table_html(["coordinator", "IQM of the score", "runs"], rows),
    )


def _trace(page: Page, found: Mapping[str, Any]) -> None:
    rows = [[name, t["folder"], t["seed"], t["cpu_seconds"]] for name, t in found["trials"].items()]
    total = sum(t["cpu_seconds"] for t in found["trials"].values())
    page.add(
        "Where every figure comes from",
        paragraph(
            f"Each trial has a folder with its whole config, scenario, package versions, metrics, networks and result; "
            f"{len(rows)} trials, {total / 60:.1f} minutes of processor time. Delete one and run the study again: that one "
            "is made again."
        ),
        trials_html(["trial", "folder", "seed", "CPU s"], rows),
    )
