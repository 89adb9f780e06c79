"""The simplest coordinators: they look at nothing, or give what is asked."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import Kind


@kernel
def zero(queue: Any) -> int:
    """`zero` plans nothing."""
    return blank(queue, 0, Kind.ADVANCE_ROUND)


@kernel
def rubber_stamp(v: Any, p: Any, general_percent: int, queue: Any) -> int:
    """`rubber_stamp` gives what is asked and orders nothing; `discount_general` cuts the last ward to a percentage."""
    n = blank(queue, 0, Kind.VIEW_REQUESTS)
    n = blank(queue, n, Kind.SUBMIT_ALLOCATION_PLAN)
    wards = p["demand"].shape[0]
    for w in range(wards):
        for k in range(p["demand"].shape[1]):
            percent = general_percent if w == wards - 1 else 100
            queue[n - 1]["quantities"][w, k] = int(v["requested"][w, k]) * percent // 100
    return blank(queue, n, Kind.ADVANCE_ROUND)
