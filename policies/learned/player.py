"""A network as a decision function, at phase level and, through policies/phase.py, at tool level."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from medchain.env.phase_spaces import flat
from policies.learned import heads
from policies.learned.checkpoint import Net
from policies.phase import Decide, Moment

Array = np.ndarray[Any, Any]


def decider(net: Net, agent: int, greedy: bool = True) -> Decide:
    """Decide as `net` does: its most probable choices, or draws keyed by (seed, agent, round, step)."""

    def decide(moment: Moment) -> Array:
        with torch.no_grad():
            seen = torch.from_numpy(flat(moment.lines, moment.globals))
            mask = torch.from_numpy(moment.mask).expand(len(seen), -1)
            logits = heads.mask_logits(net.logits(seen), mask)
            if not greedy:
                logits = logits - torch.from_numpy(np.log(_exponentials(moment, agent, logits.shape[1])))
            return heads.best(logits, net.layout.groups).numpy()

    return decide


def _exponentials(moment: Moment, agent: int, width: int) -> Array:
    """Draws [n, width], each row from the stream of its own episode, round and step: log of them is minus Gumbel noise."""
    rows = zip(moment.seeds.tolist(), moment.rounds.tolist(), strict=True)
    draws = [np.random.default_rng((seed, agent, number, int(moment.step))).exponential(size=width) for seed, number in rows]
    return np.array(draws, np.float32)
