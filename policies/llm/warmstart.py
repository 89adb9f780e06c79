"""Warm start: the tiny model learns to speak like a scripted coordinator before reinforcement learning begins."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from policies.llm.automaton import Automaton
from policies.llm.conversation import Stretch
from policies.llm.logprobs import NEVER, Padded, hidden_before, pad
from policies.llm.sampling import decoder_and_head


@dataclass(frozen=True)
class Schedule:
    """How imitation is run."""

    steps: int = 600
    batch: int = 16
    rate: float = 3e-3
    warmup: int = 30
    seed: int = 0


def imitation_loss(model: Any, p: Padded) -> tuple[torch.Tensor, torch.Tensor]:
    """Cross-entropy of the teacher's choices among what was allowed, plus a little of that among all tokens.

    The first makes decisions, the second keeps the model able to speak without constraints. Also: how often the likeliest
    allowed token is the teacher's.
    """
    _, head = decoder_and_head(model)
    logits = head(hidden_before(model, p)).float()
    wanted = p.ids.reshape(-1)[p.place]
    free = torch.nn.functional.cross_entropy(logits, wanted)
    if p.allowed is None:
        return free, (logits.argmax(-1) == wanted).float().mean()
    legal = logits.gather(1, p.allowed.clamp(min=0)).masked_fill(p.allowed < 0, NEVER)
    index = (p.allowed == wanted[:, None]).int().argmax(1)
    return torch.nn.functional.cross_entropy(legal, index) + 0.2 * free, (legal.argmax(1) == index).float().mean()


def warm_start(
    model: Any,
    samples: Sequence[Stretch],
    padding: int,
    automata: Mapping[str, Automaton] | None,
    how: Schedule,
    tell: Callable[[dict[str, float]], None],
) -> None:
    """Train all weights of `model` on the sampled tokens of `samples`; `tell` hears of the progress."""
    rng = np.random.default_rng(how.seed)
    decay = [p for p in model.parameters() if p.ndim > 1]
    rest = [p for p in model.parameters() if p.ndim < 2]
    groups = [{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=how.rate, betas=(0.9, 0.98))
    order: list[int] = []
    model.train()
    for step in range(how.steps):
        if len(order) < how.batch:
            order = _by_length(samples, rng, how.batch)
        chosen, order = order[: how.batch], order[how.batch :]
        padded = pad([samples[i] for i in chosen], padding, automata, choices=False)
        rate = (
            how.rate * min(1.0, (step + 1) / how.warmup) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / how.steps)))
        )
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss, right = imitation_loss(model, padded)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        tell({"step": step, "loss": loss.item(), "right": right.item(), "tokens": float(padded.ids.numel())})
    model.eval()


def _by_length(samples: Sequence[Stretch], rng: np.random.Generator, batch: int) -> list[int]:
    """All samples in random batches of about equal length, so that little is padded."""
    noisy = np.array([len(s.ids) for s in samples]) * rng.uniform(0.9, 1.1, len(samples))
    order = np.argsort(noisy)
    batches = [order[i : i + batch] for i in range(0, len(order) - batch + 1, batch)]
    rng.shuffle(batches)
    return [int(i) for b in batches for i in b]


def fail_if_collapsed(tools: Counter[str], most: float = 0.9) -> None:
    """Raise if one tool takes more than `most` of the calls: imitation has collapsed onto the most frequent action.

    Raises:
        CollapseError: it has.
    """
    total = sum(tools.values())
    name, count = tools.most_common(1)[0] if tools else ("none", 0)
    if not total or count > most * total:
        wanted = f"expected at most {most:.0%} of the calls to one tool"
        raise CollapseError(f"the warm start collapsed: {wanted}, got {count} of {total} to {name}")


class CollapseError(RuntimeError):
    """A warm start that makes one call only."""


def check_legal(samples: Sequence[Stretch], automata: dict[str, Automaton]) -> None:
    """Assert that every sampled token of the samples is one that constrained decoding allows."""
    for s in samples:
        for start, count, form, cap in s.turns:
            ids = s.ids[start : start + count]
            for token, allowed in zip(ids, automata[form].walk(ids, cap), strict=True):
                assert token in allowed, f"token {token} of a transcript is not allowed"
