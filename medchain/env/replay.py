"""Replays: a recorded episode (replay_log.py), played again and checked on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from medchain import __version__
from medchain.core.session import Session
from medchain.env.replay_line import Line, line_from_json, refusal_word
from medchain.env.replay_log import FORMAT, scenario_digest
from medchain.errors import ReplayError, SeedError, check_seed
from medchain.reading import describe
from medchain.reward.formula import breakdown
from medchain.scenario import Scenario

MOST_BYTES = 256 * 2**20
"""A longer file is no replay, and would fill the memory before that is noticed."""

Take = Callable[[Session, Line], Any]
"""Submits a line's command to the session and returns the result record."""


class Replay:
    """A recorded episode, read and checked for form."""

    def __init__(self, path: str | Path) -> None:
        """Read a file; raises ReplayError if it is not a whole replay of this format."""
        self.path = Path(path)
        lines = self._read()
        self.header = self._head(lines[0])
        self.scenario = self._scenario()
        self.seed = self._seed()
        self.footer = self._foot(lines)
        self.lines = [self._line(data, number) for number, data in enumerate(lines[1:-1], 2)]

    @property
    def name(self) -> str:
        """Name of the scenario, for people to read."""
        return str(self.header.get("name", "scenario"))

    @property
    def players(self) -> dict[str, str]:
        """Who played, by agent name, as far as the file says."""
        found = self.header.get("players")
        return {str(agent): str(who) for agent, who in found.items()} if isinstance(found, dict) else {}

    @property
    def ended(self) -> bool:
        """Whether the episode was recorded to its end; otherwise the player stopped on the way."""
        return bool(self.footer["ended"])

    def verify(self, take: Take = lambda session, line: session.submit(line.command)) -> Session:
        """Play the episode again; `take` may watch, or carry the commands by another door.

        Returns: the session at its end.

        Raises:
            ReplayError: it comes out differently from what the file says; names the first line where it does.
        """
        session = Session(self.scenario, self.seed)
        rounds: list[str] = list(self.footer["rounds"])
        closed = 0
        for line in self.lines:
            self._check_turn(session, line)
            now = int(session.record["round"])
            result = take(session, line)
            self._check_refusal(line, refusal_word(result))
            if result["advanced"]:
                expected = rounds[closed] if closed < len(rounds) else "nothing: the round goes on"
                where = f"line {line.number}, the close of round {now}"
                self._compare(where, "record", session.digest(), expected)
                closed += 1
        self._check_end(session, closed)
        return session

    def _read(self) -> list[Any]:
        try:
            if self.path.stat().st_size > MOST_BYTES:
                raise ReplayError(f"{self.path}: longer than any replay ({MOST_BYTES >> 20} MiB)")
            whole = self.path.read_text(encoding="utf-8")
        except OSError as error:
            raise ReplayError(f"{self.path}: cannot be read ({error.strerror or error})") from None
        except UnicodeDecodeError:
            raise ReplayError(f"{self.path}: not text; expected a replay, JSON line by line") from None
        texts = whole.splitlines()
        if not texts:
            raise ReplayError(f"{self.path}: empty; expected a replay, JSON line by line")
        lines = []
        for number, text in enumerate(texts, 1):
            try:
                lines.append(json.loads(text))
            except (ValueError, RecursionError) as error:
                cut = number == len(texts) and whole.lstrip().startswith("{") and not whole.endswith("\n")
                how = "cut off in the middle" if cut else f"not JSON ({error})"
                raise self._wrong(f"line {number}: {how}") from None
        return lines

    def _head(self, head: Any) -> dict[str, Any]:
        if not isinstance(head, dict) or "format" not in head:
            raise self._wrong("line 1: expected the header of a replay, with format, seed and scenario")
        if head["format"] != FORMAT:
            raise self._wrong(f"replay format {head['format']!r}; this version reads format {FORMAT}")
        return head

    def _scenario(self) -> Scenario:
        try:
            found = Scenario.model_validate(self.header.get("scenario"))
        except ValidationError as error:
            raise self._wrong(f"line 1: the scenario is wrong\n{describe(error, self.path, Scenario)}") from None
        if self.header.get("digest") != scenario_digest(found):
            raise self._wrong("line 1: the scenario in the header does not have the digest beside it")
        return found

    def _seed(self) -> int:
        try:
            return check_seed(self.header.get("seed"))
        except SeedError as error:
            raise self._wrong(f"line 1: {error}") from None

    def _foot(self, lines: list[Any]) -> dict[str, Any]:
        foot = lines[-1]
        kinds = {"ended": bool, "commands": int, "rounds": list, "digest": str}
        whole = isinstance(foot, dict) and all(isinstance(foot.get(key), kind) for key, kind in kinds.items())
        if len(lines) < 2 or not whole or "score" not in foot:
            raise self._wrong(f"line {len(lines)}: no footer; the file was cut off, or what recorded it did not end well")
        there = len(lines) - 2
        if foot["commands"] != there:
            raise self._wrong(f"the footer counts {foot['commands']} commands; the file has {there}")
        found: dict[str, Any] = foot
        return found

    def _line(self, data: Any, number: int) -> Line:
        try:
            return line_from_json(data, number, self.scenario.sizes)
        except ReplayError as error:
            raise self._wrong(str(error)) from None

    def _check_turn(self, session: Session, line: Line) -> None:
        if session.ended:
            raise self._differs(f"line {line.number}", "the episode has ended before this command")
        asked = self.scenario.agents[session.pending().agent]
        if line.agent != asked:
            raise self._differs(f"line {line.number}", f"a command of {line.agent!r} where {asked} is asked")

    def _check_refusal(self, line: Line, now: str) -> None:
        if now != line.refused:
            came, then = (f"refused ({word})" if word else "accepted" for word in (now, line.refused))
            raise self._differs(f"line {line.number}", f"the command of {line.agent} is {came}; the file says {then}")

    def _check_end(self, session: Session, closed: int) -> None:
        last = f"line {len(self.lines) + 2}, the end"
        if session.ended != self.ended or closed != len(self.footer["rounds"]):
            came = "has ended" if session.ended else f"stands in round {int(session.record['round'])}"
            told = f"{'ended' if self.ended else 'stopped'} after {len(self.footer['rounds'])} closed rounds"
            raise self._differs(last, f"the episode {came}; the file says it {told}")
        self._compare(last, "record", session.digest(), self.footer["digest"])
        score = breakdown(session.record, session.params[0])["score"] if session.ended else None
        self._compare(last, "score", score, self.footer["score"])

    def _compare(self, where: str, what: str, now: Any, then: Any) -> None:
        if now != then:
            raise self._differs(where, f"the {what} comes out as {_short(now)}; the file says {_short(then)}")

    def _differs(self, where: str, what: str) -> ReplayError:
        version = self.header.get("medchain")
        hint = "" if version == __version__ else f" (recorded by version {version}, this is {__version__})"
        return self._wrong(f"first divergence at {where}: {what}{hint}")

    def _wrong(self, what: str) -> ReplayError:
        return ReplayError(f"{self.path}: {what}")


def _short(value: Any) -> str:
    return f"{value[:12]}…" if isinstance(value, str) and len(value) == 64 else str(value)
