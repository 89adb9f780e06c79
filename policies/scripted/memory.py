"""What a scripted agent remembers between decisions, and the queue of commands it has decided on.

A scripted coordinator decides in short lists: looking is dear, so it looks once, writes down the calls up to the next point
where it must look again, and they are made in order.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from medchain.core.chance import Stream, draw, stream
from medchain.core.kernel import kernel
from medchain.core.record import command_dtype, packed
from medchain.scenario import Sizes

QUEUE = 64
"""The longest list of calls a coordinator may decide on at once."""


@cache
def memory_dtype(z: Sizes) -> np.dtype[Any]:
    """Memory of one scripted agent in one episode; zeroed at reset except for `key`."""
    line = (z.wards, z.skus)
    return packed(
        [
            ("key", "u8"),  # of the agent's own random stream; never the world's
            ("draws", "i8"),  # made so far from it
            ("round", "i4"),  # the round that `step` belongs to
            ("step", "i4"),  # how far it is in this round
            ("cap", "f8", line),  # ward-specific estimates that a coordinator carries along
            ("estimate", "f8", line),
            ("plan", "i4", line),  # units
            ("reviewed", "i1", line),
            ("note", "i8", (8,)),
            ("told", "i4", (z.days, z.wards, z.skus)),  # true need, for `oracle` only; zeros for everyone else
        ]
    )


@kernel
def policy_key(seed: Any, agent: int) -> Any:
    """Key of an agent's own stream: apart from every stream of the world."""
    return stream(seed, (Stream.POLICY << 8) + agent)


@kernel
def own_draw(m: Any) -> Any:
    """64 bits from the agent's own stream, in order."""
    m["draws"] += 1
    return draw(m["key"], int(m["draws"]))


@kernel
def line_draw(m: Any, r: int, k: int) -> Any:
    """64 bits for line `k` of round `r`: the same however often it is asked."""
    return draw(m["key"], (1 << 32) + r * 4096 + k)


def new_memories(z: Sizes, n: int = 1) -> np.ndarray[Any, Any]:
    """`n` zeroed memories."""
    return np.zeros(n, memory_dtype(z))


def new_queue(z: Sizes) -> np.ndarray[Any, Any]:
    """An empty queue of commands."""
    return np.zeros(QUEUE, command_dtype(z))
