"""Independent masked choices, one per head, over flat logits: log-probability, entropy, KL, sampling.

A head whose mask allows one choice is not in use: its log-probability, entropy and KL are exactly 0 and no gradient flows
through it. All functions take logits [n, choices] that `mask_logits` has been over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from policies.learned.layout import Group

FORBIDDEN = -1e9
"""Logit of a choice that the mask does not allow: its probability is exactly 0 in float32."""


def mask_logits(logits: Tensor, mask: Tensor) -> Tensor:
    """`logits` with what `mask` (0 or 1, same shape) does not allow put out of reach."""
    return torch.where(mask > 0, logits, FORBIDDEN)


def _split(flat: Tensor, groups: Sequence[Group]) -> Iterator[Tensor]:
    """[n, heads of the group, size] for each group."""
    parts = torch.split(flat, [g.count * g.size for g in groups], dim=-1)
    for part, g in zip(parts, groups, strict=True):
        yield part.reshape(*part.shape[:-1], g.count, g.size)


def log_prob(logits: Tensor, groups: Sequence[Group], actions: Tensor) -> Tensor:
    """Log-probability [n] of actions [n, heads]."""
    chosen = torch.split(actions.long(), [g.count for g in groups], dim=-1)
    total = logits.new_zeros(logits.shape[:-1])
    for part, index in zip(_split(logits, groups), chosen, strict=True):
        total = total + torch.log_softmax(part, -1).gather(-1, index.unsqueeze(-1)).sum((-1, -2))
    return total


def entropy(logits: Tensor, groups: Sequence[Group]) -> Tensor:
    """Entropy [n], nats, summed over heads."""
    total = logits.new_zeros(logits.shape[:-1])
    for part in _split(logits, groups):
        logs = torch.log_softmax(part, -1)
        total = total - (logs.exp() * logs).sum((-1, -2))
    return total


def kl(logits: Tensor, others: Tensor, groups: Sequence[Group]) -> Tensor:
    """KL(logits || others) [n], nats, summed over heads."""
    total = logits.new_zeros(logits.shape[:-1])
    for part, other in zip(_split(logits, groups), _split(others, groups), strict=True):
        logs = torch.log_softmax(part, -1)
        total = total + (logs.exp() * (logs - torch.log_softmax(other, -1))).sum((-1, -2))
    return total


def best(logits: Tensor, groups: Sequence[Group]) -> Tensor:
    """The most probable choice of every head, int64 [n, heads]; the first of equals."""
    return torch.cat([part.argmax(-1) for part in _split(logits, groups)], -1)


def sample(logits: Tensor, groups: Sequence[Group], generator: torch.Generator | None = None) -> Tensor:
    """A draw of every head, int64 [n, heads]."""
    noise = torch.empty_like(logits).exponential_(generator=generator).log_()
    return best(logits - noise, groups)
