"""N episodes at phase level as arrays: every call works on all of them, in compiled loops, in lockstep.

A round has five steps (phases.Step), an episode 5 R of them, so all N episodes are always at the same step. Per step the
roles that decide there put their actions in (`put`), or an outside responder answers at tool level in their place (a
scripted ward, arbiter or coordinator), and `advance` moves all records on.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from medchain.core.params import new_params
from medchain.core.record import as_bytes, command_dtype, new_episodes, new_results, spans
from medchain.core.views import VIEW_TABLES, arbiter_dtype, coordinator_dtype, ward_dtype
from medchain.core.words import Phase
from medchain.env import phase_kernels as k
from medchain.env import phases
from medchain.env.phase_features import (
    ARBITER_GLOBALS,
    ARBITER_LINE,
    COORDINATOR_GLOBALS,
    COORDINATOR_LINE,
    WARD_GLOBALS,
    WARD_LINE,
)
from medchain.env.phases import Step
from medchain.errors import UnknownNameError, check_seed
from medchain.scenario import Scenario

Array = np.ndarray[Any, Any]
REWARDS = ["terminal", "shaped", "progress", "guided"]
"""Reward modes by name, in the order of phase_kernels.TERMINAL and so on."""

FEATURES = ((COORDINATOR_LINE, COORDINATOR_GLOBALS), (WARD_LINE, WARD_GLOBALS), (ARBITER_LINE, ARBITER_GLOBALS))
"""Names of the features per line and per hospital, by role."""

QUEUE = 64
"""Longest list of commands that one look of a coordinator expands to."""


class Responder(Protocol):
    """Answers at tool level, for all episodes at once, in the place of one agent or of several."""

    def start(self, batch: VectorEnv) -> None:
        """New episodes have started."""

    def answer(self, batch: VectorEnv, agent: int) -> None:
        """Submit a command in every episode in which `agent` is asked.

        It may go on for the agents it answers for, as far as the queues lead to no other; requests are made in Step.REQUEST.
        """


class VectorEnv:
    """N phase-level episodes.

    Agents are numbered as in the core: 0 the coordinator, 1..W the wards, W + 1 the arbiter. `responders` maps the agents
    that answer at tool level to what answers for them; all others act by `put`.
    """

    def __init__(
        self, scenario: Scenario, n: int, responders: dict[int, Responder] | None = None, reward: str = "terminal"
    ) -> None:
        """Allocate `n` episodes; call `reset` before use. `reward` is one of REWARDS, for the coordinator.

        Raises:
            UnknownNameError: no such reward mode.
        """
        if reward not in REWARDS:
            raise UnknownNameError("reward mode", reward, REWARDS)
        z = scenario.sizes
        self.scenario, self.sizes, self.n = scenario, z, n
        self.mode = REWARDS.index(reward)
        self.params = new_params(scenario)
        self.responders = dict(responders or {})
        self.episodes = new_episodes(z, n)
        self.results = new_results(z, n)
        self.queues = np.zeros((n, QUEUE), command_dtype(z))
        self.lengths, self.at = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.paid = np.zeros((n, z.agents))
        self.step = 0
        arbiter = z.agents - 1
        heads = (phases.coordinator_heads(z), *[phases.ward_heads(z)] * z.wards, phases.arbiter_heads(z))
        self._heads = dict(enumerate(heads))
        self._wards = np.zeros((z.wards, n, len(heads[1])), np.int64)
        self._coordinator, self._arbiter = (np.zeros((n, len(heads[a])), np.int64) for a in (0, -1))
        wards = list(range(1, z.wards + 1))
        who = {Step.REQUEST: wards, Step.AUDIT: [0], Step.RESPOND: wards, Step.REVIEW: [arbiter], Step.PLAN: [0]}
        self._deciders = [[a for a in who[step] if a not in self.responders] for step in Step]
        self._moves = (self._request, self._audit, self._respond, self._review, self._plan)
        self.asked = np.ones((n, z.wards, z.skus), np.int8)  # which lines may come before the arbiter
        self._all = np.ones(z.agents, np.int8)
        self._waiting = np.zeros(z.agents, np.int64)
        self._outside = np.array([a in self.responders for a in range(z.agents)], np.int8)
        self._blank = new_episodes(z)
        self._masks: dict[tuple[int, int], Array] = {}
        self._answer = np.zeros(1, command_dtype(z))
        self._view, self._spans = np.zeros(1, coordinator_dtype(z)), spans(coordinator_dtype(z), VIEW_TABLES)
        self._views = np.zeros(2, ward_dtype(z)), np.zeros(2, arbiter_dtype(z))

    def _desk(self) -> tuple[Array, Array, Array]:
        """The coordinator's view as phase_kernels.forget takes it; made anew: a copy's buffers share no memory."""
        return self._view, as_bytes(self._view), self._spans

    def heads(self, agent: int) -> Array:
        """Choices per action head of an agent, int64 [heads]."""
        return self._heads[agent].copy()

    def line_features(self, agent: int) -> list[str]:
        """Names of the features per line."""
        return FEATURES[self._role(agent)][0]

    def global_features(self, agent: int) -> list[str]:
        """Names of the features per hospital."""
        return FEATURES[self._role(agent)][1]

    def lines(self, agent: int) -> int:
        """Lines an agent decides about: all of them, or a ward its own SKUs."""
        return self.sizes.skus if self._role(agent) == 1 else self.sizes.wards * self.sizes.skus

    def _role(self, agent: int) -> int:
        return 0 if agent == 0 else 1 if agent <= self.sizes.wards else 2

    def scratch(self, agent: int) -> tuple[Any, Array]:
        """An agent's view buffer and a buffer for one command, for compiled responders.

        The buffer is an array of two views (fill [0]; [1] is a blank); for the coordinator, whose view is ten times as
        large, it is what phase_kernels.forget takes.
        """
        return self._views[agent > self.sizes.wards] if agent > 0 else self._desk(), self._answer

    def reset(self, seeds: Array | list[int]) -> None:
        """Start `n` episodes, one per seed.

        Raises:
            SeedError: a seed is not an integer in 0 .. 2^63 - 1.
            ValueError: there are not `n` seeds.
        """
        if len(seeds) != self.n:
            raise ValueError(f"expected {self.n} seeds, one per episode, got {len(seeds)}")
        keys = np.array([check_seed(seed) for seed in seeds], np.uint64)
        k.start_all(self.episodes, self._blank, self.params, keys)
        self.paid[:] = 0.0
        self.step = 0
        for responder in dict.fromkeys(self.responders.values()):
            responder.start(self)

    @property
    def phase(self) -> Step:
        """The step that is decided now."""
        return Step(self.step % phases.STEPS)

    @property
    def done(self) -> bool:
        """Whether the episodes are over."""
        return self.step == phases.STEPS * self.sizes.rounds

    def deciders(self) -> list[int]:
        """Agents that act by `put` in this step."""
        return list(self._deciders[self.step % phases.STEPS])

    def observe(self, agent: int) -> tuple[Array, Array]:
        """Features of an agent now: float32 [n, lines, F] and float32 [n, G]."""
        lines = np.empty((self.n, self.lines(agent), len(self.line_features(agent))), np.float32)
        out = np.empty((self.n, len(self.global_features(agent))), np.float32)
        step, role = self.step % phases.STEPS if not self.done else -1, self._role(agent)
        if role == 0:
            k.observe_coordinator(self.episodes, self.params, self._desk(), step, lines, out)
        elif role == 1:
            k.observe_ward(self.episodes, self.params, self._views[0], agent - 1, step, lines, out)
        else:
            k.observe_arbiter(self.episodes, self.params, self._views[1], step, self.asked, lines, out)
        return lines, out

    def mask(self, agent: int) -> Array:
        """int8 [sum of heads]: what may be chosen in this step, head after head; 0 alone is the no-op of a head."""
        step = -1 if self.done else self.step % phases.STEPS
        if (agent, step) not in self._masks:
            self._masks[agent, step] = k.mask_of(self.scenario, agent, step)
        return self._masks[agent, step].copy()

    def put(self, agent: int, actions: Array) -> None:
        """Set an agent's choices, int [n, heads], for this step."""
        if agent == 0:
            self._coordinator[:] = actions
        elif agent <= self.sizes.wards:
            self._wards[agent - 1] = actions
        else:
            self._arbiter[:] = actions

    def advance(self) -> Array:
        """Carry this step out; the rewards it earned, float64 [n, agents]."""
        self.move()
        total = self.returns()
        earned = total - self.paid
        self.paid[:] = total
        return earned

    def move(self) -> None:
        """Carry this step out, for whoever asks for `returns` at his own times."""
        if self.done:
            raise RuntimeError("these episodes are over; reset them with new seeds")
        self._moves[self.step % phases.STEPS]()
        self.step += 1

    def returns(self, wanted: Array | None = None) -> Array:
        """What agents have earned since the episodes began, float64 [n, agents]; wanted, int8 [agents]: 0 for the others."""
        total = np.empty_like(self.paid)
        wanted = self._all if wanted is None else wanted
        k.returns_so_far(self.episodes, self.params, self.mode, wanted, total)
        return total

    def _request(self) -> None:
        for ward in range(1, self.sizes.wards + 1):
            if ward in self.responders:
                self.responders[ward].answer(self, ward)
            else:
                k.request_all(
                    self.episodes, self.params, self._views[0], ward - 1, self._wards[ward - 1], self._answer, self.results
                )

    def _audit(self) -> None:
        if 0 not in self.responders:
            self._look(k.EVIDENCE)

    def _respond(self) -> None:
        if 0 not in self.responders:
            self._run()
            self._look(k.REVIEWS)
            k.mark_reviews(self.queues, self.lengths, self.asked)

    def _review(self) -> None:
        if 0 not in self.responders:
            self._run()

    def _plan(self) -> None:
        if 0 in self.responders:
            self.lengths[:] = 0
            self.at[:] = 0
            while self.asks(0).any():
                self.responders[0].answer(self, 0)
                self._run()
        else:
            self._look(k.PLAN)
            self._run()
            self._look(k.CLOSE)
            self._run()

    def _look(self, which: int) -> None:
        k.look_all(self.episodes, self.params, self._desk(), which, self._coordinator, self.queues, self.lengths, self.at)

    def _run(self) -> None:
        """Submit the queued calls; wards and the arbiter answer as they are asked."""
        while True:
            k.run_queues(
                self.episodes,
                self.params,
                self.queues,
                self.lengths,
                self.at,
                self._wards,
                self._arbiter,
                self._outside,
                *self._views,
                self._answer,
                self.results,
                self._waiting,
            )
            asked = [a for a in self.responders if self._waiting[a] > 0]
            if not asked:
                return
            for agent in asked:
                self.responders[agent].answer(self, agent)

    def asks(self, agent: int) -> Array:
        """bool [n]: where it is the agent's turn. Requests wait for Step.REQUEST, in which nothing else is asked."""
        phase = self.episodes["phase"]
        if agent == 0:
            return np.asarray(phase == Phase.COORDINATE)
        if agent == self.sizes.agents - 1:
            return np.asarray(phase == Phase.VERDICT)
        in_step = (phase == Phase.REQUEST) == (self.phase == Step.REQUEST)
        return np.asarray((self.episodes["asked_ward"] == agent - 1) & (phase != Phase.VERDICT) & in_step)
