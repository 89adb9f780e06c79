"""Keeps a training run going: a learner's or a node's death ends `train()`, so the run starts again from its checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.train import Trainer, last_checkpoint
from experiments.train_config import TrainConfig


def supervised(config: TrainConfig, out: Path, iterations: int, resume: bool, tell: Callable[[str], None]) -> dict[str, Any]:
    """Run an experiment to its end; after a death of Ray's actors go on from the last checkpoint, `run.restarts` times.

    Raises:
        RayError, LostError: it died more often than that.
    """
    import ray
    from ray.exceptions import RayError

    from experiments.rllib.lost import LostError

    trainer = Trainer(config, out, resume, tell)
    left = config.run.restarts
    try:
        while True:
            try:
                return trainer.run(iterations)
            except (RayError, LostError) as error:
                if left == 0:
                    raise
                left -= 1
                now = last_checkpoint(out)
                where = f"iteration {int(now.name)}" if now else "the beginning"
                tell(f"{type(error).__name__}: starting again from {where} ({left} restarts left)")
                trainer.stop()
    finally:
        trainer.stop()
        ray.shutdown()
