"""JSON from strangers: bounded, without NaN, without keys that come twice; always an answer or a ToolError."""

from __future__ import annotations

import json
from typing import Any

from medchain.errors import ToolError
from medchain.tools.show import came

MOST_TEXT = 200_000
"""The longest text that is read at all, in characters."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ToolError("duplicate_key", "every key once", f"{came(twice)} twice", "name each key once")
    return found


def _constant(word: str) -> Any:
    raise ToolError("bad_number", "a finite number", word, "whole units such as 12")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= 18 else float("-inf" if digits.startswith("-") else "inf")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_integer)


def check_length(text: str) -> None:
    """Raise ToolError if a text is too long to be read."""
    if len(text) > MOST_TEXT:
        raise ToolError("too_long", f"at most {MOST_TEXT} characters", f"{len(text)} characters", "say it shorter")


def decode_at(text: str, start: int = 0) -> tuple[Any, int]:
    """The JSON value at `start` and the index after it.

    Raises:
        ToolError: there is none, it is nested too deeply, holds NaN or Infinity, or a key twice.
    """
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        near = came(text[max(0, error.pos - 10) : error.pos + 20])
        raise ToolError("not_json", "JSON", f"{error.msg} at character {error.pos - start} (near {near})") from None
    except RecursionError:
        raise ToolError("too_deep", "a few levels of nesting", "hundreds of levels") from None


def decode(text: str) -> Any:
    """The one JSON value of a text; raises ToolError like `decode_at`, and if anything follows it."""
    check_length(text)
    stripped = text.strip()
    if not stripped:
        raise ToolError("not_json", "JSON", "an empty text")
    value, end = decode_at(stripped)
    if end < len(stripped):
        raise ToolError("not_json", "one JSON value", f"further text after it (near {came(stripped[end : end + 30])})")
    return value
