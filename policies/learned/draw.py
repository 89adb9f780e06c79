"""Draws of all heads in one compiled pass: each head's choice by one random number, and its log-probability."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from medchain.core.kernel import kernel

Array = np.ndarray[Any, Any]


@kernel
def draw(logits: Array, sizes: Array, forbidden: float, numbers: Array, chosen: Array, logp: Array) -> None:
    """Choose by inverting each head's distribution function.

    Args:
        logits: [n, choices], head after head; a choice at `forbidden` has no probability.
        sizes: choices per head, int64 [heads].
        numbers: in [0, 1), one per head [n, heads].
        chosen: written, int64 [n, heads].
        logp: written, log-probability [n] of the choices; a head with one choice adds exactly 0.
    """
    weights = np.empty(sizes.max(), np.float32)
    for n in range(logits.shape[0]):
        at, total_logp = 0, np.float64(0.0)
        for h in range(sizes.shape[0]):
            row, at = logits[n, at : at + sizes[h]], at + sizes[h]
            most, allowed, last = row[0], 0, 0
            for c in range(row.shape[0]):
                if not row[c] <= forbidden:  # NaN counts: what is broken shows in the log-probability
                    allowed += 1
                    last = c
                most = max(most, row[c])
            chosen[n, h] = last
            if allowed < 2:
                continue
            total = np.float32(0.0)
            for c in range(row.shape[0]):
                weights[c] = np.float32(0.0) if row[c] <= forbidden else math.exp(row[c] - most)
                total += weights[c]
            below, aim = np.float32(0.0), numbers[n, h] * total
            for c in range(last + 1):
                below += weights[c]
                if below > aim:
                    chosen[n, h] = c
                    break
            total_logp += row[chosen[n, h]] - most - math.log(total)
        logp[n] = total_logp
