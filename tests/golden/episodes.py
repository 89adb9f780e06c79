"""Twelve golden episodes and their digests: run as a script, it prints them, or writes the file that the tests compare with.

    python -m tests.golden.episodes            # print
    python -m tests.golden.episodes --write    # accept: rules, knobs or a policy of POLICY_OF_SEED changed on purpose

A digest is the SHA-256 of an episode's final record. When one may change, so does the version of the environment.
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from medchain.core.params import new_params
from medchain.core.record import new_commands, new_episodes, new_results
from medchain.core.session import start_episodes, submit_command
from medchain.core.words import Phase
from medchain.scenario import DIFFICULTIES, load_scenario
from policies.scripted.batch import play
from tests.laws.chance import Chance
from tests.laws.commands import Habits, Writer

FILE = Path(__file__).with_name("digests.json")
RANDOM = "random_commands"
POLICY_OF_SEED = {50: "rubber_stamp", 51: RANDOM, 52: RANDOM, 53: "auditor"}
"""Who plays a seed. Random commands reach what no scripted coordinator does (refusals, forfeits); the auditor is tuned
still, its digests are rewritten when it is."""

EPISODES = tuple((difficulty, seed) for difficulty in DIFFICULTIES for seed in POLICY_OF_SEED)
HABITS = Habits(hostile=10, advance=4)

Episode = tuple[str, int]


def name_of(episode: Episode) -> str:
    """Its key in the file."""
    difficulty, seed = episode
    return f"{POLICY_OF_SEED[seed]}/{difficulty}/{seed}"


@cache
def recorded() -> dict[str, str]:
    """The digests on file."""
    found: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def digest(record: Any) -> str:
    """SHA-256 of a record's bytes, hex."""
    return hashlib.sha256(record.tobytes()).hexdigest()


def play_randomly(episodes: Any, i: int, difficulty: str) -> None:
    """Play episode `i` of an array, which has just started, to its end by random commands keyed by its seed."""
    scenario = load_scenario(difficulty)
    params, s = new_params(scenario), episodes[i]
    command, results = new_commands(scenario.sizes), new_results(scenario.sizes, len(episodes))
    writer = Writer(params, Chance(int(s["seed"])), HABITS)
    while s["phase"] != Phase.ENDED:
        command[:] = np.zeros((), command.dtype)
        writer.write(command[0], s)
        submit_command(episodes, i, params, command, 0, results)


def play_in_batch(episode: Episode, n: int) -> Any:
    """Play an episode as the one before last of a batch of `n`; its final record."""
    difficulty, seed = episode
    scenario, place = load_scenario(difficulty), max(0, n - 2)
    seeds = np.arange(seed - place, seed - place + n) % 2**31
    if POLICY_OF_SEED[seed] != RANDOM:
        return play(scenario, POLICY_OF_SEED[seed], seeds.tolist())[place]
    episodes, params = new_episodes(scenario.sizes, n), new_params(scenario)
    for i in range(n):
        start_episodes(episodes, params, seeds.astype(np.uint64), i)
    play_randomly(episodes, place, difficulty)
    return episodes[place]


def digest_alone(episode: Episode) -> tuple[str, str]:
    """Name and digest of an episode that is played by itself."""
    return name_of(episode), digest(play_in_batch(episode, 1))


def main() -> None:
    found = json.dumps(dict(map(digest_alone, EPISODES)), indent=2) + "\n"
    if "--write" in sys.argv[1:]:
        FILE.write_text(found, encoding="utf-8")
    else:
        print(found, end="")


if __name__ == "__main__":
    main()
