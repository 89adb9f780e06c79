"""The one protocol behind which every agent decides: scripted, learned or a language model. Batch first.

A policy plays one role in `n` episodes at once. `views` is an array of `n` view records of that role (core/views.py), the
i-th of them episode i's; `commands` is an array of `n` command records (core/record.py). What a policy must remember between
decisions is in `states`, which it makes, receives and gives back: the policy object itself remembers nothing of an episode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

Array = np.ndarray[Any, Any]


class Policy(Protocol):
    """Who decides for one role."""

    def initial_state(self, n: int, seeds: Sequence[int]) -> Any:
        """States of `n` episodes about to start; `seeds` (n of them) key the policy's own randomness."""
        ...

    def act(self, views: Array, states: Any) -> tuple[Array, Any]:
        """One command per view. The returned array may be overwritten by the next call."""
        ...


@runtime_checkable
class PlansAhead(Protocol):
    """A policy that decides on several commands at once; while some are left, it need not be shown a fresh view."""

    def must_look(self, states: Any, i: int, round_number: int) -> bool:
        """Whether the next command of episode `i`, in round `round_number` (from 1), depends on what it sees."""
        ...
