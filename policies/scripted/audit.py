"""Where a coordinator asks for evidence, and which lines it puts before the arbiter."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import FIXED, Criticality, Kind, Verdict


@kernel
def ask_evidence(v: Any, p: Any, m: Any, knobs: Any, queue: Any, n: int) -> int:
    """Ask where a doubt costs most: one line of each ward first, then others as long as the doubt outweighs the asking."""
    wards, skus = p["demand"].shape
    asked = np.zeros((wards, skus + 1), np.int8)  # the last column: whether the ward has been asked at all
    for _ in range(int(v["evidence_left"])):
        best_w, best_k, most = -1, -1, 0.0
        for w in range(wards):
            for k in range(skus):
                worth = _doubt(v, p, m, w, k) - knobs["evidence_worth"]
                worth += 0.0 if asked[w, skus] == 1 else knobs["first_evidence_worth"]
                if int(v["requested"][w, k]) > 0 and asked[w, k] == 0 and worth > most:
                    best_w, best_k, most = w, k, worth
        if best_w < 0:
            return n
        asked[best_w, best_k] = 1
        asked[best_w, skus] = 1
        n = blank(queue, n, Kind.REQUEST_EVIDENCE)
        queue[n - 1]["ward"] = best_w
        queue[n - 1]["sku"] = best_k
    return n


@kernel
def _doubt(v: Any, p: Any, m: Any, w: int, k: int) -> float:
    """Score points at stake in not knowing whether a line is padded; blood granted in vain is lost money too."""
    unit = float(m["value"][w, k])
    if int(p["criticality"][k]) == Criticality.CRITICAL:
        unit += m["worth"] * int(p["unit_cost"][k])
    return unit * int(v["requested"][w, k]) * m["padded"][w, k] * (1.0 - m["padded"][w, k])


@kernel
def ask_reviews(v: Any, p: Any, m: Any, knobs: Any, queue: Any, n: int) -> int:
    """Put lines that are as good as proven padded before the arbiter, where being caught teaches the ward most."""
    wards, skus = p["demand"].shape
    taken = np.zeros((wards, skus), np.int8)
    caught = np.zeros(wards, np.int64)
    for _ in range(int(v["reviews_left"])):
        best_w, best_k, most = -1, -1, 0.0
        for w in range(wards):
            for k in range(skus):
                open_case = int(v["requested"][w, k]) > 0 and int(v["verdict"][w, k]) == Verdict.NONE
                worth = _lesson(v, p, m, knobs, w, k, int(caught[w]))
                if open_case and taken[w, k] == 0 and m["padded"][w, k] >= knobs["review_from"] and worth > most:
                    best_w, best_k, most = w, k, worth
        if best_w < 0:
            return n
        taken[best_w, best_k] = 1
        caught[best_w] += 1
        n = blank(queue, n, Kind.ESCALATE_TO_CLINICAL_REVIEW)
        queue[n - 1]["ward"] = best_w
        queue[n - 1]["sku"] = best_k
    return n


@kernel
def _lesson(v: Any, p: Any, m: Any, knobs: Any, w: int, k: int, caught: int) -> float:
    """What a review of a padded line is worth: the first of a ward most, a denial half more, less the units it costs."""
    need = float(m["estimate"][w, k])
    denied = FIXED * (int(v["requested"][w, k]) - need) > int(p["deny_excess"]) * need
    worth = float(knobs["catch_worth"]) / (1.0 + 4.0 * caught)
    return worth * 1.5 - 0.05 * need * m["value"][w, k] if denied else worth
