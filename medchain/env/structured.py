"""The structured surface: features and masks out, action heads in."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from gymnasium import spaces

from medchain.core.views import arbiter_dtype, coordinator_dtype, ward_dtype
from medchain.core.words import COORDINATOR
from medchain.env import turn
from medchain.env.actions import Reader
from medchain.env.game import Game
from medchain.env.spaces import action_space, heads, observation_space, sheet_dtype, width
from medchain.errors import ToolError
from medchain.scenario import Scenario

Array = np.ndarray[Any, Any]
VIEWS = {"coordinator": coordinator_dtype, "ward": ward_dtype, "arbiter": arbiter_dtype}


class Structured:
    """One agent's structured surface. It remembers nothing between turns: its buffers only save allocations."""

    def __init__(self, scenario: Scenario, number: int) -> None:
        """Make the surface of agent `number` for episodes with the sizes of `scenario`."""
        z = scenario.sizes
        self.number = number
        self.role = "coordinator" if number == COORDINATOR else "ward" if number <= z.wards else "arbiter"
        self.observation_space: spaces.Space[Any] = observation_space(self.role, scenario)
        self.action_space: spaces.Space[Any] = action_space(self.role, scenario)
        self._reader = Reader(scenario)
        self._seen = np.zeros(2, VIEWS[self.role](z))
        self._sheet = sheet_dtype(self.role, z)
        self._vector = slice(0, 4 * width(self.role, z))
        self._heads, self._where = list(heads(self.role, z)), _slices(self._vector.stop, heads(self.role, z))
        self._seen_at = -1

    def forget(self) -> None:
        """Another episode, or another point of this one, is about to be seen."""
        self._seen[:] = np.zeros((), self._seen.dtype)
        self._seen_at = -1

    def observe(self, game: Game, clock: int) -> dict[str, Any]:
        """A fresh observation; the game is only read. `clock` differs whenever the game does."""
        session = game.session
        sheet = np.zeros(self._sheet.itemsize, np.int8)
        sheets = np.frombuffer(sheet, self._sheet)  # a view would cost 3 us
        if self.number == COORDINATOR:
            turn.observe_coordinator(session.episodes, session.params, self._seen, sheets)
        elif self.role == "ward":
            turn.observe_ward(session.episodes, session.params, self.number - 1, self._seen, sheets)
        else:
            turn.observe_arbiter(session.episodes, session.params, self._seen, sheets)
        self._seen_at = clock
        masks = dict(zip(self._heads, map(sheet.__getitem__, self._where), strict=True))
        return {"observation": sheet[self._vector].view(np.float32), "action_mask": masks}

    def read(self, game: Game, clock: int, action: object, commands: Array) -> ToolError | None:
        """Write the command that an action means into `commands`; returns why, if it cannot be read."""
        session = game.session
        if self._seen_at != clock:
            self._look(session)
            self._seen_at = clock
        try:
            if self.number == COORDINATOR:
                self._reader.coordinator(action, self._seen, session.params, commands)
            elif self.role == "ward":
                self._reader.ward(action, self._seen, session.params, commands)
            else:
                self._reader.arbiter(action, self._seen, commands)
        except ToolError as error:
            return error
        return None

    def _look(self, session: Any) -> None:
        if self.number == COORDINATOR:
            turn.see_coordinator(session.episodes, session.params, self._seen)
        elif self.role == "ward":
            turn.see_ward(session.episodes, session.params, self.number - 1, self._seen)
        else:
            turn.see_arbiter(session.episodes, session.params, self._seen)


def _slices(start: int, sizes: dict[str, int]) -> list[slice]:
    ends = list(accumulate(sizes.values(), initial=start))
    return [slice(*ends_of) for ends_of in pairwise(ends)]
