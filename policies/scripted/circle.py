"""Scripted wards and arbiter for the vector environment: one compiled call answers for all of them, in all episodes.

A coordinator's queue asks a ward, then the next. Where the answer needs no Python, the queue is carried on right away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from medchain.core import hospital, views
from medchain.core.kernel import kernel
from medchain.core.words import Phase
from medchain.env.phases import Step
from medchain.env.vector import Responder, VectorEnv
from policies.scripted.arbiter import act_arbiter
from policies.scripted.memory import memory_dtype, policy_key
from policies.scripted.wards import Persona, act_ward

Array = np.ndarray[Any, Any]


@kernel
def _start(memories: Array, seeds: Array) -> None:
    """Give every ward its own random stream in every episode."""
    for w in range(memories.shape[0]):
        for n in range(memories.shape[1]):
            memories[w, n]["key"] = policy_key(seeds[n], w + 1)


@kernel
def _ask(
    episodes: Array,
    p: Array,
    own: Array,
    seen: Array,
    memories: Array,
    personas: Array,
    factors: Array,
    command: Array,
    results: Array,
) -> None:
    """Wards of the circle make their requests, as long as it is the turn of one of them."""
    for n in range(episodes.shape[0]):
        s = episodes[n]
        while int(s["phase"]) == Phase.REQUEST and own[int(s["asked_ward"]) + 1] == 1:
            w = int(s["asked_ward"])
            views.see_ward(s, p[0], seen[w, n], w)
            act_ward(seen[w, n], p[0], memories[w, n], int(personas[w]), factors[w], command)
            hospital.submit(s, p[0], command[0], results[n])


@kernel
def _answer(
    episodes: Array,
    p: Array,
    queues: Array,
    lengths: Array,
    at: Array,
    own: Array,
    seen: Array,
    memories: Array,
    personas: Array,
    factors: Array,
    arbiter: Array,
    command: Array,
    results: Array,
) -> None:
    """Answer what the circle is asked, and carry the queues on, until they are done or somebody else is asked."""
    for n in range(episodes.shape[0]):
        s = episodes[n]
        while True:
            phase, w = int(s["phase"]), int(s["asked_ward"])
            if phase == Phase.COORDINATE and at[n] < lengths[n]:
                hospital.submit(s, p[0], queues[n, at[n]], results[n])
                at[n] += 1
                continue
            if phase == Phase.VERDICT and own[own.shape[0] - 1] == 1:
                arbiter[0] = arbiter[1]
                views.see_arbiter(s, p[0], arbiter[0])
                act_arbiter(arbiter[0], p[0], command)
            elif (phase == Phase.DISCLOSE or phase == Phase.REPLY) and own[w + 1] == 1:
                views.see_ward(s, p[0], seen[w, n], w)
                act_ward(seen[w, n], p[0], memories[w, n], int(personas[w]), factors[w], command)
            else:
                break
            hospital.submit(s, p[0], command[0], results[n])


class Circle:
    """The scripted wards and arbiter of a batch, together."""

    def __init__(self, wards: Mapping[int, tuple[Persona, float]], arbiter: int | None = None) -> None:
        """Play the wards of these agent numbers, by persona and factor, and the arbiter if its number is given."""
        self.wards, self.arbiter = dict(wards), arbiter

    def start(self, batch: VectorEnv) -> None:
        """Forget, and take up the new episodes' streams."""
        z, n = batch.sizes, batch.n
        self._own = np.array([a in self.wards or a == self.arbiter for a in range(z.agents)], np.int8)
        played = [self.wards.get(w + 1, (Persona.SCRIPTED, 1.0)) for w in range(z.wards)]
        self._personas = np.array([persona for persona, _ in played], np.int64)
        self._factors = np.array([factor for _, factor in played])
        self._memories = np.zeros((z.wards, n), memory_dtype(z))
        self._seen = np.zeros((z.wards, n), views.ward_dtype(z))
        _start(self._memories, batch.episodes["seed"])

    def answer(self, batch: VectorEnv, agent: int) -> None:
        """Answer for all of the circle, wherever any of it is asked."""
        if batch.phase == Step.REQUEST and agent - 1 in self.wards:
            return  # the ward before has gone on to this one
        view, command = batch.scratch(batch.sizes.agents - 1)
        wards = (self._own, self._seen, self._memories, self._personas, self._factors)
        if batch.phase == Step.REQUEST:
            _ask(batch.episodes, batch.params, *wards, command, batch.results)
        else:
            queue = (batch.queues, batch.lengths, batch.at)
            _answer(batch.episodes, batch.params, *queue, *wards, view, command, batch.results)


def circle(wards: Mapping[int, tuple[Persona, float]], arbiter: int | None = None) -> dict[int, Responder]:
    """A Circle as `responders` of the vector environment, by agent number."""
    one = Circle(wards, arbiter)
    return dict.fromkeys([*wards, *([] if arbiter is None else [arbiter])], one)
