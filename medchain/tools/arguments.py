"""The types a tool's parameter can have: each knows its JSON schema and how to enter a value into a command.

The larger ones (plan, rationale, requests, reasons, claims) are in objects.py.
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass, field
from typing import Any

from medchain.core.words import EVERY
from medchain.errors import ToolError
from medchain.tools.names import Names, an_id, id_number
from medchain.tools.show import ascii_line, came, listed

MOST_WORDS = 1_000
"""The longest free text of a parameter, in characters."""


@dataclass
class Given:
    """What a value is judged by: the names, the caller's view, and the tool and parameter it is for.

    `said` collects the free text, by parameter (a rationale: by ward); `textual` says that every value came as text.
    """

    names: Names
    view: Any
    tool: str
    textual: bool = False
    parameter: str = ""
    said: dict[str, str] = field(default_factory=dict)

    def wrong(self, code: str, expected: str, value: object, right: str = "") -> ToolError:
        """The error that refuses `value` for this parameter."""
        return ToolError(code, f"{expected} as {self.parameter} of {self.tool}", came(value), right)


class Type:
    """A parameter's type."""

    def schema(self, names: Names) -> dict[str, Any]:
        """JSON schema of its values."""
        raise NotImplementedError

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter a value into command `c`, or raise ToolError."""
        raise NotImplementedError

    def absent(self, c: Any) -> None:
        """Enter what a call without it means."""

    def spell(self, c: Any, given: Given) -> Any:
        """The value that `write` would enter as command `c` has it; None where it may be left out."""
        raise NotImplementedError

    def words(self, names: Names) -> list[str]:
        """Its legal values, if they are a list of words; else empty."""
        found: list[str] = self.schema(names).get("enum", [])
        return found


def text_of(value: object, given: Given) -> str:
    """A value that must be text."""
    if not isinstance(value, str):
        raise given.wrong("wrong_type", "text", value)
    return value


def whole(value: object, given: Given, least: int, most: int) -> int:
    """A value that must be a whole number in least .. most."""
    expected = f"a whole number from {least} to {most}"
    if given.textual and isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}\s*", value, re.ASCII):
        value = int(value)
    if isinstance(value, bool | str) or value is None:
        raise given.wrong("wrong_type", expected, value, "a number without quotation marks")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise given.wrong("bad_number", expected, value)
        if not value.is_integer():
            raise given.wrong("not_whole", expected, value, "units are indivisible")
        value = int(value) if abs(value) < 2.0**53 else most + 1
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise given.wrong("wrong_type", expected, value) from None
    if not least <= number <= most:
        raise given.wrong("out_of_range", expected, value)
    return number


@dataclass(frozen=True)
class Name(Type):
    """A ward, sku, supplier or location; entered as its number, EVERY when left out."""

    what: str

    def schema(self, names: Names) -> dict[str, Any]:
        """A string out of the scenario's names."""
        return {"type": "string", "enum": list(names.of[self.what])}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter the name's number."""
        c[self.what] = given.names.number(self.what, text_of(value, given))

    def absent(self, c: Any) -> None:
        """All of them."""
        c[self.what] = EVERY

    def spell(self, c: Any, given: Given) -> Any:
        """The name."""
        return None if int(c[self.what]) == EVERY else given.names.name(self.what, int(c[self.what]))


@dataclass(frozen=True)
class Id(Type):
    """An id with a number, such as APR-0003; entered as index into `column`."""

    column: str
    prefix: str
    elsewhere: str = ""

    def schema(self, names: Names) -> dict[str, Any]:
        """A string with a pattern."""
        return {"type": "string", "pattern": f"^{self.prefix}-[0-9]{{1,6}}$"}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter the index; the core knows whether it exists."""
        number = id_number(self.prefix, text_of(value, given))
        if number is None:
            raise given.wrong("unknown_id", f"an id such as {self.prefix}-0001", value, self.elsewhere)
        c[self.column] = number - 1

    def spell(self, c: Any, given: Given) -> Any:
        """The id."""
        return an_id(self.prefix, int(c[self.column]) + 1)


@dataclass(frozen=True)
class Lot(Type):
    """A lot's id, or all."""

    def schema(self, names: Names) -> dict[str, Any]:
        """A string."""
        return {"type": "string", "pattern": "^(all|LOT-[0-9]{4,}|RECALL-LOT-.+)$"}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter the lot's index."""
        text = text_of(value, given)
        if text.strip().casefold() == "all":
            c["lot"] = EVERY
            return
        index = given.names.lot_index(given.view, text)
        if index is None:
            right = "the ids that wms_scan_inventory shows, such as LOT-0001, or all"
            raise given.wrong("unknown_lot", "the id of a lot, or all,", value, right)
        c["lot"] = index

    def spell(self, c: Any, given: Given) -> Any:
        """The lot's id."""
        return given.names.lot(given.view, int(c["lot"]))


@dataclass(frozen=True)
class Whole(Type):
    """A whole number from `least` to `most`; `most` 0 stands for the scenario's largest order."""

    least: int
    most: int = 0
    default: int | None = None

    def limit(self, names: Names) -> int:
        """The largest legal value."""
        largest: int = names.scenario.limits.order_quantity
        return self.most or largest

    def schema(self, names: Names) -> dict[str, Any]:
        """An integer with bounds."""
        found: dict[str, Any] = {"type": "integer", "minimum": self.least, "maximum": self.limit(names)}
        return found if self.default is None else found | {"default": self.default}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter it as quantity."""
        c["quantity"] = whole(value, given, self.least, self.limit(given.names))

    def absent(self, c: Any) -> None:
        """The default."""
        c["quantity"] = self.default or 0

    def spell(self, c: Any, given: Given) -> Any:
        """The number; none where 0 stands for a call without it."""
        return int(c["quantity"]) or None


@dataclass(frozen=True)
class Choice(Type):
    """One of a few words, entered as option `first` + its place; the word named `default` when left out."""

    choices: tuple[str, ...]
    first: int = 0
    default: str | None = None

    def schema(self, names: Names) -> dict[str, Any]:
        """A string out of the words."""
        found: dict[str, Any] = {"type": "string", "enum": list(self.choices)}
        return found if self.default is None else found | {"default": self.default}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter the word's number."""
        c["option"] = self.first + place(value, self.choices, given)

    def absent(self, c: Any) -> None:
        """The default."""
        c["option"] = self.first + (self.choices.index(self.default) if self.default else 0)

    def spell(self, c: Any, given: Given) -> Any:
        """The word."""
        at = int(c["option"]) - self.first
        return self.choices[at] if 0 <= at < len(self.choices) else f"option {at}"


def place(value: object, choices: tuple[str, ...], given: Given) -> int:
    """Place of a word among its choices, whatever its case."""
    word = text_of(value, given).strip()[:80].casefold()
    for i, choice in enumerate(choices):
        if choice.casefold() == word:
            return i
    raise given.wrong("unknown_word", f"one of {listed(choices)}", value)


@dataclass(frozen=True)
class Words(Type):
    """Free text; it is kept in the transcript and changes nothing in the world."""

    def schema(self, names: Names) -> dict[str, Any]:
        """A string with a largest length."""
        return {"type": "string", "maxLength": MOST_WORDS}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Note it as said."""
        given.said[given.parameter] = spoken(value, given)

    def spell(self, c: Any, given: Given) -> Any:
        """What was said."""
        return given.said.get(given.parameter, "")


def spoken(value: object, given: Given) -> str:
    """Free text as printable ASCII, on one line; refused if it is too long."""
    text = text_of(value, given)
    if len(text) > MOST_WORDS:
        raise given.wrong("too_long", f"at most {MOST_WORDS} characters", value, "say it shorter")
    return ascii_line(text)
