"""Tool calls out of model text: JSON `<tool_call>{"name", "arguments"}</tool_call>`, the XML form, or bare JSON.

Everything here is linear in the text, and the only exception that leaves it is ToolError. Thoughts (`<think>`) are
dropped: a call inside them is not made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from medchain.errors import ToolError
from medchain.tools.jsons import check_length, decode, decode_at
from medchain.tools.show import came

MOST_CALLS = 64
"""The most calls that are read out of one text."""

OPEN, CLOSE = "<tool_call>", "</tool_call>"
THINK, THOUGHT = "<think>", "</think>"
_FENCE = re.compile(r"^```[a-z]{0,10}[ \t]*\n(.*?)\n?```$", re.DOTALL)
_KEYS = {"name", "arguments", "parameters", "id", "type"}


class Call(NamedTuple):
    """A call as it was written; nothing about it has been checked. `textual`: every argument came as text (XML form)."""

    name: str
    arguments: dict[str, Any]
    textual: bool = False


def after_thoughts(text: str) -> str:
    """Text after the thoughts that it begins with; an unopened one runs from the start, an unclosed one to the end."""
    rest = text.lstrip()
    thought, closing, _ = rest.partition(THOUGHT)
    if closing and THINK not in thought and not rest.startswith((OPEN, "{", "`")):
        rest = THINK + rest
    at = 0
    while rest.startswith(THINK, at):
        close = rest.find(THOUGHT, at)
        if close < 0:
            return ""
        at = _skip(rest, close + len(THOUGHT))
    return rest[at:]


def read_turn(text: str) -> list[Call | ToolError]:
    """Every call of a model's turn in order; what cannot be read stands as the error it is, and ends the list.

    A text without any call gives one error.
    """
    found: list[Call | ToolError] = []
    try:
        check_length(text)
        rest = after_thoughts(text)
        at = -1 if rest.startswith(("{", "`")) else _opening(rest, 0)
        if at < 0:
            return [_bare(rest)]
        while at >= 0:
            if len(found) == MOST_CALLS:
                raise ToolError("too_many_calls", f"at most {MOST_CALLS} calls in one text", "more")
            call, end = _tagged(rest, at)
            found.append(call)
            at = _opening(rest, end)
    except ToolError as error:
        found.append(error)
    return found


def _opening(text: str, at: int) -> int:
    """Index after the next opening tag outside thoughts, -1 if there is none."""
    call, thought = text.find(OPEN, at), text.find(THINK, at)
    while -1 < thought < call:
        close = text.find(THOUGHT, thought)
        if close < 0:
            return -1
        if call < close:
            call = text.find(OPEN, close)
        thought = text.find(THINK, close)
    return call + len(OPEN) if call >= 0 else -1


def read_call(given: str | Mapping[str, Any] | Call) -> Call:
    """The one call that a text, a dict of name and arguments, or a Call stands for.

    Raises:
        ToolError: there is no call, or more than one, or it cannot be read.
    """
    if isinstance(given, Call):
        return given
    if isinstance(given, Mapping):
        return as_call(given)
    if not isinstance(given, str):
        raise ToolError("wrong_type", "text or an object", came(given))
    calls = read_turn(given)
    for call in calls:
        if isinstance(call, ToolError):
            raise call
    if len(calls) > 1:
        raise ToolError("too_many_calls", "one call at a time", f"{len(calls)} calls", "wait for each result")
    only = calls[0]
    assert isinstance(only, Call)
    return only


def read_answer(given: str | Mapping[str, Any] | Call, name: str) -> Call:
    """A ward's or the arbiter's answer called `name`: its arguments as a bare object, or a full call.

    Raises:
        ToolError: it cannot be read.
    """
    if isinstance(given, Call):
        return given
    if isinstance(given, str):
        check_length(given)
        plain = unfenced(after_thoughts(given))
        if not plain.startswith("{") and OPEN in plain:
            return read_call(given)
        given = decode(plain)
    if not isinstance(given, Mapping):
        raise ToolError("wrong_type", "a JSON object", came(given))
    if "name" in given or "function" in given:
        return as_call(given)
    return Call(name, dict(given))


def written(call: Call, xml: bool = False) -> str:
    """A call as a model writes it, in the JSON or the XML form."""
    if not xml:
        return f"{OPEN}{json.dumps({'name': call.name, 'arguments': call.arguments})}{CLOSE}"
    values = {key: value if isinstance(value, str) else json.dumps(value) for key, value in call.arguments.items()}
    lines = [f"<parameter={key}>\n{value}\n</parameter>" for key, value in values.items()]
    return "\n".join([OPEN, f"<function={call.name}>", *lines, "</function>", CLOSE])


def unfenced(text: str) -> str:
    """Text without the code fence around it."""
    stripped = text.strip()
    found = _FENCE.match(stripped) if stripped.startswith("```") else None
    return found[1] if found else stripped


def as_call(value: object) -> Call:
    """A decoded object {"name", "arguments"} as a call; OpenAI's {"function": {...}} is taken too."""
    right = 'such as {"name": "view_requests", "arguments": {}}'
    if isinstance(value, Mapping) and isinstance(value.get("function"), Mapping):
        value = value["function"]
    if not isinstance(value, Mapping) or "name" not in value:
        raise ToolError("not_a_call", "an object with name and arguments", came(value), right)
    for key in value:
        if key not in _KEYS:
            raise ToolError("unknown_key", "the keys name and arguments", came(key), right)
    arguments = value.get("arguments", value.get("parameters"))
    if isinstance(arguments, str):
        arguments = decode(arguments) if arguments.strip() else {}
    if arguments is None:
        arguments = {}
    if not isinstance(value["name"], str):
        raise ToolError("wrong_type", "text as name", came(value["name"]), right)
    if not isinstance(arguments, Mapping):
        raise ToolError("wrong_type", "an object as arguments", came(arguments), right)
    return Call(value["name"], dict(arguments))


def _bare(text: str) -> Call:
    plain = unfenced(text)
    if not plain.startswith("{"):
        right = 'such as {"name": "view_requests", "arguments": {}}'
        raise ToolError("no_call", "a tool call", came(plain) if plain else "an empty text", right)
    return as_call(decode(plain))


def _tagged(text: str, at: int) -> tuple[Call, int]:
    """The call after an opening tag, and the index after it. The closing tag may be missing at the very end."""
    start = _skip(text, at)
    if text.startswith("<function=", start):
        return _xml(text, start)
    value, end = decode_at(text, start)
    after = _skip(text, end)
    if text.startswith(CLOSE, after):
        after += len(CLOSE)
    elif after < len(text):
        raise ToolError("not_closed", f"{CLOSE} after the call", came(text[after : after + 30]))
    return as_call(value), after


def _xml(text: str, at: int) -> tuple[Call, int]:
    """`<function=NAME><parameter=KEY>value</parameter>...</function>`, values as text."""
    name, at = _until(text, at + len("<function="), ">")
    arguments: dict[str, Any] = {}
    at = _skip(text, at)
    while text.startswith("<parameter=", at):
        key, at = _until(text, at + len("<parameter="), ">")
        value, at = _until(text, at, "</parameter>")
        if key.strip() in arguments:
            raise ToolError("duplicate_key", "every parameter once", f"{came(key)} twice")
        arguments[key.strip()] = value.removeprefix("\n").removesuffix("\n")
        at = _skip(text, at)
    for closing in ("</function>", CLOSE):
        if text.startswith(closing, at):
            at = _skip(text, at + len(closing))
        elif at < len(text):
            raise ToolError("not_closed", f"<parameter=...> or {closing}", came(text[at : at + 30]))
    return Call(name.strip(), arguments, textual=True), at


def _until(text: str, at: int, end: str) -> tuple[str, int]:
    found = text.find(end, at)
    if found < 0:
        raise ToolError("not_closed", f"{end} further on", "the end of the text")
    return text[at:found], found + len(end)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
