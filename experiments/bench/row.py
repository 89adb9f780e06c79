"""What a row of the bench is, and how its lines are timed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Line(NamedTuple):
    """One measured figure beside its yardstick; `reached` is None where nothing is to be reached."""

    what: str
    value: float
    unit: str
    yardstick: str = ""
    yardstick_value: float | None = None
    ratio: float | None = None  # value against yardstick, as `reach` states it
    reach: str = ""
    reached: bool | None = None


Measure = Callable[[int], list[Line]]
"""A row: its lines, each a median of so many repeats."""


def cpu_seconds(function: Callable[[], object]) -> float:
    """Seconds of processor time of one call: what else runs on the machine is not counted."""
    start = time.process_time_ns()
    function()
    return (time.process_time_ns() - start) / 1e9


def side_by_side(repeats: int, *functions: Callable[[], object]) -> list[list[float]]:
    """Processor seconds of each function, `repeats` times in turn after one call each to warm up: [function][repeat]."""
    for function in functions:
        function()
    rounds = [[cpu_seconds(function) for function in functions] for _ in range(repeats)]
    return [list(column) for column in zip(*rounds, strict=True)]


def median_ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """Median over the repeats of above / below: both were measured moments apart."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))
