"""A little generator of the tests' own: the same numbers on every Python, and none of the core's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
MASK = (1 << 64) - 1


class Chance:
    """SplitMix64 (Steele, Lea and Flood 2014), in plain integers."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def bits(self) -> int:
        """The next 64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        x = self.state
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        return x ^ (x >> 31)

    def below(self, n: int) -> int:
        """An integer in 0 .. n - 1."""
        return self.bits() % n

    def hits(self, percent: int) -> bool:
        """True that often."""
        return self.below(100) < percent

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[self.below(len(choices))]
