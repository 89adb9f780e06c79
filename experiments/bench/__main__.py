"""`python -m experiments.bench`: measure the rows, print a table, write JSON.

To add a row, write a module here with `measure(repeats) -> list[Line]` and add its name to ROWS.
"""

from __future__ import annotations

import json
import os
import platform
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from experiments.bench.row import Line
from experiments.options import parse_names, write_atomically
from medchain.errors import MedChainError, UnknownNameError

ROWS = ("aec", "session", "batch", "scaling", "imports", "rllib", "llm")
DEFAULT_FILE = Path("runs/bench.json")

Only = Annotated[str, typer.Option("--only", metavar="ROW[,ROW]", help=f"all, or some of: {', '.join(ROWS)}.")]
Repeats = Annotated[int, typer.Option("--repeats", min=5, help="Measurements of each figure; the median counts.")]
Json = Annotated[Path, typer.Option("--json", metavar="FILE", help="Where the figures are written.")]


def run(only: Only = "all", repeats: Repeats = 5, json_file: Json = DEFAULT_FILE) -> None:
    """Measure every figure beside its yardstick, in one run."""
    try:
        names = list(ROWS) if only == "all" else parse_names("--only", only)
        for name in names:
            if name not in ROWS:
                raise UnknownNameError("row", name, list(ROWS))
    except MedChainError as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    found: dict[str, list[Line]] = {}
    for name in names:
        typer.echo(f"measuring {name} ...", err=True)
        found[name] = import_module(f"experiments.bench.{name}").measure(repeats)
    _print_table(found)
    json_file.parent.mkdir(parents=True, exist_ok=True)
    rows = {name: [line._asdict() for line in lines] for name, lines in found.items()}
    write_atomically(json_file, json.dumps({"machine": machine(), "repeats": repeats, "rows": rows}, indent=1) + "\n")
    typer.echo(f"written: {json_file}")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    import numba
    import numpy as np

    return {
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


def figure(value: float) -> str:
    """Whole numbers from 1,000 on, three digits below."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _print_table(found: dict[str, list[Line]]) -> None:
    from experiments.tables import console, plain_table

    table = plain_table("Seconds of processor time; medians, measured in turn")
    for column in ("row", "what", "figure", "beside", "its figure", "ratio", "to reach", "reached"):
        table.add_column(column, justify="right" if column in ("figure", "its figure", "ratio") else "left")
    for name, lines in found.items():
        for i, line in enumerate(lines):
            verdict = {True: "yes", False: "NO", None: ""}[line.reached]
            theirs = "" if line.yardstick_value is None else figure(line.yardstick_value)
            ratio = "" if line.ratio is None else f"{line.ratio:.2f}"
            ours = f"{figure(line.value)} {line.unit}"
            table.add_row(name if i == 0 else "", line.what, ours, line.yardstick, theirs, ratio, line.reach, verdict)
    console().print(table)


if __name__ == "__main__":
    typer.run(run)
