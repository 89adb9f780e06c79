"""An episode's story and its score as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

from experiments.story.data import Story
from experiments.story.facts import Facts, event_title, title_of, ward_title
from experiments.story.rounds import told_of
from experiments.tables import number, plain_table
from medchain.core.words import FIXED
from medchain.reward.formula import COMPONENTS


def round_table(story: Story) -> Table:
    """Each round in a row: fill and hoarding pressure by ward, events, what else it brought."""
    f = Facts(story)
    table = plain_table("Round by round: fill of each ward's lines (hoarding pressure as the round opened)")
    table.add_column("round", justify="right")
    for ward in f.names.wards:
        table.add_column(ward_title(ward), justify="right", no_wrap=True)
    table.add_column("what happened")
    for chapter in story.chapters:
        r = chapter.number - 1
        fills = f.ward_fill(slice(r, r + 1)) if r < f.over else None
        cells = []
        for w in range(len(f.names.wards)):
            fill = "-" if fills is None else f"{fills[w]:.0%}"
            cells.append(f"{fill} ({int(chapter.opening['pressure'][w]) / FIXED:.2f})")
        first = r * f.days_per_round + 1
        struck = [event_title(e.kind) for e in f.events() if first <= e.day < first + f.days_per_round]
        table.add_row(str(chapter.number), *cells, "; ".join([*struck, *told_of(f, chapter)]))
    return table


def score_lines(parts: Mapping[str, float | None]) -> Table:
    """The breakdown of a score: one row a component."""
    table = plain_table("Score")
    table.add_column("component", no_wrap=True)
    table.add_column("value", justify="right")
    for name in COMPONENTS:
        table.add_row(title_of(name), number(parts[name]))
    table.add_row("justification penalty", number(parts["justification_penalty"]))
    table.add_section()
    table.add_row("score", number(parts["score"]), style="bold")
    return table
