"""Small pieces of prose: printable ASCII, quotations, money, and text that fits."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

MOST_CHARACTERS = 16_000
"""The longest text that is shown to anyone."""

_LIKE = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u2026": "..."}
)
_HARMLESS = str.maketrans({"<": "(", ">": ")", "{": "(", "}": ")", "[": "(", "]": ")", '"': "'", "`": "'", "|": "/"})


def ascii_line(text: str) -> str:
    """`text` as one line of printable ASCII: accents dropped, line breaks as ` / `, the unprintable as `?`."""
    plain = unicodedata.normalize("NFKD", text.translate(_LIKE))
    lines = (" ".join(part.split()) for part in plain.splitlines())
    joined = " / ".join(part for part in lines if part)
    kept = (ch for ch in joined if not unicodedata.combining(ch))
    return "".join(ch if " " <= ch <= "~" else "?" for ch in kept)


def quoted(text: str) -> str:
    """Somebody's words between double quotes, on one line, without any sign that a call, a tag or a result needs."""
    return f'"{ascii_line(text).translate(_HARMLESS)}"'


def came(value: object) -> str:
    """What came, in a few words, whatever it is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        shown = ascii_line(value[:60]).translate(_HARMLESS)
        return f'"{shown}"' if len(value) <= 60 else f'"{shown}..." ({len(value)} characters)'
    if isinstance(value, int):
        return str(value) if -(10**20) < value < 10**20 else "a number of more than 20 digits"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return f"an object with {len(value)} keys" if value else "an empty object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return f"a {type(value).__name__}"


def money(cents: int) -> str:
    """Cents as dollars."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def trust(fixed: int) -> str:
    """Fixed-point trust (1.0 is 10,000) with two decimals."""
    return f"{fixed / 10_000:.2f}"


def listed(words: Iterable[str]) -> str:
    """Words joined by commas."""
    return ", ".join(words)


def fitted(lines: Sequence[str], most: int = MOST_CHARACTERS, how: str = "narrow the question to see them") -> str:
    """Lines joined, at most `most` characters; what does not fit is counted in the last line, never dropped in silence."""
    text = "\n".join(lines)
    if len(text) <= most:
        return text
    room, kept = most - 100 - len(how), 0
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept += 1
    return "\n".join([*lines[:kept], f"({len(lines) - kept} further lines do not fit here; {how})"])


def beside(long: str, short: str, between: str = "\n") -> str:
    """`long`, cut by whole lines if it must be, then all of `short`; together at most MOST_CHARACTERS."""
    return fitted(long.split("\n"), MOST_CHARACTERS - len(between) - len(short)) + between + short
