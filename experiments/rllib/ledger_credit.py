"""Credit by ledger: each token of the coordinator is told what the ledgers earned that its call is about, and no more.

One number for a whole round tells some hundred tokens about one another's luck. What a call cannot move is noise to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.rllib.groups import CONSTANT, Sample
from policies.llm.concern import Concern, Concerns
from policies.llm.conversation import Stretch


class LedgerCredit:
    """Turns gains by ledger into an advantage for each sampled token."""

    def __init__(self, concerns: Concerns, tokenizer: Any) -> None:
        """Read turns by `concerns`; `tokenizer` says how each token reads."""
        self.concerns, self._tokenizer = concerns, tokenizer
        self._pieces: dict[int, str] = {}

    def tell(self, samples: Sequence[Sample]) -> None:
        """Set the advantage of each sampled token, those of one kind of concern brought to a standard deviation of 1.

        Without that, what moves little (a briefing too many) would not be heard beside what moves much.
        """
        squares: dict[tuple[str, ...], float] = defaultdict(float)
        counts: dict[tuple[str, ...], int] = defaultdict(int)
        read = []
        for sample in samples:
            about = self.about(sample.stretch)
            kinds = [self.concerns.kind(concern) for concern in about]
            own = self._own(sample.gains, about)
            for kind, value, free in zip(kinds, own, sample.stretch.choice, strict=True):
                squares[kind] += value * value * free
                counts[kind] += free
            read.append((kinds, own))
        scale = {kind: 1.0 / np.sqrt(s / counts[kind]) if s > CONSTANT**2 else 0.0 for kind, s in squares.items()}
        for sample, (kinds, own) in zip(samples, read, strict=True):
            sample.advantage = np.array([value * scale[kind] for kind, value in zip(kinds, own, strict=True)])

    def about(self, stretch: Stretch) -> list[Concern]:
        """The concern of each sampled token, turn after turn."""
        found: list[Concern] = []
        for start, count, _, _ in stretch.turns:
            found += self.concerns.of([self._piece(token) for token in stretch.ids[start : start + count]])
        return found

    def _own(self, gains: Any, about: Sequence[Concern]) -> list[float]:
        sums: dict[Concern, float] = {}
        for concern in about:
            if concern not in sums:
                sums[concern] = float(gains[list(concern)].sum())
        return [sums[concern] for concern in about]

    def _piece(self, token: int) -> str:
        if token not in self._pieces:
            self._pieces[token] = str(self._tokenizer.decode([token]))
        return self._pieces[token]
