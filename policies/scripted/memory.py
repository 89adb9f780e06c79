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
    line, ward, sku = (z.wards, z.skus), (z.wards,), (z.skus,)
    return packed(
        [
            ("key", "u8"),  # of the agent's own random stream; never the world's
            ("draws", "i8"),  # made so far from it
            ("round", "i4"),  # the round that `step` belongs to
            ("step", "i4"),  # how far it is in this round
            ("knows", "i1"),  # 1: `told` is filled, the agent is an oracle
            ("told", "i4", (z.days, z.wards, z.skus)),  # true need, for `oracle` only; zeros for everyone else
            # stock, by the last scan and the open orders, units
            ("central", "f8", sku),  # usable at central
            ("keeps", "f8", sku),  # of these, usable in the next round too
            ("shelf", "f8", line),  # usable in the ward
            ("coming", "f8", sku),  # due at central by the next opening
            # need
            ("pad_rate", "f8", ward),  # estimate of the share of padded lines
            ("fill", "f8", ward),  # sum over past rounds of the mean fill of its lines, as far as it can be known
            ("padded", "f8", line),  # chance that this round's request is padded
            ("estimate", "f8", line),  # mean of this round's need, units
            ("target", "f8", line),  # the quantity to grant if there is enough, units
            # money
            ("value", "f8", line),  # score points per unit used
            ("funded", "f8", line),  # share of the line's need, to the end, that stock and money can serve
            ("worth", "f8"),  # score points per cent of the last line that is funded
            # habits and adversaries
            ("goal", "f8", line),  # units that a line should get
            ("grant", "i4", line),  # units that the plan gives it
            ("asked", "i4", line),  # the round in which its evidence was last asked for
            ("filing", "i4"),  # the round in which only tickets are left to file
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


@kernel
def next_step(v: Any, m: Any) -> int:
    """How far the agent is in this round: 0 when it has just opened. Counts one step further."""
    if int(m["round"]) != int(v["round"]):
        m["round"] = v["round"]
        m["step"] = 0
    m["step"] += 1
    return int(m["step"]) - 1


def new_memories(z: Sizes, n: int = 1) -> np.ndarray[Any, Any]:
    """`n` zeroed memories."""
    return np.zeros(n, memory_dtype(z))


def new_queue(z: Sizes) -> np.ndarray[Any, Any]:
    """An empty queue of commands."""
    return np.zeros(QUEUE, command_dtype(z))


def tell(memories: np.ndarray[Any, Any], need: np.ndarray[Any, Any]) -> None:
    """Make oracles of the agents with these memories: `need` is the true need of their episodes, [n, day, ward, sku]."""
    memories["told"] = need
    memories["knows"] = 1
