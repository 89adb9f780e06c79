"""Desk: text in, text out. What every text surface, `play` and LLM rollouts use to act in a Session.

    desk = Desk(session)
    while not session.ended:
        text = model(desk.prompt(session.pending().agent))
        desk.call(text)

A shell that submits by itself does the same in two halves: `turn = desk.read(text)`, its own submit of `turn.command`, and
`desk.told(turn, result)`; for an agent that does not speak, `turn = desk.silent(commands)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from medchain.core.session import Pending, Session
from medchain.core.words import COORDINATOR, Kind, Phase
from medchain.errors import ToolError
from medchain.tools.heard import Heard, dump_heard, load_heard
from medchain.tools.parse import Call, read_answer, read_call
from medchain.tools.registry import Built, Registry, answer_asked
from medchain.tools.show import beside
from medchain.tools.text import LOOKS, Told, answer_text, closing_text, result_text
from medchain.tools.text_roles import arbiter_prompt, scripted_reply, ward_prompt
from medchain.tools.text_round import brief, short_brief
from medchain.tools.transcript import Said, Transcript

Array = np.ndarray[Any, Any]
Given = str | Mapping[str, Any] | Call | ToolError

_SPOKEN = {"body": "message", "concern": "concern", "justification": "justification", "reason": "justification"}
_HANDED_OVER = (Phase.DISCLOSE, Phase.VERDICT, Phase.REPLY)


class Turn(NamedTuple):
    """A command (array of one) about to be submitted: who was asked, when, the free text that goes with it.

    `error` says why nothing could be read (the command is then NOT_UNDERSTOOD). `view`: what a look shows, if the call is
    the round's last.
    """

    asked: Pending
    round: int
    day: int
    command: Array
    said: Mapping[str, str]
    error: ToolError | None = None
    view: Any = None


class Outcome(NamedTuple):
    """What came of a call: the text for the caller, the result record (a copy), the command that was submitted.

    `waiting`: the turn went to another agent; `Desk.heard` has the whole result when it is back. `error`: the call could
    not be read.
    """

    text: str
    result: Any
    command: Array
    waiting: bool
    error: ToolError | None = None


class Desk:
    """The text side of one Session."""

    def __init__(self, session: Session, registry: Registry | None = None) -> None:
        """Start at the session's present state, with nothing said."""
        self.session = session
        self.registry = registry or Registry(session.scenario)
        self.transcript = Transcript()
        self.attend: Callable[[Turn], None] | None = None  # told of every turn once it has been submitted
        self._heard: dict[int, Heard] = {}

    def reset(self) -> None:
        """Forget what was said and heard; for a session that starts over."""
        self.transcript = Transcript()
        self._heard = {}

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

    def read(self, given: Given) -> Turn:
        """The turn that a text, dict or Call stands for. Never raises for what `given` holds: see Turn.error."""
        try:
            command, said = self.build(given)
        except ToolError as error:
            command = self.session.command()
            command[0]["kind"] = Kind.NOT_UNDERSTOOD
            return self._turn(command, {}, error)
        return self._turn(command, said, None)

    def silent(self, commands: Array, j: int = 0) -> Turn:
        """The turn of command `j` of an agent that does not speak; a ward's reply is then given in character."""
        asked = self.session.pending()
        said: dict[str, str] = {}
        if asked.phase == Phase.REPLY and int(commands[j]["kind"]) == Kind.REPLY:
            said["body"] = scripted_reply(self.registry.names, self.session.view(asked.agent)[0])
        return self._turn(commands[j : j + 1].copy(), said, None)

    def _turn(self, command: Array, said: Mapping[str, str], error: ToolError | None) -> Turn:
        s, asked = self.session.record, self.session.pending()
        last = asked.agent == COORDINATOR and int(s["calls"]) + 1 >= self.session.scenario.limits.calls_per_round
        view = self.session.view(COORDINATOR)[0] if last and int(command[0]["kind"]) in LOOKS else None
        return Turn(asked, int(s["round"]), int(s["day"]), command, said, error, view)

    def told(self, turn: Turn, result: Any) -> None:
        """Take note of the result of a turn that has been submitted to the session."""
        result, agent = result.copy(), turn.asked.agent
        heard = Heard(turn.command[0].copy(), result, str(turn.error or ""))
        self._heard[agent] = heard
        if result["ok"]:
            self._note(turn)
        if turn.view is not None and result["ok"]:
            heard.text = result_text(self._told(heard, turn.view))
        if agent != COORDINATOR and turn.asked.phase in _HANDED_OVER and self.session.pending().agent != agent:
            waiting = self._heard.get(COORDINATOR)
            if waiting is not None:
                waiting.answer = result
                waiting.words = "" if result["forfeit"] else turn.said.get("body", "")
        if self.attend is not None:
            self.attend(turn)

    def call(self, given: Given) -> Outcome:
        """Read, submit and tell one call or answer of whoever is asked now. Never raises for what `given` holds."""
        turn = self.read(given)
        result = self._submit(turn)
        waiting = turn.asked.agent == COORDINATOR and self.session.pending().phase in _HANDED_OVER
        return Outcome(self.heard(turn.asked.agent), result, turn.command, waiting, turn.error)

    def submit(self, commands: Array, j: int = 0) -> Any:
        """Submit command `j` of an agent that does not speak; returns a copy of the result."""
        return self._submit(self.silent(commands, j))

    def _submit(self, turn: Turn) -> Any:
        result = self.session.submit(turn.command).copy()
        self.told(turn, result)
        return result

    def _note(self, turn: Turn) -> None:
        names, kind, command = self.registry.names, int(turn.command[0]["kind"]), turn.command[0]
        for key, text in turn.said.items():
            what, ward, sku = _SPOKEN.get(key, "rationale"), turn.asked.ward, turn.asked.sku
            if turn.asked.phase == Phase.REPLY:
                what = "reply"
            elif kind == Kind.MESSAGING_SEND_TO_WARD:
                ward = int(command["ward"])
            elif kind == Kind.ESCALATE_TO_CLINICAL_REVIEW:
                ward, sku = int(command["ward"]), int(command["sku"])
            elif what == "rationale":
                ward = names.wards.index(key)
            self.transcript.add(Said(turn.round, turn.day, turn.asked.agent, what, ward, sku, text))

    def _told(self, heard: Heard, view: Any) -> Told:
        names, params = self.registry.names, self.session.params[0]
        return Told(names, params, view, heard.command, heard.result, heard.answer, heard.words)

    def heard(self, agent: int) -> str:
        """What agent number `agent` may read of its last call's result; empty before its first."""
        last = self._heard.get(agent)
        if last is None:
            return ""
        if last.text:
            return last.text
        told = self._told(last, self.session.view(agent)[0])
        if not last.error or self.session.ended:
            return result_text(told) if agent == COORDINATOR else answer_text(told)
        return f"REFUSED {last.error}{closing_text(told)}"

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
            return self._coordinator_prompt(view)
        if pending.phase == Phase.VERDICT:
            asked = arbiter_prompt(names, view, self.transcript)
        else:
            asked = ward_prompt(names, view, pending.phase, self.transcript)
        last = self._heard.get(agent)
        refused = last is not None and not last.result["ok"] and not last.result["forfeit"]
        return beside(asked, self.heard(agent)) if refused else asked

    def _coordinator_prompt(self, view: Any) -> str:
        last = self._heard.get(COORDINATOR)
        fresh = int(view["calls_left"]) == self.session.scenario.limits.calls_per_round
        if last is None or (fresh and int(last.command["kind"]) == Kind.ADVANCE_ROUND):
            return self.brief()
        if fresh:
            return beside(self.heard(COORDINATOR), self.brief(), "\n\n")
        left = f"[round {int(view['round'])}, day {int(view['day'])}, {int(view['calls_left'])} calls left]"
        return beside(self.heard(COORDINATOR), left)

    def dump(self) -> dict[str, Any]:
        """What was said and heard, as JSON-ready data; the session's record is saved apart."""
        return {"said": self.transcript.dump(), "heard": dump_heard(self._heard)}

    def load(self, data: Any) -> None:
        """Continue from `dump`'s data; raises ReplayError if it is none of ours, and nothing has changed then."""
        heard = load_heard(data, self.session.scenario.sizes)
        self.transcript, self._heard = Transcript.load(data.get("said")), heard
