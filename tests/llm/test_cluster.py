"""The drill, on demand: a run on two nodes loses a runner, a learner and a node, and ends by itself at its target."""

import json
import os
import threading

import pytest
import ray
from ray.cluster_utils import Cluster

from experiments.supervise import supervised
from experiments.train import Trainer
from tests.llm.mini import mini_config

ITERATIONS = 5
LATER_S = 0.5
"""How long after the start of an iteration the blow falls."""


def pid_of_a_runner(algorithm):
    actors = algorithm.env_runner_group._worker_manager.actors()
    return ray.get(actors[min(actors)].apply.remote(lambda runner: os.getpid()))


def pid_of_a_learner(algorithm):
    return next(iter(algorithm.learner_group.foreach_learner(lambda learner: os.getpid()))).get()


@pytest.mark.skipif(os.environ.get("MEDCHAIN_LONG") != "1", reason="two nodes and three actors: set MEDCHAIN_LONG=1")
def test_a_run_survives_the_loss_of_a_runner_a_learner_and_a_node(tmp_path, monkeypatch):
    # More than half of the first node's processors are asked for, so Ray spreads the actors over both; after the loss of the
    # second everybody finds room on the first.
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 4, "object_store_memory": 150_000_000})
    second = cluster.add_node(num_cpus=4, object_store_memory=150_000_000)
    scale = {"num_env_runners": 2, "num_learners": 2, "ray_address": cluster.address, "sample_timeout_s": 300}
    config = mini_config(tmp_path, scale=scale, run={"iterations": ITERATIONS, "restarts": 4})
    told, whole, struck = [], Trainer._iterate, []

    def blow(done, algorithm):
        """What happens in iteration `done` + 1, the first time that it is tried."""
        if done == 1:
            pid = pid_of_a_runner(algorithm)
            return "runner", lambda: os.kill(pid, 9)
        if done == 2:
            pid = pid_of_a_learner(algorithm)
            return "learner", lambda: os.kill(pid, 9)
        if done == 3:
            return "node", lambda: cluster.remove_node(second, allow_graceful=False)
        return None

    def struck_in_between(self, done):
        found = blow(done, self.algorithm) if done not in [d for d, _ in struck] else None
        if found:
            struck.append((done, found[0]))
            threading.Timer(LATER_S, found[1]).start()
        whole(self, done)

    def tell(line):
        told.append(line)
        print(line, flush=True)

    monkeypatch.setattr(Trainer, "_iterate", struck_in_between)
    try:
        supervised(config, tmp_path / "run", ITERATIONS, False, tell)
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert [what for _, what in struck] == ["runner", "learner", "node"]
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == list(range(1, ITERATIONS + 1))
    assert all(line["episodes"] == 2 and line["groups_incomplete"] == 0 for line in lines)
    assert any("starting again from iteration" in line for line in told), told
    assert (tmp_path / "run" / "results.json").is_file()
