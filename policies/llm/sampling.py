"""Batched sampling: many contexts at different points at once, each in a row of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from policies.llm.automaton import Automaton
from policies.llm.cache import RowCache

SLICE = 4
"""Tokens that a row is fed in a step that all rows share: rows with more to read go on reading while others draw."""

LONG = 32
"""More than this is read apart, not in slices: the start of a context."""


@dataclass
class Completion:
    """One sampled turn: ids, their log-probabilities, whether each was a choice (more than one token was allowed).

    `closed`: the turn ended with its closing token and not at the cap.
    """

    ids: list[int] = field(default_factory=list)
    logps: list[float] = field(default_factory=list)
    choice: list[bool] = field(default_factory=list)
    closed: bool = False

    def append(self, token: int, logp: float, choice: bool, end: int) -> None:
        """Go on with a token."""
        self.ids.append(token)
        self.logps.append(logp)
        self.choice.append(choice)
        self.closed = token == end


class Rows:
    """Contexts of several episodes in one batch. Each row grows at its own pace."""

    def __init__(self, model: Any, count: int) -> None:
        """`count` empty rows."""
        self.model, self.device = model, next(model.parameters()).device
        self.decoder, self.head = decoder_and_head(model)
        self.cache = RowCache(self.decoder.config.num_hidden_layers, count)
        self.length = np.zeros(count, np.int64)

    @torch.no_grad()
    def feed(self, rows: Sequence[int], ids: Sequence[Sequence[int]]) -> torch.Tensor:
        """Append ids to rows (none to some); logits after the last one of each, [len(rows), vocabulary], float32."""
        counts = np.array([len(one) for one in ids])
        longest = int(counts.max())
        tokens = np.zeros((len(ids), longest), np.int64)
        for i, one in enumerate(ids):
            tokens[i, : len(one)] = one
        at = np.asarray(rows)
        places = self.length[at, None] + np.arange(longest)  # a place beyond a row's end is written again before it is seen
        self.length[at] += counts
        reach = int(places.max()) + 1
        leading = bool((at == np.arange(len(at))).all())
        where = torch.from_numpy(places).to(self.device)
        self.cache.aim(torch.from_numpy(at).to(self.device), where, reach, leading)
        hidden = self.decoder(
            input_ids=torch.from_numpy(tokens).to(self.device),
            attention_mask=self._mask(where, reach),
            position_ids=where,
            cache=self.cache,
            use_cache=True,
        ).last_hidden_state
        last = torch.from_numpy(np.maximum(0, counts - 1)).to(self.device)
        logits: torch.Tensor = self.head(hidden[torch.arange(len(ids), device=self.device), last])
        return logits.float()

    def _mask(self, places: torch.Tensor, reach: int) -> torch.Tensor:
        """Added to attention scores, [rows, 1, tokens, reach]: a token sees its row up to itself."""
        dtype = self.decoder.get_input_embeddings().weight.dtype
        unseen = torch.arange(reach, device=self.device) > places[:, None, :, None]
        return torch.zeros(unseen.shape, dtype=dtype, device=self.device).masked_fill_(unseen, torch.finfo(dtype).min)

    def clear(self, row: int) -> None:
        """Forget a row's context."""
        self.length[row] = 0

    def move(self, source: int, target: int) -> None:
        """Row `target` takes over the context of row `source`."""
        self.cache.move(source, target)
        self.length[target] = self.length[source]


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
    automata: Mapping[str, Automaton] | None = None


class Writer:
    """What is written into one row: ids that the model has yet to read, and the turn under way."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Nothing yet; every writer draws from its own generator."""
        self.rng = rng
        self.unread: list[int] = []
        self.turn, self.state, self.over = Completion(), 0, True
        self.automaton: Automaton | None = None

    def begin(self, ids: Sequence[int], form: str, how: Sampling) -> None:
        """Read `ids`, then write a turn of the form."""
        self.unread.extend(ids)
        self.turn, self.state, self.over = Completion(), 0, False
        self.automaton = how.automata[form] if how.automata else None

    def extend(self, logits: Any, how: Sampling) -> None:
        """Draw one token and append whatever is forced after it."""
        turn, start = self.turn, len(self.turn.ids)
        turn.append(*_draw(logits, self._allowed(how), self.rng, how.temperature), how.end)
        while self.automaton is not None and not turn.closed and len(turn.ids) < how.cap:
            self.state = self.automaton.step(self.state, turn.ids[-1])
            allowed = self.automaton.allowed(self.state, how.cap - len(turn.ids))
            if len(allowed) > 1:
                break
            turn.append(int(allowed[0]), 0.0, False, how.end)
        self.unread.extend(turn.ids[start:])
        self.over = turn.closed or len(turn.ids) >= how.cap

    def _allowed(self, how: Sampling) -> Any:
        return None if self.automaton is None else self.automaton.allowed(self.state, how.cap - len(self.turn.ids))


def step(rows: Rows, writers: Sequence[Writer], how: Sampling) -> None:
    """Every writer, the i-th in row i, reads on; who has read all draws the next token, unless its turn is over."""
    apart = [i for i, writer in enumerate(writers) if not writer.over and len(writer.unread) > LONG]
    if apart:
        rows.feed(apart, [writers[i].unread[:-1] for i in apart])
        for i in apart:
            del writers[i].unread[:-1]
    shares = [[] if writer.over else writer.unread[:SLICE] for writer in writers]
    logits = rows.feed(range(len(writers)), shares).cpu().numpy()
    for i, writer in enumerate(writers):
        if not writer.over:
            del writer.unread[: len(shares[i])]
            if not writer.unread:
                writer.extend(logits[i], how)


def write_turns(rows: Rows, writers: Sequence[Writer], how: Sampling) -> list[Completion]:
    """Go on until every writer's turn is over."""
    while not all(writer.over for writer in writers):
        step(rows, writers, how)
    return [writer.turn for writer in writers]


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
