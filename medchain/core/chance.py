"""A counter-based generator: every draw is a pure function of (seed, stream, index), so no draw can shift another.

The mixer is the 64-bit finaliser of SplitMix (Steele, Lea and Flood 2014). Normal factors come from a table of quantiles
in Params: exact on every platform, and faster than a logarithm.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.words import MICRO

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
S11, S27, S28, S30, S31, S40, S52 = (np.uint64(n) for n in (11, 27, 28, 30, 31, 40, 52))
TWELVE_BITS = np.uint64(0xFFF)


class Stream(IntEnum):
    """What a draw is for."""

    EVENTS = 1
    OPENING = 2
    CENSUS = 3
    LINE = 4
    SURGE = 5
    HISTORY = 6
    SCAN = 7
    PATIENTS = 8
    ACUITY = 9
    CHART = 10
    POLICY = 11


@kernel
def mix(x: Any) -> Any:
    """Scramble 64 bits."""
    x = (x ^ (x >> S30)) * FIRST
    x = (x ^ (x >> S27)) * SECOND
    return x ^ (x >> S31)


@kernel
def stream(seed: Any, number: int) -> Any:
    """The key of one stream of a seed."""
    return mix(mix(np.uint64(seed) + GOLDEN) + np.uint64(number) * GOLDEN)


@kernel
def draw(key: Any, index: int) -> Any:
    """64 random bits: draw number `index` of a stream."""
    return mix(key + np.uint64(index + 1) * GOLDEN)


@kernel
def uniform_micro(bits: Any) -> int:
    """A uniform integer in 0 .. 999,999 from the upper bits."""
    return (int(bits >> S40) * MICRO) >> 24


@kernel
def second_uniform_micro(bits: Any) -> int:
    """Another one, from lower bits that `uniform_micro` does not use."""
    return (int((bits >> S11) & np.uint64(0xFFFFFF)) * MICRO) >> 24


@kernel
def between(low: float, high: float, micro: int) -> float:
    """The point of [low, high) at `micro` millionths."""
    return low + (high - low) * (micro / 1000000.0)


@kernel
def quantile(bits: Any, part: int) -> int:
    """One of five independent 12-bit indices into the tables of quantiles."""
    return int((bits >> np.uint64(12 * part)) & TWELVE_BITS)


@kernel
def rounded(x: float) -> int:
    """Nearest whole unit, halves up; x >= 0."""
    return int(x + 0.5)
