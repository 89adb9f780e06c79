"""Importing the world and its first reset, with compiled code on disk, against a classic PettingZoo game."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from experiments.bench.row import Line, median_ratio

MOST = 3.0
OURS = "import medchain; from medchain.core.session import Session; from medchain.scenario import load_scenario; "
OURS += "Session(load_scenario(), 0)"
THEIRS = "from pettingzoo.classic import tictactoe_v3; tictactoe_v3.env().reset(seed=0)"
NUMBA = "from experiments.bench.one_kernel import add_one; add_one(1)"
TIMED = "import time; start = time.process_time(); {}; print(time.process_time() - start)"


def measure(repeats: int) -> list[Line]:
    """Processor seconds from a fresh interpreter to the first reset."""
    codes = (OURS, THEIRS, NUMBA)
    for code in codes:
        _seconds(code)
    ours, theirs, numba = zip(*[[_seconds(code) for code in codes] for _ in range(repeats)], strict=True)
    ratio, numba_ratio = median_ratio(ours, theirs), median_ratio(numba, theirs)
    with tempfile.TemporaryDirectory() as empty:
        first = _seconds(OURS, {"MEDCHAIN_CACHE_DIR": empty})
    reach, name = f"<= {MOST:.0f} x", "to the first reset"
    game, base = "tictactoe_v3, likewise", statistics.median(theirs)
    return [
        Line(name, statistics.median(ours), "s", game, base, ratio, reach, ratio <= MOST),
        Line("numba alone, one kernel", statistics.median(numba), "s", game, base, numba_ratio),
        Line("to the first reset, no cache", first, "s"),
    ]


def _seconds(code: str, extra: dict[str, str] | None = None) -> float:
    command = [sys.executable, "-c", TIMED.format(code)]
    done = subprocess.run(command, env={**os.environ, **(extra or {})}, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])
