"""The scripted agents behind the batch-first protocol, so that they can play beside learned ones and language models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.params import new_params
from medchain.core.record import new_commands, new_episodes
from medchain.core.session import start_episodes
from medchain.errors import UnknownNameError, check_seed
from medchain.scenario import Scenario, Sizes
from policies.knobs import load_knobs
from policies.roster import coordinator as find_coordinator
from policies.scripted.arbiter import act_arbiter
from policies.scripted.batch import PersonaName, parse_persona
from policies.scripted.decide import Coordinator, decide
from policies.scripted.memory import QUEUE, new_memories, policy_key, tell
from policies.scripted.wards import act_ward

Array = np.ndarray[Any, Any]


@kernel
def _set_keys(memories: Array, seeds: Array, agent: int) -> None:
    for i in range(memories.shape[0]):
        memories[i]["key"] = policy_key(seeds[i], agent)


@kernel
def _coordinate(
    views: Array, p: Array, which: int, knobs: Array, memories: Array, queues: Array, clock: Array, commands: Array
) -> None:
    """Next command of each episode; clock[i] is (round, planned, done) of its queue."""
    for i in range(views.shape[0]):
        now = int(views[i]["round"])
        if int(clock[i, 1]) == int(clock[i, 2]) or int(clock[i, 0]) != now:
            clock[i, 0] = now
            clock[i, 1] = decide(which, views[i], p[0], knobs[0], memories[i], queues[i])
            clock[i, 2] = 0
        commands[i] = queues[i, int(clock[i, 2])]
        clock[i, 2] += 1


@kernel
def _answer(views: Array, p: Array, memories: Array, persona: int, factor: float, commands: Array) -> None:
    for i in range(views.shape[0]):
        act_ward(views[i], p[0], memories[i], persona, factor, commands[i : i + 1])


@kernel
def _rule(views: Array, p: Array, commands: Array) -> None:
    for i in range(views.shape[0]):
        act_arbiter(views[i], p[0], commands[i : i + 1])


def _new_keyed(z: Sizes, seeds: Array, agent: int) -> Array:
    memories = new_memories(z, len(seeds))
    _set_keys(memories, seeds, agent)
    return memories


@dataclass
class Decided:
    """State of scripted coordinators: memories [n], command queues [n, QUEUE], clocks [n, (round, planned, done)]."""

    memories: Array
    queues: Array
    clocks: Array
    commands: Array


@dataclass
class Remembered:
    """State of other scripted agents: memories [n] and the commands last given [n]."""

    memories: Array
    commands: Array


class ScriptedCoordinator:
    """A coordinator of the roster; decides ahead, so it looks only when it must."""

    def __init__(self, name: str, scenario: Scenario, knobs: Mapping[str, Any] | None = None) -> None:
        """Take the coordinator `name`; `knobs` replace single knobs of its file.

        Raises:
            UnknownNameError, ConfigError: a name or a knob is wrong.
        """
        self.scenario = scenario
        self.which = find_coordinator(name)
        self._params = new_params(scenario)
        self._knobs = load_knobs(name, knobs)

    def initial_state(self, n: int, seeds: Sequence[int]) -> Decided:
        """Fresh memories and empty queues."""
        z, keys = self.scenario.sizes, np.array([check_seed(seed) for seed in seeds], np.uint64)
        memories = _new_keyed(z, keys, 0)
        if self.which == Coordinator.ORACLE:
            scratch = new_episodes(z, n)
            for i in range(n):
                start_episodes(scratch, self._params, keys[i : i + 1], i)
            tell(memories, scratch["need"])
        queues = new_commands(z, n * QUEUE).reshape(n, QUEUE)
        return Decided(memories, queues, np.zeros((n, 3), np.int64), new_commands(z, n))

    def act(self, views: Array, states: Decided) -> tuple[Array, Decided]:
        """The next command of each episode's queue; where it is empty or a new round has opened, look and decide."""
        s = states
        _coordinate(views, self._params, int(self.which), self._knobs, s.memories, s.queues, s.clocks, s.commands)
        return s.commands, s

    def must_look(self, states: Decided, i: int, round_number: int) -> bool:
        """Whether episode `i`'s queue is empty or was decided on in another round."""
        opened, planned, done = states.clocks[i].tolist()
        return done == planned or opened != round_number


class ScriptedWard:
    """A ward by persona; see batch.PersonaName."""

    def __init__(self, scenario: Scenario, ward: str, persona: PersonaName = "scripted") -> None:
        """Speak for the ward called `ward`.

        Raises:
            UnknownNameError, ConfigError: no such ward or persona.
        """
        if ward not in scenario.wards:
            raise UnknownNameError("ward", ward, list(scenario.wards))
        self.scenario = scenario
        self.agent = 1 + list(scenario.wards).index(ward)
        self._params = new_params(scenario)
        self._persona, self._factor = parse_persona(persona)

    def initial_state(self, n: int, seeds: Sequence[int]) -> Remembered:
        """Fresh memories."""
        z, keys = self.scenario.sizes, np.array([check_seed(seed) for seed in seeds], np.uint64)
        return Remembered(_new_keyed(z, keys, self.agent), new_commands(z, n))

    def act(self, views: Array, states: Remembered) -> tuple[Array, Remembered]:
        """Requests, disclosures or replies, as each view asks."""
        _answer(views, self._params, states.memories, int(self._persona), self._factor, states.commands)
        return states.commands, states


class ScriptedArbiter:
    """The arbiter that believes its own chart review."""

    def __init__(self, scenario: Scenario) -> None:
        """Rule in episodes of `scenario`."""
        self.scenario = scenario
        self._params = new_params(scenario)

    def initial_state(self, n: int, seeds: Sequence[int]) -> Remembered:
        """Nothing is remembered but the commands' buffer."""
        return Remembered(new_memories(self.scenario.sizes, 0), new_commands(self.scenario.sizes, n))

    def act(self, views: Array, states: Remembered) -> tuple[Array, Remembered]:
        """A verdict on each line under review."""
        _rule(views, self._params, states.commands)
        return states.commands, states


def scripted_policies(
    scenario: Scenario, coordinator: str, personas: Mapping[str, PersonaName] | None = None
) -> dict[int, Any]:
    """Scripted policies for every agent number: `coordinator`, the wards by persona, the arbiter."""
    table: dict[int, Any] = {0: ScriptedCoordinator(coordinator, scenario)}
    for i, ward in enumerate(scenario.wards):
        table[i + 1] = ScriptedWard(scenario, ward, (personas or {}).get(ward, "scripted"))
    return {**table, len(table): ScriptedArbiter(scenario)}
