"""What a learned role sees and chooses at phase level, as one flat vector and groups of heads.

An observation is one float32 row: the features of each line, line after line, then the global ones (phase_spaces.flat). The
heads of a role come in groups of equal size; a group decides per line, per SKU, or once for the hospital.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from medchain.env import phases
from medchain.env.phase_features import (
    ARBITER_GLOBALS,
    ARBITER_LINE,
    COORDINATOR_GLOBALS,
    COORDINATOR_LINE,
    WARD_GLOBALS,
    WARD_LINE,
)
from medchain.errors import UnknownNameError
from medchain.scenario import Sizes

LINE, SKU, ALL = "line", "sku", "all"
"""What one head of a group decides about."""

FORESIGHT = 3
"""What a critic is told of each line beyond what its role sees: need of this round, of the next, of the mean one left."""

ROLES = ("coordinator", "ward", "arbiter")


class Group(NamedTuple):
    """`count` heads of `size` choices each, for every line, for every SKU, or one for the hospital."""

    name: str
    per: str
    count: int
    size: int


class Layout(NamedTuple):
    """Shapes of a role's observation and action. Line number l is about SKU l % skus."""

    role: str
    lines: int
    skus: int
    line_features: tuple[str, ...]
    global_features: tuple[str, ...]
    groups: tuple[Group, ...]

    @property
    def width(self) -> int:
        """Length of the flat observation."""
        return self.lines * len(self.line_features) + len(self.global_features)

    @property
    def heads(self) -> np.ndarray[Any, Any]:
        """Choices per head, int64 [heads]."""
        return np.repeat([g.size for g in self.groups], [g.count for g in self.groups]).astype(np.int64)

    @property
    def ledgers(self) -> int:
        """Into how many parts a return is split by what earned it: each SKU, audits, the rest."""
        return self.skus + 2

    def concern(self, others: float) -> np.ndarray[Any, Any]:
        """How much each ledger counts for each head, float32 [ledgers, heads].

        A head about a SKU is concerned with what that SKU earns, one about audits with those too, one about orders with the
        rest, in which money is, and one about the hospital with everything; all else counts by `others`.
        """
        wide = {LINE: np.arange(self.lines) % self.skus, SKU: np.arange(self.skus)}
        found = []
        for group in self.groups:
            own = np.full((self.ledgers, group.count), 1.0 if group.per == ALL else others, np.float32)
            if group.per != ALL:
                own[wide[group.per], np.arange(group.count)] = 1.0
            if group.name == "audit":
                own[self.skus] = 1.0
            if group.per == SKU:
                own[self.skus + 1] = 1.0
            found.append(own)
        return np.concatenate(found, axis=1)

    @property
    def choices(self) -> int:
        """Length of the flat mask, and of the flat logits."""
        return sum(g.count * g.size for g in self.groups)


def role_of(agent: int, z: Sizes) -> str:
    """The role of an agent number."""
    return ROLES[0] if agent == 0 else ROLES[1] if agent <= z.wards else ROLES[2]


def layout(role: str, z: Sizes) -> Layout:
    """The layout of a role in scenarios of sizes `z`.

    Raises:
        UnknownNameError: no such role.
    """
    lines = z.wards * z.skus
    if role == "coordinator":
        groups = (
            Group("audit", LINE, lines, phases.AUDITS),
            Group("level", LINE, lines, len(phases.LEVELS)),
            Group("up_to", SKU, z.skus, len(phases.UP_TO)),
            Group("supplier", SKU, z.skus, z.suppliers),
            Group("claim", SKU, z.skus, phases.CLAIMS),
            Group("quarantine", ALL, 1, 2),
        )
        return Layout(role, lines, z.skus, tuple(COORDINATOR_LINE), tuple(COORDINATOR_GLOBALS), groups)
    if role == "ward":
        groups = (
            Group("inflation", LINE, z.skus, len(phases.INFLATION)),
            Group("redaction", LINE, z.skus, phases.REDACTIONS),
        )
        return Layout(role, z.skus, z.skus, tuple(WARD_LINE), tuple(WARD_GLOBALS), groups)
    if role == "arbiter":
        groups = (Group("ruling", LINE, lines, phases.RULINGS),)
        return Layout(role, lines, z.skus, tuple(ARBITER_LINE), tuple(ARBITER_GLOBALS), groups)
    raise UnknownNameError("role", role, list(ROLES))
