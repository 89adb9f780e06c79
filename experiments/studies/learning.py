"""A stage of a trial: RLlib's PPO on the batched runner, from the sides' last snapshots to their next ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.run_folder import plain
from experiments.studies.metrics import facts
from experiments.studies.players import FILE, ROLES, roles
from experiments.studies.trial import OWN, Learner, Stage, Trial
from medchain.scenario import Scenario

KEYS_OF_A_SEED = 10_000_000
"""Training keys of one seed never meet those of another."""


class Sides:
    """The learning sides of a trial: their snapshots so far, each a file of its own."""

    def __init__(self, trial: Trial, folder: Path) -> None:
        """Make every side's first network and save it as snapshot 0."""
        import torch

        from policies.learned.layout import layout
        from policies.learned.nets import new_net

        self.trial, self.folder = trial, folder
        self.scenario = Scenario.model_validate(trial.scenario)
        self.snapshots: dict[str, list[Path]] = {side: [] for side in trial.sides()}
        self.iterations = 0
        for number, side in enumerate(self.snapshots):
            how = trial.learners[side]
            torch.manual_seed(1000 * trial.seed + number)
            self.keep(side, new_net(layout(ROLES[side], self.scenario.sizes), how.net, how.hidden, how.prefer))

    def keep(self, side: str, net: Any) -> None:
        """Save a copy of a side's network as its next snapshot."""
        from policies.learned.checkpoint import save_net

        how, paths = self.trial.learners[side], self.snapshots[side]
        path = self.folder / "policies" / f"{side}-{len(paths):02d}.{ROLES[side]}.pt"
        save_net(path, net, how.net, how.hidden)
        paths.append(path)

    def frozen(self, cast: dict[str, str], latest: tuple[str, ...] | None = None) -> dict[str, str]:
        """The cast with files for own snapshots, and the last snapshots of the sides in `latest` (all if left out)."""
        named = {}
        for side, word in cast.items():
            own = word.startswith(OWN)
            named[side] = FILE + str(self.snapshots[side][int(word.removeprefix(OWN))].absolute()) if own else word
        more = [side for side in (self.snapshots if latest is None else latest) if side not in named]
        return named | {side: FILE + str(self.snapshots[side][-1].absolute()) for side in more}


def learn_stage(sides: Sides, number: int) -> None:
    """Run stage `number` and save a snapshot of every side that learned."""
    import torch

    trial, stage = sides.trial, sides.trial.stages[number]
    torch.set_num_threads(trial.threads)
    config = stage_config(sides, stage)
    algorithm = _algorithm(sides, stage, config)
    try:
        _load(algorithm, sides, stage)
        runner = algorithm.env_runner_group.local_env_runner
        with (sides.folder / "metrics.jsonl").open("a", encoding="utf-8") as lines:
            for _ in range(stage.iterations):
                told = algorithm.train()
                sides.iterations += 1
                row = {"iteration": sides.iterations, "stage": number} | _played(runner, sides, stage)
                row |= {f"{side}/entropy": float(told["learners"][side]["entropy"]) for side in stage.learns}
                lines.write(json.dumps(plain(row)) + "\n")
        for side in stage.learns:
            sides.keep(side, _net(algorithm, sides, side))
    finally:
        algorithm.stop()


def stage_config(sides: Sides, stage: Stage) -> Any:
    """The stage as an experiment of `medchain train`, rates as of where the trial stands."""
    from experiments.rllib.phase_config import PhaseConfig

    trial, done = sides.trial, sides.iterations
    first = trial.learners[stage.learns[0]]
    total = max(1, sum(s.iterations for s in trial.stages) - 1)
    agents = roles(sides.scenario, trial.wards, stage.learns, sides.frozen(stage.casts[0], ()))

    def ends(pair: tuple[float, float]) -> list[float]:
        at = [min(1.0, t / total) for t in (done, done + stage.iterations - 1)]
        return [pair[0] + (pair[1] - pair[0]) * t for t in at]

    ppo = first.model_dump(by_alias=True, include={"minibatch", "epochs", "lambda_", "clip", "grad_clip", "episodes"})
    ppo |= {"learning_rate": ends(first.learning_rate), "entropy": ends(first.entropy)}
    key = trial.first_key + trial.seed * KEYS_OF_A_SEED + done * first.episodes
    return PhaseConfig.model_validate(
        {
            "name": trial.name,
            "difficulty": str(sides.folder / "scenario.yaml"),
            "agents": agents,
            "train": [name for name, role in agents.items() if role["role"] == "learned"],
            "modules": {side: _module(trial.learners[side]) for side in stage.learns},
            "ppo": ppo | {"reward": first.reward, "batch": first.episodes, "first_key": key},
            "scale": {"threads": trial.threads},
            "evaluation": {"seeds": [], "difficulties": []},
            "run": {"iterations": stage.iterations, "checkpoint_every": stage.iterations, "seed": trial.seed},
        }
    )


def _module(how: Learner) -> dict[str, Any]:
    return {"net": how.net, "hidden": how.hidden, "prefer": how.prefer}


def _algorithm(sides: Sides, stage: Stage, config: Any) -> Any:
    from experiments.rllib.phase_build import algorithm_config
    from experiments.rllib.phase_casts import CastRunner

    casts = [roles(sides.scenario, sides.trial.wards, stage.learns, sides.frozen(cast, ())) for cast in stage.casts]
    built = algorithm_config(config)
    built.environment(env_config={**built.env_config, "casts": casts})
    return built.env_runners(env_runner_cls=CastRunner).build_algo()


def _load(algorithm: Any, sides: Sides, stage: Stage) -> None:
    """Begin with the last snapshots."""
    from policies.learned.checkpoint import load_net

    states = {}
    for side in stage.learns:
        net = load_net(sides.snapshots[side][-1], sides.scenario.sizes)
        states[side] = {f"net.{name}": tensor.numpy().copy() for name, tensor in net.state_dict().items()}
    algorithm.learner_group.set_weights(states)
    algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=algorithm.learner_group, inference_only=True)


def _net(algorithm: Any, sides: Sides, side: str) -> Any:
    """A copy of a side's network as it is now."""
    import torch

    from policies.learned.layout import layout
    from policies.learned.nets import new_net

    how = sides.trial.learners[side]
    state = algorithm.learner_group.get_state()["learner"]["rl_module"][side]
    net = new_net(layout(ROLES[side], sides.scenario.sizes), how.net, how.hidden)
    net.load_state_dict({name.removeprefix("net."): torch.from_numpy(v.copy()) for name, v in state.items()})
    return net.eval()


def _played(runner: Any, sides: Sides, stage: Stage) -> dict[str, float]:
    """What the iteration's episodes held: means over casts and, if there are several, each by its number."""
    names = list(sides.scenario.wards)
    columns = [names.index(ward) for ward in sides.trial.wards]
    rows = []
    for blocks in runner.take_counts():
        told = [facts(c, names) | {f"studied/{k}": v for k, v in c.rates(columns).items()} for c in blocks]
        rows.append({key: sum(t[key] for t in told) / len(told) for key in told[0]})
    mean = {key: sum(row[key] for row in rows) / len(rows) for key in rows[0]}
    if len(rows) > 1:
        mean |= {f"cast{i}/{key}": value for i, row in enumerate(rows) for key, value in row.items()}
    return mean
