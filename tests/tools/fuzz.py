"""Coverage-guided fuzzing of parser and registry, on demand: `pip install atheris`, then

    python -m tests.tools.fuzz -max_total_time=60

A finding is an exception that is not a ToolError; the input that caused it is written to a file.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import atheris

# compiled code must be imported before anything is instrumented
import medchain.core.session
import medchain.reward.formula  # noqa: F401

with atheris.instrument_imports(include=["medchain.tools"]):
    from medchain.core.words import Phase
    from medchain.errors import ToolError
    from medchain.tools.parse import read_answer, read_turn
    from tests.tools.tables import a_desk

DESK = a_desk()
VIEW = DESK.session.view(0)[0]


def one_input(data: bytes) -> None:
    """Read a text as a turn and as an answer, and build every call that comes of it."""
    text = atheris.FuzzedDataProvider(data).ConsumeUnicode(len(data))
    for answer in ("request", "disclose", "rule", "reply"):
        with suppress(ToolError):
            read_answer(text, answer)
    for call in read_turn(text):
        if isinstance(call, ToolError):
            continue
        with suppress(ToolError):
            DESK.registry.build(call, Phase.COORDINATE, VIEW)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
