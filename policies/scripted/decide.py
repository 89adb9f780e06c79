"""Coordinators by number, so that one compiled loop can play any of them."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from medchain.core.kernel import kernel
from policies.scripted import adversaries, basic
from policies.scripted.careful import careful
from policies.scripted.habits import habits
from policies.scripted.paperwork import paperwork
from policies.scripted.plain import stock_keeper
from policies.scripted.random_legal import random_legal


class Coordinator(IntEnum):
    """The scripted coordinators, simplest first."""

    ZERO = 0
    PAPERWORK = 1
    RUBBER_STAMP = 2
    DISCOUNT_GENERAL = 3
    RANDOM_LEGAL = 4
    RESTOCK = 5
    PAR_BLIND = 6
    CAP_BLIND = 7
    AUDITOR = 8
    ORACLE = 9


HABITS = 99
"""Number of the coordinator that the search for exploits moves through; no list offers it."""


@kernel
def decide(which: int, v: Any, p: Any, knobs: Any, m: Any, queue: Any) -> int:
    """Write coordinator `which`'s next calls into `queue` and return how many; `v` is its view, `m` its memory."""
    trick = which // adversaries.STRIDE
    if trick == adversaries.Trick.NONE:
        return _decide(which, v, p, knobs, m, queue)
    if adversaries.is_filing(v, m):
        return adversaries.file_and_advance(trick, v, p, queue)
    n = _decide(which % adversaries.STRIDE, v, p, knobs, m, queue)
    return adversaries.spoil(trick, v, p, m, queue, n)


@kernel
def _decide(which: int, v: Any, p: Any, knobs: Any, m: Any, queue: Any) -> int:
    if which == HABITS:
        return habits(v, p, knobs, m, queue)
    if which == Coordinator.ZERO:
        return basic.zero(queue)
    if which == Coordinator.RUBBER_STAMP:
        return basic.rubber_stamp(v, p, 100, queue)
    if which == Coordinator.DISCOUNT_GENERAL:
        return basic.rubber_stamp(v, p, int(knobs["general_percent"]), queue)
    if which == Coordinator.PAPERWORK:
        return paperwork(v, p, m, queue)
    if which == Coordinator.RANDOM_LEGAL:
        return random_legal(v, p, m, queue)
    if which == Coordinator.RESTOCK or which == Coordinator.PAR_BLIND:
        return stock_keeper(v, p, m, knobs, which == Coordinator.RESTOCK, queue)
    return careful(v, p, m, knobs, which != Coordinator.CAP_BLIND, queue)
