"""Comparative statics: turn one knob of the hospital at a time and see where padding and auditing go."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.page import Page, paragraph, table_html
from experiments.run_folder import open_folder, plain, write_json
from experiments.studies import pictures, plan
from experiments.studies.aggregate import difference, mean_of
from experiments.studies.config import StaticsConfig
from experiments.studies.tuned import TRIALS, Tell, run_trials

MEASURES = {
    "studied/padding_rate": "padding rate",
    "studied/inflation": "inflation",
    "studied/audit_rate": "audit rate",
    "studied/review_rate": "review rate",
    "studied/fill": "fill",
    "score": "score",
}
DRAWN = {m: MEASURES[m] for m in ("studied/padding_rate", "studied/audit_rate")}


def run_statics(config: StaticsConfig, out: Path, tell: Tell) -> dict[str, Any]:
    """Run what is missing of the study in `out`, write results.json, a picture and report.html; the results.

    Raises:
        ConfigError: a knob is wrong, or `out` cannot be made.
        StudyError: a trial failed.
    """
    trials = plan.statics(config)
    open_folder(out, config.model_dump(mode="json", by_alias=True))
    results = run_trials(trials, out, config.scale, tell)
    found = summarise(config, results)
    write_json(out / "results.json", plain(found))
    _write_report(config, out, found, results)
    return found


def summarise(config: StaticsConfig, results: Mapping[str, Any]) -> dict[str, Any]:
    """Per knob and setting the mean of each measure with its interval, and what turning the knob all the way does."""
    knobs: dict[str, Any] = {}
    for name, knob in config.knobs.items():
        values = {label: _values(config, results, name, label) for label in knob.labels}
        first, last = values[knob.labels[0]], values[knob.labels[-1]]
        knobs[name] = {
            "title": knob.title,
            "settings": {label: {m: mean_of(v)._asdict() for m, v in found.items()} for label, found in values.items()},
            "effect": {m: difference(last[m], first[m])._asdict() for m in MEASURES},
        }
    folders = {name: {"folder": f"{TRIALS}/{name}", "cpu_seconds": r["cpu_seconds"]} for name, r in results.items()}
    return {"study": config.name, "learn": config.learn, "knobs": knobs, "trials": folders}


def _values(config: StaticsConfig, results: Mapping[str, Any], name: str, label: str) -> dict[str, list[float]]:
    called = plan.setting_name(config, name, config.knobs[name].labels.index(label))
    told = [results[f"{called}/seed-{seed}"]["evaluations"][plan.SELF]["facts"] for seed in config.seeds]
    return {measure: [facts[measure] for facts in told] for measure in MEASURES}


def _direction(effect: Mapping[str, Any]) -> str:
    """Which way, if the interval says so."""
    if effect["low"] > 0:
        return "up"
    return "down" if effect["high"] < 0 else "not clear"


def statics_table(found: Mapping[str, Any]) -> Any:
    """What turning each knob from its first to its last setting does to padding and auditing."""
    from rich.table import Table

    table = Table("knob", "from", "to", "padding rate", "", "audit rate", "")
    for name, knob in found["knobs"].items():
        labels, cells = list(knob["settings"]), []
        for measure in DRAWN:
            effect = knob["effect"][measure]
            cells += [f"{effect['value']:+.3f} [{effect['low']:+.3f}, {effect['high']:+.3f}]", _direction(effect)]
        table.add_row(name.replace("_", " "), labels[0], labels[-1], *cells)
    return table


def _write_report(config: StaticsConfig, out: Path, found: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    from experiments.studies.report_parts import STYLE, Book, trials_html

    who = {
        "nobody": f"the {config.coordinator} and {config.ward} wards, who do not learn",
        "wards": f"wards that learn against the {config.coordinator}",
        "together": "a coordinator and wards that learn together",
    }[config.learn]
    where = f"all else as in the {config.difficulty} hospital"
    lead = f"One knob at a time, {where}: {who}; {len(config.seeds)} seeds, 95 % intervals."
    page, book = Page("Comparative statics", lead, STYLE), Book(out)
    values = {
        name: {what: [_values(config, results, name, at)[m] for at in knob.labels] for m, what in DRAWN.items()}
        for name, knob in config.knobs.items()
    }
    top = 1.1 * max(max(runs) for lines in values.values() for settings in lines.values() for runs in settings)
    panels = {name: pictures.responses(knob.title, values[name], knob.labels, top) for name, knob in config.knobs.items()}
    legend = paragraph("Red: share of lines padded. Blue: share of lines audited. Dots are seeds, bands 95 % intervals.")
    page.add("Padding and auditing", legend, book.grid(panels))
    rows = []
    for name, knob in found["knobs"].items():
        for measure, what in MEASURES.items():
            effect = knob["effect"][measure]
            told = f"{effect['value']:+.3f} [{effect['low']:+.3f}, {effect['high']:+.3f}]"
            rows.append([name.replace("_", " "), what, told, _direction(effect)])
    page.add("From the first setting to the last", table_html(["knob", "measure", "change", "direction"], rows))
    folders = [[name, t["folder"], round(t["cpu_seconds"], 1)] for name, t in found["trials"].items()]
    page.add(
        "Where every figure comes from",
        trials_html(["trial", "folder", "CPU s"], folders),
    )
    page.write(out / "report.html", f"medchain study {config.name}")
