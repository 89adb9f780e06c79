from pathlib import Path

import pytest
import yaml

from experiments.train_config import CONFIGS, load_train_config
from medchain.errors import MedChainError


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("coordinator_lora_*.yaml")), ids=lambda p: p.stem)
def test_shipped_experiments_are_legal(path, monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 8)
    assert load_train_config(path).name == path.stem


def test_gpus_that_are_not_there_are_named(data, tmp_path, monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    data["scale"] = {"num_gpus_per_learner": 1}
    file = tmp_path / "wrong.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(MedChainError, match="asks for 1 GPUs, this machine has 0"):
        load_train_config(file)


@pytest.fixture()
def data():
    return yaml.safe_load((CONFIGS / "coordinator_lora_tiny.yaml").read_text(encoding="utf-8"))


WRONG = [
    (("grpo", "group_sise"), 4, ["grpo.group_sise", "unknown key"]),
    (("grpo", "group_size"), 1, ["grpo.group_size = 1", "greater than or equal to 2"]),
    (("agents", "ward_xyz"), {"role": "scripted"}, ["agents.ward_xyz", "known: coordinator"]),
    (("agents", "ward_er"), {"role": "wizard"}, ["agents.ward_er.role = 'wizard'", "scripted"]),
    (("agents", "ward_er"), {"role": "scripted", "persona": "nice"}, ["agents.ward_er.persona", "chronic"]),
    (("agents", "coordinator"), {"role": "scripted", "policy": "wise"}, ["agents.coordinator.policy", "auditor"]),
    (("warm_start", "teachers"), ["auditor", "wise"], ["warm_start.teachers.1", "restock"]),
    (("evaluation", "against"), ["restock", "wise"], ["evaluation.against.1", "auditor"]),
    (("evaluation", "seeds"), [], ["evaluation.seeds", "at least 1"]),
    (("evaluation", "seeds"), [50, 50], ["evaluation.seeds", "50 twice"]),
    (("evaluation", "seeds"), [-1], ["evaluation.seeds", "greater than or equal to 0"]),
    (("evaluation", "seeds"), [7], ["evaluation.seeds: 7", "0 .. 49 of grpo"]),
    (("warm_start", "first_seed"), 45, ["evaluation.seeds: 50", "45 .. 104 of warm_start"]),
    (("text", "context_tokens"), 300, ["text.context_tokens = 300", "turn_tokens = 300"]),
    (("warm_start", "skip"), ["sing"], ["warm_start.skip.0", "submit_po"]),
    (("difficulties",), [], ["difficulties", "at least 1"]),
    (("grpo", "learning_rate"), float("inf"), ["grpo.learning_rate", "finite"]),
    (("run", "seed"), 2**70, ["run.seed", "less than"]),
    (("train",), ["coordinator", "coordinator"], ["train", "'coordinator' twice"]),
    (("train",), ["ward_er"], ["train: 'ward_er'", "those are: coordinator"]),
    (("train",), [], ["at least one"]),
    (("difficulties",), ["extreme"], ["extreme", "heavy"]),
    (("model", "name"), "other", ["belongs to the model named tiny"]),
    (("scale",), {"num_env_runners": 10**6}, ["scale asks for 1000000 runners and learners", "scale.ray_address or fewer"]),
    (("model", "quantisation"), "fp3", ["model.quantisation", "nf4"]),
]


@pytest.mark.parametrize(("keys", "value", "said"), WRONG, ids=[".".join(w[0]) + f"={w[1]}" for w in WRONG])
def test_a_wrong_key_is_named_with_what_is_legal(data, tmp_path, keys, value, said):
    part = data
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = value
    file = tmp_path / "wrong.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(MedChainError) as caught:
        load_train_config(file)
    assert all(word in str(caught.value) for word in said), str(caught.value)


def test_a_missing_agent_and_a_missing_checkpoint_are_named(data, tmp_path):
    file = tmp_path / "wrong.yaml"
    data["agents"]["coordinator"]["checkpoint"] = str(tmp_path / "none")
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(MedChainError, match=r"agents\.coordinator\.checkpoint: no folder"):
        load_train_config(file)
    del data["agents"]["arbiter"]
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(MedChainError, match=r"agents\.arbiter: missing"):
        load_train_config(file)


def test_an_experiment_goes_by_its_name():
    assert load_train_config(Path("coordinator_lora_tiny")).model.name == "tiny"


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.01, 0.1, "above zero"), (-0.1, 0.1, "not told apart"), (-0.1, -0.01, "below zero"), (0.0, 0.0, "not told apart")],
)
def test_a_gain_is_called_what_its_interval_says(low, high, said):
    from experiments.train_report import verdict

    assert said in verdict({"gain": {"mean": (low + high) / 2, "low": low, "high": high}})
