"""Spaces, masks and features follow the scenario: hospitals of other sizes, played uncompiled in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from medchain.env.aec import raw_env
from tests.compliance.players import turns
from tests.laws.trace import OTHER_SIZES, hospital

ROOT = Path(__file__).resolve().parents[2]
TURNS = 120


def test_legal_play_in_hospitals_of_other_sizes_is_never_refused() -> None:
    command = [sys.executable, "-m", "tests.env.test_other_sizes"]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(OTHER_SIZES)


def main() -> None:
    """Play each of them, and say so."""
    for name in OTHER_SIZES:
        env = raw_env(scenario=hospital(name))
        for agent, (observation, *_), _ in turns(env, 3, most=TURNS):
            assert env.observation_space(agent).contains(observation)
            assert not any("refusal" in info for info in env.infos.values()), env.infos
        assert env.state_space.contains(env.state())
        print(name)


if __name__ == "__main__":
    main()
