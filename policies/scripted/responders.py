"""A scripted coordinator for the vector environment: one compiled call decides in every episode where it is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core import views
from medchain.core.kernel import kernel
from medchain.core.words import COORDINATOR, Phase
from medchain.env.phase_kernels import forget
from medchain.env.vector import VectorEnv
from policies.scripted.decide import Coordinator, decide
from policies.scripted.memory import memory_dtype, policy_key, tell

Array = np.ndarray[Any, Any]


@kernel
def _start(memories: Array, seeds: Array) -> None:
    """Give the coordinator its own random stream in every episode."""
    for n in range(memories.shape[0]):
        memories[n]["key"] = policy_key(seeds[n], COORDINATOR)


@kernel
def decide_everywhere(
    episodes: Array,
    p: Array,
    desk: tuple[Array, Array, Array],
    which: int,
    knobs: Array,
    memories: Array,
    queues: Array,
    lengths: Array,
    at: Array,
) -> None:
    """A coordinator writes its next calls wherever it is asked."""
    v = desk[0][0]
    for n in range(episodes.shape[0]):
        at[n] = 0
        lengths[n] = 0
        if int(episodes[n]["phase"]) == Phase.COORDINATE:
            forget(desk)
            views.see_coordinator(episodes[n], p[0], v)
            lengths[n] = decide(which, v, p[0], knobs[0], memories[n], queues[n])


class CoordinatorResponder:
    """A scripted coordinator by number, with its knobs (an array of one record)."""

    def __init__(self, which: int, knobs: Array) -> None:
        """Play coordinator `which`."""
        self.which, self.knobs = which, knobs

    def start(self, batch: VectorEnv) -> None:
        """Forget, and take up the new episodes' streams."""
        self.memories = np.zeros(batch.n, memory_dtype(batch.sizes))
        _start(self.memories, batch.episodes["seed"])
        if self.which == Coordinator.ORACLE:
            tell(self.memories, batch.episodes["need"])

    def answer(self, batch: VectorEnv, agent: int) -> None:
        """Queue the next calls in every episode where the coordinator is asked."""
        desk, _ = batch.scratch(agent)
        decide_everywhere(
            batch.episodes,
            batch.params,
            desk,
            self.which,
            self.knobs,
            self.memories,
            batch.queues,
            batch.lengths,
            batch.at,
        )
