"""Background wards: ways of asking that nobody is trained against, so that training can be held up to them.

| persona     | asks for, as a multiple of its need                                                                    |
|-------------|--------------------------------------------------------------------------------------------------------|
| chronic     | the factor, always                                                                                     |
| adaptive    | a quarter of the way to the factor further every round that it is not caught; from need again once it is |
| cyclical    | two rounds its need, two rounds the factor; chance picks where in the four it begins                   |
| retaliating | its need, but the factor after a round in which it was wronged                                         |
| edge        | the most that is not padded                                                                            |

The factors are in configs/policy/background.yaml. Everything is read off the ward's own view; redactions are those of a
scripted ward.
"""

from __future__ import annotations

from typing import Any

from medchain.core.chance import draw
from medchain.core.kernel import kernel
from medchain.core.lines import is_padded
from medchain.core.words import Verdict

STEPS = 4
"""Rounds in which an adaptive ward goes all the way; rounds of a cycle."""

CYCLE_DRAW = 3 << 32
"""Where in a ward's own stream the start of its cycle is drawn: apart from the draws of its lines."""


@kernel
def adaptive_factor(v: Any, factor: float) -> float:
    """How far an adaptive ward goes this round: it begins a quarter of the way."""
    level = 1
    for q in range(int(v["round"]) - 1):
        level = 0 if _caught(v, q) else min(STEPS, level + 1)
    return 1.0 + (factor - 1.0) * level / STEPS


@kernel
def cyclical_factor(v: Any, m: Any, factor: float) -> float:
    """Whether a cyclical ward is in the first or the second half of its cycle."""
    start = int(draw(m["key"], CYCLE_DRAW) >> 32) % STEPS
    return factor if (start + int(v["round"]) - 1) % STEPS >= STEPS // 2 else 1.0


@kernel
def retaliating_factor(v: Any, p: Any, factor: float) -> float:
    """Whether a retaliating ward was wronged last round: an honest line reviewed, or most lines granted less than need."""
    r = int(v["round"]) - 1
    if r == 0:
        return 1.0
    starved, lines = 0, 0
    for k in range(v["need"].shape[0]):
        if int(p["demand"][int(v["ward"]), k]) == 0:
            continue
        need = int(v["past_need"][r - 1, k])
        if int(v["verdict"][r - 1, k]) != Verdict.NONE and not is_padded(int(v["requested"][r - 1, k]), need):
            return factor
        lines += 1
        starved += 1 if int(v["allocated"][r - 1, k]) < need else 0
    return factor if 2 * starved > lines else 1.0


@kernel
def most_unpadded(need: int) -> int:
    """The largest request that is not padded."""
    return 11 * need // 10


@kernel
def _caught(v: Any, q: int) -> bool:
    """Whether a verdict cut a padded line of the ward in round index `q`."""
    for k in range(v["need"].shape[0]):
        padded = is_padded(int(v["requested"][q, k]), int(v["past_need"][q, k]))
        if padded and int(v["verdict"][q, k]) > Verdict.APPROVE:
            return True
    return False
