"""Whole episodes of scripted agents, compiled: one loop over an array of records."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core import hospital, views
from medchain.core.kernel import kernel
from medchain.core.record import as_bytes, episode_dtype, new_results, spans, wipe
from medchain.core.words import Phase
from medchain.scenario import Sizes
from policies.scripted.arbiter import act_arbiter
from policies.scripted.decide import Coordinator, decide
from policies.scripted.memory import new_memories, new_queue, policy_key
from policies.scripted.wards import act_ward

Array = np.ndarray[Any, Any]


class Desk:
    """Buffers of one thread: views, memories, a queue, an answer and a result, and what of a record is to be cleared."""

    def __init__(self, z: Sizes) -> None:
        """Allocate them for records of sizes `z`."""
        self.spans = spans(episode_dtype(z))
        self.view_spans = spans(views.coordinator_dtype(z), views.VIEW_TABLES)
        self.coordinator = np.zeros(1, views.coordinator_dtype(z))
        self.wards = np.zeros(z.wards, views.ward_dtype(z))
        self.arbiter = np.zeros(1, views.arbiter_dtype(z))
        self.memories = new_memories(z, z.agents)
        self.queue = new_queue(z)
        self.answer = new_queue(z)[:1]
        self.result = new_results(z)

    def all(self) -> tuple[Array, ...]:
        """As `play_range` takes them: those that an episode starts with cleared come as bytes too."""
        cleared = [as_bytes(part) for part in (self.coordinator, self.wards, self.arbiter, self.memories)]
        seen = (self.coordinator, self.wards, self.arbiter, self.memories)
        return (self.spans, self.view_spans, *cleared, *seen, self.queue, self.answer, self.result)


@kernel
def clear_desk(
    raw_view: Array, view_spans: Array, v: Any, raw_wards: Array, raw_arbiter: Array, raw_memories: Array
) -> None:
    """Forget the episode before."""
    wipe(raw_view[0], view_spans, int(v["lot_count"]), int(v["order_count"]), int(v["quote_count"]))
    raw_wards[:] = 0
    raw_arbiter[:] = 0
    raw_memories[:] = 0


@kernel
def play_range(
    episodes: Array,
    raw: Array,
    seeds: Array,
    start: int,
    stop: int,
    p: Array,
    which: int,
    knobs: Array,
    personas: Array,
    factors: Array,
    desk: tuple[Array, ...],
) -> None:
    """Play episodes start .. stop - 1 to the end: coordinator `which` with `knobs[0]`, wards by persona and factor.

    `episodes` hold zeros or episodes that were played before; `raw` is the same memory as bytes; `desk` as Desk.all says.
    """
    record_spans, view_spans, raw_view, raw_wards, raw_arbiter, raw_memories = desk[:6]
    coordinator, wards, arbiter, memories, queue, answer, result = desk[6:]
    for i in range(start, stop):
        s, v = episodes[i], coordinator[0]
        wipe(raw[i], record_spans, int(s["lot_count"]), int(s["order_count"]), int(s["quote_count"]))
        clear_desk(raw_view, view_spans, v, raw_wards, raw_arbiter, raw_memories)
        for a in range(memories.shape[0]):
            memories[a]["key"] = policy_key(seeds[i], a)
        hospital.start_episode(s, p[0], seeds[i])
        if which == Coordinator.ORACLE:
            memories[0]["told"][:] = s["need"]
            memories[0]["knows"] = 1
        planned, done = 0, 0
        while int(s["phase"]) != Phase.ENDED:
            phase = int(s["phase"])
            if phase == Phase.COORDINATE:
                if done == planned or int(s["calls"]) == 0:
                    views.see_coordinator(s, p[0], v)
                    planned = decide(which, v, p[0], knobs[0], memories[0], queue)
                    done = 0
                hospital.submit(s, p[0], queue[done], result[0])
                done += 1
            elif phase == Phase.VERDICT:
                views.see_arbiter(s, p[0], arbiter[0])
                act_arbiter(arbiter[0], p[0], answer)
                hospital.submit(s, p[0], answer[0], result[0])
            else:
                w = int(s["asked_ward"])
                views.see_ward(s, p[0], wards[w], w)
                act_ward(wards[w], p[0], memories[w + 1], int(personas[w]), factors[w], answer)
                hospital.submit(s, p[0], answer[0], result[0])
