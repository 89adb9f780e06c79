"""The last call of each agent, from which its result is told whenever it looks; and these as JSON-ready data."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

import numpy as np

from medchain.core.record import command_dtype, result_dtype
from medchain.errors import ReplayError
from medchain.scenario import Sizes


@dataclass
class Heard:
    """A command and its result (one record each), why it could not be read, and the answer that it waited for.

    `text` is set where the result cannot be told later, because the round closed with the call.
    """

    command: Any
    result: Any
    error: str = ""
    answer: Any = None
    words: str = ""
    text: str = ""


def dump_heard(heard: dict[int, Heard]) -> dict[str, Any]:
    """By agent number."""
    return {str(agent): _dump(last) for agent, last in heard.items()}


def load_heard(data: Any, z: Sizes) -> dict[int, Heard]:
    """From `dump_heard`'s data under the key heard; raises ReplayError if it is none of ours."""
    try:
        return {int(agent): _load(last, z) for agent, last in data["heard"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error):
        raise ReplayError("saved desk: expected the data of dump(), got something else") from None


def _dump(last: Heard) -> dict[str, Any]:
    return {
        "command": _bytes(last.command),
        "result": _bytes(last.result),
        "answer": None if last.answer is None else _bytes(last.answer),
        "error": last.error,
        "words": last.words,
        "text": last.text,
    }


def _load(data: dict[str, Any], z: Sizes) -> Heard:
    answer = None if data["answer"] is None else _record(data["answer"], result_dtype(z))
    words = (str(data[key]) for key in ("error", "words", "text"))
    error, said, text = words
    return Heard(
        _record(data["command"], command_dtype(z)), _record(data["result"], result_dtype(z)), error, answer, said, text
    )


def _bytes(record: Any) -> str:
    return base64.b64encode(record.tobytes()).decode()


def _record(text: str, dtype: np.dtype[Any]) -> Any:
    data = base64.b64decode(text, validate=True)
    if len(data) != dtype.itemsize:
        raise ValueError(f"{len(data)} bytes where a record has {dtype.itemsize}")
    return np.frombuffer(data, dtype)[0].copy()
