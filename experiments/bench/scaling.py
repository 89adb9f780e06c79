"""The batched core from one episode to many: cost per episode, and memory."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

from experiments.bench.batch import Batch
from experiments.bench.row import Line, side_by_side
from medchain.core.record import episode_dtype
from medchain.scenario import load_scenario

SIZES = (1, 16, 256, 4_096, 65_536)
FLAT_FROM, FLAT_WITHIN, MEMORY_WITHIN = 256, 0.20, 0.10
AT_LEAST = 2_048
"""Episodes in one measurement: small batches are played again and again."""


def measure(repeats: int) -> list[Line]:
    """Cost per episode by batch size, against the batch of FLAT_FROM; and the memory of the largest."""
    sizes = [n for n in SIZES if fits(n)]
    cost = _cost(sizes, repeats)
    base, yardstick = cost[FLAT_FROM], f"{FLAT_FROM:,} at once"
    lines = []
    for n in sizes:
        flat = n >= FLAT_FROM
        reach = f"within {FLAT_WITHIN:.0%}" if flat else ""
        reached = abs(cost[n] / base - 1) <= FLAT_WITHIN if flat else None
        lines.append(Line(f"{n:,} at once", cost[n], "us/episode", yardstick, base, cost[n] / base, reach, reached))
    left_out = [Line(f"{n:,}: too large for this machine", record_bytes() * n / 2**20, "MiB") for n in SIZES if not fits(n)]
    return [*lines, _memory(sizes[-1]), *left_out]


def record_bytes() -> int:
    """Size of a record."""
    return episode_dtype(load_scenario().sizes).itemsize


def fits(n: int) -> bool:
    """Whether `n` records take less than a third of the memory that is free; sizes up to FLAT_FROM always do."""
    free = Path("/proc/meminfo")
    if n <= FLAT_FROM or not free.exists():
        return True
    (line,) = [line for line in free.read_text().splitlines() if line.startswith("MemAvailable:")]
    return 3 * n * record_bytes() < int(line.split()[1]) * 1024


def _cost(sizes: list[int], repeats: int) -> dict[int, float]:
    """Microseconds per episode, by batch size."""
    batches = [Batch("rubber_stamp", n) for n in sizes]
    plays = [max(1, AT_LEAST // n) for n in sizes]
    timed = side_by_side(repeats, *[_again(batch, times) for batch, times in zip(batches, plays, strict=True)])
    measured = zip(sizes, plays, timed, strict=True)
    return {n: statistics.median(seconds) / (n * times) * 1e6 for n, times, seconds in measured}


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
