"""Whole episodes of scripted agents, compiled: one loop over an array of records."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core import hospital, views
from medchain.core.kernel import kernel
from medchain.core.record import new_episodes, new_results
from medchain.core.words import Phase
from medchain.scenario import Sizes
from policies.scripted.arbiter import act_arbiter
from policies.scripted.decide import decide
from policies.scripted.memory import new_memories, new_queue, policy_key
from policies.scripted.wards import act_ward

Array = np.ndarray[Any, Any]


class Desk:
    """Buffers of one thread: views, memories, queues and a result, with a blank of each to start an episode from."""

    def __init__(self, z: Sizes) -> None:
        """Allocate them for records of sizes `z`."""
        self.blank = new_episodes(z)
        self.coordinator = np.zeros(2, views.coordinator_dtype(z))
        self.ward = np.zeros(2, views.ward_dtype(z))
        self.arbiter = np.zeros(2, views.arbiter_dtype(z))
        self.memories = new_memories(z, z.agents + 1)
        self.queue = new_queue(z)
        self.answer = new_queue(z)[:1]
        self.result = new_results(z)

    def all(self) -> tuple[Array, ...]:
        """In the order in which `play_range` takes them."""
        return (
            self.blank,
            self.coordinator,
            self.ward,
            self.arbiter,
            self.memories,
            self.queue,
            self.answer,
            self.result,
        )


@kernel
def play_range(
    episodes: Array,
    seeds: Array,
    start: int,
    stop: int,
    p: Array,
    which: int,
    knobs: Array,
    personas: Array,
    factors: Array,
    blank: Array,
    coordinator: Array,
    ward: Array,
    arbiter: Array,
    memories: Array,
    queue: Array,
    answer: Array,
    result: Array,
) -> None:
    """Play episodes start .. stop - 1 to the end: coordinator `which` with `knobs[0]`, wards by persona and factor."""
    spare = memories.shape[0] - 1
    for i in range(start, stop):
        episodes[i] = blank[0]
        coordinator[0] = coordinator[1]
        ward[0] = ward[1]
        arbiter[0] = arbiter[1]
        for a in range(spare):
            memories[a] = memories[spare]
            memories[a]["key"] = policy_key(seeds[i], a)
        hospital.start_episode(episodes[i], p[0], seeds[i])
        planned, done = 0, 0
        s = episodes[i]
        while int(s["phase"]) != Phase.ENDED:
            phase = int(s["phase"])
            if phase == Phase.COORDINATE:
                if done == planned or int(s["calls"]) == 0:
                    views.see_coordinator(s, p[0], coordinator[0])
                    planned = decide(which, coordinator[0], p[0], knobs[0], memories[0], queue)
                    done = 0
                hospital.submit(s, p[0], queue[done], result[0])
                done += 1
            elif phase == Phase.VERDICT:
                views.see_arbiter(s, p[0], arbiter[0])
                act_arbiter(arbiter[0], p[0], answer)
                hospital.submit(s, p[0], answer[0], result[0])
            else:
                w = int(s["asked_ward"])
                ward[0] = ward[1]
                views.see_ward(s, p[0], ward[0], w)
                act_ward(ward[0], p[0], memories[w + 1], int(personas[w]), factors[w], answer)
                hospital.submit(s, p[0], answer[0], result[0])
