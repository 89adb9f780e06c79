"""Base models in four or eight bits by bitsandbytes, with the same arithmetic wherever they run."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch

from policies.llm.chat import ModelError

QUANTISATIONS = ("none", "nf4", "int8")


def check_quantisation(quantisation: str) -> None:
    """Try a form on a small matrix, on the GPU if there is one.

    Raises:
        ModelError: bitsandbytes is missing or cannot do it on this machine.
    """
    if quantisation == "none":
        return
    if find_spec("bitsandbytes") is None:
        raise ModelError(f"quantisation {quantisation} needs the package bitsandbytes; install medchain[train]")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        _try(quantisation, torch.ones(64, 64, device=device))
    except Exception as error:  # a missing library, kernel or instruction: each platform fails in its own way
        why = f"{device}: {str(error)[:200] or type(error).__name__}"
        raise ModelError(
            f"quantisation {quantisation} does not work on this machine ({why});"
            " set model.quantisation to none, or run where bitsandbytes supports it"
        ) from None


def _try(quantisation: str, matrix: torch.Tensor) -> None:
    from bitsandbytes import functional

    if quantisation == "nf4":
        packed, state = functional.quantize_4bit(matrix, quant_type="nf4", compress_statistics=True)
        functional.dequantize_4bit(packed, state)
    else:
        functional.int8_vectorwise_quant(matrix.to(torch.float16))


def quantisation_config(quantisation: str, dtype: str) -> Any:
    """What `from_pretrained` takes as quantization_config."""
    from transformers import BitsAndBytesConfig

    if quantisation == "int8":
        return BitsAndBytesConfig(load_in_8bit=True)
    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=getattr(torch, dtype),
    )


def one_arithmetic(model: Any) -> None:
    """Make quantised layers multiply in evaluation as they do in training: sampler and learner must agree.

    On some CPUs bitsandbytes repacks four-bit weights at the first evaluation, which rounds them once more and leaves them
    without a gradient; and eight-bit layers round their inputs in evaluation only.
    """
    from bitsandbytes.nn import Linear4bit, Linear8bitLt

    for module in model.modules():
        if isinstance(module, Linear4bit):
            module.support_avx512bf16_for_cpu = False
        elif isinstance(module, Linear8bitLt):
            module.train(True)
            module.train = _stay  # type: ignore[method-assign]


def _stay(mode: bool = True) -> None:
    """Takes the place of `Module.train`: the mode is left as it is."""
