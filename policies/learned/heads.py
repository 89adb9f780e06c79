"""Independent masked choices, one per head, over flat logits: log-probability, entropy, KL, sampling.

A head whose mask allows one choice is not in use: its log-probability, entropy and KL are exactly 0 and no gradient flows
through it. All functions take logits [n, choices] that `mask_logits` has been over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from policies.learned.draw import draw
from policies.learned.layout import Group

FORBIDDEN = -1e9
"""Logit of a choice that the mask does not allow: its probability is exactly 0 in float32."""


def in_use(mask: Tensor, groups: Sequence[Group]) -> Iterator[tuple[Group, int, Tensor]]:
    """Each group, where its part of the flat logits starts, and the rows of mask [n, choices] in which it may choose."""
    at = 0
    for g in groups:
        yield g, at, mask[:, at : at + g.count * g.size].sum(-1) > g.count
        at += g.count * g.size


def choosing(mask: Tensor, groups: Sequence[Group]) -> Iterator[tuple[Group, slice]]:
    """The groups in which some row of mask [n, choices] may choose, and their part of the flat logits."""
    allowed, at = mask.sum(0).tolist(), 0
    for g in groups:
        own, at = slice(at, at + g.count * g.size), at + g.count * g.size
        if sum(allowed[own]) > g.count * len(mask):
            yield g, own


def mask_logits(logits: Tensor, mask: Tensor) -> Tensor:
    """`logits` with what `mask` (0 or 1, same shape) does not allow put out of reach."""
    return torch.where(mask > 0, logits, FORBIDDEN)


def _split(flat: Tensor, groups: Sequence[Group]) -> Iterator[Tensor]:
    """[n, heads of the group, size] for each group."""
    parts = torch.split(flat, [g.count * g.size for g in groups], dim=-1)
    for part, g in zip(parts, groups, strict=True):
        yield part.reshape(*part.shape[:-1], g.count, g.size)


def _parts(logits: Tensor, groups: Sequence[Group]) -> Iterator[tuple[Tensor, slice, bool]]:
    """For each group: its logits [n, heads of the group, size], its place among all heads, whether any of them may choose.

    A group in which nobody may choose adds nothing, and costs nothing.
    """
    allowed, at, head = (logits > FORBIDDEN).any(0), 0, 0
    for g in groups:
        width = g.count * g.size
        part = logits[:, at : at + width].reshape(-1, g.count, g.size)
        yield part, slice(head, head + g.count), int(allowed[at : at + width].sum()) > g.count
        at, head = at + width, head + g.count


def log_prob(logits: Tensor, groups: Sequence[Group], actions: Tensor) -> Tensor:
    """Log-probability [n] of actions [n, heads]."""
    return log_prob_each(logits, groups, actions).sum(-1)


def log_prob_each(logits: Tensor, groups: Sequence[Group], actions: Tensor) -> Tensor:
    """Log-probability [n, heads] of each head's own choice in actions [n, heads]."""
    found = []
    for part, own, choosing in _parts(logits, groups):
        found.append(chosen_log_prob(part, actions[:, own].long())[0] if choosing else part.new_zeros(part.shape[:2]))
    return torch.cat(found, -1)


def chosen_log_prob(logits: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Of one group, logits [n, heads, size]: log-probabilities of the choices [n, heads], and of all [n, heads, size]."""
    logs = torch.log_softmax(logits, -1)
    return logs.gather(-1, chosen.unsqueeze(-1)).squeeze(-1), logs


def entropy(logits: Tensor, groups: Sequence[Group]) -> Tensor:
    """Entropy [n], nats, summed over heads."""
    total = logits.new_zeros(len(logits))
    for part, _, choosing in _parts(logits, groups):
        if choosing:
            logs = torch.log_softmax(part, -1)
            total = total - (logs.exp() * logs).sum((-1, -2))
    return total


def kl(logits: Tensor, others: Tensor, groups: Sequence[Group]) -> Tensor:
    """KL(logits || others) [n], nats, summed over heads."""
    total = logits.new_zeros(len(logits))
    for (part, _, choosing), (other, _, _) in zip(_parts(logits, groups), _parts(others, groups), strict=True):
        if choosing:
            logs = torch.log_softmax(part, -1)
            total = total + (logs.exp() * (logs - torch.log_softmax(other, -1))).sum((-1, -2))
    return total


def best(logits: Tensor, groups: Sequence[Group]) -> Tensor:
    """The most probable choice of every head, int64 [n, heads]; the first of equals."""
    return torch.cat([part.argmax(-1) for part, _, _ in _parts(logits, groups)], -1)


def sample(logits: Tensor, groups: Sequence[Group], generator: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
    """A draw of every head, int64 [n, heads], and its log-probability [n], without a gradient."""
    sizes = np.repeat([g.size for g in groups], [g.count for g in groups]).astype(np.int64)
    numbers = torch.rand(len(logits), len(sizes), generator=generator)
    chosen, logp = np.empty(numbers.shape, np.int64), np.empty(len(logits), np.float32)
    draw(logits.detach().float().cpu().numpy(), sizes, FORBIDDEN, numbers.numpy(), chosen, logp)
    return torch.from_numpy(chosen).to(logits.device), torch.from_numpy(logp).to(logits.device)
