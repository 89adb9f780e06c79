"""A run that was interrupted or lost its actors comes to the same end as one that was not."""

import json

import pytest

from experiments.rllib.grpo import GRPO
from experiments.rllib.lost import LostError
from experiments.supervise import supervised
from experiments.train import Trainer
from medchain.errors import ConfigError
from policies.llm.adapters import read_adapter
from tests.llm.mini import mini_config

TIMES = ("sample_s", "learn_s", "sampled_tokens_per_s")


def metrics(run):
    lines = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    return [{key: value for key, value in line.items() if key not in TIMES} for line in lines]


def test_an_interrupted_run_continues_to_the_same_result(mini_run, tmp_path, monkeypatch):
    config, out, told = mini_config(tmp_path), tmp_path / "run", []
    whole, calls = GRPO.send_adapters, []

    def interrupted(self):
        """Ctrl-C in the second iteration, when the learner has taken its step."""
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(self)

    monkeypatch.setattr(GRPO, "send_adapters", interrupted)
    with pytest.raises(KeyboardInterrupt):
        supervised(config, out, 2, False, told.append)
    assert [p.name for p in (out / "checkpoints").iterdir()] == ["000001"]
    monkeypatch.undo()

    iterate, tries = Trainer._iterate, []

    def lost(self, done):
        """The first try loses a learner after the iteration."""
        iterate(self, done)
        tries.append(done)
        if len(tries) == 1:
            raise LostError("1 of 1 learners do not answer")

    monkeypatch.setattr(Trainer, "_iterate", lost)
    supervised(config, out, 2, True, told.append)
    assert tries == [1, 1]
    assert any("starting again from iteration 1 (2 restarts left)" in line for line in told), told
    assert metrics(out) == metrics(mini_run)
    ours, theirs = (read_adapter(run / "checkpoints" / "000002" / "coordinator") for run in (out, mini_run))
    assert ours.keys() == theirs.keys() and all((ours[name] == theirs[name]).all() for name in ours)
    assert any(array.any() for name, array in ours.items() if "lora_B" in name)
    for when in ("before", "after"):
        assert (out / f"evaluation_{when}.json").read_text() == (mini_run / f"evaluation_{when}.json").read_text()


def test_a_run_is_resumed_with_the_experiment_that_it_began_with(mini_run, tmp_path):
    changed = mini_config(tmp_path, grpo={"learning_rate": 0.5})
    with pytest.raises(ConfigError, match=r"grpo\.learning_rate = 0\.5, but the run in .* began with 0\.01"):
        Trainer(changed, mini_run, True, print)
    Trainer(mini_config(tmp_path, run={"iterations": 9}, scale={"sample_timeout_s": 5}), mini_run, True, print)
    with pytest.raises(ConfigError, match="no run in"):
        Trainer(changed, tmp_path / "none", True, print)
