"""Language models in several seats at once: one base model, an adapter each; frozen ones, and models behind an endpoint."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
import pytest
import torch

from experiments.supervise import supervised
from experiments.train import Trainer
from medchain.errors import MedChainError
from policies.llm.adapters import read_adapter
from policies.llm.endpoint import Client, Endpoint, Letters
from policies.llm.loading import Lora, Source, base_digest
from policies.llm.sampling import decoder_and_head
from policies.llm.shared import adapter_on
from tests.llm.mini import SCRIPTED, mini_config, mini_file

SMALL = {"turn_tokens": 60, "round_turns": 3, "context_tokens": 600}


def test_adapters_share_one_base_and_none_disturbs_another(tiny_folder):
    first = adapter_on(Source(str(tiny_folder), lora=Lora(4, 8)))
    digest = base_digest(first)
    second = adapter_on(Source(str(tiny_folder), lora=Lora(2, 8)))
    assert embedding(second) == embedding(first)
    ids = torch.arange(7)[None]

    def logits(adapter):
        decoder, head = decoder_and_head(adapter)
        with torch.no_grad():
            return head(decoder(input_ids=ids, use_cache=False).last_hidden_state)

    plain = logits(first)
    assert torch.equal(logits(second), plain)  # fresh adapters change nothing
    with torch.no_grad():
        for tensor in second.parameters():
            tensor.add_(0.1)
    assert torch.equal(logits(first), plain) and not torch.equal(logits(second), plain)
    with second.disable_adapter():
        assert torch.equal(logits(second), plain)
    decoder, head = decoder_and_head(second)
    head(decoder(input_ids=ids, use_cache=False).last_hidden_state).sum().backward()
    assert all(p.grad is not None for p in second.parameters())
    assert all(p.grad is None and p.requires_grad for p in first.parameters())
    assert base_digest(second) == digest
    assert first.tensors().keys() == second.tensors().keys()


BOTH = ("ward_general", "arbiter")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A run in which a ward and the arbiter learn, after one iteration: the trainer, the adapters before, RLlib's result."""
    folder = tmp_path_factory.mktemp("both")
    agents = {"coordinator": SCRIPTED, **{name: {"role": "llm"} for name in BOTH}}
    config = mini_config(folder, agents=agents, train=list(BOTH), text=SMALL, grpo={"credit": "round"})
    trainer = Trainer(config, folder / "run", False, print)
    try:
        trainer.start()
        learner = trainer.algorithm.learner_group._learner.module
        before = {name: learner[name].get_state() for name in BOTH}, base_digest(learner["arbiter"].model)
        result = trainer.algorithm.train()["learners"]
        trainer._keep(1)
        trainer.save()
        yield trainer, before, result
    finally:
        trainer.stop()


def modules(trainer):
    """The modules of the learner and of the runner, both in this process."""
    algorithm = trainer.algorithm
    return algorithm.learner_group._learner.module, algorithm.env_runner_group.local_env_runner.module


def test_a_ward_and_the_arbiter_learn_on_one_base(both):
    trainer, (before, digest), result = both
    learner, runner = modules(trainer)
    assert len({embedding(module[name].model) for module in (learner, runner) for name in BOTH}) == 1
    facts = trainer.algorithm.facts
    for name, old in before.items():
        new, sent = learner[name].get_state(), runner[name].get_state()
        assert any((new[key] != old[key]).any() for key in old)
        assert all((sent[key] == new[key]).all() for key in new)
        assert result[name]["ratio_off_most"] < 1e-4
        assert np.isfinite(facts[f"return_{name}"])
    ward, judge = (learner[name].get_state() for name in BOTH)
    assert any((ward[key] != judge[key]).any() for key in ward)
    assert base_digest(learner["arbiter"].model) == digest
    assert facts["sync_bytes"] == sum(a.nbytes for state in (ward, judge) for a in state.values())
    assert facts["parse_rate"] == 1.0
    rollout = trainer.algorithm.rollouts[0]
    assert {len(stood) for stood in rollout.standing.values()} == {8} and set(rollout.returns) == {3, 4}


def test_a_frozen_adapter_plays_beside_one_that_learns(both, tmp_path):
    """The arbiter of an earlier run, frozen, beside its ward that learns on: it stays as it was, and is not sent again."""
    run = both[0].out
    agents = {
        "coordinator": SCRIPTED,
        "ward_general": {"role": "llm", "checkpoint": str(run)},
        "arbiter": {"role": "checkpoint", "path": str(run)},
    }
    model = {"name": str(run / "base"), "tiny": None}
    config = mini_config(tmp_path, agents=agents, train=["ward_general"], text=SMALL, model=model)
    trainer = Trainer(config, tmp_path / "run", False, print)
    given = {name: read_adapter(run / "checkpoints" / "000001" / name) for name in BOTH}
    try:
        trainer.start()
        learner, runner = modules(trainer)
        for name, state in given.items():
            assert same(learner[name].get_state(), state) and same(runner[name].get_state(), state)
        trainer.algorithm.train()
        assert same(runner["arbiter"].get_state(), given["arbiter"])
        assert not same(runner["ward_general"].get_state(), given["ward_general"])
        assert trainer.algorithm.facts["sync_bytes"] == sum(a.nbytes for a in given["ward_general"].values())
    finally:
        trainer.stop()


def same(state, other):
    return state.keys() == other.keys() and all((state[key] == other[key]).all() for key in state)


def embedding(adapter):
    """Where a model's input embeddings lie in memory."""
    return decoder_and_head(adapter)[0].get_input_embeddings().weight.data_ptr()


class Stub(BaseHTTPRequestHandler):
    """A model behind an endpoint: the coordinator advances the round, everyone else asks for what is needed."""

    asked: ClassVar[list] = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        said = '<tool_call>{"name": "advance_round", "arguments": {}}</tool_call>'
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 11, "total_tokens": 12},
        }
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture()
def endpoint():
    Stub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


needs_client = pytest.mark.skipif(find_spec("openai") is None, reason="needs medchain[serve]")


@needs_client
def test_a_model_behind_an_endpoint_coordinates_while_a_ward_learns(endpoint, tmp_path, monkeypatch):
    monkeypatch.setenv("OUR_KEY", "secret")
    agents = {
        "coordinator": {"role": "llm_api", "url": endpoint, "model": "big", "key": "OUR_KEY"},
        "ward_icu": {"role": "llm"},
    }
    config = mini_config(tmp_path, agents=agents, train=["ward_icu"], text=SMALL)
    supervised(config, tmp_path / "run", 1, False, print)
    found = json.loads((tmp_path / "run" / "evaluation_after.json").read_text())
    assert found["tools"]["advance_round"] == 2 * 8 and found["tools"]["request"] == 2 * 8
    path, headers, body = Stub.asked[-1]
    assert path == "/v1/chat/completions" and headers["authorization"] == "Bearer secret" and body["model"] == "big"
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    assert "advance_round" in body["messages"][0]["content"] and "round" in body["messages"][1]["content"].lower()
    assert not (tmp_path / "run" / "checkpoints" / "000001" / "coordinator").exists()


@needs_client
def test_an_endpoint_that_is_not_there_is_told_before_ray_starts(tmp_path, monkeypatch):
    agents = {"ward_er": {"role": "llm_api", "url": "http://127.0.0.1:9/v1", "model": "big"}}
    with pytest.raises(MedChainError, match=r"expected an answer of big at http://127\.0\.0\.1:9/v1, got"):
        Trainer(mini_config(tmp_path, agents=agents), tmp_path / "run", False, print)
    monkeypatch.delenv("OUR_KEY", raising=False)
    with pytest.raises(MedChainError, match="the environment variable OUR_KEY is not set"):
        Client(Endpoint("http://127.0.0.1:9/v1", "big", "OUR_KEY"))
    assert not (tmp_path / "run").exists()


def test_a_missing_client_library_is_named(monkeypatch):
    monkeypatch.setattr("policies.llm.endpoint.find_spec", lambda name: None)
    with pytest.raises(MedChainError, match=r"install medchain\[serve\]"):
        Client(Endpoint("http://127.0.0.1:9/v1", "big"))


def test_messages_are_cut_out_of_the_context():
    from policies.llm.conversation import Stretch

    letters = Letters("S.")
    made = Stretch(0, 1, letters.opening("brief"))
    for said, told in (("one", "result"), ("two", "more")):
        made.turns.append((len(made.ids), len(said) + 1, "turn", 99))
        made.ids += [*letters.encode(said), letters.end, *letters.following(told)]
    assert [(m["role"][0], m["content"]) for m in letters.messages(made)] == [
        ("s", "S."),
        ("u", "brief"),
        ("a", "one"),
        ("u", "result"),
        ("a", "two"),
        ("u", "more"),
    ]


WRONG = [
    ({"role": "checkpoint"}, r"agents\.ward_er\.path: missing; the role checkpoint takes path"),
    ({"role": "checkpoint", "path": "/nowhere"}, r"agents\.ward_er\.path: no folder /nowhere"),
    (
        {"role": "llm_api", "url": "http://127.0.0.1:9"},
        r"agents\.ward_er\.model: missing; the role llm_api takes url, model",
    ),
    ({"role": "llm", "persona": "honest"}, r"agents\.ward_er\.persona: the role llm takes checkpoint"),
]


@pytest.mark.parametrize(("part", "said"), WRONG, ids=[f"{w[0]['role']}{i}" for i, w in enumerate(WRONG)])
def test_a_role_with_wrong_keys_is_named(tmp_path, part, said):
    from experiments.train_config import load_train_config

    with pytest.raises(MedChainError, match=said):
        load_train_config(mini_file(tmp_path, agents={"ward_er": part}))
