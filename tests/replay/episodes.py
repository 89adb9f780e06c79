"""Recorded episodes for the tests of this folder: by a scripted coordinator, and by hostile random commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from medchain.core.session import Session
from medchain.env.replay_log import Recorder
from medchain.scenario import load_scenario
from tests.laws.chance import Chance
from tests.laws.commands import Habits, Writer

Lines = list[dict[str, Any]]


def record_randomly(path: Path, seed: int, most: int = 10**9) -> Session:
    """Record an episode of random commands, many of them nonsense; stop after `most`. Returns its session."""
    session = Session(load_scenario("medium"), seed)
    agents, command = session.scenario.agents, session.command()
    writer = Writer(session.params, Chance(seed), Habits(hostile=30, advance=6))
    recorder = Recorder(path)
    recorder.start(session, "medium")
    while not session.ended and most > 0:
        command[:] = np.zeros((), command.dtype)
        writer.write(command[0], session.record)
        agent = agents[session.pending().agent]
        session.submit(command)
        recorder.add(agent, command[0])
        most -= 1
    recorder.close()
    return session


def rewritten(path: Path, to: Path, change: Callable[[Lines], Any]) -> Path:
    """A copy of a replay whose lines (header, commands, footer) went through `change`."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    to.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return to
