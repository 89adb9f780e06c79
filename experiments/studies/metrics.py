"""What a study counts in finished episodes: padding, auditing, redactions, service, waste, welfare. Pure, vectorised.

Rates are ratios of sums: a round without a review has no precision, but its padded lines count in the recall of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medchain.core.params import new_params
from medchain.core.words import Verdict
from medchain.reward.batch import score_batch, ward_rewards
from medchain.reward.formula import COMPONENTS, PRESENT, SCORE
from medchain.scenario import Scenario

Array = np.ndarray[Any, Any]
COUNTS = (
    "lines",
    "padded",
    "edge",
    "inflation",
    "asked",
    "evidence",
    "redacted",
    "reviews",
    "hits",
    "caught",
    "fill",
    "rounds",
)
"""Sums over the lines and rounds of a ward in an episode.

lines: those with need; padded: of these; edge: of these, more than 1.05 x need and yet not padded; inflation: their
requests / need; asked: with evidence or a review; hits: reviews of padded lines; caught: hits that were cut; fill:
consumed / need, 1 without need; rounds: lines x rounds, all of them.
"""

RATES = {
    "padding_rate": ("padded", "lines"),
    "edge_rate": ("edge", "lines"),
    "inflation": ("inflation", "lines"),
    "audit_rate": ("asked", "lines"),
    "review_rate": ("reviews", "lines"),
    "precision": ("hits", "reviews"),
    "recall": ("hits", "padded"),
    "redaction_rate": ("redacted", "evidence"),
    "fill": ("fill", "rounds"),
}
"""A rate is one sum over another; NaN where the second is 0."""


@dataclass(frozen=True)
class Counts:
    """Per episode: `sums` [name] float64 [n, ward]; `reward` [n, ward] per round; `score` [n]; `parts` [n, component]."""

    sums: dict[str, Array]
    reward: Array
    score: Array
    parts: Array

    def rates(self, wards: Sequence[int] | None = None, rows: Any = slice(None)) -> dict[str, float]:
        """Rates and mean reward of some wards (all of them if left out) over some episodes."""
        columns = list(range(self.reward.shape[1])) if wards is None else list(wards)
        total = {name: float(values[rows][:, columns].sum()) for name, values in self.sums.items()}
        found = {name: total[a] / total[b] if total[b] else float("nan") for name, (a, b) in RATES.items()}
        return {**found, "reward": float(self.reward[rows][:, columns].mean())}

    def whole(self, rows: Any = slice(None)) -> dict[str, float]:
        """Score, its components (NaN where absent in every episode), and welfare: the sum of the wards' rewards."""
        parts = self.parts[rows]
        present = ~np.isnan(parts)
        means = np.where(present, parts, 0.0).sum(0) / np.where(present.any(0), present.sum(0), np.nan)
        found = {"score": float(self.score[rows].mean()), "welfare": float(self.reward[rows].sum(1).mean())}
        found |= dict(zip(COMPONENTS, means.tolist(), strict=True))
        return found | {"waste": 1.0 - found["waste_control"]}


def count(episodes: Array, scenario: Scenario) -> Counts:
    """Count in finished episode records [n] of `scenario`."""
    params = new_params(scenario)
    scored = score_batch(episodes, params)
    parts = np.where(scored[:, PRESENT : 2 * PRESENT] != 0.0, scored[:, :PRESENT], np.nan)
    return Counts(line_sums(episodes, params[0]["demand"]), ward_rewards(episodes, params).mean(1), scored[:, SCORE], parts)


def line_sums(episodes: Array, demand: Array) -> dict[str, Array]:
    """The sums of COUNTS, float64 [n, ward]; `demand` [ward, sku] says which lines there are."""
    need, used = _by_round(episodes["need"]), _by_round(episodes["consumed"])
    asked, verdict, shown = episodes["requested"].astype(np.int64), episodes["verdict"], episodes["evidence"] > 0
    line = np.broadcast_to(demand > 0, need.shape)
    wanted = line & (need > 0)
    padded = wanted & (10 * asked > 11 * need)
    reviewed = line & (verdict != Verdict.NONE)
    safe = np.maximum(need, 1)
    per_line = {
        "lines": wanted,
        "padded": padded,
        "edge": wanted & ~padded & (20 * asked > 21 * need),
        "inflation": np.where(wanted, asked / safe, 0.0),
        "asked": line & (shown | reviewed),
        "evidence": line & shown,
        "redacted": line & shown & (episodes["redacted"] != 0),
        "reviews": reviewed,
        "hits": reviewed & padded,
        "caught": padded & (verdict > Verdict.APPROVE),
        "fill": np.where(line, np.where(need > 0, used / safe, 1.0), 0.0),
        "rounds": line,
    }
    return {name: values.sum(axis=(1, 3), dtype=np.float64) for name, values in per_line.items()}


def _by_round(days: Array) -> Array:
    """int64 [n, round, ward, sku] out of days of two a round."""
    n, length, *rest = days.shape
    summed: Array = days.astype(np.int64).reshape(n, length // 2, 2, *rest).sum(2)
    return summed


def facts(counts: Counts, wards: Sequence[str]) -> dict[str, float]:
    """Everything by name: `score`, `padding_rate`, `ward_er/fill` and so on."""
    found = counts.whole() | {f"wards/{k}": v for k, v in counts.rates().items()}
    for w, ward in enumerate(wards):
        found |= {f"{ward}/{name}": value for name, value in counts.rates([w]).items()}
    return found
