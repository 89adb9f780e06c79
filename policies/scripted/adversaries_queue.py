"""How a trick edits the list of calls that its base has decided on."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import Kind
from policies.scripted.memory import QUEUE


@kernel
def room(v: Any, n: int) -> int:
    """Calls that can be added to `n` without overrunning the queue or the round."""
    return max(0, min(QUEUE - 1, int(v["calls_left"])) - n)


@kernel
def make_room(queue: Any, n: int, places: int) -> int:
    """Move the calls back by `places`; returns their number with the empty places at the front."""
    for i in range(n - 1, -1, -1):
        queue[i + places] = queue[i]
    return n + places


@kernel
def repeat_first(v: Any, queue: Any, n: int, first: int, last: int, most: int) -> int:
    """Put up to `most` calls before everything: the tools from `first` to `last` over and over."""
    calls = min(most, room(v, n))
    n = make_room(queue, n, calls)
    for i in range(calls):
        blank(queue, i, first + i % (last - first + 1))
    return n


@kernel
def closes(queue: Any, n: int) -> bool:
    """Whether these calls end the round."""
    return int(queue[n - 1]["kind"]) == Kind.ADVANCE_ROUND


@kernel
def next_line(p: Any, number: int) -> int:
    """The first line at or after `number`, which counts ward x SKUs + SKU and starts over at the end."""
    wards, skus = p["demand"].shape
    i = number % (wards * skus)
    while int(p["demand"][i // skus, i % skus]) == 0:
        i = (i + 1) % (wards * skus)
    return i
