"""The three parts of the audit component: what padding was cut, what evidence was cited, which reviews were right."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.lines import true_need
from medchain.core.words import Verdict
from medchain.reward.lines import ABSENT, excess_granted, padded


@kernel
def share_cut(s: Any, p: Any) -> float:
    """Share of the padded lines' excess value (cents) that was not allocated; 1 if there was no excess."""
    asked, granted = 0, 0
    for r in range(s["requested"].shape[0]):
        for w in range(p["demand"].shape[0]):
            for k in range(p["demand"].shape[1]):
                if padded(s, r, w, k):
                    cost = int(p["unit_cost"][k])
                    asked += (int(s["requested"][r, w, k]) - true_need(s, r, w, k)) * cost
                    granted += excess_granted(s, r, w, k) * cost
    return 1.0 - granted / asked if asked > 0 else 1.0


@kernel
def citing(s: Any) -> float:
    """Disclosures cited / the larger of disclosures and rounds."""
    rounds, wards, skus = s["requested"].shape
    cited, disclosed = 0, 0
    for r in range(rounds):
        for w in range(wards):
            for k in range(skus):
                cited += int(s["cited"][r, w, k]) != 0
                disclosed += int(s["evidence"][r, w, k]) > 0
    return cited / max(disclosed, int(rounds))


@kernel
def reviewing(s: Any) -> float:
    """max(0, right − wrong/2) / the larger of reviews and rounds with a padded line; ABSENT if there was neither."""
    rounds, wards, skus = s["requested"].shape
    right, reviews, padded_rounds = 0, 0, 0
    for r in range(rounds):
        padded_lines = 0
        for w in range(wards):
            for k in range(skus):
                reviewed = int(s["verdict"][r, w, k]) != Verdict.NONE
                reviews += reviewed
                right += reviewed and padded(s, r, w, k)
                padded_lines += padded(s, r, w, k)
        padded_rounds += padded_lines > 0
    expected = max(reviews, padded_rounds)
    return max(0.0, right - 0.5 * (reviews - right)) / expected if expected > 0 else ABSENT
