"""`python -m experiments.readme`: write what commands print into the README, so that no figure in it is typed by hand.

A generated block stands between `<!-- medchain ... -->`, which is the command, and `<!-- end -->`.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path("README.md")
BLOCK = re.compile(r"(<!-- (medchain [^\n]*) -->\n).*?(<!-- end -->)", re.DOTALL)


def printed(command: str) -> str:
    """What a `medchain` command prints: Markdown tables as they are, anything else as a block of text."""
    _, *arguments = shlex.split(command)
    run = [sys.executable, "-m", "experiments.cli", *arguments]
    output = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    body = "\n".join(lines).rstrip("\n")
    return f"{body}\n" if body.startswith(("|", "**")) else f"```text\n{body}\n```\n"


def rendered(text: str) -> str:
    """`text` with every generated block made anew."""
    return BLOCK.sub(lambda block: f"{block[1]}{printed(block[2])}{block[3]}", text)


def commands(text: str) -> list[str]:
    """The commands whose output `text` holds."""
    return [block[1] for block in BLOCK.findall(text)]


if __name__ == "__main__":
    README.write_text(rendered(README.read_text(encoding="utf-8")), encoding="utf-8")
