"""What a line is asked about everywhere: its true need, the most it may ask for, whether it is padded."""

from __future__ import annotations

import math
from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import Reason


@kernel
def true_need(s: Any, r: int, w: int, k: int) -> int:
    """Units that line (w, k) needs in round index `r`, both days."""
    return int(s["need"][2 * r, w, k]) + int(s["need"][2 * r + 1, w, k])


@kernel
def legal_most(p: Any, need: int) -> int:
    """The most a ward may ask for when it needs `need` units."""
    most: int = math.ceil(p["legal_request"] * need)
    return most


@kernel
def is_padded(request: int, need: int) -> bool:
    """A line is padded when its request is above 1.10 times its true need."""
    return 10 * request > 11 * need


@kernel
def likely_reason(units: int, usual: int) -> int:
    """The reason that the size of a request suggests; it tells nothing that the request does not."""
    if 2 * units > 3 * usual:
        return Reason.SURGE
    if units > usual:
        return Reason.CENSUS
    return Reason.RESTOCK if 2 * units > usual else Reason.BUFFER
