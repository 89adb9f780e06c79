"""`medchain replay`: a recorded episode, played again, checked, and told."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[Path, typer.Argument(metavar="FILE", help="Replay: a .jsonl of eval --record, play --record or record_to.")]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the episode as a page here too.")]


def run(file: File, html: Html = None) -> None:
    """Play a recorded episode again, check every round's digest and the score, and say what happened."""
    from experiments.options import check_writable, write_atomically
    from experiments.story.data import tell
    from experiments.story.page import footer, page_of
    from experiments.story.told import round_table, score_lines
    from experiments.tables import console
    from medchain.env.replay import Replay

    if html is not None:
        check_writable("--html", html)
    replay = Replay(file)
    story = tell(replay)
    if html is not None:
        write_atomically(html, page_of(story).html(footer(story)))
    out = console()
    players = ", ".join(f"{agent}: {who}" for agent, who in replay.players.items())
    out.print(f"{replay.name}, seed {replay.seed}" + (f" - {players}" if players else ""))
    out.print(round_table(story))
    if story.parts is not None:
        out.print(score_lines(story.parts))
    rounds = len(replay.footer["rounds"])
    state = "to its end" if replay.ended else "until it was stopped"
    out.print(f"Verified {state}: {len(replay.lines)} commands, {rounds} rounds, digest {replay.footer['digest']}")
    if html is not None:
        out.print(f"Page: {html}", soft_wrap=True)
