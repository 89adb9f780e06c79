"""A line as a person types it, as the call it means: JSON, or `tool value name=value ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medchain.errors import ToolError
from medchain.tools.arguments import Words
from medchain.tools.claims import Claims
from medchain.tools.parse import Call, read_call
from medchain.tools.registry import TOOLS, Tool

_PIECE = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*=)?")
_QUOTES = "\"'"
_OPENING = {"{": "}", "[": "]"}


def read_line(line: str) -> Call:
    """The call that a typed line stands for.

    A tool may be shortened to its beginning as long as only one begins so. Values come by name, or without one in the order
    of the tool's parameters; a value with blanks in it stands in quotes or braces, or is prose and the last.

    Raises:
        ToolError: it is none; says what would be right.
    """
    line = line.strip()
    if line.startswith(("{", "<", "`")):
        return read_call(line)
    name, _, rest = line.partition(" ")
    tool = find_tool(name)
    arguments: dict[str, str] = {}
    order = [p.name for p in tool.parameters]
    for key, value, at in pieces(rest):
        if not key:
            free = [p for p in order if p not in arguments]
            if not free:
                raise ToolError("too_many_values", f"at most {len(order)} values for {tool.signature}", f'"{value}" too')
            key = free[0]
        elif key in arguments:
            raise ToolError("duplicate_key", "every parameter once", f"{key} twice")
        if order and key == order[-1] and _is_prose(tool) and rest[at : at + 1] not in ("", *_QUOTES):
            arguments[key] = rest[at:].strip()
            break
        arguments[key] = value
    return Call(tool.name, arguments, textual=True)


def _is_prose(tool: Tool) -> bool:
    return isinstance(tool.parameters[-1].type, Words | Claims)


def find_tool(name: str) -> Tool:
    """The tool of that name, or the only one that begins so.

    Raises:
        ToolError: there is none, or several.
    """
    wanted = name.strip().casefold()
    found = [tool for tool in TOOLS if tool.name.startswith(wanted)] if wanted else []
    exact = [tool for tool in found if tool.name == wanted]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        raise ToolError("ambiguous_tool", "the name of one tool", f'"{name[:60]}"', ", ".join(tool.name for tool in found))
    raise ToolError("unknown_tool", "the name of a tool", f'"{name[:60]}"', "type help for a list")


def pieces(text: str) -> Iterator[tuple[str, str, int]]:
    """(name, value, index at which the value begins) of each piece of a line; the name is empty where none was given.

    Raises:
        ToolError: a quote or a brace is not closed.
    """
    text, at = text.rstrip(), 0
    while at < len(text):
        matched = _PIECE.match(text, at)
        assert matched is not None
        begins = matched.end()
        value, at = _value(text, begins)
        yield (matched[1] or "").removesuffix("="), value, begins


def _value(text: str, at: int) -> tuple[str, int]:
    first = text[at : at + 1]
    if first and first in _QUOTES:
        end = text.find(first, at + 1)
        if end < 0:
            raise ToolError("not_closed", f"{first} at the end of the value", f"{text[at : at + 30]}")
        return text[at + 1 : end], end + 1
    if first in _OPENING:
        end = _closing(text, at)
        return text[at:end], end
    end = next((i for i in range(at, len(text)) if text[i].isspace()), len(text))
    return text[at:end], end


def _closing(text: str, at: int) -> int:
    """Index after the brace that closes the one at `at`; braces inside double quotes do not count."""
    depth, quoted, i = 0, False, at
    while i < len(text):
        ch = text[i]
        if quoted:
            i += ch == "\\"
            quoted = ch != '"'
        elif ch == '"':
            quoted = True
        elif ch in _OPENING:
            depth += 1
        elif ch in _OPENING.values():
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    raise ToolError("not_closed", f"{_OPENING[text[at]]} at the end of the value", f"{text[at : at + 30]}")
