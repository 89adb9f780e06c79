"""`medchain play`: a person as coordinator, in the terminal or through a pipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Seed = Annotated[int, typer.Option("--seed", metavar="N", help="World to play in.")]
Difficulty = Annotated[str, typer.Option("--difficulty", metavar="NAME", help="light, medium, heavy, or a scenario file.")]
Record = Annotated[Path | None, typer.Option("--record", metavar="FILE", help="Leave a replay here (.jsonl).")]


def run(seed: Seed = 0, difficulty: Difficulty = "medium", record: Record = None) -> None:
    """Play an episode yourself: tool calls line by line, as `tool value name=value ...` or as JSON."""
    import sys
    import textwrap

    from experiments.options import OptionError, check_writable
    from experiments.seat.help import WELCOME, WIDTH, install_completion
    from experiments.seat.play import Seat, converse
    from experiments.story.told import score_lines
    from experiments.tables import console
    from medchain.env.replay_log import Recorder
    from medchain.reward.formula import breakdown
    from medchain.scenario import load_scenario

    scenario, recorder = load_scenario(difficulty), None
    if record is not None:
        if record.suffix != ".jsonl":
            raise OptionError(f"--record: expected a file name that ends in .jsonl, got {record}")
        check_writable("--record", record)
        agents = scenario.agents
        recorder = Recorder(record, {agents[0]: "a person", **dict.fromkeys(agents[1:], "scripted")})
    seat = Seat(scenario, seed, Path(difficulty).stem, recorder)
    typed = sys.stdin.isatty()
    if typed:
        install_completion(seat.desk.registry.names)
    typer.echo(textwrap.fill(WELCOME, WIDTH) + "\n")
    try:
        converse(seat, _asks if typed else _pipes, typer.echo)
    finally:
        if recorder is not None:
            recorder.close()
            typer.echo(f"\nReplay: {record}")
    if seat.session.ended:
        console().print(score_lines(breakdown(seat.session.record, seat.session.params[0])))
    else:
        typer.echo("\nStopped before the end: no score.")


def _asks(prompt: str) -> str:
    return input(prompt)


def _pipes(prompt: str) -> str:
    """A line of a script, shown as if it had been typed."""
    import sys

    line = sys.stdin.readline()
    if not line:
        raise EOFError
    typer.echo(f"{prompt}{line.rstrip()}")
    return line
