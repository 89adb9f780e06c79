"""`medchain train`: an experiment, from its file to a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Config = Annotated[Path, typer.Argument(metavar="CONFIG.yaml", help="An experiment's file; configs/experiment has some.")]
Iterations = Annotated[int | None, typer.Option("--iterations", min=0, help="In all; the file's if left out.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the run in --out from its last checkpoint.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Run folder; runs/NAME if left out.")]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Of the training; the file's if left out.")]


def run(config: Config, iterations: Iterations = None, resume: Resume = False, out: Out = None, seed: Seed = None) -> None:
    """Train language models or phase-level networks in the hospital by RLlib on Ray; report before against after."""
    from experiments.train_config import load_train_config

    if _at_phase_level(config):
        return _train_phase(config, iterations, resume, out, seed)
    experiment = seeded(load_train_config(config), seed)
    from experiments.hush import hush

    hush()
    from experiments.supervise import supervised

    folder = out or Path("runs") / experiment.name
    count = experiment.run.iterations if iterations is None else iterations
    results = supervised(experiment, folder, count, resume, typer.echo)
    from experiments.tables import console
    from experiments.train_report import results_table, verdict

    console().print(results_table(experiment, folder, results))
    typer.echo(f"{verdict(results)}\nreport: {folder / 'report.html'}")


def seeded(experiment: Any, seed: int | None) -> Any:
    """The experiment with another training seed, if one is given."""
    if seed is None:
        return experiment
    return experiment.model_copy(update={"run": experiment.run.model_copy(update={"seed": seed})})


def _at_phase_level(config: Path) -> bool:
    from experiments.rllib.phase_config import is_phase_file

    return is_phase_file(config)


def _train_phase(config: Path, iterations: int | None, resume: bool, out: Path | None, seed: int | None) -> None:
    """PPO of learned roles, from an experiment with a section `ppo`."""
    from experiments.rllib.phase_config import load_phase_config

    experiment = seeded(load_phase_config(config), seed)
    from experiments.hush import hush

    hush()
    from experiments.rllib.phase_report import results_table
    from experiments.rllib.phase_train import train
    from experiments.tables import console

    folder = out or Path("runs") / experiment.name
    count = experiment.run.iterations if iterations is None else iterations
    results = train(experiment, folder, count, resume, typer.echo)
    console().print(results_table(experiment, results))
    typer.echo(f"results: {folder / 'results.json'}, curves: {folder / 'curves.png'}")
