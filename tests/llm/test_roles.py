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
    digest, before = base_digest(first), decoder_and_head(first)[0].get_input_embeddings().weight.data_ptr()
    second = adapter_on(Source(str(tiny_folder), lora=Lora(2, 8)))
    assert decoder_and_head(second)[0].get_input_embeddings().weight.data_ptr() == before
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


def test_a_ward_and_the_arbiter_learn_on_one_base(tmp_path):
    """Their modules move, the coordinator's scripted; ratios are 1; every process has one base model."""
    agents = {"coordinator": SCRIPTED, "ward_general": {"role": "llm"}, "arbiter": {"role": "llm"}}
    config = mini_config(tmp_path, agents=agents, train=["ward_general", "arbiter"], text=SMALL, grpo={"credit": "round"})
    trainer = Trainer(config, tmp_path / "run", False, print)
    try:
        trainer.start()
        learner = trainer.algorithm.learner_group._learner.module
        runner = trainer.algorithm.env_runner_group.local_env_runner.module
        bases = {
            decoder_and_head(module[name].model)[0].get_input_embeddings().weight.data_ptr()
            for module in (learner, runner)
            for name in ("ward_general", "arbiter")
        }
        assert len(bases) == 1
        digest = base_digest(learner["arbiter"].model)
        before = {name: learner[name].get_state() for name in ("ward_general", "arbiter")}
        result = trainer.algorithm.train()["learners"]
        facts = trainer.algorithm.facts
        for name, old in before.items():
            assert result[name]["ratio_off_most"] < 1e-4
            new = learner[name].get_state()
            assert any((new[key] != old[key]).any() for key in old)
            sent = runner[name].get_state()
            assert all((sent[key] == new[key]).all() for key in new)
            assert np.isfinite(facts[f"return_{name}"])
        ward, judge = (learner[name].get_state() for name in before)
        assert any((ward[key] != judge[key]).any() for key in ward)
        assert base_digest(learner["arbiter"].model) == digest
        assert facts["sync_bytes"] == sum(a.nbytes for state in (ward, judge) for a in state.values())
        assert facts["parse_rate"] == 1.0
        rollout = trainer.algorithm.rollouts[0]
        assert {len(stood) for stood in rollout.standing.values()} == {8} and set(rollout.returns) == {3, 4}
    finally:
        trainer.stop()


def test_a_frozen_adapter_plays_beside_one_that_learns(mini_run, tmp_path):
    """The coordinator of an earlier run, frozen, beside a ward that learns: it is the same before and after."""
    changes = {
        "agents": {"coordinator": {"role": "checkpoint", "path": str(mini_run)}, "ward_er": {"role": "llm"}},
        "train": ["ward_er"],
        "model": {"name": str(mini_run / "base"), "tiny": None},
    }
    with pytest.raises(MedChainError, match="the shortest request_1 needs"):  # that base has no words for wards
        Trainer(mini_config(tmp_path, **changes), tmp_path / "narrow", False, print)
    wide = {"turn_tokens": 700, "context_tokens": 3000}
    supervised(mini_config(tmp_path, **changes, text=wide), tmp_path / "run", 1, False, print)
    kept = read_adapter(tmp_path / "run" / "checkpoints" / "000001" / "coordinator")
    given = read_adapter(mini_run / "checkpoints" / "000002" / "coordinator")
    assert all((kept[name] == given[name]).all() for name in given)
    learned = read_adapter(tmp_path / "run" / "checkpoints" / "000001" / "ward_er")
    assert any(array.any() for name, array in learned.items() if "lora_B" in name)


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
