"""Recording: an episode as JSON lines while it is played.

A header (versions, the whole scenario and its digest, seed, who plays), one line per command with the words that went with
it, and a footer (digest of the record at every round's close and at the end, score). Only commands are kept: the world is a
pure function of scenario, seed and commands, and replay.py plays it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from medchain import __version__
from medchain.core.session import Session
from medchain.env.replay_line import line_to_json
from medchain.errors import ReplayError
from medchain.reward.formula import breakdown
from medchain.scenario import Scenario

FORMAT = 1
"""Version of the file's form."""


def scenario_digest(scenario: Scenario) -> str:
    """SHA-256 of every number of a scenario, hex."""
    return hashlib.sha256(scenario.model_dump_json().encode()).hexdigest()


class Recorder:
    """Writes the episodes of a session, each command as it comes.

    A copy (pickle, deepcopy) does not record: a branch would write over the file of what it branched from.
    """

    def __init__(self, path: str | Path, players: Mapping[str, str] | None = None) -> None:
        """Write to a `.jsonl` file, which each episode overwrites, or to a folder, one file `NAME-SEED.jsonl` each.

        `players` says who plays, by agent name; for people to read.
        """
        self.path: Path | None = Path(path)
        self.players = dict(players or {})
        self._file: IO[str] | None = None
        self._session: Session | None = None
        self._rounds: list[str] = []
        self._commands = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "path": None, "_file": None, "_session": None}

    def start(self, session: Session, name: str) -> None:
        """Open the file of an episode that has just started; raises ReplayError if that cannot be done."""
        self.abandon()
        if self.path is None:
            return
        seed = int(session.record["seed"])
        path = self.path if self.path.suffix == ".jsonl" else self.path / f"{name}-{seed}.jsonl"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise ReplayError(f"{path}: cannot be written ({error.strerror or error})") from None
        self._session, self._rounds, self._commands = session, [], 0
        scenario = session.scenario
        head = {"format": FORMAT, "medchain": __version__, "numpy": np.__version__, "name": name, "seed": seed}
        head |= {"players": self.players, "digest": scenario_digest(scenario)}
        self._write({**head, "scenario": scenario.model_dump(mode="json")})

    def add(self, agent: str, command: Any, said: Mapping[str, str] | None = None) -> None:
        """Note a command (one record) of `agent` that has just been submitted, and the words that went with it."""
        if self._session is None:
            return
        result = self._session.results[0]
        self._write(line_to_json(agent, command, result, said or {}))
        self._commands += 1
        if result["advanced"]:
            self._rounds.append(self._session.digest())

    def close(self) -> None:
        """Write the footer and close the file. An episode that has not ended has a digest so far and no score."""
        session = self._session
        if session is not None:
            score = breakdown(session.record, session.params[0])["score"] if session.ended else None
            foot = {"ended": session.ended, "commands": self._commands, "rounds": self._rounds}
            self._write({**foot, "digest": session.digest(), "score": score})
        self.abandon()

    def abandon(self) -> None:
        """Close the file without a footer: the session has left the episode it was recording."""
        if self._file is not None:
            self._file.close()
        self._file = self._session = None

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(line, separators=(",", ":")) + "\n")
