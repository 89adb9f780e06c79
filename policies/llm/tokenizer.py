"""The tiny model's tokenizer: one token per word of the game, bytes for everything else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

PAD, END = "<|endoftext|>", "<|im_end|>"
SPECIAL = [PAD, "<|im_start|>", END]
MARKS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
ROLES = ["<|im_start|>system\n", "<|im_start|>user\n", "<|im_start|>assistant\n", "<|im_end|>\n"]
NUMBERS = 1000
"""0 .. 999 are one token each,"""
SPACED = 401
"""and 0 .. 400 with a space before them."""

TEMPLATE = """\
{%- for message in messages %}
{%- if message.role == 'tool' %}
{{- '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
{%- else %}
{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}"""
"""Qwen's turns without its thinking: every prefix of a conversation renders to a prefix of its text."""


def words_of(texts: Iterable[str], least: int = 2) -> list[str]:
    """Words (letters, digits, dashes; with a leading space or not) that occur at least `least` times in the texts."""
    counts: dict[str, int] = {}
    for text in texts:
        for word in re.findall(r" ?[A-Za-z][A-Za-z_-]*(?:-\d+)?", text):
            counts[word] = counts.get(word, 0) + 1
    return sorted(word for word, n in counts.items() if n >= least and len(word) > 1)


def build_tokenizer(words: Iterable[str]) -> Any:
    """A fast tokenizer whose every word of `words`, and every number under 1,000, is one token.

    Text of any kind survives encoding and decoding; where words overlap the longest at the leftmost place wins.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {c: i for i, c in enumerate(alphabet)}
    core = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL])
    plain = dict.fromkeys([*MARKS, *(str(n) for n in range(NUMBERS)), *(f" {n}" for n in range(SPACED)), *words])
    known = set(vocabulary) | set(SPECIAL)
    core.add_tokens([AddedToken(t, normalized=False) for t in plain if t and t not in known])
    made = PreTrainedTokenizerFast(tokenizer_object=core, pad_token=PAD, eos_token=END, clean_up_tokenization_spaces=False)
    made.chat_template = TEMPLATE
    return made


def number_ids(tokenizer: Any) -> dict[int, float]:
    """Value of each token that is a number, a number after a space, or a share such as "70%"."""
    found = {}
    for word, token in tokenizer.get_vocab().items():
        match = re.fullmatch(r'[ "]?(\d{1,3})(%")?', word)
        if match and (word[0] != '"' or match[2]):
            found[token] = float(match[1])
    return found
