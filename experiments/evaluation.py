"""Episodes to results: what `medchain eval` computes, free of printing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from experiments.workers import in_order
from medchain.errors import check_seed
from medchain.scenario import load_scenario

CHUNK = 10
"""Seeds that one job plays: enough to hide its start, few enough for the progress bar to move."""

Progress = Callable[[int], None]
"""Called with the number of episodes that have just been scored."""


class Result(NamedTuple):
    """One scored episode. `breakdown` as reward.formula makes it; `fill`: mean fill by ward; `digest`: of the record;
    `spoken`: what was counted of a language model, see speech.py.
    """

    policy: str
    seed: int
    difficulty: str
    score: float
    breakdown: dict[str, float | None]
    fill: dict[str, float]
    bound: float
    digest: str
    spoken: dict[str, Any] | None = None


class Job(NamedTuple):
    """Some seeds of one scenario, to be played by every policy; `record`: folder for their replays."""

    policies: tuple[str, ...]
    difficulty: str
    seeds: tuple[int, ...]
    record: Path | None = None


def evaluate(
    policies: Sequence[str],
    seeds: Sequence[int],
    difficulties: Sequence[str],
    workers: int = 1,
    progress: Progress = lambda episodes: None,
    record: Path | None = None,
) -> list[Result]:
    """Play every policy on every seed of every difficulty: results by policy, difficulty, seed, in the order given.

    Args:
        policies: names, see players.py.
        seeds: integers in 0 .. 2^63 - 1.
        difficulties: shipped difficulties or paths of scenario files.
        workers: processes; what comes out does not depend on it.
        progress: told as episodes are scored.
        record: folder where every episode leaves a replay, see recording.py.

    Raises:
        MedChainError: a name, seed or scenario is wrong; nothing has been played.
    """
    from experiments.players import player

    for seed in seeds:
        check_seed(seed)
    for name in policies:
        player(name)
    for name in difficulties:
        load_scenario(name)
    chunks = [tuple(seeds[i : i + CHUNK]) for i in range(0, len(seeds), CHUNK)]
    jobs = [Job(tuple(policies), difficulty, chunk, record) for difficulty in difficulties for chunk in chunks]
    found: dict[tuple[str, str, int], Result] = {}
    for results in in_order(play_job, jobs, workers):
        found |= {(result.policy, result.difficulty, result.seed): result for result in results}
        progress(len(results))
    return [found[key] for key in product(policies, difficulties, seeds)]


def play_job(job: Job) -> list[Result]:
    """Play and score the episodes of one job."""
    from experiments.bound import bound_for
    from experiments.players import play_told
    from experiments.recording import record_episodes
    from medchain.core.params import new_params

    scenario = load_scenario(job.difficulty)
    params = new_params(scenario)[0]
    bounds = [bound_for(scenario, seed) for seed in job.seeds]
    results = []
    for policy in job.policies:
        if job.record is not None:
            records, spoken = record_episodes(policy, job.difficulty, job.seeds, job.record)
        else:
            records, spoken = play_told(policy, job.difficulty, job.seeds)
        for seed, bound, record, words in zip(job.seeds, bounds, records, spoken, strict=True):
            parts, fills, digest = score_record(record, params, list(scenario.wards))
            results.append(Result(policy, seed, job.difficulty, parts["score"], parts, fills, bound, digest, words))
    return results


def score_record(record: Any, params: Any, wards: list[str]) -> tuple[dict[str, Any], dict[str, float], str]:
    """Score breakdown, mean fill by ward and digest of one finished episode record."""
    from medchain.reward.formula import breakdown, fill

    fills = dict(zip(wards, fill(record, params).tolist(), strict=True))
    return breakdown(record, params), fills, hashlib.sha256(record.tobytes()).hexdigest()
