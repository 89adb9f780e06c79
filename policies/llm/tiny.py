"""The embedded default model: Qwen3's architecture in one to three million parameters, built on the spot."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from policies.llm.tokenizer import number_ids


def tiny_model(tokenizer: Any, seed: int = 0, width: int = 128, layers: int = 4, heads: int = 4) -> Any:
    """A random Qwen3 model for `tokenizer`; the same seed gives the same weights.

    Numbers start close to their neighbours, so that what is learned of 40 says something of 41.
    """
    torch.manual_seed(seed)
    special = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    config = tiny_config(len(tokenizer), width, layers, heads, **special)
    model = Qwen3ForCausalLM(config)
    with torch.no_grad():
        table = model.get_input_embeddings().weight
        values = number_ids(tokenizer)
        ids = torch.tensor(list(values))
        table[ids] = 0.3 * table[ids] + _number_features(torch.tensor(list(values.values())), width) * table.std()
    return model


def tiny_config(vocabulary: int, width: int, layers: int, heads: int, **special: int) -> Any:
    """Shape of the embedded model; `special` are ids of tokens."""
    return Qwen3Config(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=3 * width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads // 2,
        head_dim=width // heads,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        bos_token_id=None,
        **special,
    )


def _number_features(values: torch.Tensor, width: int) -> torch.Tensor:
    """Smooth features of log(5 + n), [n, width]: sines of growing frequency, of unit variance."""
    x = torch.log(5.0 + values)[:, None]
    pairs = width // 2
    frequency = torch.exp(torch.linspace(math.log(0.3), math.log(30.0), pairs))[None, :]
    waves = torch.cat([torch.sin(x * frequency), torch.cos(x * frequency)], dim=1)
    return torch.nn.functional.pad(waves, (0, width - 2 * pairs)) * math.sqrt(2)


def save_model(model: Any, tokenizer: Any, folder: Path) -> None:
    """Save both where `from_pretrained` finds them."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
