"""Session: the only door to the core. `pending()` says who is asked, `view(agent)` what it may know, `submit` moves on."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from medchain.core import hospital, views
from medchain.core.kernel import kernel
from medchain.core.params import new_params
from medchain.core.record import as_bytes, new_commands, new_episodes, new_results
from medchain.core.words import COORDINATOR, Phase
from medchain.errors import ReplayError, UnknownNameError, check_seed
from medchain.scenario import Scenario

Array = np.ndarray[Any, Any]


@kernel
def start_episodes(episodes: Array, p: Array, seeds: Array, i: int) -> None:
    """Start episode `i` from a zeroed record."""
    hospital.start_episode(episodes[i], p[0], seeds[i])


@kernel
def submit_command(episodes: Array, i: int, p: Array, commands: Array, j: int, results: Array) -> None:
    """Submit command `j` to episode `i`; results[i] says what came of it."""
    hospital.submit(episodes[i], p[0], commands[j], results[i])


@kernel
def fill_coordinator(episodes: Array, i: int, p: Array, out: Array, j: int) -> None:
    """View of the coordinator of episode `i` into out[j], which is zeroed."""
    views.see_coordinator(episodes[i], p[0], out[j])


@kernel
def fill_ward(episodes: Array, i: int, p: Array, out: Array, j: int, w: int) -> None:
    """View of ward index `w` of episode `i` into out[j], which is zeroed."""
    views.see_ward(episodes[i], p[0], out[j], w)


@kernel
def fill_arbiter(episodes: Array, i: int, p: Array, out: Array, j: int) -> None:
    """View of the arbiter of episode `i` into out[j], which is zeroed."""
    views.see_arbiter(episodes[i], p[0], out[j])


class Pending(NamedTuple):
    """Who is asked for what: agent number, phase, and the line in question (-1 where none)."""

    agent: int
    phase: Phase
    ward: int
    sku: int


class Session:
    """One episode of a scenario.

    `episodes` is an array of one record; `results` likewise, overwritten by each `submit`.
    """

    def __init__(self, scenario: Scenario, seed: int = 0) -> None:
        """Start the episode of `seed`.

        Raises:
            SeedError: seed is not an integer in 0 .. 2^63 - 1.
        """
        self.scenario = scenario
        self.params = new_params(scenario)
        self.episodes = new_episodes(scenario.sizes)
        self.results = new_results(scenario.sizes)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start over with another seed; the same as a fresh Session."""
        seeds = np.array([check_seed(seed)], np.uint64)
        as_bytes(self.episodes)[:] = 0
        start_episodes(self.episodes, self.params, seeds, 0)

    @property
    def record(self) -> Any:
        """The episode's record, to look at."""
        return self.episodes[0]

    @property
    def ended(self) -> bool:
        """Whether the episode is over."""
        return bool(self.record["phase"] == Phase.ENDED)

    def pending(self) -> Pending:
        """Who is asked for what now."""
        s = self.record
        phase = Phase(int(s["phase"]))
        ward, sku = int(s["asked_ward"]), int(s["asked_sku"])
        if phase in (Phase.REQUEST, Phase.DISCLOSE, Phase.REPLY):
            return Pending(ward + 1, phase, ward, sku)
        if phase == Phase.VERDICT:
            return Pending(len(self.scenario.wards) + 1, phase, ward, sku)
        return Pending(COORDINATOR, phase, -1, -1)

    def view(self, agent: int) -> Array:
        """What agent number `agent` may know now, as a fresh array of one view record.

        Raises:
            UnknownNameError: no agent has that number.
        """
        z = self.scenario.sizes
        if not 0 <= agent < z.agents:
            raise UnknownNameError("agent number", agent, [f"{i} ({name})" for i, name in enumerate(self.scenario.agents)])
        if agent == COORDINATOR:
            out = np.zeros(1, views.coordinator_dtype(z))
            fill_coordinator(self.episodes, 0, self.params, out, 0)
        elif agent <= z.wards:
            out = np.zeros(1, views.ward_dtype(z))
            fill_ward(self.episodes, 0, self.params, out, 0, agent - 1)
        else:
            out = np.zeros(1, views.arbiter_dtype(z))
            fill_arbiter(self.episodes, 0, self.params, out, 0)
        return out

    def submit(self, commands: Array, j: int = 0) -> Any:
        """Submit command `j` of an array for the agent that is asked; returns the result record.

        Illegal commands are refused, never raised: the result says why, and the record changes in its call counts only.
        """
        submit_command(self.episodes, 0, self.params, commands, j, self.results)
        return self.results[0]

    def command(self) -> Array:
        """An empty command to fill, as an array of one."""
        return new_commands(self.scenario.sizes)

    def digest(self) -> str:
        """SHA-256 of the record, hex."""
        return hashlib.sha256(self.episodes.tobytes()).hexdigest()

    def save(self) -> bytes:
        """The record's bytes."""
        return self.episodes.tobytes()

    def load(self, data: bytes) -> None:
        """Continue from saved bytes.

        Raises:
            ReplayError: the bytes are not a record of this scenario's sizes; the session is unchanged.
        """
        if len(data) != self.episodes.nbytes:
            raise ReplayError(f"saved state has {len(data)} bytes; a record of this scenario has {self.episodes.nbytes}")
        self.episodes[:] = np.frombuffer(data, self.episodes.dtype)
