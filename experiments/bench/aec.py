"""Turns of the AEC environment: time inside last() and step() of random legal play, against two classic games.

Actions are drawn beforehand and played again, so drawing them is not counted; nor is a reset.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from experiments.bench.row import Line, median_ratio

TURNS = 6_000
"""Turns of one measurement, dead agents' last ones included."""

Script = list[tuple[int, list[Any]]]
"""Seeds of episodes and the action of every turn."""


def measure(repeats: int) -> list[Line]:
    """Turns per second of the structured surface, wrapped as `env()` wraps it."""
    from pettingzoo.classic import connect_four_v3, tictactoe_v3

    from medchain import medchain_v0

    envs = [medchain_v0.env(), tictactoe_v3.env(), connect_four_v3.env()]
    scripts = [script(env) for env in envs]
    turns = [sum(len(actions) for _, actions in found) for found in scripts]
    seconds: list[list[float]] = [[] for _ in envs]
    for repeat in range(repeats + 1):
        for env, found, taken in zip(envs, scripts, seconds, strict=True):
            spent = play(env, found)
            if repeat:  # the first is to warm up
                taken.append(spent)
    rates = [n / statistics.median(taken) for n, taken in zip(turns, seconds, strict=True)]
    per_turn = [[s / n for s in taken] for n, taken in zip(turns, seconds, strict=True)]
    names = ["tictactoe_v3, timed alike", "connect_four_v3, timed alike"]
    lines = []
    for name, rate, theirs in zip(names, rates[1:], per_turn[1:], strict=True):
        ratio = median_ratio(theirs, per_turn[0])
        reach, reached = (">= 1 x", ratio >= 1) if theirs is per_turn[1] else ("", None)
        lines.append(Line("last() + step(), random legal play", rates[0], "turns/s", name, rate, ratio, reach, reached))
    return lines


def script(env: Any) -> Script:
    """Random legal episodes of at least TURNS turns in all."""
    found: Script = []
    for i, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(i)
    while sum(len(actions) for _, actions in found) < TURNS:
        seed = len(found)
        env.reset(seed=seed)
        actions = []
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            done = terminated or truncated
            actions.append(None if done else env.action_space(agent).sample(observation["action_mask"]))
            env.step(actions[-1])
        found.append((seed, actions))
    return found


def play(env: Any, found: Script) -> float:
    """Processor seconds inside last() and step() of a script."""
    spent = 0
    for seed, actions in found:
        env.reset(seed=seed)
        start = time.process_time_ns()
        for action in actions:
            env.last()
            env.step(action)
        spent += time.process_time_ns() - start
    return spent / 1e9
