"""Search the knobs of a coordinator for what the score pays for: the cross-entropy method (Rubinstein 1999).

`python -m experiments.search --generations 200 --population 100 --state search.json` searches `habits` for a high score;
with `--goal exploit` for a policy that beats `auditor` at the patients' cost; with `--coordinator auditor` in the auditor's
own neighbourhood. Each generation draws vectors from normals, plays
them on the same episodes, and moves the normals to the best fifth. A search that was stopped goes on from its state file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from experiments.options import OptionError, check_writable, parse_seeds, write_atomically
from medchain.core.params import new_params
from medchain.errors import MedChainError, UnknownNameError
from medchain.reward.batch import score_batch
from medchain.reward.formula import COMPONENTS, SCORE
from medchain.scenario import DIFFICULTIES, load_scenario
from policies.knobs import MODELS, load_knobs
from policies.scripted.batch import play
from policies.scripted.habits_vector import HABITS

ELITE = 0.2
"""Share of a generation that the next one is drawn around."""

STEP = 0.7
"""How far the normals move to the elite in one generation."""

FIRST_SPREAD, LEAST_SPREAD = 0.2, 0.01
"""Standard deviation of a fresh search, and what is added in each generation so that it does not freeze."""

SCALE = 3.0
"""A knob of another coordinator than `habits` is searched between 1/SCALE and SCALE times the value in its file."""

GOALS = ("score", "exploit")

CRITICAL = COMPONENTS.index("critical_service_level")

Vector = list[float]


class Worth(NamedTuple):
    """Mean score and mean critical service level of a coordinator over episodes."""

    score: float
    critical: float


class SearchError(MedChainError):
    """A state file cannot be read, or belongs to another search."""


@dataclass
class State:
    """A search between two generations: the normals, and the best vector of the last generation."""

    coordinator: str
    goal: str
    seed: int
    generation: int
    mean: Vector
    spread: Vector
    best: Vector
    best_score: float
    best_critical: float


def knobs_at(coordinator: str, vector: Sequence[float]) -> dict[str, float]:
    """The knobs of `coordinator` at a point of the unit cube.

    A knob of `habits` is its coordinate; one of any other is its file's value times SCALE^(2x - 1), within its bounds.
    """
    if coordinator == "habits":
        return dict(zip(HABITS, vector, strict=True))
    known, fields = load_knobs(coordinator), MODELS[coordinator].model_fields
    knobs = {}
    for (name, field), x in zip(fields.items(), vector, strict=True):
        value = float(known[name][0]) * SCALE ** (2.0 * x - 1.0)
        for bound in field.metadata:
            value = min(max(value, getattr(bound, "ge", value)), getattr(bound, "le", value))
        knobs[name] = round(value) if field.annotation is int else value
    return knobs


def known_point(coordinator: str) -> Vector:
    """The point of the unit cube where the knobs are those of the coordinator's file; a search starts there."""
    record = load_knobs(coordinator)
    if coordinator == "habits":
        return [float(record[name][0]) for name in HABITS]
    return [0.5] * len(MODELS[coordinator].model_fields)


def measure(coordinator: str, seeds: Sequence[int], vector: Sequence[float] | None = None) -> Worth:
    """Play `coordinator` on `seeds` of every difficulty, with the knobs at `vector`, or as its file says."""
    knobs = None if vector is None else knobs_at(coordinator, vector)
    found = []
    for name in DIFFICULTIES:
        scenario = load_scenario(name)
        found.append(score_batch(play(scenario, coordinator, seeds, knobs=knobs), new_params(scenario)))
    scores = np.concatenate(found)
    return Worth(float(scores[:, SCORE].mean()), float(scores[:, CRITICAL].mean()))


def start(coordinator: str = "habits", goal: str = "score", seed: int = 0) -> State:
    """A fresh search around the known knobs of a coordinator.

    Raises:
        UnknownNameError: it has no knobs.
    """
    if coordinator not in MODELS:
        raise UnknownNameError("coordinator with knobs", coordinator, sorted(MODELS))
    mean = known_point(coordinator)
    return State(coordinator, goal, seed, 0, mean, [FIRST_SPREAD] * len(mean), mean, 0.0, 0.0)


def gain(worth: Worth, honest: Worth, goal: str) -> float:
    """What the search maximises: the score, or how far a policy beats `honest` while it fails more patients than that."""
    if goal == "score":
        return worth.score
    return min(worth.score - honest.score, honest.critical - worth.critical)


def next_generation(
    state: State, population: int, seeds: Sequence[int], honest: Worth, progress: Callable[[], None] = lambda: None
) -> State:
    """One generation: the new state. The draw depends on the search's seed and the generation's number alone."""
    rng = np.random.default_rng([state.seed, state.generation])
    draws = rng.standard_normal((population, len(state.mean)))
    vectors = np.clip(np.array(state.mean) + np.array(state.spread) * draws, 0.0, 1.0)
    vectors[0] = state.mean
    worths = []
    for vector in vectors:
        worths.append(measure(state.coordinator, seeds, vector.tolist()))
        progress()
    order = np.argsort([-gain(worth, honest, state.goal) for worth in worths], kind="stable")
    elite = vectors[order[: max(2, int(ELITE * population))]]
    mean = (1.0 - STEP) * np.array(state.mean) + STEP * elite.mean(axis=0)
    spread = (1.0 - STEP) * np.array(state.spread) + STEP * elite.std(axis=0) + LEAST_SPREAD
    best, worth = vectors[order[0]].tolist(), worths[order[0]]
    return State(
        state.coordinator, state.goal, state.seed, state.generation + 1, mean.tolist(), spread.tolist(), best, *worth
    )


def load_state(path: Path, coordinator: str, goal: str, seed: int) -> State:
    """The state in `path`, or a fresh one where there is no such file.

    Raises:
        SearchError: the file is not such a state, or of another search.
        UnknownNameError: as `start`.
    """
    fresh = start(coordinator, goal, seed)
    if not path.exists():
        return fresh
    try:
        state = State(**loads(path.read_text(encoding="utf-8")))
        right = all(len(v) == len(fresh.mean) for v in (state.mean, state.spread, state.best))
    except (OSError, JSONDecodeError, UnicodeDecodeError, TypeError) as error:
        raise SearchError(f"{path}: expected the state of a search, cannot read it ({error}); choose another file") from None
    if (state.coordinator, state.goal, state.seed) != (coordinator, goal, seed):
        was = f"--coordinator {state.coordinator} --goal {state.goal} --seed {state.seed}"
        raise SearchError(f"{path}: belongs to a search with {was}; go on with these, or choose another file")
    if not right:
        raise SearchError(f"{path}: its vectors have not the {len(fresh.mean)} knobs there are now; choose another file")
    return state


def run(
    generations: Annotated[int, typer.Option(min=1, help="Generations to add.")] = 2,
    population: Annotated[int, typer.Option(min=5, max=100_000, help="Vectors in a generation.")] = 40,
    seeds: Annotated[str, typer.Option(metavar="A-B[,C,…]", help="Seeds to search on.")] = "0-49",
    check: Annotated[str, typer.Option(metavar="A-B[,C,…]", help="Seeds to check on.")] = "50-59",
    coordinator: Annotated[str, typer.Option(help="Whose knobs to search: habits, or auditor and the like.")] = "habits",
    goal: Annotated[str, typer.Option(help="score, or exploit: beat `auditor` and fail its patients.")] = "score",
    seed: Annotated[int, typer.Option(min=0, help="Of the search itself.")] = 0,
    state: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the search here, go on if it is there.")] = None,
) -> None:
    """Search the knobs, then print what was found beside `auditor`."""
    if goal not in GOALS:
        raise OptionError(f"--goal: expected {' or '.join(GOALS)}, got {goal!r}")
    if state is not None:
        check_writable("--state", state)
    found = load_state(state, coordinator, goal, seed) if state is not None else start(coordinator, goal, seed)
    numbers, held_out = parse_seeds("--seeds", seeds), parse_seeds("--check", check)
    honest = measure("auditor", numbers)
    with _progress(generations * population) as bar:
        for _ in range(generations):
            found = next_generation(found, population, numbers, honest, lambda: bar.advance(bar.task_ids[0]))
            bar.update(bar.task_ids[0], description=f"score {found.best_score:.4f}, critical {found.best_critical:.3f}")
            if state is not None:
                write_atomically(state, dumps(asdict(found)) + "\n")
    _print(found, {seeds: numbers, check: held_out})


def _progress(total: int) -> Any:
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    err = Console(stderr=True)
    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
    bar.add_task("searching", total=total)
    return bar


def _print(state: State, seeds: dict[str, list[int]]) -> None:
    from rich.console import Console
    from rich.table import Table

    out = Console()
    out.print(f"generation {state.generation}: the mean vector, goal {state.goal}")
    for name, value in knobs_at(state.coordinator, state.mean).items():
        out.print(f"  {name}: {value:.4g}", highlight=False)
    table = Table("seeds", "coordinator", "score", "critical service")
    for label, numbers in seeds.items():
        for name, vector in (("auditor", None), (f"found: {state.coordinator}", state.mean)):
            worth = measure(name.removeprefix("found: "), numbers, vector)
            table.add_row(label, name, f"{worth.score:.4f}", f"{worth.critical:.4f}")
    out.print(table)


def main() -> None:
    """Run from the command line; exits 2 on wrong input."""
    try:
        typer.run(run)
    except MedChainError as error:
        typer.echo(f"experiments.search: {error}", err=True)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
