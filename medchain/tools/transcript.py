"""What agents said, beside the record: messages, replies, concerns, justifications, rationales. The world never reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

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

    def dump(self) -> list[list[int | str]]:
        """As JSON-ready data."""
        return [list(said) for said in self.entries]

    @staticmethod
    def load(data: Any) -> Transcript:
        """From `dump`'s data; raises ReplayError if it is none of ours."""
        try:
            return Transcript([_said(row) for row in data])
        except (ValueError, TypeError):
            raise ReplayError("saved transcript: expected the data of dump(), got something else") from None


def _said(row: Any) -> Said:
    now, day, agent, what, ward, sku, text = row
    return Said(int(now), int(day), int(agent), str(what), int(ward), int(sku), str(text))
