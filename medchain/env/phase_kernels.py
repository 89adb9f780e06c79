"""The compiled loops of vector.py over N records: start, observe, expand, run, reward."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core import hospital, views
from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.record import wipe
from medchain.core.words import Kind, Phase
from medchain.env import phase_features as features
from medchain.env import phases
from medchain.env.phases import Step
from medchain.reward.formula import BREAKDOWN, score_into
from medchain.reward.roles import arbiter_close_reward, verdict_reward, ward_reward
from medchain.reward.shaping import advance
from medchain.scenario import Scenario

Array = np.ndarray[Any, Any]
EVIDENCE, REVIEWS, PLAN, CLOSE = 0, 1, 2, 3
"""A phase-level coordinator's four looks a round."""

TERMINAL, SHAPED, PROGRESS, GUIDED = 0, 1, 2, 3
"""Reward modes of the coordinator: the score at the end; an advance on it by shaping; the score of the record as it
stands, with nothing used in the days to come; that with the advance on top, which is taken back at the end. In all of
them an episode's return is the score."""


@kernel
def start_all(episodes: Array, blank: Array, p: Array, seeds: Array) -> None:
    """Start every episode afresh."""
    for n in range(episodes.shape[0]):
        episodes[n] = blank[0]
        hospital.start_episode(episodes[n], p[0], seeds[n])


@kernel
def forget(desk: tuple[Array, Array, Array]) -> None:
    """Clear a coordinator's view: the view, the same as bytes, and its spans (see record.wipe)."""
    view, raw, view_spans = desk
    v = view[0]
    wipe(raw[0], view_spans, int(v["lot_count"]), int(v["order_count"]), int(v["quote_count"]))


@kernel
def observe_coordinator(
    episodes: Array, p: Array, desk: tuple[Array, Array, Array], step: int, lines: Array, out: Array
) -> None:
    """Features of the coordinator in every episode."""
    v = desk[0][0]
    for n in range(episodes.shape[0]):
        forget(desk)
        views.see_coordinator(episodes[n], p[0], v)
        features.coordinator_features(v, p[0], step, lines[n], out[n])


@kernel
def observe_ward(episodes: Array, p: Array, view: Array, w: int, step: int, lines: Array, out: Array) -> None:
    """Features of ward index `w` in every episode."""
    for n in range(episodes.shape[0]):
        view[0] = view[1]
        views.see_ward(episodes[n], p[0], view[0], w)
        features.ward_features(view[0], p[0], step, lines[n], out[n])


@kernel
def observe_arbiter(episodes: Array, p: Array, view: Array, step: int, asked: Array, lines: Array, out: Array) -> None:
    """Features of the arbiter in every episode: it is shown the lines that come, or may come, before it."""
    wards, skus = p[0]["demand"].shape
    for n in range(episodes.shape[0]):
        view[0] = view[1]
        views.see_arbiter(episodes[n], p[0], view[0])
        features.arbiter_features(view[0], p[0], step, lines[n], out[n])
        if step != Step.REVIEW:
            continue
        for w in range(wards):
            for k in range(skus):
                if asked[n, w, k] == 1 and int(p[0]["demand"][w, k]) > 0:
                    views.see_line_under_review(episodes[n], p[0], view[0], w, k)
                    features.arbiter_line(view[0], p[0], True, lines[n, w * skus + k])


@kernel
def request_all(episodes: Array, p: Array, view: Array, w: int, actions: Array, command: Array, results: Array) -> None:
    """Ward index `w` makes its request in every episode."""
    for n in range(episodes.shape[0]):
        view[0] = view[1]
        views.see_ward(episodes[n], p[0], view[0], w)
        phases.expand_request(view[0], p[0], actions[n], command)
        hospital.submit(episodes[n], p[0], command[0], results[n])


@kernel
def look_all(
    episodes: Array,
    p: Array,
    desk: tuple[Array, Array, Array],
    which: int,
    actions: Array,
    queues: Array,
    lengths: Array,
    at: Array,
) -> None:
    """The coordinator looks at what its next commands hang on, and writes them, in every episode."""
    v = desk[0][0]
    for n in range(episodes.shape[0]):
        at[n] = 0
        lengths[n] = 0
        if int(episodes[n]["phase"]) != Phase.COORDINATE:
            continue
        forget(desk)
        views.see_present(episodes[n], p[0], v)
        if which == PLAN or which == CLOSE:
            views.see_goods(episodes[n], p[0], v)
        if which == EVIDENCE:
            lengths[n] = phases.expand_evidence(v, p[0], actions[n], queues[n])
        elif which == REVIEWS:
            lengths[n] = phases.expand_reviews(v, p[0], actions[n], queues[n])
        elif which == PLAN:
            lengths[n] = phases.expand_plan(v, p[0], actions[n], queues[n])
        else:
            lengths[n] = phases.expand_close(v, p[0], actions[n], queues[n])


@kernel
def mark_reviews(queues: Array, lengths: Array, asked: Array) -> None:
    """Which lines the queued calls bring before the arbiter."""
    for n in range(asked.shape[0]):
        asked[n] = 0
        for i in range(lengths[n]):
            if int(queues[n, i]["kind"]) == Kind.ESCALATE_TO_CLINICAL_REVIEW:
                asked[n, int(queues[n, i]["ward"]), int(queues[n, i]["sku"])] = 1


@kernel
def run_queues(
    episodes: Array,
    p: Array,
    queues: Array,
    lengths: Array,
    at: Array,
    ward_actions: Array,
    arbiter_actions: Array,
    outside: Array,
    ward: Array,
    arbiter: Array,
    command: Array,
    results: Array,
    waiting: Array,
) -> None:
    """Submit the queued calls of every episode until they are done or an outside responder is asked.

    waiting[a], int64 [agents], is set to the number of episodes that wait for outside agent `a`.
    """
    waiting[:] = 0
    for n in range(episodes.shape[0]):
        s = episodes[n]
        while True:
            phase, w = int(s["phase"]), int(s["asked_ward"])
            if phase == Phase.COORDINATE:
                if at[n] == lengths[n]:
                    break
                hospital.submit(s, p[0], queues[n, at[n]], results[n])
                at[n] += 1
                continue
            if phase == Phase.REPLY and outside[w + 1] == 0:
                blank(command, 0, Kind.REPLY)
            elif phase == Phase.DISCLOSE and outside[w + 1] == 0:
                ward[0] = ward[1]
                views.see_ward(s, p[0], ward[0], w)
                phases.expand_disclosure(ward[0], p[0], ward_actions[w, n], command)
            elif phase == Phase.VERDICT and outside[outside.shape[0] - 1] == 0:
                arbiter[0] = arbiter[1]
                views.see_arbiter(s, p[0], arbiter[0])
                phases.expand_ruling(arbiter[0], p[0], arbiter_actions[n], command)
            else:
                if phase == Phase.VERDICT:
                    waiting[waiting.shape[0] - 1] += 1
                elif phase == Phase.REPLY or phase == Phase.DISCLOSE:
                    waiting[w + 1] += 1
                break
            hospital.submit(s, p[0], command[0], results[n])


@kernel
def returns_so_far(episodes: Array, p: Array, mode: int, wanted: Array, total: Array) -> None:
    """What the `wanted` agents (int8 [agents]) have earned since the episode began, float64 [n, agents]; 0 for others."""
    breakdown = np.zeros(BREAKDOWN)
    for n in range(episodes.shape[0]):
        _returns(episodes[n], p[0], mode, wanted, breakdown, total[n])


@kernel
def _returns(s: Any, p: Any, mode: int, wanted: Any, breakdown: Any, total: Any) -> None:
    wards, skus = p["demand"].shape
    over = int(s["round"]) - (0 if int(s["phase"]) == Phase.ENDED else 1)
    total[:] = 0.0
    if wanted[0] == 1:
        total[0] = _coordinator_return(s, p, mode, breakdown)
    for w in range(wards):
        if wanted[w + 1] == 1:
            for r in range(over):
                total[w + 1] += ward_reward(s, p, w, r)
    if wanted[wards + 1] == 1:
        for r in range(int(s["round"])):
            for w in range(wards):
                for k in range(skus):
                    total[wards + 1] += verdict_reward(s, p, r, w, k)
            if r < over:
                total[wards + 1] += arbiter_close_reward(s, p, r)


@kernel
def _coordinator_return(s: Any, p: Any, mode: int, breakdown: Any) -> float:
    total, ended = 0.0, int(s["phase"]) == Phase.ENDED
    if ended or mode == PROGRESS or mode == GUIDED:
        total += score_into(s, p, breakdown)
    if not ended and (mode == SHAPED or mode == GUIDED):
        total += advance(s, p) / 1000000.0
    return total


def mask_of(scenario: Scenario, agent: int, step: int) -> Array:
    """int8 mask over an agent's heads in a step: a head with nothing to decide has its choice 0 only."""
    z = scenario.sizes
    demand = np.array([[sku.demand_per_day.get(w, 0) for sku in scenario.skus.values()] for w in scenario.wards])
    sells = np.array([[s.sells == "all" or k in s.sells for k in scenario.skus] for s in scenario.suppliers.values()])
    exists, lines = (demand > 0).ravel(), z.wards * z.skus
    if agent == 0:
        heads = phases.coordinator_heads(z)
        free = np.zeros(len(heads), bool)
        if step == Step.AUDIT:
            free[:lines] = exists
        elif step == Step.PLAN:
            free[lines : 2 * lines] = exists
            free[2 * lines :] = True
    elif agent <= z.wards:
        heads = phases.ward_heads(z)
        free = np.zeros(len(heads), bool)
        own = demand[agent - 1] > 0
        if step == Step.REQUEST:
            free[: z.skus] = own
        elif step == Step.RESPOND:
            free[z.skus :] = own
    else:
        heads = phases.arbiter_heads(z)
        free = exists & (step == Step.REVIEW)
    parts = [np.ones(n, np.int8) if f else np.eye(1, n, dtype=np.int8)[0] for n, f in zip(heads, free, strict=True)]
    if agent == 0 and step == Step.PLAN:
        for k in range(z.skus):
            parts[2 * lines + z.skus + k] = sells[:, k].astype(np.int8)
    return np.concatenate(parts)
