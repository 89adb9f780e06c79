"""What agents said, beside the record: messages, replies, concerns, justifications, rationales. The world never reads it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import NamedTuple

from medchain.errors import ReplayError


class Said(NamedTuple):
    """Words of one agent (by number) in one round: `what` they are, and the ward and SKU they are about (-1: none)."""

    round: int
    day: int
    agent: int
    what: str
    ward: int
    sku: int
    text: str


@dataclass
class Transcript:
    """All that was said in an episode, in order; free text is printable ASCII on one line."""

    entries: list[Said] = field(default_factory=list)

    def add(self, said: Said) -> None:
        """Note words; empty ones are not kept."""
        if said.text:
            self.entries.append(said)

    def about(self, what: str, ward: int, since: int = 0) -> list[Said]:
        """Words of one sort about a ward since a round, newest first."""
        return [s for s in reversed(self.entries) if s.what == what and s.ward == ward and s.round >= since]

    def last(self, what: str) -> Said | None:
        """The latest words of one sort."""
        return next((s for s in reversed(self.entries) if s.what == what), None)

    def dump(self) -> str:
        """As JSON text."""
        return json.dumps([list(said) for said in self.entries])

    @staticmethod
    def load(text: str) -> Transcript:
        """From JSON text; raises ReplayError if it is none of ours."""
        try:
            return Transcript(
                [Said(int(r), int(d), int(a), str(w), int(x), int(k), str(t)) for r, d, a, w, x, k, t in json.loads(text)]
            )
        except (ValueError, TypeError) as error:
            raise ReplayError(f"saved transcript cannot be read: {error}") from None
