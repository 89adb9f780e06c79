"""GRPO on RLlib with the tiny model: one run in this process, one with two runners and two learners on a quantised base."""

import os
from pathlib import Path

import pytest
import ray

from experiments.rllib.groups import group_keys
from experiments.rllib.grpo import GRPOConfig, GRPOSettings
from policies.llm.adapters import read_adapter, save_adapter
from policies.llm.conversation import Manner
from policies.llm.loading import Lora, Source, base_digest, is_lora
from policies.llm.player import TextSettings

ROOT = str(Path(__file__).resolve().parents[2])


@pytest.fixture(scope="module", autouse=True)
def cluster():
    env = {"env_vars": {"OMP_NUM_THREADS": "1", "PYTHONPATH": ROOT}}
    ray.init(
        "local",
        num_cpus=5,
        include_dashboard=False,
        object_store_memory=200_000_000,
        log_to_driver=False,
        runtime_env=env,
    )
    yield
    ray.shutdown()


def algorithm(folder, runners=0, learners=0, quantisation="none", rate=1e-2, checkpointing=False, **options):
    source = Source(str(folder), quantisation, checkpointing=checkpointing, lora=Lora(4, 8))
    text = TextSettings(source, difficulties=("light",), manner=Manner(turn_tokens=40, round_turns=1))
    settings = GRPOSettings(**{"group_size": 2, "seeds_per_iteration": 1, "micro_batch": 4, **options})
    config = GRPOConfig().play(text, settings).env_runners(num_env_runners=runners, sample_timeout_s=600)
    return config.learners(num_learners=learners).training(lr=rate).debugging(seed=0).build_algo()


def adapters(algo):
    return algo.learner_group.get_state(components="learner/rl_module")["learner"]["rl_module"]["coordinator"]


def test_one_iteration_trains_the_adapter_and_nothing_else(tiny_folder, tmp_path):
    algo = algorithm(tiny_folder, checkpointing=True, kl=0.01)
    module = algo.learner_group._learner.module["coordinator"]
    digest, before = base_digest(module.model), adapters(algo)
    result = algo.train()
    after = adapters(algo)
    assert base_digest(module.model) == digest
    assert after.keys() == before.keys() and all(map(is_lora, after))
    assert any((after[name] != before[name]).any() for name in after)
    assert result["learners"]["coordinator"]["ratio_off_most"] < 1e-4
    assert algo.facts["sync_bytes"] == sum(a.nbytes for a in after.values())
    assert algo.facts["parse_rate"] == 1.0
    mine = algo.env_runner_group.local_env_runner.module["coordinator"].get_state()
    assert all((mine[name] == after[name]).all() for name in after)
    save_adapter(tmp_path, after, Source(str(tiny_folder), lora=Lora(4, 8)), {})
    assert all((array == after[name]).all() for name, array in read_adapter(tmp_path).items())
    algo.stop()


@pytest.mark.skipif(os.environ.get("MEDCHAIN_LONG") != "1", reason="four actors with a model each: set MEDCHAIN_LONG=1")
@pytest.mark.parametrize("quantisation", ["nf4", "int8"])
def test_two_runners_and_two_learners_on_a_quantised_base(tiny_folder, quantisation):
    algo = algorithm(tiny_folder, runners=2, learners=2, quantisation=quantisation)
    result = algo.train()
    assert result["learners"]["coordinator"]["ratio_off_most"] < 1e-4
    states = algo.learner_group.foreach_learner(lambda learner: learner.module.get_state()["coordinator"])
    first, second = (state.get() for state in states)
    runners = algo.env_runner_group.foreach_env_runner(lambda runner: runner.module.get_state()["coordinator"])
    assert len(runners) == 2
    for other in (second, *runners):
        assert all((other[name] == first[name]).all() for name in first)
    # A runner dies: its keys are issued again, and every episode is there.
    victim = algo.env_runner_group._worker_manager.actors()[1]
    os.kill(ray.get(victim.apply.remote(lambda runner: os.getpid())), 9)
    keys = group_keys([1, 2], ["light"], 2)
    assert [r.key for r in algo.play(keys, (0, 9))] == keys
    algo.stop()


def test_a_learning_rate_of_zero_changes_nothing(tiny_folder):
    algo = algorithm(tiny_folder, rate=0.0, loss="reinforce", credit="gigpo")
    before = adapters(algo)
    algo.train()
    assert all((array == before[name]).all() for name, array in adapters(algo).items())
    algo.stop()
