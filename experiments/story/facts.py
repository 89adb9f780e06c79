"""What a story's pictures and tables count: arrays by round, ward and SKU out of the final record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.story.data import Story
from medchain.core.lines import is_padded
from medchain.core.words import Event, Verdict

Array = np.ndarray[Any, Any]


class Struck(NamedTuple):
    """An event that has come: its type, first day, days in all."""

    kind: Event
    day: int
    days: int


class Facts:
    """Counts of the rounds told so far. Shapes: R rounds told, W wards, S SKUs, T days told; units."""

    def __init__(self, story: Story) -> None:
        """Count."""
        s, scenario = story.session.record, story.replay.scenario
        self.record, self.names, self.params = s, story.names, story.session.params[0]
        self.rounds = R = len(story.chapters)
        self.days_per_round = scenario.clock.days_per_round
        self.over = R if story.session.ended else R - 1  # rounds that have closed
        self.lines = self.params["demand"] > 0  # [W, S]
        days = s["need"].shape[0]
        split = (days // self.days_per_round, self.days_per_round, *self.lines.shape)
        self.need = s["need"].reshape(split).sum(axis=1)[:R]  # [R, W, S]
        self.used = s["consumed"].reshape(split).sum(axis=1)[:R]
        self.asked, self.got = s["requested"][:R], s["allocated"][:R]
        self.verdict, self.granted = s["verdict"][:R], s["verdict_quantity"][:R]
        self.evidence, self.redacted, self.cited = s["evidence"][:R], s["redacted"][:R], s["cited"][:R]
        self.padded = np.vectorize(is_padded, otypes=[bool])(self.asked, self.need) & self.lines  # [R, W, S]
        self.caught = self.padded & (self.verdict > Verdict.APPROVE)
        self.paid = self.padded & (20 * self.got > 21 * self.need)
        self.fill = np.where(self.need > 0, self.used / np.maximum(self.need, 1), 1.0)  # [R, W, S]

    def ward_fill(self, rounds: slice) -> Array:
        """Mean fill of each ward's lines over some rounds, float64 [W]; 1 for a ward without lines."""
        fills = self.fill[rounds]
        return np.array([fills[:, w, mine].mean() if mine.any() else 1.0 for w, mine in enumerate(self.lines)])

    def daily_fill(self) -> Array:
        """Mean fill of each ward's lines on each day of the rounds that have closed, float64 [T, W]."""
        days = self.over * self.days_per_round
        need, used = self.record["need"][:days], self.record["consumed"][:days]
        fills = np.where(need > 0, used / np.maximum(need, 1), 1.0)
        each = [fills[:, w, mine].mean(axis=1) if mine.any() else np.ones(days) for w, mine in enumerate(self.lines)]
        return np.stack(each, axis=1)

    def events(self) -> list[Struck]:
        """Events that have come, in order; a recall is told as one day."""
        s, p, found = self.record, self.params, []
        lasts = {Event.MCI: "mci_days", Event.SUPPLIER_DISRUPTION: "disruption_days", Event.COLD_CHAIN_BREACH: "breach_days"}
        for e in range(int(s["event_count"])):
            kind, day = Event(int(s["event_type"][e])), int(s["event_day"][e])
            if day <= int(s["day"]):
                found.append(Struck(kind, day, int(p[lasts[kind]]) if kind in lasts else 1))
        return found


def title_of(word: str) -> str:
    """A word of the code in plain letters."""
    return word.replace("_", " ").lower()


def event_title(kind: Event) -> str:
    """An event type in plain words."""
    return "mass-casualty incident" if kind == Event.MCI else title_of(kind.name)


def dollars(cents: int | float) -> str:
    """Whole dollars."""
    return f"${cents / 100:,.0f}"


def ward_title(name: str) -> str:
    """A ward's name, short enough for a chart."""
    short = name.removeprefix("ward_")
    return short.upper() if len(short) <= 3 else short.capitalize()


def plural(n: int, what: str) -> str:
    """A count with its noun."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def joined(parts: Sequence[str]) -> str:
    """Parts as one sentence's list; a dash if there are none."""
    return ", ".join(parts) if parts else "-"
