"""One agent's side of an episode as a conversation: contexts by round, the queue of a turn's calls, what came of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from medchain.core.words import COORDINATOR, Kind, Phase
from medchain.errors import ToolError
from medchain.tools.desk import Desk
from medchain.tools.parse import CLOSE, OPEN, after_thoughts, read_turn
from medchain.tools.show import quoted
from policies.llm.answers import DISCLOSE, REPLY, RULE, TURN, request_form
from policies.llm.brief import tiny_brief, tiny_result
from policies.llm.brief_roles import tiny_question
from policies.llm.chat import Chat
from policies.llm.sampling import Completion

_CALL = re.compile(f"{OPEN}.*?({CLOSE}|$)", re.DOTALL)
_NOTE = re.compile(r"^[ \t]*note:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Manner:
    """How an agent is spoken to: its brief (tiny, short, full), the form of results, and its caps."""

    brief: str = "tiny"
    results: str = "tiny"
    turn_tokens: int = 400
    round_turns: int = 6
    context_tokens: int = 4096


@dataclass
class Stretch:
    """An unbroken prefix, one training sample: all ids of a round, and where turns were sampled in it.

    `turns` holds (first token, number of tokens, form, cap) each; logps and choice cover the sampled tokens in order.
    """

    agent: int
    round: int
    ids: list[int]
    turns: list[tuple[int, int, str, int]] = field(default_factory=list)
    logps: list[float] = field(default_factory=list)
    choice: list[bool] = field(default_factory=list)

    def sampled(self) -> list[int]:
        """Positions of sampled tokens."""
        return [start + i for start, count, _, _ in self.turns for i in range(count)]


MOST_NOTE = 200
"""The longest note that an agent may leave itself, in characters."""


def note_in(text: str) -> str:
    """The last line `note: ...` that stands outside thoughts and calls: what an agent tells itself for the next round."""
    outside = _CALL.sub("\n", after_thoughts(text))
    found = _NOTE.findall(outside)
    return quoted(found[-1].strip()[:MOST_NOTE])[1:-1] if found else ""


@dataclass
class Tally:
    """What is counted over an episode."""

    turns: int = 0
    unparsed: int = 0
    calls: int = 0
    refused: int = 0
    dropped: int = 0
    forced: int = 0
    tokens: int = 0
    cut: int = 0
    tools: Counter[str] = field(default_factory=Counter)


FORMS = {Phase.COORDINATE: TURN, Phase.DISCLOSE: DISCLOSE, Phase.VERDICT: RULE, Phase.REPLY: REPLY}


class Conversation:
    """An LLM's seat in an episode. It owns the calls of a turn until they have all been made."""

    def __init__(self, desk: Desk, agent: int, chat: Chat, manner: Manner) -> None:
        """Sit down as agent number `agent`."""
        self.desk, self.agent, self.chat, self.manner = desk, agent, chat, manner
        self.stretches: list[Stretch] = []
        self.tally = Tally()
        self.note = ""
        self.fresh: list[int] = []  # ids that the model has not been fed yet
        self._queue: list[Any] = []
        self._told: list[str] = []  # results of the turn's calls so far
        self._open: tuple[Any, Any] | None = None  # (command, result) of a call whose result is not told yet
        self._round = 0
        self._refused = ""  # why a ward's or the arbiter's last answer was not taken

    @property
    def now(self) -> Stretch:
        """The context that is being written."""
        return self.stretches[-1]

    def form(self) -> str:
        """Which grammar the next turn follows."""
        phase = self.desk.session.pending().phase
        return FORMS[phase] if phase in FORMS else request_form(self.agent - 1)

    def ready(self) -> bool:
        """Make queued calls as long as it is this agent's turn; True when a completion is wanted.

        Call it when it is this agent's turn. False: the turn went elsewhere, a round was closed or the episode ended.
        """
        session = self.desk.session
        self._tell()
        if int(session.record["round"]) != self._round:
            self.tally.dropped += len(self._queue)
            self._queue.clear()
            self._begin()
            return True
        if self._queue:
            self._make(self._queue.pop(0))
            return False
        if len(self.now.turns) >= self.manner.round_turns or self._room() <= 0:
            self.tally.forced += 1
            self._pass()
            return False
        self._follow()
        return True

    def _room(self) -> int:
        return self.manner.context_tokens - len(self.now.ids) - self.manner.turn_tokens

    def _begin(self) -> None:
        """A fresh context; what must survive is in the brief."""
        self._round = int(self.desk.session.record["round"])
        self._told.clear()
        self.fresh = self.chat.opening(self._brief())
        self.stretches.append(Stretch(self.agent, self._round, list(self.fresh)))

    def _brief(self) -> str:
        if self.agent != COORDINATOR:
            return self._asked()
        if self.manner.brief == "tiny":
            return tiny_brief(self.desk.registry.names, self.desk.session.view(COORDINATOR)[0], self.note)
        return self.desk.brief(short=self.manner.brief == "short", note=self.note)

    def _asked(self) -> str:
        """What a ward or the arbiter is asked now."""
        if self.manner.brief != "tiny":
            return self.desk.prompt(self.agent)
        session = self.desk.session
        view = session.view(self.agent)[0]
        return tiny_question(self.desk.registry.names, view, session.pending().phase, self._refused)

    def _follow(self) -> None:
        """Append what stands between the last turn and the next, if it has not been done."""
        if self.fresh or not self.now.turns:
            return
        told = "\n".join(line for line in self._told if line) or "ok" if self.agent == COORDINATOR else self._asked()
        self._told.clear()
        closing = [] if self.now.ids[-1] == self.chat.end else [self.chat.end]
        self.fresh = closing + self.chat.following(told)
        self.now.ids.extend(self.fresh)

    def take(self, turn: Completion, form: str) -> None:
        """Take a sampled turn: keep its ids as they are, read its calls, queue them."""
        self.fresh = []
        at = self.now
        at.turns.append((len(at.ids), len(turn.ids), form, self.manner.turn_tokens))
        at.ids.extend(turn.ids)
        at.logps.extend(turn.logps)
        at.choice.extend(turn.choice)
        self.tally.turns += 1
        self.tally.tokens += len(turn.ids)
        self.tally.cut += not turn.closed
        self.hear(self.chat.decode(turn.ids))

    def hear(self, text: str) -> None:
        """Read the calls of a turn's text and queue them."""
        if self.agent != COORDINATOR:
            self._queue = [text]
            return
        self._queue = list(read_turn(text))
        self.note = note_in(text) or self.note
        self.tally.unparsed += any(isinstance(call, ToolError) for call in self._queue)

    def _make(self, call: Any) -> None:
        outcome = self.desk.call(call)
        kind = Kind(int(outcome.command[0]["kind"]))
        self.tally.calls += 1
        self.tally.refused += not outcome.result["ok"]
        self._refused = "" if outcome.result["ok"] else outcome.error.code if outcome.error else "refused"
        self.tally.unparsed += self.agent != COORDINATOR and kind == Kind.NOT_UNDERSTOOD
        name = call.name if kind == Kind.NOT_UNDERSTOOD and hasattr(call, "name") else kind.name.lower()
        self.tally.tools[name[:40]] += 1
        self._open = (outcome.command[0].copy(), outcome.result)

    def _tell(self) -> None:
        """Put the last call's result into words, once it is whole."""
        if self._open is None:
            return
        (command, result), self._open = self._open, None
        if self.agent != COORDINATOR:
            return
        if self.manner.results == "tiny":
            view = self.desk.session.view(COORDINATOR)[0]
            self._told.append(tiny_result(self.desk.registry.names, view, command, result))
        else:
            self._told.append(self.desk.heard(COORDINATOR))

    def _pass(self) -> None:
        """Close the round for an agent that talks without end; a ward or arbiter is answered for by the core."""
        self.desk.call({"name": "advance_round", "arguments": {}} if self.agent == COORDINATOR else "")
