"""One scenario's session with what a shell needs beside it: its desk, and what everybody earned by a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from medchain.core.record import new_commands
from medchain.core.session import Session
from medchain.core.words import Kind
from medchain.env.turn import take_turn
from medchain.errors import ReplayError, ToolError
from medchain.reward.formula import breakdown
from medchain.scenario import Scenario
from medchain.tools.desk import Desk, Turn
from medchain.tools.text_refusals import Refused, refusal_error

Array = np.ndarray[Any, Any]


class Game:
    """A session that a shell plays.

    `commands` (an array of one) is filled before each `submit`. After it, `earned` says what the turn paid each agent, by
    number; `said`, which words went with it; `info`, what was wrong: empty, or `refusal` (a word), `message` (what was
    expected, what came, what would be right) and `forfeit` (whether the agent was answered for).
    """

    def __init__(self, scenario: Scenario, shaped: bool, spoken: bool) -> None:
        """Make it for `scenario`; `spoken`: somebody reads texts, so the desk takes note of every turn."""
        self.session = Session(scenario)
        self.desk = Desk(self.session)
        self.commands = new_commands(scenario.sizes)
        self.earned: list[float] | None = None
        self.info: dict[str, Any] = {}
        self._rewards = np.zeros(scenario.sizes.agents)
        self.said: Mapping[str, str] = {}
        self._shaped, self._spoken = shaped, spoken

    def reset(self, seed: int) -> None:
        """Start the episode of `seed`; raises SeedError."""
        self.session.reset(seed)
        self.desk.reset()

    def load(self, record: bytes, said: Any) -> None:
        """Continue from a session's saved bytes and a desk's dump; raises ReplayError, and then nothing has changed."""
        before = self.session.save()
        self.session.load(record)
        try:
            self.desk.load(said)
        except ReplayError:
            self.session.load(before)
            raise

    def submit(self, read: Turn | ToolError | None) -> int:
        """Submit `commands`, which came of reading an action; `read` says how that went.

        Sets `info`, `said` and `earned` (None: nobody anything). Returns the number of the agent that is asked next, -1
        after the end.
        """
        session = self.session
        if isinstance(read, ToolError):
            self.commands["kind"] = Kind.NOT_UNDERSTOOD
        turn = self._turn(read) if self._spoken else None
        asked, refusal, earned = take_turn(
            session.episodes, session.params, self.commands, session.results, self._rewards, self._shaped
        )
        self.earned = self._rewards.tolist() if earned else None
        if turn is not None:
            self.said = turn.said
            self.desk.told(turn, session.results[0])
        self.info = self._refused(read, turn) if refusal else {}
        return asked

    def _turn(self, read: Turn | ToolError | None) -> Turn:
        if isinstance(read, ToolError):
            return self.desk.read(read)
        return read if read is not None else self.desk.silent(self.commands)

    def _refused(self, read: Turn | ToolError | None, turn: Turn | None) -> dict[str, Any]:
        result = self.session.results[0]
        error = read if isinstance(read, ToolError) else turn.error if turn is not None else None
        if error is None:
            view = self.session.view(int(result["agent"]))[0]
            error = refusal_error(Refused(self.desk.registry.names, view, self.commands[0], result))
        return {"refusal": error.code, "message": str(error), "forfeit": bool(result["forfeit"])}

    def outcome(self) -> dict[str, Any]:
        """Score, its breakdown and everybody's forfeits, at the end."""
        record = self.session.record
        parts = breakdown(record, self.session.params[0])
        forfeits = dict(zip(self.session.scenario.agents, record["forfeits"].tolist(), strict=True))
        return {"score": parts["score"], "breakdown": parts, "forfeits": forfeits}
