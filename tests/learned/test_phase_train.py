"""Experiments at phase level: what their files may say, and a run from its file to its folder, interrupted and resumed."""

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("torch", reason="learned roles need medchain[train]")
ray = pytest.importorskip("ray", reason="learned roles need medchain[train]")

from experiments.players import player  # noqa: E402
from experiments.recording import record_episodes  # noqa: E402
from experiments.rllib import phase_train  # noqa: E402
from experiments.rllib.phase_config import is_phase_file, load_phase_config, resolved  # noqa: E402
from experiments.rllib.phase_report import results_table  # noqa: E402
from experiments.train_config import CONFIGS  # noqa: E402
from medchain.env.replay import Replay  # noqa: E402
from medchain.errors import ConfigError, MedChainError  # noqa: E402
from medchain.scenario import load_scenario  # noqa: E402
from tests.learned.setups import one_thread, start_ray  # noqa: E402

SHIPPED = ["coordinator_ppo", "wards_ppo"]


def small(name: str, path: Path, **ppo: Any) -> Path:
    """A shipped experiment, cut down to seconds."""
    data = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text("utf-8"))
    data["ppo"] |= {"episodes": 8, "batch": 4, "minibatch": 32, "epochs": 1, **ppo}
    data["run"] |= {"iterations": 3, "checkpoint_every": 10}
    data["evaluation"] |= {"seeds": [50, 51], "against": data["evaluation"]["against"][:2]}
    for module in data["modules"].values():
        module["hidden"] = 8
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_experiments_load(name: str) -> None:
    config = load_phase_config(Path(name))
    assert config.name == name
    assert is_phase_file(CONFIGS / f"{name}.yaml")
    assert config.evaluation.seeds == list(range(50, 60))
    again = type(config).model_validate(resolved(config))
    assert resolved(again) == resolved(config)


WRONG = {
    "ppo.reward": ("dense", "x.yaml: unknown reward mode 'dense'"),
    "ppo.learning_rate": (["fast", 1], "ppo.learning_rate"),
    "ppo.minibatch": (10**6, "an iteration has 128 decisions of a module"),
    "ppo.horizon": (3, "ppo.horizon"),
    "ppo.first_key": (45, "evaluation.seeds: 50 is among the training keys 45"),
    "train": (["ward_icu"], r"train: expected the learned agents \(coordinator\), got ward_icu"),
    "agents.arbiter": ({"role": "learned"}, r"train: expected the learned agents \(arbiter, coordinator\)"),
    "agents.ward_er": ({"role": "pirate"}, "agents.ward_er.role"),
    "modules": ({}, "modules: expected coordinator; got"),
    "modules.coordinator.net": ("deep", "unknown network 'deep'"),
    "modules.coordinator.prefer": ({"level": [1, 2]}, "expected 14 weights above 0"),
    "evaluation.against": (["zero", "nobody"], r"evaluation.against.1: unknown coordinator 'nobody'"),
    "evaluation.seeds": ([], "evaluation.seeds"),
    "evaluation.difficulties": ([], "evaluation.difficulties"),
    "ppo.entropy": ([-1, 0], "ppo.entropy"),
    "ppo.clip": (float("inf"), "finite"),
    "agents.ward_icu": ({"role": "checkpoint", "path": "nowhere"}, "x.yaml: agents: checkpoint nowhere"),
    "scale.num_gpus_per_learner": (64, "asks for 64 GPUs"),
    "difficulty": ("impossible", "impossible"),
}


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_file_is_refused_by_key(key: str, tmp_path: Path) -> None:
    path = small("coordinator_ppo", tmp_path / "x.yaml")
    data = yaml.safe_load(path.read_text("utf-8"))
    *parents, last = key.split(".")
    part = data
    for parent in parents:
        part = part[parent]
    part[last], message = WRONG[key]
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(MedChainError, match=message):
        load_phase_config(path)


@pytest.fixture(scope="module")
def cluster() -> Any:
    with start_ray(), one_thread():
        yield


@pytest.fixture
def trainer(cluster: Any, tmp_path: Path) -> Any:
    """Makes trainers in one process: Ray stays up between them."""
    made: list[phase_train.PhaseTrainer] = []

    def make(path: Path, out: str, resume: bool = False) -> phase_train.PhaseTrainer:
        made.append(phase_train.PhaseTrainer(load_phase_config(path), tmp_path / out, resume, told.append))
        return made[-1]

    told: list[str] = []
    make.told = told  # type: ignore[attr-defined]
    yield make
    for one in made:
        one.stop()


def lines(folder: Path) -> list[dict[str, Any]]:
    """Metrics without what the clock says."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines()]
    return [
        {k: v for k, v in row.items() if "timer" not in k and "seconds" not in k and "throughput" not in k} for row in rows
    ]


def test_interrupted_and_resumed_run_equals_a_straight_one(trainer: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """Ctrl-C during the second iteration, then --resume: the same metrics, files and table."""
    path = small("coordinator_ppo", tmp_path / "x.yaml")
    straight = trainer(path, "straight").run(3)
    cut = trainer(path, "cut")
    train = cut._iterate

    def interrupted(done: int) -> Any:
        if done == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return train(done)

    monkeypatch.setattr(cut, "_iterate", interrupted)
    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(KeyboardInterrupt):
        cut.run(3)
    assert len(lines(tmp_path / "cut")) == 2
    resumed = trainer(path, "cut", resume=True).run(3)
    assert lines(tmp_path / "cut") == lines(tmp_path / "straight")
    assert resumed["rows"] == straight["rows"]
    assert any("interrupted: iteration 2 is saved" in line for line in trainer.told)
    for name in ("config.json", "versions.json", "curves.png", "results.json", "before.json", "after.json"):
        assert (tmp_path / "cut" / name).is_file()
    assert results_table(load_phase_config(path), resumed).row_count == 4
    records = player(f"learned:{tmp_path / 'cut'}")(load_scenario(), [50, 51])
    scores = [score for _, _, score in resumed["rows"]["learned, after"]["episodes"]]
    from medchain.core.params import new_params
    from medchain.reward.formula import breakdown

    assert [breakdown(r, new_params(load_scenario())[0])["score"] for r in records] == scores
    recorded, _ = record_episodes(f"learned:{tmp_path / 'cut'}", "medium", [50, 51], tmp_path)
    assert [r.tobytes() for r in recorded] == [r.tobytes() for r in records]
    files = sorted(tmp_path.glob("learned*.jsonl"))
    assert [Replay(file).verify().record.tobytes() for file in files] == [r.tobytes() for r in records]


@pytest.mark.parametrize(
    ("name", "said"), [("nice", "unknown persona 'nice'"), ("pads x", "expected a number"), ("pads", "takes a factor")]
)
def test_wards_are_not_set_beside_nobody(name: str, said: str, tmp_path: Path) -> None:
    path = small("wards_ppo", tmp_path / "x.yaml")
    data = yaml.safe_load(path.read_text("utf-8"))
    data["evaluation"]["against"] = ["scripted", name]
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(MedChainError, match=f"evaluation.against.1: .*{said}"):
        load_phase_config(path)


def test_no_iterations_are_an_evaluation(trainer: Any, tmp_path: Path) -> None:
    results = trainer(small("coordinator_ppo", tmp_path / "x.yaml"), "run").run(0)
    assert results["gain over"]["learned, before"]["mean"] == 0.0
    assert not (tmp_path / "run" / "curves.png").exists()


def test_another_experiment_is_not_resumed(trainer: Any, tmp_path: Path) -> None:
    """The folder stays as it was."""
    trainer(small("coordinator_ppo", tmp_path / "x.yaml"), "run").run(1)
    before = (tmp_path / "run" / "config.json").read_bytes()
    with pytest.raises(MedChainError, match=r"--resume: ppo.clip = 0.9, but the run in .* began with 0.25"):
        trainer(small("coordinator_ppo", tmp_path / "y.yaml", clip=0.9), "run", resume=True)
    assert (tmp_path / "run" / "config.json").read_bytes() == before


def test_somebody_elses_config_is_not_written_over(trainer: Any, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.json").write_text("mine", encoding="utf-8")
    with pytest.raises(MedChainError, match="no run has left"):
        trainer(small("coordinator_ppo", tmp_path / "x.yaml"), "mine")
    assert (tmp_path / "mine" / "config.json").read_text("utf-8") == "mine"


def test_wards_against_a_frozen_coordinator(trainer: Any, tmp_path: Path) -> None:
    """A run's coordinator plays on, frozen, in another run's file."""
    first = small("coordinator_ppo", tmp_path / "x.yaml")
    trainer(first, "coordinator").run(1)
    second = small("wards_ppo", tmp_path / "y.yaml")
    data = yaml.safe_load(second.read_text("utf-8"))
    data["agents"]["coordinator"] = {"role": "checkpoint", "path": str(tmp_path / "coordinator")}
    second.write_text(yaml.safe_dump(data), encoding="utf-8")
    results = trainer(second, "wards").run(2)
    assert set(results["rows"]) == {"learned, before", "learned, after", "honest", "scripted"}
    assert results["rows"]["honest"]["returns"]["ward_icu"] > 0


def test_folders_that_are_in_the_way(tmp_path: Path) -> None:
    config = load_phase_config(Path("coordinator_ppo"))
    with pytest.raises(ConfigError, match="no checkpoint in"):
        phase_train.PhaseTrainer(config, tmp_path, True, print)
    (tmp_path / "checkpoints").mkdir()
    with pytest.raises(ConfigError, match="there is a run already"):
        phase_train.PhaseTrainer(config, tmp_path, False, print)
    with pytest.raises(ConfigError, match="there is none"):
        player(f"learned:{tmp_path}")(load_scenario(), [50])
