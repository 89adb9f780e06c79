"""Scripted agents for the vector environment: one compiled call answers in every episode where the agent is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from medchain.core import hospital, views
from medchain.core.kernel import kernel
from medchain.core.words import Phase
from medchain.env.phase_kernels import forget
from medchain.env.vector import VectorEnv
from policies.scripted.arbiter import act_arbiter
from policies.scripted.decide import Coordinator, decide
from policies.scripted.memory import memory_dtype, policy_key, tell
from policies.scripted.wards import Persona, act_ward

Array = np.ndarray[Any, Any]


@kernel
def start_memories(memories: Array, seeds: Array, agent: int) -> None:
    """Give `agent` its own random stream in every episode."""
    for n in range(memories.shape[0]):
        memories[n]["key"] = policy_key(seeds[n], agent)


@kernel
def answer_ward(
    episodes: Array,
    p: Array,
    seen: Array,
    w: int,
    memories: Array,
    persona: int,
    factor: float,
    command: Array,
    results: Array,
) -> None:
    """Ward index `w` answers wherever it is asked; seen[n] is what it saw last in episode n."""
    for n in range(episodes.shape[0]):
        s = episodes[n]
        phase = int(s["phase"])
        if int(s["asked_ward"]) == w and (phase == Phase.REQUEST or phase == Phase.DISCLOSE or phase == Phase.REPLY):
            views.see_ward(s, p[0], seen[n], w)
            act_ward(seen[n], p[0], memories[n], persona, factor, command)
            hospital.submit(s, p[0], command[0], results[n])


@kernel
def answer_arbiter(episodes: Array, p: Array, view: Array, command: Array, results: Array) -> None:
    """The arbiter rules wherever it is asked."""
    for n in range(episodes.shape[0]):
        if int(episodes[n]["phase"]) == Phase.VERDICT:
            view[0] = view[1]
            views.see_arbiter(episodes[n], p[0], view[0])
            act_arbiter(view[0], p[0], command)
            hospital.submit(episodes[n], p[0], command[0], results[n])


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


class WardResponder:
    """A scripted ward by persona; `factor` is used by PADS."""

    def __init__(self, agent: int, persona: Persona = Persona.SCRIPTED, factor: float = 1.0) -> None:
        """Answer for agent number `agent`."""
        self.agent, self.persona, self.factor = agent, persona, factor

    def start(self, batch: VectorEnv) -> None:
        """Forget, and take up the new episodes' streams."""
        self.memories = np.zeros(batch.n, memory_dtype(batch.sizes))
        self.seen = np.zeros(batch.n, views.ward_dtype(batch.sizes))
        start_memories(self.memories, batch.episodes["seed"], self.agent)

    def answer(self, batch: VectorEnv, agent: int) -> None:
        """Answer in every episode where this ward is asked."""
        _, command = batch.scratch(agent)
        answer_ward(
            batch.episodes,
            batch.params,
            self.seen,
            agent - 1,
            self.memories,
            int(self.persona),
            self.factor,
            command,
            batch.results,
        )


class ArbiterResponder:
    """The scripted arbiter."""

    def start(self, batch: VectorEnv) -> None:
        """Nothing to remember."""

    def answer(self, batch: VectorEnv, agent: int) -> None:
        """Rule in every episode where a line is under review."""
        view, command = batch.scratch(agent)
        answer_arbiter(batch.episodes, batch.params, view, command, batch.results)


class CoordinatorResponder:
    """A scripted coordinator by number, with its knobs (an array of one record)."""

    def __init__(self, which: int, knobs: Array) -> None:
        """Play coordinator `which`."""
        self.which, self.knobs = which, knobs

    def start(self, batch: VectorEnv) -> None:
        """Forget, and take up the new episodes' streams."""
        self.memories = np.zeros(batch.n, memory_dtype(batch.sizes))
        start_memories(self.memories, batch.episodes["seed"], 0)
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


def scripted_others(scenario_agents: int, learned: Mapping[int, object] | set[int]) -> dict[int, Any]:
    """Scripted wards and arbiter for every agent number that is not in `learned`; the coordinator is left to the caller."""
    found: dict[int, Any] = {a: WardResponder(a) for a in range(1, scenario_agents - 1) if a not in learned}
    if scenario_agents - 1 not in learned:
        found[scenario_agents - 1] = ArbiterResponder()
    return found
