"""Load a base model by name or path, quantised if asked, with a LoRA adapter on every linear layer."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from policies.llm.chat import ModelError
from policies.llm.quantise import check_quantisation, one_arithmetic, quantisation_config
from policies.llm.where import locate

# On CPU torch's kernel reads the heads that several queries share in place; transformers copies them unless it is told.
if not torch.cuda.is_available():
    os.environ.setdefault("TRANSFORMERS_SDPA_FORCE_GQA", "1")


ALL_LINEAR = "all-linear"
"""Target of an adapter: every linear layer but the output head."""


@dataclass(frozen=True)
class Lora:
    """A LoRA adapter: rank, alpha, and the layers it is put on ("all-linear", or names)."""

    rank: int = 16
    alpha: int = 32
    targets: str | tuple[str, ...] = ALL_LINEAR


@dataclass(frozen=True)
class Source:
    """Where a model comes from and in what form it is loaded."""

    name: str
    quantisation: str = "none"
    dtype: str = "float32"
    attention: str = "sdpa"
    checkpointing: bool = False
    lora: Lora = field(default_factory=Lora)


def load_tokenizer(name: str) -> Any:
    """The tokenizer of a model; a pad token is set where it lacks one.

    Raises:
        ModelError: it cannot be found or read.
    """
    from transformers import AutoTokenizer

    path, file = locate(name)
    if (Path(path) / "versions.json").is_file():
        raise ModelError(f"expected a model, got the folder of a run, {name}; its model is in {Path(path) / 'base'}")
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, **({"gguf_file": file} if file else {}))
    except (OSError, ValueError, ImportError) as error:
        raise ModelError(f"no tokenizer for model {name!r}: {_first_line(error)}") from None
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id == tokenizer.eos_token_id:
        spare = [t for t in ("<|endoftext|>", "<|pad|>", "<pad>", "<unk>") if t in tokenizer.get_vocab()]
        different = [t for t in spare if tokenizer.convert_tokens_to_ids(t) != tokenizer.eos_token_id]
        if different:
            tokenizer.pad_token = different[0]
    return tokenizer


def load_base(source: Source) -> Any:
    """The base model, frozen, in the form that `source` asks for.

    Raises:
        ModelError: unknown name or form, or the platform cannot quantise.
    """
    from transformers import AutoModelForCausalLM

    path, file = locate(source.name)
    options: dict[str, Any] = {"dtype": getattr(torch, source.dtype), "attn_implementation": source.attention}
    if file and source.quantisation != "none":
        raise ModelError(f"{source.name!r} is a GGUF file, which is loaded unquantised: set quantisation to none")
    if file:
        options["gguf_file"] = file
    elif source.quantisation != "none":
        check_quantisation(source.quantisation)
        options["quantization_config"] = quantisation_config(source.quantisation, source.dtype)
    try:
        model = AutoModelForCausalLM.from_pretrained(path, **options)
    except (OSError, ValueError, ImportError) as error:
        raise ModelError(f"model {source.name!r} cannot be loaded: {_first_line(error)}") from None
    if source.quantisation != "none":
        one_arithmetic(model)
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    return model


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def lora_config(lora: Lora) -> Any:
    """An adapter's description in PEFT's words."""
    from peft import LoraConfig

    targets: Any = lora.targets if isinstance(lora.targets, str) else list(lora.targets)
    return LoraConfig(r=lora.rank, lora_alpha=lora.alpha, target_modules=targets, lora_dropout=0.0, task_type="CAUSAL_LM")


def with_lora(model: Any, lora: Lora, name: str = "default", checkpointing: bool = False) -> Any:
    """The model with a fresh adapter; its own weights stay frozen. Never merged.

    Raises:
        ModelError: the model lacks a layer that it is put on.
    """
    from peft import get_peft_model

    if checkpointing:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        model.enable_input_require_grads()
    _check_targets(model, lora.targets)
    return get_peft_model(model, lora_config(lora), adapter_name=name)


def _check_targets(model: Any, targets: str | tuple[str, ...]) -> None:
    """Each name is a layer's, or the end of it; a text is all-linear or a regular expression for whole names, as in PEFT."""
    from transformers.pytorch_utils import Conv1D

    if targets == ALL_LINEAR:
        return
    layers = [name for name, part in model.named_modules() if isinstance(part, torch.nn.Linear | Conv1D)]
    pattern, names = isinstance(targets, str), [targets] if isinstance(targets, str) else targets
    try:
        found = [any(re.fullmatch(t, n) if pattern else f".{n}".endswith(f".{t}") for n in layers) for t in names]
    except re.error:
        found = [False]
    if not all(found) or not found:
        known = ", ".join(sorted({name.rsplit(".", 1)[-1] for name in layers}))
        told = f"{names[found.index(False)]!r} is none of this model's" if found else "there is none"
        raise ModelError(f"lora.targets: {told}; expected {ALL_LINEAR} or a list of its layers: {known}")


def is_lora(name: str) -> bool:
    """Whether a parameter's name is that of an adapter."""
    return "lora_" in name


def lora_tensors(model: Any, adapter: str = "default") -> dict[str, torch.Tensor]:
    """The tensors of one adapter by name, as they are in the model."""
    return {name: p for name, p in model.named_parameters() if is_lora(name) and f".{adapter}." in name}


def base_digest(model: Any) -> str:
    """SHA-256 over the names and bytes of everything that is not an adapter; the same with and without one around it."""
    digest = hashlib.sha256()
    for name, tensor in model.state_dict().items():
        if not is_lora(name) and isinstance(tensor, torch.Tensor):
            digest.update(name.removeprefix("base_model.model.").replace(".base_layer", "").encode())
            digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
