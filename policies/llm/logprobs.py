"""Log-probabilities of sampled tokens as the sampler saw them: the same mask, the same temperature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from policies.llm.automaton import Automaton
from policies.llm.conversation import Stretch
from policies.llm.sampling import decoder_and_head

NEVER = torch.finfo(torch.float32).min


class Padded(NamedTuple):
    """Samples padded on the right.

    `ids` [N, T]; `lengths` [N]; `place` [M] flat index n * T + t of each sampled token, in order; `allowed` [M, K] the
    tokens that were legal there, -1 beyond their end, or None where all were.
    """

    ids: torch.Tensor
    lengths: torch.Tensor
    place: torch.Tensor
    allowed: torch.Tensor | None


def pad(samples: Sequence[Stretch], padding: int, automata: Mapping[str, Automaton] | None, choices: bool = True) -> Padded:
    """Samples as tensors; with `choices` only the tokens where more than one was allowed are kept as sampled."""
    longest = max(len(s.ids) for s in samples)
    ids = np.full((len(samples), longest), padding, np.int64)
    place: list[int] = []
    allowed: list[np.ndarray[Any, Any]] = []
    for n, s in enumerate(samples):
        ids[n, : len(s.ids)] = s.ids
        kept = [i for i, free in enumerate(s.choice) if free or not choices]
        at = s.sampled()
        place += [n * longest + at[i] for i in kept]
        if automata is not None:
            walks = [
                a for start, count, form, cap in s.turns for a in automata[form].walk(s.ids[start : start + count], cap)
            ]
            allowed += [walks[i] for i in kept]
    table = None
    if automata is not None:
        table = np.full((len(allowed), max(map(len, allowed), default=1)), -1, np.int64)
        for m, tokens in enumerate(allowed):
            table[m, : len(tokens)] = tokens
    lengths = torch.tensor([len(s.ids) for s in samples])
    return Padded(torch.from_numpy(ids), lengths, torch.tensor(place), None if table is None else torch.from_numpy(table))


def hidden_before(model: Any, p: Padded) -> torch.Tensor:
    """The transformer's output from which each sampled token was drawn, [M, width]."""
    decoder, _ = decoder_and_head(model)
    hidden = decoder(input_ids=p.ids, use_cache=False).last_hidden_state
    flat: torch.Tensor = hidden.reshape(-1, hidden.shape[-1])
    return flat[p.place - 1]


def token_logps(model: Any, p: Padded, temperature: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probability of each sampled token among those allowed, and the entropy there, each [M], float32."""
    _, head = decoder_and_head(model)
    logits = head(hidden_before(model, p)).float() / temperature
    tokens = p.ids.reshape(-1)[p.place]
    chosen = logits.gather(1, tokens[:, None])[:, 0]
    if p.allowed is not None:
        logits = logits.gather(1, p.allowed.clamp(min=0)).masked_fill(p.allowed < 0, NEVER)
    total = torch.logsumexp(logits, 1)
    with torch.no_grad():
        share = torch.softmax(logits, 1)
        entropy = total - (share * logits.clamp(min=-1e9)).sum(1)
    return chosen - total, entropy
