"""Coordinators by number, so that one compiled loop can play any of them."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from medchain.core.kernel import kernel
from policies.scripted import basic


class Coordinator(IntEnum):
    """The scripted coordinators."""

    ZERO = 0
    RUBBER_STAMP = 1
    DISCOUNT_GENERAL = 2


@kernel
def decide(which: int, v: Any, p: Any, knobs: Any, m: Any, queue: Any) -> int:
    """Write coordinator `which`'s next calls into `queue` and return how many; `v` is its view, `m` its memory."""
    if which == Coordinator.ZERO:
        return basic.zero(queue)
    if which == Coordinator.RUBBER_STAMP:
        return basic.rubber_stamp(v, p, 100, queue)
    return basic.rubber_stamp(v, p, int(knobs["general_percent"]), queue)
