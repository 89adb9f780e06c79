"""The batched core from one episode to many: cost per episode, and memory."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

from experiments.bench.batch import Batch
from experiments.bench.row import Line, side_by_side

SIZES = (1, 16, 256, 4_096, 65_536)
FLAT_FROM, FLAT_WITHIN, MEMORY_WITHIN = 256, 0.20, 0.10
AT_LEAST = 2_048
"""Episodes in one measurement: small batches are played again and again."""


def measure(repeats: int) -> list[Line]:
    """Cost per episode by batch size, against the batch of FLAT_FROM; and the memory of the largest."""
    batches = [Batch("rubber_stamp", n) for n in SIZES]
    plays = [max(1, AT_LEAST // n) for n in SIZES]
    timed = side_by_side(repeats, *[_again(batch, times) for batch, times in zip(batches, plays, strict=True)])
    cost = {n: statistics.median(seconds) / (n * times) * 1e6 for n, times, seconds in zip(SIZES, plays, timed, strict=True)}
    del batches
    base, unit = cost[FLAT_FROM], "us/episode"
    lines = []
    for n in SIZES:
        flat = n >= FLAT_FROM
        reach = f"within {FLAT_WITHIN:.0%}" if flat else ""
        reached = abs(cost[n] / base - 1) <= FLAT_WITHIN if flat else None
        lines.append(Line(f"{n:,} at once", cost[n], unit, f"{FLAT_FROM:,} at once", base, cost[n] / base, reach, reached))
    return [*lines, _memory(SIZES[-1])]


def _again(batch: Batch, times: int) -> Callable[[], None]:
    def play() -> None:
        for _ in range(times):
            batch.play()

    return play


def _memory(n: int) -> Line:
    """Resident memory that a batch takes, in a process of its own."""
    with get_context("spawn").Pool(1) as pool:
        grown, record = pool.apply(grown_bytes, (n,))
    ratio, most = grown / (n * record), 1 + MEMORY_WITHIN
    name, yardstick = f"{n:,}, memory", f"{record:,} bytes each"
    return Line(name, grown / 2**20, "MiB", yardstick, n * record / 2**20, ratio, f"<= {most:.2f}", ratio <= most)


def grown_bytes(n: int) -> tuple[int, int]:
    """Growth of the peak resident memory by playing `n` episodes, and the size of a record, bytes."""
    Batch("rubber_stamp", 1).play()
    before = peak_bytes()
    batch = Batch("rubber_stamp", n)
    batch.play()
    return peak_bytes() - before, batch.episodes.itemsize


def peak_bytes() -> int:
    """Peak resident memory of this process, without what its parent held when it was started."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
