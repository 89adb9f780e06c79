"""Trials side by side, by Ray Tune: on this machine or on a cluster, whose nodes share the study's folder.

A trial that has finished in its folder is not run again; one that was interrupted starts afresh and comes to the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.studies.trial import Trial, finished, run_trial
from experiments.train_config import ScalePart
from medchain.errors import MedChainError

Tell = Callable[[str], None]
TRIALS = "trials"


class StudyError(MedChainError):
    """A trial of a study has failed; says which, and where its log is."""


def run_trials(trials: Sequence[Trial], out: Path, scale: ScalePart, tell: Tell) -> dict[str, dict[str, Any]]:
    """Run those of `trials` that have not finished in out/trials/NAME; results of all, by name.

    Raises:
        StudyError: a trial failed; the others have been run.
        KeyboardInterrupt: Ctrl-C; what had finished is kept.
    """
    done = {t.name: finished(t, out / TRIALS / t.name) for t in trials}
    missing = [t for t in trials if done[t.name] is None]
    tell(f"{len(trials) - len(missing)} of {len(trials)} trials are there already, {len(missing)} to run")
    if missing:
        _tune(missing, out, scale, tell)
    results = {}
    for t in trials:
        result = finished(t, out / TRIALS / t.name)
        if result is None:
            raise StudyError(f"trial {t.name} has failed; Ray Tune's log of it is in {out / 'tune'}; run again to retry")
        results[t.name] = result
    return results


def _tune(missing: Sequence[Trial], out: Path, scale: ScalePart, tell: Tell) -> None:
    os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")  # Tune's new output cannot be silenced
    import ray
    from ray import tune

    from experiments.train import start_ray

    if not ray.is_initialized():
        start_ray(scale)
    by_name = {t.name: t for t in missing}
    work = tune.with_parameters(_work, trials=by_name, folder=str((out / TRIALS).absolute()))
    tuner = tune.Tuner(
        tune.with_resources(work, {"cpu": scale.threads}),
        param_space={"trial": tune.grid_search(list(by_name))},
        tune_config=tune.TuneConfig(reuse_actors=True, trial_dirname_creator=lambda t: f"{t.trial_id}"),
        run_config=tune.RunConfig(
            name="tune", storage_path=str(out.absolute()), verbose=0, callbacks=[_progress(len(missing), tell)]
        ),
    )
    interrupted = _quietly(tuner.fit)
    if interrupted:
        raise KeyboardInterrupt


def _quietly(fit: Callable[[], Any]) -> bool:
    """Run it; whether Ctrl-C ended it (Tune hears it, and gives back what there is)."""
    try:
        results = fit()
    except KeyboardInterrupt:
        return True
    return any(not r.error and not (r.metrics or {}).get("done_here") for r in results)


def _work(config: dict[str, Any], trials: dict[str, Trial], folder: str) -> None:
    """One trial, in a process of Ray's."""
    from ray import tune

    trial = trials[config["trial"]]
    run_trial(trial, Path(folder) / trial.name)
    tune.report({"done_here": 1})


def _progress(count: int, tell: Tell) -> Any:
    """A callback that tells when a trial is over."""
    from ray.tune import Callback

    class Progress(Callback):
        over = 0

        def on_trial_complete(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:
            self.over += 1
            tell(f"{self.over}/{count}  {trial.config['trial']}")

        def on_trial_error(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:
            self.over += 1
            tell(f"{self.over}/{count}  {trial.config['trial']}: FAILED")

    return Progress()
