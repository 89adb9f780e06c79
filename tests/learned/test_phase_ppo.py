"""PPO on explicit keys: it learns, a resumed run and a run with a killed runner learn the same."""

import contextlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learned roles need medchain[train]")
ray = pytest.importorskip("ray", reason="learned roles need medchain[train]")

from experiments.rllib.phase_learning import PhaseTrainBatch  # noqa: E402
from experiments.rllib.phase_ppo import KEYS_DEALT_AGAIN, SCORE_MEAN, PhasePPOConfig  # noqa: E402
from experiments.rllib.phase_runner import PhaseEnvRunner  # noqa: E402
from tests.learned.setups import one_thread, ppo, start_ray  # noqa: E402


class DyingRunner(PhaseEnvRunner):
    """The first of them that is given a block dies in the middle of it, and no other."""

    def play(self, keys: Any) -> Any:
        if self.worker_index:
            with contextlib.suppress(FileExistsError):
                Path(self.config.env_config["mark"]).touch(exist_ok=False)  # one of two at once makes it, not both
                os._exit(1)
        return super().play(keys)


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Any:
    with start_ray(), one_thread():
        yield


def build(learners: tuple[str, ...] = ("coordinator",), runners: int = 0, runner: type = PhaseEnvRunner, **more: Any) -> Any:
    config = (
        ppo(learners, PhasePPOConfig(), **{"episodes": 12, "batch": 4, "first_key": 9_000_000} | more)
        .env_runners(env_runner_cls=runner, num_env_runners=runners, sample_timeout_s=600.0)
        .fault_tolerance(restart_failed_env_runners=True)
        .learners(
            learner_connector=lambda o, a: PhaseTrainBatch(o, a, gamma=1.0, lambda_=0.9),
            add_default_connectors_to_learner_pipeline=False,
        )
        .training(
            gamma=1.0,
            lr=[[0, 3e-3], [600, 1e-3]],
            num_epochs=2,
            minibatch_size=64,
            use_kl_loss=False,
            entropy_coeff=[[0, 0.01], [600, 0.0]],
        )
    )
    return config.build_algo()


def weights(algorithm: Any) -> dict[str, np.ndarray]:
    state = algorithm.learner_group.get_state()["learner"]["rl_module"]
    return {f"{module}.{name}": value for module, tensors in state.items() for name, value in tensors.items()}


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


def test_resumed_run_reaches_the_same(tmp_path: Path) -> None:
    """Three iterations, against one, a checkpoint, a new process's worth of objects, and two more: to the last bit."""
    straight = build()
    scores = [straight.train()[SCORE_MEAN] for _ in range(3)]
    assert len(set(scores)) == 3
    first = build()
    assert first.train()[SCORE_MEAN] == scores[0]
    first.save_to_path(tmp_path / "checkpoint")
    first.stop()
    torch.manual_seed(999)
    second = build()
    second.restore_from_path(tmp_path / "checkpoint")
    again = [second.train()[SCORE_MEAN] for _ in range(2)]
    assert again == scores[1:]
    assert same(weights(second), weights(straight))
    straight.stop()
    second.stop()


def test_killed_runner_loses_nothing(tmp_path: Path) -> None:
    """Its block is dealt again: after two iterations the run has learned what an undisturbed one has."""
    calm = build()
    wild = build(runners=2, runner=DyingRunner, mark=str(tmp_path / "died"))
    for number in range(2):
        told, expected = wild.train(), calm.train()
        assert told[SCORE_MEAN] == expected[SCORE_MEAN], number
    assert (tmp_path / "died").exists()
    assert told[KEYS_DEALT_AGAIN] == 4
    assert same(weights(wild), weights(calm))
    calm.stop()
    wild.stop()


def test_all_roles_learn_together() -> None:
    """Five agents, three modules: weights of each move, and stay finite."""
    algorithm = build(("coordinator", "ward_icu", "ward_er", "ward_general", "arbiter"), episodes=4)
    before = weights(algorithm)
    told = algorithm.train()
    after = weights(algorithm)
    assert set(told["learners"]) >= {"coordinator", "wards", "arbiter"}
    for module in ("coordinator", "wards", "arbiter"):
        moved = [k for k in after if k.startswith(module) and not np.array_equal(after[k], before[k])]
        assert moved, module
    assert all(np.isfinite(value).all() for value in after.values())
    algorithm.stop()
