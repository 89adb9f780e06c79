"""Replays: an episode as JSON lines, and the check that it still comes out the same.

A header (versions, the whole scenario and its digest, the seed), one line per command with the words that went with it,
and a footer (digest of the record, score). Only commands are kept: the world is a pure function of seed and commands.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from medchain import __version__
from medchain.core.record import command_dtype, new_commands
from medchain.core.session import Session
from medchain.core.words import Kind, Refusal
from medchain.errors import ReplayError, check_seed
from medchain.reward.formula import breakdown
from medchain.scenario import Scenario, Sizes

Array = np.ndarray[Any, Any]
FORMAT = 1


def scenario_digest(scenario: Scenario) -> str:
    """SHA-256 of every number of a scenario, hex."""
    return hashlib.sha256(scenario.model_dump_json().encode()).hexdigest()


def command_to_json(command: Any) -> dict[str, Any]:
    """A command (one record) as what it differs in from an empty one; a table as [ward, sku, value] triples."""
    found: dict[str, Any] = {}
    for name in command.dtype.names:
        value = command[name]
        if not np.any(value):
            continue
        found[name] = [[int(w), int(k), int(value[w, k])] for w, k in np.argwhere(value)] if value.ndim else int(value)
    kind = found.pop("kind", 0)
    return {"kind": Kind(kind).name.lower() if kind in Kind._value2member_map_ else kind, **found}


def command_from_json(data: Mapping[str, Any], z: Sizes) -> Array:
    """The command (array of one) that `command_to_json` wrote.

    Raises:
        ReplayError: it is none.
    """
    command = new_commands(z)
    try:
        kind = data["kind"]
        command["kind"] = Kind[kind.upper()] if isinstance(kind, str) else kind
        for name in set(data) & set(command_dtype(z).names or ()) - {"kind"}:
            value = data[name]
            if isinstance(value, list):
                for w, k, units in value:
                    command[name][0, w, k] = units
            else:
                command[name] = value
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise ReplayError(f"not a command: {json.dumps(data)[:200]} ({error})") from None
    return command


class Recorder:
    """Writes the episodes of one session.

    A copy (pickle, deepcopy) does not record: a branch would write over the file of what it branched from.
    """

    def __init__(self, path: str | Path) -> None:
        """Write to a `.jsonl` file, which each episode overwrites, or to a folder, one file `NAME-SEED.jsonl` each."""
        self.path: Path | None = Path(path)
        self._file: IO[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"path": None, "_file": None}

    def start(self, scenario: Scenario, seed: int, name: str) -> None:
        """Open the file of an episode; raises ReplayError if that cannot be done."""
        self.close()
        if self.path is None:
            return
        path = self.path if self.path.suffix == ".jsonl" else self.path / f"{name}-{seed}.jsonl"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w", encoding="utf-8")
        except OSError as error:
            raise ReplayError(f"{path}: cannot be written ({error.strerror or error})") from None
        head = {"format": FORMAT, "medchain": __version__, "numpy": np.__version__, "name": name, "seed": seed}
        self._write({**head, "digest": scenario_digest(scenario), "scenario": scenario.model_dump(mode="json")})

    def add(self, agent: str, command: Any, result: Any, said: Mapping[str, str] | None = None) -> None:
        """Note a command (one record) of `agent`, its result and the words that went with it."""
        line = {"agent": agent, **command_to_json(command)}
        if said:
            line["said"] = dict(said)
        if result["refusal"]:
            line["refused"] = Refusal(int(result["refusal"])).name.lower()
        self._write(line)

    def finish(self, session: Session) -> None:
        """Write the footer of an episode that has ended."""
        score = breakdown(session.record, session.params[0])["score"]
        self._write({"digest": session.digest(), "score": score})
        self.close()

    def close(self) -> None:
        """Close the file; of an episode that has not ended it lacks the footer."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(line) + "\n")


class Step(NamedTuple):
    """One command of a replay: who gave it, the command (array of one), its result (a copy), the words with it."""

    agent: str
    command: Array
    result: Any
    said: dict[str, str]


class Replay:
    """A recorded episode, read and checked for form."""

    def __init__(self, path: str | Path) -> None:
        """Read a file; raises ReplayError if it is not a whole replay of this format."""
        self.path = Path(path)
        try:
            lines = [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]
            self.header, self.footer = lines[0], lines[-1]
            self.scenario = Scenario.model_validate(self.header["scenario"])
            self.seed = check_seed(self.header["seed"])
            written, digest = self.header["format"], self.header["digest"]
        except OSError as error:
            raise ReplayError(f"{path}: cannot be read ({error.strerror or error})") from None
        except (ValueError, KeyError, TypeError, IndexError, ValidationError):
            raise ReplayError(f"{path}: expected a replay: a header, a line of JSON per command, a footer") from None
        if written != FORMAT:
            raise ReplayError(f"{path}: replay format {written!r}; this version reads {FORMAT}")
        if digest != scenario_digest(self.scenario):
            raise ReplayError(f"{path}: the scenario in the header does not have the digest beside it")
        if not isinstance(self.footer, dict) or "score" not in self.footer:
            raise ReplayError(f"{path}: no footer; the episode was not recorded to its end")
        self.lines: list[Any] = lines[1:-1]

    def steps(self, session: Session) -> Iterator[Step]:
        """Play the commands into `session`, which was just made for the replay's scenario and seed."""
        for number, line in enumerate(self.lines, 2):
            if not isinstance(line, dict):
                raise ReplayError(f"{self.path}: line {number}: expected a command, got {type(line).__name__}")
            command = command_from_json(line, self.scenario.sizes)
            agent = self.scenario.agents[session.pending().agent]
            if line.get("agent") != agent:
                raise ReplayError(f"{self.path}: line {number}: a command of {line.get('agent')!r} in the turn of {agent}")
            yield Step(agent, command, session.submit(command).copy(), dict(line.get("said", {})))

    def verify(self) -> Session:
        """Play the episode again.

        Returns: the session at its end. Raises ReplayError if record or score differ from the footer.
        """
        session = Session(self.scenario, self.seed)
        for _ in self.steps(session):
            pass
        score = breakdown(session.record, session.params[0])["score"]
        for what, now, then in [("record", session.digest(), self.footer["digest"]), ("score", score, self.footer["score"])]:
            if now != then:
                raise ReplayError(f"{self.path}: the {what} came out as {now}, the file says {then}")
        return session
