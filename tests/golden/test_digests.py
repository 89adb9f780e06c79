"""The same bytes everywhere: alone, in a batch, in other processes, under other hash seeds, compiled or not.

CI runs this folder a second time with NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numba
import pytest

from tests.golden.episodes import EPISODES, Episode, digest, digest_alone, name_of, play_in_batch, recorded

ROOT = Path(__file__).resolve().parents[2]
compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="12,000 episodes take minutes uncompiled")


@pytest.mark.parametrize("episode", EPISODES, ids=name_of)
def test_an_episode_ends_in_the_recorded_bytes(episode: Episode) -> None:
    """If this is meant to change: python -m tests.golden.episodes --write"""
    assert digest_alone(episode) == (name_of(episode), recorded()[name_of(episode)])


def test_twelve_episodes_are_on_file_and_no_two_are_the_same() -> None:
    assert set(recorded()) == set(map(name_of, EPISODES))
    assert len(set(recorded().values())) == 12


@pytest.mark.parametrize("hash_seed", ["0", "1", "random"])
def test_hash_seeds_and_processes_change_nothing(hash_seed: str) -> None:
    command = [sys.executable, "-m", "tests.golden.episodes"]
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == recorded()


@compiled_only
@pytest.mark.parametrize("episode", EPISODES, ids=name_of)
def test_a_batch_of_a_thousand_changes_nothing(episode: Episode) -> None:
    assert digest(play_in_batch(episode, 1000)) == recorded()[name_of(episode)]


def test_a_worker_pool_changes_nothing() -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert dict(pool.map(digest_alone, EPISODES)) == recorded()
