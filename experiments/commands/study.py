"""`medchain study NAME`: padding against auditing, from exact small games to the full hospital."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

FULL = {"padding-vs-auditing": "padding_vs_auditing", "statics": "statics"}
"""Studies of the full game, and the config of each; `--quick` takes the one whose name ends so."""

Name = Annotated[
    str, typer.Argument(metavar="inspection|rationing|padding-vs-auditing|statics", help="Which study; see the README.")
]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Run folder; runs/study-NAME if left out.")]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE.yaml", help="Another config than the study's own.")]
Quick = Annotated[bool, typer.Option("--quick", help="The small version: some ten minutes on two cores.")]


def run(name: Name, config: Config = None, quick: Quick = False, out: Out = None) -> None:
    """Run a study and leave a folder with results.json, pictures and report.html. Run again to continue it."""
    from experiments.options import OptionError
    from experiments.studies.checks import CHECKS
    from medchain.errors import UnknownNameError

    if name in FULL:
        if quick and config is not None:
            raise OptionError("--quick: it names a config of its own; leave out --config, or --quick")
        chosen = config or Path(FULL[name] + ("_quick" if quick else ""))
        folder = out or Path("runs") / f"study-{name}{'-quick' if quick else ''}"
        _run_full(name, chosen, folder)
    elif name in CHECKS:
        if quick or config is not None:
            raise OptionError(
                f"study {name}: --config and --quick are of {', '.join(FULL)}; this one takes seconds as it is"
            )
        _run_check(name, out or Path("runs") / f"study-{name}")
    else:
        raise UnknownNameError("study", name, sorted([*CHECKS, *FULL]))


def _run_full(name: str, chosen: Path, folder: Path) -> None:
    from experiments.tables import console

    shown = console()
    tell = _teller()
    if name == "statics":
        from experiments.studies.config import StaticsConfig, load_study
        from experiments.studies.statics import run_statics, statics_table

        found: Any = run_statics(load_study(StaticsConfig, chosen), folder, tell)
        shown.print(statics_table(found))
    else:
        from experiments.studies.config import PaddingConfig, load_study
        from experiments.studies.padding import run_padding

        found = run_padding(load_study(PaddingConfig, chosen), folder, tell)
        for c in found["claims"]:
            shown.print(f"{c['claim']}: {c['value']:.3f} [{c['low']:.3f}, {c['high']:.3f}] - {c['verdict']}", markup=False)
    shown.print(str(folder / "report.html"))


def _teller() -> Any:
    """Says on stderr how far it is, with the minutes since it began."""
    import time

    start = time.monotonic()
    return lambda what: typer.echo(f"[{(time.monotonic() - start) / 60:5.1f} min] {what}", err=True)


def _run_check(name: str, folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    from experiments.studies.checks import CHECKS, columns, run_check
    from experiments.tables import console

    with Console(stderr=True).status("learning") as status:
        rows = run_check(name, folder, lambda what: status.update(f"learning: {what}"))
    header, cells = columns(rows)
    table = Table(*(h.replace("_", " ") for h in header))
    for row in cells:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    shown = console()
    shown.print(table)
    shown.print(f"{CHECKS[name][3]}\n{folder / 'report.html'}")
