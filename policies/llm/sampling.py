"""Batched sampling: many contexts at different points at once, with the cache kept from turn to turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from policies.llm.automaton import Automaton


@dataclass
class Completion:
    """One sampled turn: ids, their log-probabilities, whether each was a choice (more than one token was allowed).

    `closed`: the turn ended with its closing token and not at the cap.
    """

    ids: list[int] = field(default_factory=list)
    logps: list[float] = field(default_factory=list)
    choice: list[bool] = field(default_factory=list)
    closed: bool = False


class Rows:
    """Contexts of several episodes in one batch. Each row grows at its own pace; holes are masked out."""

    def __init__(self, model: Any, count: int) -> None:
        """`count` empty rows."""
        self.model, self.device = model, next(model.parameters()).device
        self.cache = DynamicCache()
        self.mask = torch.zeros(count, 0, dtype=torch.long, device=self.device)
        self.length = [0] * count

    @torch.no_grad()
    def feed(self, ids: list[list[int]]) -> torch.Tensor:
        """Append ids to each row (none to some); logits after the last one of each, [rows, vocabulary], float32."""
        rows, longest = len(ids), max(len(row) for row in ids)
        tokens = torch.zeros(rows, longest, dtype=torch.long)
        mask = torch.zeros(rows, longest, dtype=torch.long)
        places = torch.zeros(rows, longest, dtype=torch.long)
        for i, row in enumerate(ids):
            tokens[i, : len(row)] = torch.tensor(row, dtype=torch.long)
            mask[i, : len(row)] = 1
            places[i] = torch.arange(longest) + self.length[i]
            self.length[i] += len(row)
        self.mask = torch.cat([self.mask, mask.to(self.device)], 1)
        decoder, head = decoder_and_head(self.model)
        hidden = decoder(
            input_ids=tokens.to(self.device),
            attention_mask=self.mask,
            position_ids=places.to(self.device),
            cache=self.cache,
            use_cache=True,
        ).last_hidden_state
        last = torch.tensor([max(0, len(row) - 1) for row in ids], device=self.device)
        return head(hidden[torch.arange(rows, device=self.device), last]).float()

    def keep(self, rows: list[int]) -> None:
        """Go on with these rows only."""
        at = torch.tensor(rows, dtype=torch.long, device=self.device)
        self.cache.batch_select_indices(at)
        self.mask, self.length = self.mask[at], [self.length[i] for i in rows]


def decoder_and_head(model: Any) -> tuple[Any, Any]:
    """The transformer and the output layer of a causal language model, with or without an adapter around it."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    return inner.get_decoder(), inner.get_output_embeddings()


@dataclass(frozen=True)
class Sampling:
    """How turns are sampled: at most `cap` tokens at `temperature` (0: the likeliest), by an automaton or freely."""

    cap: int
    end: int
    temperature: float = 1.0
    automata: dict[str, Automaton] | None = None


def sample_turns(
    rows: Rows, fresh: list[list[int]], forms: list[str], rngs: list[np.random.Generator], how: Sampling
) -> list[Completion]:
    """Feed each row its fresh ids and sample a turn for each; every row draws from its own generator.

    The closing token is fed too when the row goes on, as the first of its next fresh ids is what follows it.
    """
    done = [Completion() for _ in fresh]
    states = [0] * len(fresh)
    chunks, active = fresh, list(range(len(fresh)))
    while active:
        logits = rows.feed(chunks).cpu().numpy()
        chunks = [[] for _ in fresh]
        for i in list(active):
            chunks[i] = _extend(done[i], logits[i], states, i, forms[i], rngs[i], how)
            if done[i].closed or len(done[i].ids) >= how.cap:
                active.remove(i)
        if not active or not any(chunks):
            break
    if any(chunks):
        rows.feed(chunks)
    return done


def _extend(
    turn: Completion, logits: Any, states: list[int], i: int, form: str, rng: np.random.Generator, how: Sampling
) -> list[int]:
    """Sample one token and whatever is forced after it; returns what was appended."""
    start = len(turn.ids)
    automaton = how.automata[form] if how.automata else None
    if automaton is None:
        _append(turn, *_draw(logits, None, rng, how.temperature), how.end)
    else:
        allowed = automaton.allowed(states[i], how.cap - len(turn.ids))
        _append(turn, *_draw(logits, allowed, rng, how.temperature), how.end)
        while not turn.closed:
            states[i] = automaton.step(states[i], turn.ids[-1])
            if len(turn.ids) >= how.cap:
                break
            allowed = automaton.allowed(states[i], how.cap - len(turn.ids))
            if len(allowed) > 1:
                break
            _append(turn, int(allowed[0]), 0.0, False, how.end)
    return turn.ids[start:]


def _append(turn: Completion, token: int, logp: float, choice: bool, end: int) -> None:
    turn.ids.append(token)
    turn.logps.append(logp)
    turn.choice.append(choice)
    turn.closed = token == end


def _draw(logits: Any, allowed: Any, rng: np.random.Generator, temperature: float) -> tuple[int, float, bool]:
    """A token, its log-probability among those allowed, and whether there was a choice."""
    if allowed is not None and len(allowed) == 1:
        return int(allowed[0]), 0.0, False
    scores = logits if allowed is None else logits[allowed]
    if temperature == 0.0:
        at, scaled = int(scores.argmax()), scores
    else:
        scaled = scores / np.float32(temperature)
        shifted = np.exp((scaled - scaled.max()).astype(np.float64))
        total = np.cumsum(shifted)
        at = min(int(np.searchsorted(total, rng.random() * total[-1], side="right")), len(scores) - 1)
    logp = float(scaled[at] - scaled.max() - np.log(np.exp((scaled - scaled.max()).astype(np.float64)).sum()))
    return int(at if allowed is None else allowed[at]), logp, True
