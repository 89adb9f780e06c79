"""The pictures of the studies of the full game, one look for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from experiments.studies.aggregate import Profile, mean_of

Array = np.ndarray[Any, Any]
PAD, AUDIT, GREY = "#c2452d", "#0b6e8a", "#8795a5"
COLOURS = (PAD, AUDIT, "#b8892b", "#5b7f3a", "#7a5195", "#3d5a80", "#9c6644", "#4a4e69")
LOOK = {
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#9aa9ba",
    "axes.labelcolor": "#3c4a59",
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6ebf0",
    "xtick.color": "#5c6b7a",
    "ytick.color": "#5c6b7a",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "svg.fonttype": "none",
}
SIZE = (4.9, 3.4)
"""Inches of one picture: two side by side on a desk, one on a phone."""


@contextmanager
def picture(width: float = SIZE[0], height: float = SIZE[1]) -> Iterator[tuple[Any, Any]]:
    """A figure with one set of axes, in the common look."""
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("Agg")
    with plt.rc_context(LOOK):
        yield plt.subplots(figsize=(width, height))


def curves(title: str, ylabel: str, groups: Mapping[str, Sequence[Sequence[float]]], line: float | None = None) -> Any:
    """Runs over iterations, thin, and their mean, thick, by group; `line` is ruled."""
    with picture() as (figure, axis):
        for (name, runs), colour in zip(groups.items(), COLOURS, strict=False):
            values = np.array([smooth(run) for run in runs])
            steps = np.arange(1, values.shape[1] + 1)
            for run in values:
                axis.plot(steps, run, color=colour, linewidth=0.8, alpha=0.35)
            axis.plot(steps, values.mean(0), color=colour, linewidth=2.2, label=name)
        if line is not None:
            axis.axhline(line, color=GREY, linewidth=1, linestyle="--")
        axis.set(title=title, xlabel="iteration", ylabel=ylabel)
        axis.legend(loc="best")
    return figure


def smooth(run: Sequence[float | None], width: int = 5) -> Array:
    """A running mean over a few iterations; gaps take the value before them."""
    values = np.array([np.nan if v is None else v for v in run], np.float64)
    missing = np.isnan(values)
    if missing.all():
        return np.zeros_like(values)
    values = np.interp(np.arange(len(values)), np.flatnonzero(~missing), values[~missing])
    width = min(width, len(values))
    padded = np.concatenate([np.full(width - 1, values[0]), values])
    return np.convolve(padded, np.full(width, 1 / width), "valid")


def dots(title: str, xlabel: str, rows: Mapping[str, Sequence[float]], line: float | None = None) -> Any:
    """One row per condition, red where something was learned: a dot per run, the mean and its interval."""
    with picture(height=0.9 + 0.42 * len(rows)) as (figure, axis):
        for i, (name, values) in enumerate(rows.items()):
            colour = PAD if name.startswith("learned") else GREY
            found = mean_of(list(values))
            axis.scatter(values, [i] * len(values), color=colour, alpha=0.4, s=26, linewidths=0)
            if np.isfinite(found.low):
                axis.plot([found.low, found.high], [i, i], color=colour, linewidth=2.4, solid_capstyle="round")
            axis.scatter([found.value], [i], color=colour, s=52, edgecolors="white", linewidths=1, zorder=3)
            axis.annotate(
                f"{found.value:.2f}", (found.value, i), (0, 9), textcoords="offset points", ha="center", fontsize=8
            )
        if line is not None:
            axis.axvline(line, color=GREY, linewidth=1, linestyle="--")
        axis.set(title=title, xlabel=xlabel, yticks=range(len(rows)), ylim=(len(rows) - 0.4, -0.7))
        axis.set_yticklabels(list(rows))
        axis.margins(x=0.12)
        axis.grid(axis="y", visible=False)
    return figure


def portrait(title: str, runs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Any:
    """Paths of (padding, auditing) through training, light at first; circles are where they end, crosses averages."""
    with picture() as (figure, axis):
        for (x, y), colour in zip(runs, COLOURS, strict=False):
            across, up = smooth(x), smooth(y)
            for i in range(len(across) - 1):
                fade = 0.15 + 0.85 * i / len(across)
                axis.plot(across[i : i + 2], up[i : i + 2], color=colour, alpha=fade, linewidth=1.6)
            axis.scatter(across[-1:], up[-1:], color=colour, s=46, edgecolors="white", zorder=3)
            axis.scatter([np.mean(across)], [np.mean(up)], color=colour, marker="x", s=44, zorder=3)
        axis.set(title=title, xlabel="padding rate of the wards", ylabel="share of their lines audited")
        axis.set_xlim(left=0)
        axis.set_ylim(bottom=0)
    return figure


def heat(title: str, rows: Sequence[str], columns: Sequence[str], values: Array, form: str, marks: Any = ()) -> Any:
    """A matrix in colours and figures; `marks` are cells (row, column) to frame."""
    from matplotlib.patches import Rectangle

    with picture(2.4 + 0.52 * len(columns), 1.6 + 0.34 * len(rows)) as (figure, axis):
        axis.imshow(values, cmap="YlGnBu", aspect="auto")
        middle = (values.min() + values.max()) / 2
        for r in range(len(rows)):
            for c in range(len(columns)):
                ink = "white" if values[r, c] > middle else "#1d2733"
                axis.text(c, r, form.format(values[r, c]), ha="center", va="center", fontsize=7.5, color=ink)
        for r, c in marks:
            axis.add_patch(Rectangle((c - 0.5, r - 0.5), 1, 1, fill=False, edgecolor=PAD, linewidth=2.2))
        axis.set(title=title, xticks=range(len(columns)), yticks=range(len(rows)))
        axis.set_xticklabels(columns, rotation=38, ha="right")
        axis.set_yticklabels(rows)
        axis.grid(visible=False)
        axis.tick_params(length=0)
    return figure


def profiles(title: str, found: Mapping[str, Profile]) -> Any:
    """Performance profiles: further right is better."""
    with picture() as (figure, axis):
        for (name, p), colour in zip(found.items(), COLOURS, strict=False):
            axis.plot(p.thresholds, p.share, color=colour, linewidth=1.9, label=name)
            axis.fill_between(p.thresholds, p.low, p.high, color=colour, alpha=0.15, linewidth=0)
        inside = np.concatenate([p.thresholds[(p.share > 0.004) & (p.share < 0.996)] for p in found.values()])
        axis.set(title=title, xlabel="score", ylabel="share of episodes above it", ylim=(0, 1.02))
        axis.set_xlim(inside.min() - 0.02, inside.max() + 0.02)
        axis.legend(loc="lower left")
    return figure


def bars(title: str, ylabel: str, groups: Mapping[str, Mapping[str, Any]]) -> Any:
    """Groups of bars with intervals: {group: {bar: interval as a mapping}}."""
    with picture() as (figure, axis):
        names = list(dict.fromkeys(name for group in groups.values() for name in group))
        for i, name in enumerate(names):
            for g, group in enumerate(groups.values()):
                if name not in group:
                    continue
                found, x = group[name], g + (i - (len(names) - 1) / 2) * 0.8 / len(names)
                axis.bar(x, found["value"], 0.72 / len(names), color=COLOURS[i], label=name if g == 0 else None)
                if np.isfinite(found["low"]):
                    axis.plot([x, x], [found["low"], found["high"]], color="#1d2733", linewidth=1.4)
                axis.annotate(
                    f"{found['value']:.3f}", (x, 0), (0, -11), textcoords="offset points", ha="center", fontsize=7.5
                )
        axis.set(title=title, ylabel=ylabel, xticks=range(len(groups)))
        axis.set_xticklabels(list(groups))
        axis.tick_params(axis="x", length=0, pad=14)
        axis.legend()
        axis.grid(axis="x", visible=False)
    return figure


def responses(title: str, lines: Mapping[str, Sequence[Sequence[float]]], labels: Sequence[str], top: float) -> Any:
    """Measures over the settings of a knob, [setting][run]: a dot per run, means joined, intervals; axes end at `top`."""
    with picture(SIZE[0], 2.7) as (figure, axis):
        for (name, settings), colour in zip(lines.items(), COLOURS, strict=False):
            found = [mean_of(list(runs)) for runs in settings]
            steps = range(len(found))
            axis.plot(steps, [f.value for f in found], color=colour, linewidth=1.8, marker="o", label=name)
            axis.fill_between(steps, [f.low for f in found], [f.high for f in found], color=colour, alpha=0.16, linewidth=0)
            for x, runs in enumerate(settings):
                axis.scatter([x] * len(runs), runs, color=colour, s=14, alpha=0.4, linewidths=0)
        axis.set(title=title, xticks=range(len(labels)), ylim=(0, top))
        axis.set_xticklabels(labels)
        axis.legend(loc="best")
    return figure
