"""A replay played again with a watcher at the desk: every call in words, and the record as each round opened."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from medchain.core.session import Session
from medchain.core.words import COORDINATOR, Kind
from medchain.env.replay import Replay
from medchain.env.replay_line import Line, refusal_word
from medchain.errors import ToolError
from medchain.reward.formula import breakdown
from medchain.tools.desk import Desk
from medchain.tools.names import Names
from medchain.tools.transcript import Said


@dataclass
class Call:
    """One tool call or answer in words: who, what with which arguments, what came back; `refused` empty if accepted."""

    agent: str
    tool: str
    arguments: str
    text: str
    refused: str


@dataclass
class Chapter:
    """A round: the record as it opened and as it stood when the next one had, and the calls between."""

    number: int
    opening: Any
    closing: Any
    calls: list[Call] = field(default_factory=list)


@dataclass
class Story:
    """An episode that has verified. `parts` is the score's breakdown, None where the episode was stopped."""

    replay: Replay
    session: Session
    names: Names
    chapters: list[Chapter]
    said: list[Said]
    parts: dict[str, float | None] | None

    @property
    def title(self) -> str:
        """Who played what."""
        return f"{self.replay.players.get('coordinator', 'episode')}, {self.replay.name}, seed {self.replay.seed}"


class _Watcher:
    """Carries a replay's commands to the session by a desk and notes what it sees."""

    def __init__(self) -> None:
        self.desk: Desk | None = None
        self.chapters: list[Chapter] = []
        self._waiting: Call | None = None

    def take(self, session: Session, line: Line) -> Any:
        """Submit a line's command; returns the result (a copy)."""
        if self.desk is None:
            self.desk = Desk(session)
            self._open(session)
        desk, asked = self.desk, session.pending().agent
        turn = desk.silent(line.command)
        turn = turn._replace(said={**turn.said, **line.said})
        tool, arguments = spelled(desk, turn.command[0], session.view(asked)[0], turn.said)
        result = session.submit(turn.command).copy()
        desk.told(turn, result)
        call = Call(line.agent, tool, arguments, desk.heard(asked), refusal_word(result))
        self.chapters[-1].calls.append(call)
        self._note_answer(desk, session, asked, call)
        if result["advanced"] and not session.ended:
            self._open(session)
        return result

    def _note_answer(self, desk: Desk, session: Session, asked: int, call: Call) -> None:
        """A call that handed the turn over has its result once the answer is there."""
        back = session.pending().agent == COORDINATOR
        if asked == COORDINATOR:
            self._waiting = None if back else call
        elif back and self._waiting is not None:
            self._waiting.text = desk.heard(COORDINATOR)
            self._waiting = None

    def _open(self, session: Session) -> None:
        opening = session.record.copy()
        if self.chapters:
            self.chapters[-1].closing = opening
        self.chapters.append(Chapter(int(opening["round"]), opening, opening))


def spelled(desk: Desk, command: Any, view: Any, said: dict[str, str]) -> tuple[str, str]:
    """A command's tool and arguments as its caller would write them; of one that could not be read, what is known."""
    try:
        call = desk.registry.call_of(command, view, said)
    except ToolError:
        return "not understood", ""
    except (IndexError, KeyError, ValueError):  # numbers that name nothing: refused, and without words
        return Kind(int(command["kind"])).name.lower(), "(names nothing that exists)"
    values = (f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in call.arguments.items() if v != "")
    return call.name, " ".join(values)


def tell(replay: Replay) -> Story:
    """Play a replay again and gather its story; raises ReplayError if it does not verify."""
    watcher = _Watcher()
    session = replay.verify(watcher.take)
    if watcher.desk is None:
        watcher.desk = Desk(session)
        watcher._open(session)
    watcher.chapters[-1].closing = session.record.copy()
    parts = breakdown(session.record, session.params[0]) if session.ended else None
    names, said = watcher.desk.registry.names, watcher.desk.transcript.entries
    return Story(replay, session, names, watcher.chapters, said, parts)
