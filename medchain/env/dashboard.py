"""The dashboard: one picture of the hospital, drawn by matplotlib without a display."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from medchain.core.session import Session
from medchain.core.words import Event, EventStatus
from medchain.env.render import Scene, title
from medchain.env.spaces import BANDS

Array = np.ndarray[Any, Any]
INK, MUTED, GRID, PAPER = "#1f2933", "#7b8794", "#e4e7eb", "#ffffff"
WARDS = ["#c2410c", "#b7791f", "#2f6f9f", "#6b4fa0", "#2f855a", "#97266d"]
BAND_COLOURS = ["#c53030", "#ed8936", "#ecc94b", "#68a691"]
HELD, COMING = "#4a5568", "#cbd5e0"
MONEY = {"orders": "#2f6f9f", "audit": "#97266d", "committed": "#90cdf4", "headroom": "#e2e8f0"}
EVENT_NAMES = {
    Event.MCI: "mass casualty",
    Event.SUPPLIER_DISRUPTION: "supplier disruption",
    Event.PRODUCT_RECALL: "product recall",
    Event.COLD_CHAIN_BREACH: "cold chain breach",
}
SIZE, DPI = (14.0, 9.0), 100


def rgb_array(session: Session) -> Array:
    """The state as a picture, uint8 [900, 1400, 3]."""
    figure = Figure(figsize=SIZE, dpi=DPI, facecolor=PAPER)
    canvas: Any = FigureCanvasAgg(figure)
    draw(figure, Scene(session), session.view(0)[0]["event_status"])
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


def draw(figure: Figure, scene: Scene, statuses: Any) -> None:
    """Draw all panels."""
    figure.text(0.03, 0.955, "MedChain", fontsize=18, weight="bold", color=INK)
    figure.text(0.142, 0.957, title(scene), fontsize=13, color=MUTED)
    outer = figure.add_gridspec(1, 2, left=0.115, right=0.975, top=0.90, bottom=0.06, wspace=0.24, width_ratios=[1.15, 1])
    right = outer[1].subgridspec(4, 2, hspace=0.62, wspace=0.3, height_ratios=[2.5, 0.42, 0.95, 1.25])
    _lines(figure.add_subplot(outer[0]), scene)
    _stock(figure.add_subplot(right[0, :]), scene)
    _money(figure.add_subplot(right[1, :]), scene)
    _events(figure.add_subplot(right[2, :]), scene, statuses)
    _trust(figure.add_subplot(right[3, 0]), scene)
    _fill(figure.add_subplot(right[3, 1]), scene)


def _plain(axes: Any, heading: str) -> None:
    axes.set_title(heading, loc="left", fontsize=10.5, weight="bold", color=INK, pad=8)
    axes.tick_params(colors=MUTED, labelsize=8, length=0)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)


def _colour(ward: int) -> str:
    return WARDS[ward % len(WARDS)]


def _lines(axes: Any, scene: Scene) -> None:
    """Requests against need and allocation, per line, in usual needs of a round."""
    lines = scene.lines
    _plain(axes, "Asked, given, needed  (1.0 = usual need of a round)")
    gaps = np.cumsum([0] + [0.8 if a.ward != b.ward else 0 for a, b in pairwise(lines)])
    y = -(np.arange(len(lines)) + gaps)
    asked = np.array([line.requested / line.usual for line in lines])
    given = np.array([line.allocated / line.usual for line in lines])
    need = np.array([line.need / line.usual for line in lines])
    colours = [_colour(line.ward) for line in lines]
    axes.barh(y, asked, height=0.74, color=colours, alpha=0.25)
    axes.barh(y, given, height=0.42, color=colours)
    axes.scatter(need, y, marker="|", s=170, linewidths=2.2, color=INK, zorder=3)
    most = max(3.0, float(np.max([asked, given, need], initial=0)) * 1.13)
    for line, at, edge in zip(lines, y, np.maximum(asked, need), strict=True):
        if line.marks:
            axes.text(edge + 0.03 * most, at, line.marks, va="center", fontsize=7.5, color=INK, weight="bold")
    axes.set_yticks(y, [scene.skus[line.sku] for line in lines])
    for ward in range(scene.z.wards):
        rows = [at for line, at in zip(lines, y, strict=True) if line.ward == ward]
        if rows:
            name = scene.scenario.wards[scene.wards[ward]].title
            axes.text(-0.2, np.mean(rows), name, rotation=90, ha="center", va="center", fontsize=11, weight="bold",
                      color=_colour(ward), transform=axes.get_yaxis_transform())  # fmt: skip
    axes.set_xlim(0, most)
    axes.set_ylim(y[-1] - 0.7, 0.7)
    axes.grid(axis="x", color=GRID)
    axes.axvline(1, color=MUTED, linewidth=1, linestyle=":")
    key = [Patch(color=MUTED, alpha=0.3, label="asked"), Patch(color=MUTED, label="given")]
    need_mark = axes.scatter([], [], marker="|", s=120, linewidths=2.2, color=INK, label="needed")
    handles = [*key, need_mark, Patch(color="none", label="E evidence   * redacted")]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.45, -0.025), ncols=4, fontsize=8, frameon=False)


def _stock(axes: Any, scene: Scene) -> None:
    """Stock of the network by expiry, in days of usual demand, and what is on order."""
    _plain(axes, "Stock of the hospital by expiry, days of usual demand")
    demand = np.maximum(scene.demand.sum(axis=0), 1)
    days = scene.stock_by_band() / demand[:, None]
    y, left = -np.arange(scene.z.skus), np.zeros(scene.z.skus)
    names = [f"within {end} d" for end in BANDS] + ["later"]
    looks: list[dict[str, Any]] = [dict(color=c, label=n) for c, n in zip(BAND_COLOURS, names, strict=True)]
    looks.append(dict(color=HELD, label="quarantined"))
    looks.append(dict(color="none", edgecolor=MUTED, hatch="////", linewidth=0.6, label="on order"))
    for column, look in enumerate(looks):
        axes.barh(y, days[:, column], left=left, height=0.66, **look)
        left += days[:, column]
    axes.set_yticks(y, scene.skus)
    axes.set_xlim(0, max(10.0, float(left.max()) * 1.03))
    axes.grid(axis="x", color=GRID)
    axes.legend(loc="upper center", bbox_to_anchor=(0.47, -0.06), ncols=6, fontsize=7.5, frameon=False, handlelength=1.2,
                columnspacing=1.1)  # fmt: skip


def _money(axes: Any, scene: Scene) -> None:
    """Where the budget is."""
    limit = int(scene.record["limit"])
    _plain(axes, f"Budget ${limit / 100:,.0f}")
    left = 0.0
    for name, cents in scene.money().items():
        share = cents / max(limit, 1)
        axes.barh([0], [share], left=[left], color=MONEY[name], height=0.8)
        if share > 0.09:
            light = name in ("headroom", "committed")
            axes.text(left + share / 2, 0, f"{name} ${cents / 100:,.0f}", ha="center", va="center", fontsize=8,
                      color=INK if light else PAPER)  # fmt: skip
        left += share
    axes.set_xlim(0, 1)
    axes.set_xticks([])
    axes.set_yticks([])


def _events(axes: Any, scene: Scene, statuses: Any) -> None:
    """The schedule of events; those that the coordinator does not know of are faint."""
    events = scene.events(statuses)
    _plain(axes, "Events by day  (faint: still to come)")
    for row, event in enumerate(events):
        known = event.status != EventStatus.UNKNOWN
        active = event.status in (EventStatus.ACTIVE, EventStatus.WARNED)
        colour = "#c53030" if active else "#718096"
        axes.barh([-row], [event.days], left=[event.day - 0.5], height=0.62, color=colour, alpha=1.0 if known else 0.25)
        end = event.day + event.days - 0.5
        late = end > 0.68 * scene.z.days
        axes.text(event.day - 0.7 if late else end + 0.2, -row, EVENT_NAMES[Event(event.kind)], fontsize=8,
                  ha="right" if late else "left", va="center", color=INK if known else MUTED)  # fmt: skip
    axes.axvline(scene.day, color=INK, linewidth=1.4)
    axes.set_xlim(0.4, scene.z.days + 0.6)
    axes.set_ylim(-max(len(events), 3) + 0.4, 0.6)
    axes.set_xticks(range(1, scene.z.days + 1))
    axes.set_yticks([])


def _trust(axes: Any, scene: Scene) -> None:
    """Hoarding pressure and reputation of each ward."""
    _plain(axes, "Trust")
    s, y = scene.record, -np.arange(scene.z.wards)
    pressure, reputation = s["pressure"] / 10_000, s["reputation"] / 10_000
    axes.hlines(y, 0, 1, color=GRID, linewidth=2, zorder=0)
    axes.hlines(y, np.minimum(pressure, reputation), np.maximum(pressure, reputation), color=COMING, linewidth=4, zorder=1)
    colours = [_colour(w) for w in range(scene.z.wards)]
    axes.scatter(pressure, y, s=60, color=colours, zorder=2, label="hoarding pressure")
    axes.scatter(reputation, y, s=60, facecolor=PAPER, edgecolor=colours, linewidths=2, zorder=2, label="reputation")
    axes.set_yticks(y, [ward.title for ward in scene.scenario.wards.values()])
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-scene.z.wards + 0.4, 0.6)
    handles = [axes.scatter([], [], s=40, color=INK, label="hoarding pressure")]
    handles.append(axes.scatter([], [], s=40, facecolor=PAPER, edgecolor=INK, linewidths=1.6, label="reputation"))
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=7.5, frameon=False,
                handletextpad=0.2)  # fmt: skip


def _fill(axes: Any, scene: Scene) -> None:
    """Fill rate of each ward by round."""
    _plain(axes, "Fill rate by round")
    fill = scene.fill()
    for w in range(scene.z.wards):
        if len(fill):
            axes.plot(np.arange(1, len(fill) + 1), fill[:, w], color=_colour(w), linewidth=2, marker="o", markersize=4)
    axes.set_xlim(0.7, scene.z.rounds + 0.3)
    axes.set_ylim(0, 1.05)
    axes.set_xticks(range(1, scene.z.rounds + 1))
    axes.grid(axis="y", color=GRID)
