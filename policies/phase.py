"""Phase-level decisions played at tool level: the expansion and the features of medchain.env, behind the Policy protocol.

A decision function sees what a role sees in vector.py and chooses its heads. Played through a Session it makes the same
episodes, byte for byte: coordinators and wards in any company; an arbiter beside a phase-level coordinator, if its choice
for a line depends on that line's row and the globals only (at tool level it is shown one line at a time).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.params import new_params
from medchain.core.record import new_commands
from medchain.core.words import Kind, Phase
from medchain.env import phase_features as features
from medchain.env import phase_kernels, phases
from medchain.env.phases import Step
from medchain.env.vector import QUEUE
from medchain.errors import check_seed
from medchain.scenario import Scenario

Array = np.ndarray[Any, Any]
EVIDENCE, REVIEWS, PLAN, CLOSE = 0, 1, 2, 3


class Moment(NamedTuple):
    """What is known when `n` episodes decide on one step."""

    step: Step
    seeds: Array  # uint64 [n], to key the policy's own randomness with
    rounds: Array  # int64 [n], from 1
    lines: Array  # float32 [n, lines, F]
    globals: Array  # float32 [n, G]
    mask: Array  # int8 [choices]


Decide = Callable[[Moment], Array]
"""Choices, int [n, heads]. It remembers nothing: what it needs is in the moment."""


@kernel
def _coordinator_features(views: Array, i: int, p: Array, step: int, lines: Array, out: Array, j: int) -> None:
    features.coordinator_features(views[i], p[0], step, lines[j], out[j])


@kernel
def _expand(views: Array, i: int, p: Array, look: int, actions: Array, queues: Array) -> int:
    """Write episode i's next calls; how many."""
    if look == EVIDENCE:
        return phases.expand_evidence(views[i], p[0], actions[i], queues[i])
    if look == REVIEWS:
        return phases.expand_reviews(views[i], p[0], actions[i], queues[i])
    if look == PLAN:
        return phases.expand_plan(views[i], p[0], actions[i], queues[i])
    return phases.expand_close(views[i], p[0], actions[i], queues[i])


@kernel
def _ward_features(views: Array, i: int, p: Array, step: int, lines: Array, out: Array, j: int) -> None:
    features.ward_features(views[i], p[0], step, lines[j], out[j])


@kernel
def _request(views: Array, i: int, p: Array, action: Array, commands: Array) -> None:
    """The request, which is noted in the view too, so that the answers to come can be decided on at once."""
    phases.expand_request(views[i], p[0], action, commands[i : i + 1])
    w, r = int(views[i]["ward"]), int(views[i]["round"]) - 1
    for k in range(p[0]["demand"].shape[1]):
        views[i]["requested"][r, k] = commands[i]["quantities"][w, k]


@kernel
def _disclose(views: Array, i: int, p: Array, actions: Array, commands: Array) -> None:
    if int(views[i]["phase"]) == Phase.DISCLOSE:
        phases.expand_disclosure(views[i], p[0], actions[i], commands[i : i + 1])
    else:
        blank(commands[i : i + 1], 0, Kind.REPLY)


@kernel
def _rule(views: Array, i: int, p: Array, lines: Array, out: Array) -> None:
    features.arbiter_features(views[i], p[0], Step.REVIEW, lines[i], out[i])
    line = int(views[i]["asked_ward"]) * p[0]["demand"].shape[1] + int(views[i]["asked_sku"])
    features.arbiter_line(views[i], p[0], True, lines[i, line])


@kernel
def _ruling(views: Array, i: int, p: Array, actions: Array, commands: Array) -> None:
    phases.expand_ruling(views[i], p[0], actions[i], commands[i : i + 1])


@dataclass
class Played:
    """State of `n` phase-level agents: the round they are in, their choices, the coordinator's looks and queued calls."""

    seeds: Array
    rounds: Array
    actions: Array
    commands: Array
    looks: Array
    lengths: Array
    at: Array
    queues: Array


class _Player:
    """What the three roles share: a scenario, an agent number and a decision function."""

    line_names: Sequence[str]
    global_names: Sequence[str]

    def __init__(self, scenario: Scenario, decide: Decide, agent: int) -> None:
        z = scenario.sizes
        self.scenario, self.agent, self.decide = scenario, agent, decide
        self._params = new_params(scenario)
        heads = (phases.coordinator_heads(z), phases.ward_heads(z), phases.arbiter_heads(z))
        self._heads = len(heads[0 if agent == 0 else 1 if agent <= z.wards else 2])
        self._lines = z.skus if 0 < agent <= z.wards else z.wards * z.skus
        self._masks = {step: phase_kernels.mask_of(scenario, agent, step) for step in Step}

    def initial_state(self, n: int, seeds: Sequence[int]) -> Played:
        """States of `n` episodes about to start."""
        z, keys = self.scenario.sizes, np.array([check_seed(seed) for seed in seeds], np.uint64)
        queues = new_commands(z, n * QUEUE).reshape(n, QUEUE) if self.agent == 0 else new_commands(z, 0)
        rounds, actions = np.zeros(n, np.int64), np.zeros((n, self._heads), np.int64)
        looks, lengths, at = (np.zeros(n, np.int64) for _ in range(3))
        return Played(keys, rounds, actions, new_commands(z, n), looks, lengths, at, queues)

    def _blank(self, n: int) -> tuple[Array, Array]:
        return np.zeros((n, self._lines, len(self.line_names)), np.float32), np.zeros(
            (n, len(self.global_names)), np.float32
        )

    def _ask(self, step: Step, s: Played, who: Array, lines: Array, out: Array) -> None:
        moment = Moment(step, s.seeds[who], s.rounds[who], lines, out, self._masks[step])
        s.actions[who] = self.decide(moment)


class PhaseCoordinator(_Player):
    """The coordinator: AUDIT and PLAN, each expanded to the calls that phases.py documents."""

    line_names, global_names = features.COORDINATOR_LINE, features.COORDINATOR_GLOBALS

    def __init__(self, scenario: Scenario, decide: Decide) -> None:
        """Coordinate by `decide`."""
        super().__init__(scenario, decide, 0)

    def must_look(self, states: Played, i: int, round_number: int) -> bool:
        """Whether episode `i`'s calls are used up, or belong to another round."""
        return bool(states.at[i] == states.lengths[i] or states.rounds[i] != round_number)

    def act(self, views: Array, states: Played) -> tuple[Array, Played]:
        """The next call of each episode; where none is left, look and decide."""
        s = states
        fresh = s.rounds != views["round"]
        s.rounds[fresh] = views["round"][fresh]
        s.looks[fresh] = s.lengths[fresh] = s.at[fresh] = 0
        while (idle := np.flatnonzero(s.at == s.lengths)).size:
            for look, step in ((EVIDENCE, Step.AUDIT), (PLAN, Step.PLAN)):
                who = idle[s.looks[idle] == look]
                if who.size:
                    self._look(views, s, step, who)
            for i in idle:
                s.lengths[i] = _expand(views, i, self._params, s.looks[i], s.actions, s.queues)
                s.at[i] = 0
                s.looks[i] += 1
        every = np.arange(len(s.at))
        s.commands[:] = s.queues[every, s.at]
        s.at += 1
        return s.commands, s

    def _look(self, views: Array, s: Played, step: Step, who: Array) -> None:
        lines, out = self._blank(len(who))
        for j, i in enumerate(who):
            _coordinator_features(views, i, self._params, step, lines, out, j)
        self._ask(step, s, who, lines, out)


class PhaseWard(_Player):
    """A ward: REQUEST, and with it RESPOND, as what it will disclose if it is asked."""

    line_names, global_names = features.WARD_LINE, features.WARD_GLOBALS

    def act(self, views: Array, states: Played) -> tuple[Array, Played]:
        """A request, a disclosure or a reply, as each view asks."""
        s, asking = states, np.flatnonzero(views["phase"] == Phase.REQUEST)
        s.rounds[asking] = views["round"][asking]
        if asking.size:
            views = views.copy()
            self._look(views, s, Step.REQUEST, asking)
            for i in asking:
                _request(views, i, self._params, s.actions[i], s.commands)
            self._look(views, s, Step.RESPOND, asking)
        for i in np.flatnonzero(views["phase"] != Phase.REQUEST):
            _disclose(views, i, self._params, s.actions, s.commands)
        return s.commands, s

    def _look(self, views: Array, s: Played, step: Step, who: Array) -> None:
        lines, out = self._blank(len(who))
        for j, i in enumerate(who):
            _ward_features(views, i, self._params, step, lines, out, j)
        self._ask(step, s, who, lines, out)


class PhaseArbiter(_Player):
    """The arbiter: REVIEW, one line at a time."""

    line_names, global_names = features.ARBITER_LINE, features.ARBITER_GLOBALS

    def __init__(self, scenario: Scenario, decide: Decide) -> None:
        """Rule by `decide`."""
        super().__init__(scenario, decide, scenario.sizes.agents - 1)

    def act(self, views: Array, states: Played) -> tuple[Array, Played]:
        """A verdict on each line under review."""
        s, every = states, np.arange(len(views))
        s.rounds[:] = views["round"]
        lines, out = self._blank(len(views))
        for i in every:
            _rule(views, i, self._params, lines, out)
        self._ask(Step.REVIEW, s, every, lines, out)
        for i in every:
            _ruling(views, i, self._params, s.actions, s.commands)
        return s.commands, s


def phase_player(scenario: Scenario, agent: int, decide: Decide) -> PhaseCoordinator | PhaseWard | PhaseArbiter:
    """The player of an agent number."""
    if agent == 0:
        return PhaseCoordinator(scenario, decide)
    return PhaseWard(scenario, decide, agent) if agent <= scenario.sizes.wards else PhaseArbiter(scenario, decide)
