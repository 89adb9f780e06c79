"""Run Check A and Check B, hold them against their closed forms, and leave a folder with tables and pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from experiments.page import Page, figure_html, paragraph, table_html
from experiments.run_folder import open_folder, write_json
from experiments.studies.games import InspectionConfig, RationingConfig, load_game
from experiments.studies.inspection import COORDINATOR, WARD, Inspection
from experiments.studies.rationing import UNIT, Rationing
from medchain.core.words import Rule

Row = dict[str, Any]
Progress = Callable[[str], None]


def run_inspection(config: InspectionConfig, progress: Progress = lambda _: None) -> list[Row]:
    """Equilibrium, fictitious play and independent learners (mean over seeds) per fine; probabilities."""
    rows: list[Row] = []
    for fine in config.fines:
        game = Inspection(config, fine)
        pad, audit = game.equilibrium
        progress(f"fine {fine:g}")
        fictitious = game.fictitious()
        plays = [game.independent(seed) for seed in range(config.learning.seeds)]
        learned = np.mean([play.path[-1] for play in plays], axis=0)
        row = {"fine": fine, "pad": pad, "audit": audit}
        row |= {
            "pad_fictitious": float(fictitious.path[-1, WARD]),
            "audit_fictitious": float(fictitious.path[-1, COORDINATOR]),
        }
        row |= {"pad_learned": float(learned[WARD]), "audit_learned": float(learned[COORDINATOR])}
        rows.append(row | {"path": np.mean([play.path for play in plays], axis=0)[:: max(1, config.learning.steps // 400)]})
    return rows


def run_rationing(config: RationingConfig, progress: Progress = lambda _: None) -> list[Row]:
    """Equilibrium request, what the learners ask for (time averages, units), and what padding gains per rule."""
    rows: list[Row] = []
    for wards in config.wards:
        for penalty in config.penalties:
            game, uniform = Rationing(config, wards, penalty), Rationing(config, wards, penalty, Rule.UNIFORM)
            progress(f"{wards} wards, penalty {penalty:g}")
            plays = [game.independent(seed) for seed in range(config.learning.seeds)]
            row = {"wards": wards, "penalty": penalty, "request": game.equilibrium / UNIT}
            row["request_fictitious"] = float(game.fictitious().path[-1].mean()) / UNIT
            row["request_learned"] = float(np.mean([play.path[-1] for play in plays])) / UNIT
            row["gain_proportional"] = game.gain_of_padding()
            row["gain_uniform"] = uniform.gain_of_padding()
            path = np.mean([play.path for play in plays], axis=(0, 2)) / UNIT
            rows.append(row | {"path": path[:: max(1, config.learning.steps // 400)]})
    return rows


def columns(rows: list[Row]) -> tuple[list[str], list[list[Any]]]:
    """Header and cells of the table of a check; paths left out."""
    names = [name for name in rows[0] if name != "path"]
    return names, [[row[name] for name in names] for row in rows]


def draw_inspection(rows: list[Row]) -> Any:
    """Time averages of padding and auditing against the closed form, one panel per fine."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(rows), figsize=(5.2 * len(rows), 3.6), sharey=True, squeeze=False)
    for axis, row in zip(axes[0], rows, strict=True):
        for player, name, colour in ((WARD, "pad", "#c2452d"), (COORDINATOR, "audit", "#0b6e8a")):
            axis.plot(row["path"][:, player], color=colour, label=f"{name}: learners, time average")
            axis.axhline(row[name], color=colour, linestyle="--", linewidth=1, label=f"{name}*: {row[name]:.3f}")
        axis.set(title=f"fine {row['fine']:g}", xlabel="time", ylim=(0, 0.6))
        axis.legend(fontsize=8)
    axes[0][0].set_ylabel("probability")
    return figure


def draw_rationing(rows: list[Row]) -> Any:
    """Learned against predicted requests."""
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(5.6, 4.2))
    top = 1.08 * max(row["request"] for row in rows)
    axis.plot([0, top], [0, top], color="#9aa9ba", linewidth=1)
    for row, colour in zip(rows, plt.cm.viridis(np.linspace(0, 0.9, len(rows))), strict=True):
        axis.scatter(row["request"], row["request_learned"], color=colour, label=f"n={row['wards']}, φ={row['penalty']:g}")
    axis.set(xlabel="closed form q*, units", ylabel="learned request, units", xlim=(8, top), ylim=(8, top))
    axis.legend(fontsize=7, ncols=2)
    return figure


CHECKS: dict[str, tuple[Any, Any, Any, str]] = {
    "inspection": (
        InspectionConfig,
        run_inspection,
        draw_inspection,
        "Raising the fine lowers audits, not padding: the ward's rate follows from the coordinator's payoffs.",
    ),
    "rationing": (
        RationingConfig,
        run_rationing,
        draw_rationing,
        "Under proportional sharing wards inflate as the closed form says; under uniform sharing padding gains nothing.",
    ),
}
"""Config, run, picture and the sentence that the check is about."""


def run_check(name: str, out: Path, progress: Progress = lambda _: None) -> list[Row]:
    """Run a check and write config, versions, results.json, a PNG and report.html into `out`."""
    kind, run, draw, sentence = CHECKS[name]
    config = load_game(kind)
    folder = open_folder(out, config.model_dump())
    rows = run(config, progress)
    header, cells = columns(rows)
    write_json(folder / "results.json", {"study": name, "rows": [dict(zip(header, row, strict=True)) for row in cells]})
    figure = draw(rows)
    figure.savefig(folder / f"{name}.png", dpi=140, bbox_inches="tight")
    page = Page(f"Check: {name}", sentence)
    page.add("Closed form and learners", table_html(header, cells), figure_html(figure))
    page.add("How to read it", paragraph("Starred or unmarked columns are the closed form; the others are time averages."))
    page.write(folder / "report.html", f"medchain study {name}")
    return list(rows)
