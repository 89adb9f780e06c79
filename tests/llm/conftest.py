"""What the language-model tests share. They need the train extra and are left out, and say so, where it is missing."""

import importlib.util
import os

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")
MISSING = [name for name in ("torch", "transformers", "peft", "ray") if importlib.util.find_spec(name) is None]
collect_ignore_glob = ["test_*.py"] if MISSING else []


def pytest_report_header():
    return f"language-model tests left out: needs medchain[train], missing {', '.join(MISSING)}" if MISSING else None


@pytest.fixture(scope="session")
def medium():
    from medchain.scenario import load_scenario

    return load_scenario("medium")


@pytest.fixture(scope="session")
def tokenizer(medium):
    from policies.llm.embedded import tiny_tokenizer

    return tiny_tokenizer(medium)


@pytest.fixture(scope="session")
def tiny_folder(tokenizer, tmp_path_factory):
    """A random tiny model on disk, smaller than the real one."""
    from policies.llm.tiny import save_model, tiny_model

    folder = tmp_path_factory.mktemp("tiny")
    save_model(tiny_model(tokenizer, width=32, layers=2), tokenizer, folder)
    return folder


@pytest.fixture(scope="session")
def mini_run(tmp_path_factory):
    """The folder of a whole run of the mini experiment: two iterations."""
    from experiments.supervise import supervised
    from tests.llm.mini import mini_config

    folder = tmp_path_factory.mktemp("mini")
    supervised(mini_config(folder), folder / "run", 2, False, print)
    return folder / "run"
