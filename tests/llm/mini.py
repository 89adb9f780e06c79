"""An experiment small enough for tests: a random model of 84,000 parameters, one turn a round, two episodes an iteration."""

from copy import deepcopy
from pathlib import Path

import yaml

from experiments.train_config import TrainConfig, load_train_config

SCRIPTED = {"role": "scripted"}
MINI = {
    "name": "mini",
    "difficulties": ["light"],
    "model": {"name": "tiny", "lora": {"rank": 4, "alpha": 8}, "tiny": {"width": 32, "layers": 2, "heads": 4}},
    "agents": {
        "coordinator": {"role": "llm"},
        **dict.fromkeys(("ward_icu", "ward_er", "ward_general", "arbiter"), SCRIPTED),
    },
    "train": ["coordinator"],
    "text": {
        "brief": "tiny",
        "results": "tiny",
        "turn_tokens": 40,
        "round_turns": 1,
        "context_tokens": 1024,
        "constrained": True,
        "temperature": 1.0,
    },
    "grpo": {"group_size": 2, "seeds_per_iteration": 1, "learning_rate": 1e-2, "micro_batch": 4},
    "evaluation": {"seeds": [50, 51], "difficulties": ["light"]},
    "run": {"iterations": 2},
}


def mini_file(folder: Path, **changes: dict) -> Path:
    """The experiment in a file, with some keys of its sections changed: mini_file(folder, run={"seed": 3})."""
    data = deepcopy(MINI)
    for section, keys in changes.items():
        data[section] = {**data.get(section, {}), **keys} if isinstance(keys, dict) else keys
    path = folder / "mini.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def mini_config(folder: Path, **changes: dict) -> TrainConfig:
    """The experiment as it is read from its file."""
    return load_train_config(mini_file(folder, **changes))
