"""The laws hold in hospitals of other sizes: played uncompiled, in a process of their own, for compiling takes longer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.laws.test_laws import hold
from tests.laws.test_naive import shadow
from tests.laws.trace import OTHER_SIZES, Habits, drive_many

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = 600


def test_the_laws_hold_in_hospitals_of_other_sizes() -> None:
    command = [sys.executable, "-m", "tests.laws.test_other_sizes"]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(OTHER_SIZES)


def main() -> None:
    """Drive each of them, and say so."""
    for name in OTHER_SIZES:
        closed = 0
        for trace in drive_many(name, 1, Habits(hostile=10, advance=4), COMMANDS):
            hold(trace)
            closed += shadow(trace)
        assert closed > 3
        print(name)


if __name__ == "__main__":
    main()
