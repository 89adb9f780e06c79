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
TIMED = "import time; start = time.process_time(); {}; print(time.process_time() - start)"


def measure(repeats: int) -> list[Line]:
    """Processor seconds from a fresh interpreter to the first reset."""
    _seconds(OURS), _seconds(THEIRS)
    timed = [(_seconds(OURS), _seconds(THEIRS)) for _ in range(repeats)]
    ours, theirs = [list(column) for column in zip(*timed, strict=True)]
    ratio = median_ratio(ours, theirs)
    with tempfile.TemporaryDirectory() as empty:
        first = _seconds(OURS, {"MEDCHAIN_CACHE_DIR": empty})
    reach, name = f"<= {MOST:.0f} x", "import and first reset, warm cache"
    game = "tictactoe_v3, likewise"
    return [
        Line(name, statistics.median(ours), "s", game, statistics.median(theirs), ratio, reach, ratio <= MOST),
        Line("the same, first compile ever", first, "s"),
    ]


def _seconds(code: str, extra: dict[str, str] | None = None) -> float:
    command = [sys.executable, "-c", TIMED.format(code)]
    done = subprocess.run(command, env={**os.environ, **(extra or {})}, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])
