from pathlib import Path

import pytest

from experiments.recording import record_episodes, replay_name
from tests.replay.episodes import record_randomly


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """rubber_stamp, medium, seed 50, to its end."""
    folder = tmp_path_factory.mktemp("recorded")
    record_episodes("rubber_stamp", "medium", [50], folder)
    return folder / replay_name("rubber_stamp", "medium", 50)


@pytest.fixture(scope="session")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random commands, medium, seed 8, to its end: refusals of every kind, audits, orders, tickets."""
    path = tmp_path_factory.mktemp("wild") / "wild.jsonl"
    record_randomly(path, 8)
    return path


@pytest.fixture(scope="session")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, given up after 150 commands."""
    path = tmp_path_factory.mktemp("stopped") / "stopped.jsonl"
    record_randomly(path, 8, most=150)
    return path
