"""`medchain study NAME`: padding against auditing, from exact small games to the full hospital."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Name = Annotated[str, typer.Argument(metavar="inspection|rationing", help="Which study.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Run folder; runs/study-NAME if left out.")]


def run(name: Name, out: Out = None) -> None:
    """Run a study and leave a folder with results.json, pictures and report.html."""
    from rich.console import Console
    from rich.table import Table

    from experiments.studies.checks import CHECKS, columns, run_check
    from experiments.tables import console
    from medchain.errors import UnknownNameError

    if name not in CHECKS:
        raise UnknownNameError("study", name, sorted(CHECKS))
    folder = out or Path("runs") / f"study-{name}"
    with Console(stderr=True).status("learning") as status:
        rows = run_check(name, folder, lambda what: status.update(f"learning: {what}"))
    header, cells = columns(rows)
    table = Table(*(h.replace("_", " ") for h in header))
    for row in cells:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    shown = console()
    shown.print(table)
    shown.print(f"{CHECKS[name][3]}\n{folder / 'report.html'}")
