"""Lists on the command line: names, seeds; what is wrong with them is said in one sentence."""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import TypeVar

from medchain.errors import MedChainError, check_seed

Value = TypeVar("Value", int, str)

MOST_SEEDS = 100_000
"""More than this is a slip of the finger, and would fill the memory before it is noticed."""


class OptionError(MedChainError):
    """The value of a command line option is wrong; names the option, the value and what is legal."""


def parse_names(option: str, text: str) -> list[str]:
    """`a,b,c` as a list of one or more distinct names."""
    names = [part.strip() for part in text.split(",")]
    if "" in names:
        raise OptionError(f"{option}: expected names with commas between them, got {text!r}")
    return _distinct(option, names)


def parse_seeds(option: str, text: str) -> list[int]:
    """`50-59,100` as a list of distinct seeds, ranges including both ends."""
    seeds: list[int] = []
    for part in text.split(","):
        matched = re.fullmatch(r"\s*(\d{1,19})\s*(?:-\s*(\d{1,19})\s*)?", part, re.ASCII)
        if not matched:
            raise OptionError(f"{option}: expected seeds and ranges such as 50-59,100, got {part!r} in {text!r}")
        first, last = check_seed(int(matched[1])), check_seed(int(matched[2] or matched[1]))
        if last < first:
            raise OptionError(f"{option}: the range {part.strip()} is empty; write {last}-{first}")
        if len(seeds) + last - first >= MOST_SEEDS:
            raise OptionError(f"{option}: {text!r} is more than {MOST_SEEDS:,} seeds, the most at once")
        seeds += range(first, last + 1)
    return _distinct(option, seeds)


def _distinct(option: str, values: list[Value]) -> list[Value]:
    value, times = Counter(values).most_common(1)[0]
    if times > 1:
        raise OptionError(f"{option}: {value} is there {times} times; name each once")
    return values


def check_writable(option: str, path: Path) -> None:
    """Raise OptionError unless a file can be written at `path`; it leaves what is there alone."""
    if path.is_dir():
        raise OptionError(f"{option}: {path} is a folder; expected the name of a file")
    if not path.absolute().parent.is_dir():
        raise OptionError(f"{option}: the folder of {path} does not exist; make it first")
    refused = OptionError(f"{option}: {path} cannot be written; choose a place you may write to")
    if path.exists():
        if not os.access(path, os.W_OK):
            raise refused
        return
    try:  # permissions do not tell all: some folders take no file from anyone
        tempfile.TemporaryFile(dir=path.absolute().parent).close()
    except OSError:
        raise refused from None


def write_atomically(path: Path, text: str) -> None:
    """Write a file whole or not at all, so that nobody reads half of it; a pipe or a terminal is written to as it is."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
