"""One trial: sides that learn, stage after stage, against others that do not; it leaves one folder.

The folder holds trial.json (everything that decides its outcome), scenario.yaml, versions.json, metrics.jsonl (a row per
iteration), policies/SIDE-K.ROLE.pt (K = 0 as it began, then after each stage in which the side learned) and, at the end,
result.json. The same trial.json gives the same result.json.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field

from experiments.run_folder import plain, versions, write_json
from experiments.studies.games import Part
from experiments.studies.metrics import facts
from experiments.studies.players import FILE, ROLES, digest, play_cast
from medchain.scenario import Scenario

OWN = "own:"
"""Before the number of one of the trial's own snapshots of that side."""


class Learner(Part):
    """How a side learns: its network and its PPO; pairs are the values at the first and the last iteration."""

    net: str
    hidden: int = Field(ge=4)
    prefer: dict[str, list[float]]
    reward: str  # the coordinator's, one of medchain/env/vector.py's REWARDS; the others' is what the rules say
    episodes: int = Field(ge=1)
    minibatch: int = Field(ge=1)
    epochs: int = Field(ge=1)
    learning_rate: tuple[float, float]
    entropy: tuple[float, float]
    lambda_: float = Field(alias="lambda", ge=0, le=1)
    clip: float = Field(gt=0)
    grad_clip: float = Field(gt=0)


class Stage(Part):
    """Who learns, against whom (one cast or more, episode by episode in turn), and for how long."""

    learns: list[str] = Field(min_length=1)
    casts: list[dict[str, str]] = Field(min_length=1)
    iterations: int = Field(ge=1)


class Trial(Part):
    """A trial. `scenario` is the whole of it; `evaluate` names the casts that are played at the end."""

    name: str
    scenario: dict[str, Any]
    wards: list[str]
    seed: int
    learners: dict[str, Learner]
    stages: list[Stage]
    evaluate: dict[str, dict[str, str]]
    first_key: int
    evaluation_seeds: tuple[int, int]  # the first, and how many
    threads: int = 1

    def sides(self) -> list[str]:
        """Sides that learn at some time."""
        return [side for side in ROLES if any(side in stage.learns for stage in self.stages)]


def identity(trial: Trial) -> str:
    """SHA-256 of all that decides a trial's outcome, weights of frozen files included; hex."""
    words = {word for cast in _all_casts(trial) for word in cast.values() if word.startswith(FILE)}
    weights = {word: digest(Path(word.removeprefix(FILE))) for word in words}
    content = trial.model_dump(mode="json", by_alias=True, exclude={"name", "threads"})
    text = json.dumps([_without_paths(content, weights), versions()["medchain"]], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_paths(content: Any, weights: dict[str, str]) -> Any:
    """The weights themselves in the place of where they lie."""
    if isinstance(content, dict):
        return {key: _without_paths(value, weights) for key, value in content.items()}
    if isinstance(content, list):
        return [_without_paths(value, weights) for value in content]
    return weights.get(content, content) if isinstance(content, str) else content


def _all_casts(trial: Trial) -> list[dict[str, str]]:
    return [cast for stage in trial.stages for cast in stage.casts] + list(trial.evaluate.values())


def finished(trial: Trial, folder: Path) -> dict[str, Any] | None:
    """The result of the trial in `folder`, or None if there is none, or one of another trial."""
    try:
        result: dict[str, Any] = json.loads((folder / "result.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    kept = all(Path(folder / path).is_file() for path in result.get("policies", []))
    return result if result.get("identity") == identity(trial) and kept else None


def run_trial(trial: Trial, folder: Path) -> dict[str, Any]:
    """Run a trial from its beginning; what an interrupted one left in `folder` is removed."""
    from experiments.studies.learning import Sides, learn_stage

    start, cpu = time.perf_counter(), time.process_time()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "policies").mkdir(parents=True)
    write_json(folder / "trial.json", trial.model_dump(mode="json", by_alias=True))
    write_json(folder / "versions.json", versions())
    (folder / "scenario.yaml").write_text(yaml.safe_dump(trial.scenario, sort_keys=False), encoding="utf-8")
    before = _frozen(trial)
    sides = Sides(trial, folder)
    for number in range(len(trial.stages)):
        learn_stage(sides, number)
    if _frozen(trial) != before:
        raise RuntimeError(f"{folder}: the weights of a frozen opponent have changed while others learned")
    result = {
        "name": trial.name,
        "seed": trial.seed,
        "identity": identity(trial),
        "frozen": before,
        "policies": [str(path.relative_to(folder)) for paths in sides.snapshots.values() for path in paths],
        "evaluations": {name: _evaluate(trial, sides, cast) for name, cast in trial.evaluate.items()},
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
    }
    result = plain(result)
    write_json(folder / "result.json", result)
    return result


def _frozen(trial: Trial) -> dict[str, str]:
    files = {word for cast in _all_casts(trial) for word in cast.values() if word.startswith(FILE)}
    return {word: digest(Path(word.removeprefix(FILE))) for word in sorted(files)}


def _evaluate(trial: Trial, sides: Any, cast: dict[str, str]) -> dict[str, Any]:
    """Facts of a cast, the trial's sides as they are at the end, and each episode's score and reward of the wards."""
    scenario = Scenario.model_validate(trial.scenario)
    first, count = trial.evaluation_seeds
    counts = play_cast(scenario, trial.wards, sides.frozen(cast), range(first, first + count))
    columns = [list(scenario.wards).index(ward) for ward in trial.wards]
    studied = {f"studied/{name}": value for name, value in counts.rates(columns).items()}
    return {
        "cast": cast,
        "facts": facts(counts, list(scenario.wards)) | studied,
        "scores": counts.score.tolist(),
        "rewards": counts.reward[:, columns].mean(1).tolist(),
    }
