"""What cannot be trained is told before Ray starts, in a sentence that says what would be right."""

import pytest
import ray

from experiments.train import Trainer
from medchain.errors import MedChainError
from policies.llm.adapters import save_adapter
from policies.llm.loading import Lora, Source, load_base, lora_tensors, with_lora
from policies.llm.tiny import save_model, tiny_model
from tests.llm.mini import mini_config


@pytest.fixture(autouse=True)
def no_ray(monkeypatch):
    def started(*_, **__):
        raise AssertionError("Ray was started")

    monkeypatch.setattr(ray, "init", started)


def refused(tmp_path, match, **changes):
    with pytest.raises(MedChainError, match=match):
        Trainer(mini_config(tmp_path, **changes), tmp_path / "run", False, print)


def on(folder):
    """The experiment's model is one in a folder."""
    return {"name": str(folder), "tiny": None}


def test_a_plan_cap_that_holds_no_plan(tmp_path):
    refused(tmp_path, r"text\.turn_tokens = 16: the shortest plan needs \d+ tokens", text={"turn_tokens": 16})


def test_a_tokenizer_without_a_chat_template(tmp_path, tokenizer):
    folder = tmp_path / "model"
    save_model(tiny_model(tokenizer, width=32, layers=1), tokenizer, folder)
    (folder / "chat_template.jinja").unlink()
    refused(tmp_path, "expected a tokenizer with a chat template", model=on(folder))


def test_a_missing_adapter(tmp_path, tiny_folder):
    (tmp_path / "empty").mkdir()
    agents = {"coordinator": {"role": "llm", "checkpoint": str(tmp_path / "empty")}}
    refused(tmp_path, r"expected an adapter \(adapter_config\.json\), or a run", model=on(tiny_folder), agents=agents)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("built", [True, False], ids=["in a folder", "embedded"])
@pytest.mark.parametrize("targets", [["q_proj", "v_prj"], "((", "nothing", ["embed_tokens"], []], ids=str)
def test_layers_that_the_model_does_not_have(tmp_path, tiny_folder, built, targets):
    lora = {"lora": {"rank": 4, "alpha": 8, "targets": targets}}
    match = r"lora\.targets: .*; expected all-linear or a list of its layers: .*q_proj"
    refused(tmp_path, match, model={**on(tiny_folder), **lora} if built else lora)
    assert not (tmp_path / "run").exists()


def adapter(tokenizer, folder, width, rank=4):
    """An adapter on a model of another width."""
    save_model(tiny_model(tokenizer, width=width, layers=2), tokenizer, folder / "base")
    source = Source(str(folder / "base"), lora=Lora(rank, 8))
    model = with_lora(load_base(source), source.lora)
    state = {name: tensor.detach().numpy() for name, tensor in lora_tensors(model).items()}
    save_adapter(folder / "adapter", state, source, {})
    return folder / "adapter"


@pytest.mark.parametrize("role", ["llm", "checkpoint"])
def test_an_adapter_of_another_base(tmp_path, tiny_folder, tokenizer, role):
    found = adapter(tokenizer, tmp_path, width=64)
    part = {"role": role, "checkpoint" if role == "llm" else "path": str(found)}
    agents = {"coordinator": part, "ward_er": {"role": "llm"}}
    text = {"turn_tokens": 900, "context_tokens": 4000}
    refused(tmp_path, "is of another base model or rank", model=on(tiny_folder), agents=agents, train=["ward_er"], text=text)


def test_a_run_without_an_adapter_of_that_agent(tmp_path, mini_run):
    agents = {"ward_er": {"role": "checkpoint", "path": str(mini_run)}}
    refused(tmp_path, "has no adapter of ward_er; it has: coordinator", agents=agents)


def test_a_platform_that_cannot_quantise(tmp_path, monkeypatch):
    from policies.llm import quantise

    def missing(*_):
        raise RuntimeError("no kernel image")

    monkeypatch.setattr(quantise, "_try", missing)
    refused(tmp_path, "quantisation nf4 does not work on this machine", model={"quantisation": "nf4"})
    assert not (tmp_path / "run").exists()


def test_the_memory_that_is_needed_is_told_first(tmp_path):
    told = []
    Trainer(mini_config(tmp_path), tmp_path / "run", False, told.append)
    assert any(line.startswith("estimate per learner") for line in told)
    assert any(line.startswith("estimate per runner") for line in told)


def test_the_estimate_says_what_each_gpu_will_hold(tmp_path):
    from experiments.memory_estimate import GIB, Need, gpu_lines

    config = mini_config(tmp_path)
    scale = config.scale.model_copy(update={"num_gpus_per_learner": 1, "num_gpus_per_env_runner": 0.25})
    config = config.model_copy(update={"scale": scale})
    need = Need(weights=3.0 * GIB, adapter=1.0 * GIB, activations=2.0 * GIB, cache=0.75 * GIB)
    learner, runner = gpu_lines(config, need, 10 * GIB)
    assert learner == "a GPU with 1 learner needs 6.00 GiB of 10.00 GiB"
    assert runner.startswith("a GPU with 4 runners needs 16.00 GiB of 10.00 GiB: TOO MUCH")
    assert gpu_lines(mini_config(tmp_path), need, 10 * GIB) == []
