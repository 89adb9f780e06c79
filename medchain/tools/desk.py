"""Desk: text in, text out. What every text surface, `play` and LLM rollouts use to act in a Session.

desk = Desk(session)
while not session.ended:
    text = model(desk.prompt(session.pending().agent))
    desk.call(text)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from medchain.core.session import Pending, Session
from medchain.core.words import COORDINATOR, Kind, Phase
from medchain.errors import ToolError
from medchain.tools.parse import Call, read_answer, read_call
from medchain.tools.registry import Built, Registry, answer_asked
from medchain.tools.text import Told, answer_text, result_text
from medchain.tools.text_roles import arbiter_prompt, scripted_reply, ward_prompt
from medchain.tools.text_round import brief, short_brief
from medchain.tools.transcript import Said, Transcript

Array = np.ndarray[Any, Any]
Given = str | Mapping[str, Any] | Call | ToolError

SPOKEN = {"body": "message", "concern": "concern", "justification": "justification", "reason": "justification"}
"""What the transcript calls the free text of a parameter; everything else is a rationale, by ward."""


class Outcome(NamedTuple):
    """What came of a call: the text for the caller, the result record (a copy), the command that was submitted.

    `waiting`: the turn went to another agent; `Desk.heard` has the whole result when it is back.
    """

    text: str
    result: Any
    command: Array
    waiting: bool


@dataclass
class Heard:
    """The last call of one agent, from which its text is told."""

    command: Any
    result: Any
    error: str = ""
    answer: Any = None
    words: str = ""


class Desk:
    """The text side of one Session: it may also be told of commands that came from elsewhere (`submit`)."""

    def __init__(self, session: Session, transcript: Transcript | None = None, registry: Registry | None = None) -> None:
        """Start at the session's present state."""
        self.session = session
        self.registry = registry or Registry(session.scenario)
        self.transcript = transcript or Transcript()
        self._heard: dict[int, Heard] = {}

    def build(self, given: Given) -> Built:
        """The command that a text, dict or Call stands for, for whoever is asked now.

        Raises:
            ToolError: it is not a legal call or answer.
        """
        if isinstance(given, ToolError):
            raise given
        pending = self.session.pending()
        asked = answer_asked(pending.phase)
        call = read_call(given) if asked is None else read_answer(given, asked.name)
        return self.registry.build(call, pending.phase, self.session.view(pending.agent)[0])

    def call(self, given: Given) -> Outcome:
        """Read, submit and tell one call or answer of whoever is asked now. Never raises for what `given` holds."""
        agent = self.session.pending().agent
        error = ""
        said: dict[str, str] = {}
        try:
            command, said = self.build(given)
        except ToolError as wrong:
            error = str(wrong)
            command = self.session.command()
            command[0]["kind"] = Kind.NOT_UNDERSTOOD
        result = self.submit(command, 0, said, error)
        waiting = agent == COORDINATOR and self.session.pending().phase in (Phase.DISCLOSE, Phase.VERDICT, Phase.REPLY)
        return Outcome(self.heard(agent), result, command, waiting)

    def submit(self, commands: Array, j: int = 0, said: Mapping[str, str] | None = None, error: str = "") -> Any:
        """Submit command `j` of an array with the free text that goes with it; returns a copy of the result.

        A ward that is scripted or learned replies in character where it has nothing to `say`.
        """
        before = self.session.pending()
        words = dict(said or {})
        if before.phase == Phase.REPLY and not words and int(commands[j]["kind"]) == Kind.REPLY and said is None:
            words = {"body": scripted_reply(self.registry.names, self.session.view(before.agent)[0])}
        day, now = int(self.session.record["day"]), int(self.session.record["round"])
        result = self.session.submit(commands, j).copy()
        self._heard[before.agent] = Heard(commands[j].copy(), result, error)
        if result["ok"]:
            self._note(before, now, day, commands[j], words)
        if before.agent != COORDINATOR and before.phase != Phase.REQUEST and self.session.pending().agent != before.agent:
            self._answered(result, words)
        return result

    def _answered(self, result: Any, words: Mapping[str, str]) -> None:
        waiting = self._heard.get(COORDINATOR)
        if waiting is not None:
            waiting.answer = result
            waiting.words = "" if result["forfeit"] else words.get("body", "")

    def _note(self, asked: Pending, now: int, day: int, command: Any, words: Mapping[str, str]) -> None:
        names, kind = self.registry.names, int(command["kind"])
        for key, text in words.items():
            what, ward, sku = SPOKEN.get(key, "rationale"), asked.ward, asked.sku
            if asked.phase == Phase.REPLY:
                what = "reply"
            elif kind in (Kind.MESSAGING_SEND_TO_WARD, Kind.ESCALATE_TO_CLINICAL_REVIEW):
                ward, sku = int(command["ward"]), int(command["sku"]) if kind == Kind.ESCALATE_TO_CLINICAL_REVIEW else -1
            elif what == "rationale":
                ward = names.wards.index(key)
            self.transcript.add(Said(now, day, asked.agent, what, ward, sku, text))

    def heard(self, agent: int) -> str:
        """What agent number `agent` may read of its last call's result; empty before its first."""
        last = self._heard.get(agent)
        if last is None:
            return ""
        if last.error and not self.session.ended:
            forfeit = " You were answered for." if last.result["forfeit"] else ""
            text = f"REFUSED {last.error}{forfeit}"
            return text if agent != COORDINATOR else text + self._closed(last)
        view = self.session.view(agent)[0]
        told = Told(self.registry.names, self.session.params[0], view, last.command, last.result, last.answer, last.words)
        return result_text(told) if agent == COORDINATOR else answer_text(told)

    def _closed(self, last: Heard) -> str:
        return f"\nYour calls are used up: round {int(last.result['round'])} was closed." if last.result["advanced"] else ""

    def brief(self, short: bool = False, note: str = "") -> str:
        """The coordinator's round brief; `short` for tiny models; `note` is its own note to itself."""
        view = self.session.view(COORDINATOR)[0]
        names = self.registry.names
        return short_brief(names, view, note) if short else brief(names, view, self.session.params[0], note)

    def prompt(self, agent: int) -> str:
        """All that agent number `agent` should read now: what came of its last call, and what it is asked now."""
        pending, names = self.session.pending(), self.registry.names
        if pending.agent != agent or self.session.ended:
            return self.heard(agent) or ("The episode has ended." if self.session.ended else "It is not your turn.")
        view = self.session.view(agent)[0]
        if agent == COORDINATOR:
            fresh = int(view["calls_left"]) == self.session.scenario.limits.calls_per_round
            if fresh or agent not in self._heard:
                return self.brief()
            left = f"[round {int(view['round'])}, day {int(view['day'])}, {int(view['calls_left'])} calls left]"
            return f"{self.heard(agent)}\n{left}"
        if pending.phase == Phase.VERDICT:
            asked = arbiter_prompt(names, view, self.transcript)
        else:
            asked = ward_prompt(names, view, pending.phase, self.transcript)
        last = self._heard.get(agent)
        refused = last is not None and not last.result["ok"] and not last.result["forfeit"]
        return f"{self.heard(agent)}\n{asked}" if refused else asked
