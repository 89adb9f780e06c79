"""The episode as one self-contained page."""

from __future__ import annotations

from experiments.page import Page
from experiments.story.audit import audit_section
from experiments.story.data import Story
from experiments.story.facts import Facts
from experiments.story.lines import lines_section
from experiments.story.rounds import rounds_section
from experiments.story.score import money_section, score_section, service_section, tiles, trust_section
from experiments.story.stock import orders_section, stock_section
from experiments.story.style import STYLE


def lead(story: Story) -> str:
    """One line on what the page shows and that it can be believed."""
    replay = story.replay
    others = ", ".join(f"{agent}: {who}" for agent, who in replay.players.items() if agent != "coordinator")
    calls = len(replay.lines)
    ended = "" if replay.ended else f"Stopped in round {story.chapters[-1].number}. "
    played = f"Others: {others}. " if others else ""
    return (
        f"{ended}{played}{calls:,} calls and answers, played again from the record: digest {replay.footer['digest'][:12]}."
    )


def page_of(story: Story) -> Page:
    """The page of an episode."""
    f = Facts(story)
    page = Page(f"Episode: {story.title}", lead(story), style=STYLE, contents=True)
    page.raw(tiles(story, f))
    page.add("Score", *score_section(story))
    page.add("Service", *service_section(f))
    page.add("Rounds", *rounds_section(story, f))
    page.add("Requests", *lines_section(f))
    page.add("Audit trail", *audit_section(story, f))
    page.add("Trust", *trust_section(story, f))
    page.add("Stock", *stock_section(story, f))
    page.add("Orders", *orders_section(f))
    page.add("Money", *money_section(story, f))
    return page


def footer(story: Story) -> str:
    """What the page was made from."""
    header = story.replay.header
    made = f"Recorded by MedChain {header.get('medchain')}, numpy {header.get('numpy')}"
    return f"{made}; scenario {header['digest'][:12]}, record {story.replay.footer['digest']}."
