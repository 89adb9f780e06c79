"""A command as one line of a replay: JSON that holds what it differs in from an empty command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from medchain.core.record import command_dtype, new_commands
from medchain.core.words import Kind, Refusal
from medchain.errors import ReplayError
from medchain.scenario import Sizes

Array = np.ndarray[Any, Any]
BESIDE = ("agent", "said", "refused")
"""The keys of a line that are not fields of a command."""

_FIELDS = frozenset(command_dtype(Sizes(*[1] * len(Sizes._fields))).names or ()) - {"kind", "spare"}
_SHOWN = 160


class Line(NamedTuple):
    """One command of a replay: its line number, who gave it, the command (array of one), the words with it.

    `refused`: the word of the refusal it met, empty if it was accepted.
    """

    number: int
    agent: str
    command: Array
    said: dict[str, str]
    refused: str


def command_to_json(command: Any) -> dict[str, Any]:
    """A command (one record) as what it differs in from an empty one; a table as [ward, sku, value] triples."""
    found: dict[str, Any] = {}
    for name in command.dtype.names:
        value = command[name]
        if name == "spare" or not np.any(value):
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
        command["kind"] = _kind(data["kind"])
        for name in set(data) - {"kind", *BESIDE}:
            _enter(command[0], name, data[name])
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise ReplayError(f"not a command: {json.dumps(data)[:_SHOWN]} ({error or type(error).__name__})") from None
    return command


def _kind(value: Any) -> int:
    return Kind[value.upper()] if isinstance(value, str) else _whole(value)


def _enter(c: Any, name: str, value: Any) -> None:
    if name not in _FIELDS:
        raise ValueError(f"unknown key {name!r}")
    if np.ndim(c[name]) == 0:
        c[name] = _whole(value)
        return
    wards, skus = c[name].shape
    for w, k, units in value:
        if not (0 <= _whole(w) < wards and 0 <= _whole(k) < skus):
            raise ValueError(f"{name}: there is no line [{w}, {k}]")
        c[name][w, k] = _whole(units)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not a whole number")
    return value


def line_to_json(agent: str, command: Any, result: Any, said: Mapping[str, str]) -> dict[str, Any]:
    """The line of a command (one record) that had this result and these words with it."""
    line = {"agent": agent, **command_to_json(command)}
    if said:
        line["said"] = dict(said)
    refused = refusal_word(result)
    return {**line, "refused": refused} if refused else line


def line_from_json(data: Any, number: int, z: Sizes) -> Line:
    """Line number `number` of a file.

    Raises:
        ReplayError: it holds no command.
    """
    if not isinstance(data, dict):
        raise ReplayError(f"line {number}: expected a command as a JSON object, got {type(data).__name__}")
    said, refused, agent = data.get("said", {}), data.get("refused", ""), data.get("agent")
    words = isinstance(said, dict) and all(isinstance(text, str) for text in (refused, agent, *said, *said.values()))
    if not words:
        raise ReplayError(f"line {number}: expected agent, said and refused as text, got {json.dumps(data)[:_SHOWN]}")
    try:
        command = command_from_json(data, z)
    except ReplayError as error:
        raise ReplayError(f"line {number}: {error}") from None
    return Line(number, agent or "", command, said, refused)


def refusal_word(result: Any) -> str:
    """The word of a result's refusal, empty if the command was accepted."""
    refusal = int(result["refusal"])
    return Refusal(refusal).name.lower() if refusal else ""
