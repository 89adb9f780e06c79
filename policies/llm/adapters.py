"""Adapters on disk, in PEFT's own layout, with the digest of the base model that they belong to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from policies.llm.chat import ModelError
from policies.llm.loading import ALL_LINEAR, Lora, Source, lora_tensors, with_lora
from policies.llm.tiny import tiny_config
from policies.llm.where import locate

FILE, CONFIG, OURS = "adapter_model.safetensors", "adapter_config.json", "medchain.json"


def save_adapter(folder: Path, state: Mapping[str, np.ndarray[Any, Any]], source: Source, facts: Mapping[str, Any]) -> None:
    """Write an adapter's tensors (names as in the module's state) where PEFT and `load_adapter` find them."""
    from peft import LoraConfig
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({_outside(name): np.ascontiguousarray(array) for name, array in state.items()}, folder / FILE)
    targets = sorted({name.split(".lora_")[0].rsplit(".", 1)[-1] for name in state})
    config = LoraConfig(
        r=source.lora.rank,
        lora_alpha=source.lora.alpha,
        target_modules=targets,
        lora_dropout=0.0,
        task_type="CAUSAL_LM",
        base_model_name_or_path=source.name,
    )
    config.inference_mode = True
    config.save_pretrained(str(folder))
    (folder / OURS).write_text(json.dumps(dict(facts), indent=1) + "\n", encoding="utf-8")


def adapter_of(path: Path, agent: str) -> Path:
    """The folder of an adapter: `path` itself, or the last one of an agent where `path` is a run's folder.

    Raises:
        ModelError: there is none.
    """
    if (path / CONFIG).is_file():
        return path
    steps = sorted(p for p in (path / "checkpoints").glob("[0-9]*") if p.name.isdigit())
    if not steps:
        raise ModelError(f"expected an adapter ({CONFIG}), or a run with checkpoints, in {path}; found neither")
    found = steps[-1] / agent
    if not (found / CONFIG).is_file():
        known = sorted(p.parent.name for p in steps[-1].glob(f"*/{CONFIG}"))
        raise ModelError(f"the run in {path} has no adapter of {agent}; it has: {', '.join(known)}")
    return found


def lora_in(folder: Path) -> Lora:
    """The shape of the adapter in a folder.

    Raises:
        ModelError: there is none.
    """
    if not (folder / CONFIG).is_file():
        raise ModelError(f"expected an adapter ({CONFIG}) in {folder}, found none")
    told = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    return Lora(told["r"], told["lora_alpha"], tuple(sorted(told["target_modules"])))


def read_adapter(folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    """An adapter's tensors by the names of the module's state.

    Raises:
        ModelError: there is no adapter in the folder.
    """
    from safetensors.numpy import load_file

    if not (folder / FILE).is_file():
        raise ModelError(f"expected an adapter ({FILE}) in {folder}, found none")
    return {_inside(name): array for name, array in load_file(folder / FILE).items()}


def check_adapter(folder: Path, source: Source) -> None:
    """Check that an adapter fits a base model, from the model's configuration alone.

    Raises:
        ModelError: there is no adapter, or it is of another base model or rank.
    """
    state = read_adapter(folder)
    _check_fit(_outline(source), state, folder)


def check_targets(source: Source) -> None:
    """Check that a base model has the layers that an adapter is put on, from the model's configuration alone.

    `source.name` may be `tiny` for the embedded model, which need not have been built.

    Raises:
        ModelError: it lacks one of them.
    """
    if source.lora.targets != ALL_LINEAR:
        _outline(source)


def _outline(source: Source) -> Any:
    """A base model with its adapter, without the weights."""
    from transformers import AutoConfig, AutoModelForCausalLM

    if source.name == "tiny":
        config = tiny_config(vocabulary=64, width=32, layers=1, heads=2)
    else:
        path, file = locate(source.name)
        config = AutoConfig.from_pretrained(path, **({"gguf_file": file} if file else {}))
    with torch.device("meta"):
        return with_lora(AutoModelForCausalLM.from_config(config), source.lora)


def _check_fit(model: Any, state: Mapping[str, np.ndarray[Any, Any]], folder: Path) -> None:
    mine = lora_tensors(model)
    wrong = sorted(state.keys() ^ mine.keys()) or [n for n, t in mine.items() if tuple(t.shape) != state[n].shape]
    if wrong:
        raise ModelError(f"the adapter in {folder} is of another base model or rank: {wrong[0]} does not fit")


def load_adapter(model: Any, folder: Path) -> None:
    """Put an adapter's tensors into a model that has an adapter of the same shape.

    Raises:
        ModelError: there is none, or it is of another base model.
    """
    state, mine = read_adapter(folder), lora_tensors(model)
    _check_fit(model, state, folder)
    with torch.no_grad():
        for name, parameter in mine.items():
            parameter.copy_(torch.from_numpy(state[name]))


def _outside(name: str) -> str:
    return name.replace(".default.", ".")


def _inside(name: str) -> str:
    head, _, tail = name.rpartition(".")
    return f"{head}.default.{tail}"
