"""`medchain features`: every number that the structured surface shows each role, by name."""

from __future__ import annotations

from typing import Annotated

import typer

Difficulty = Annotated[str, typer.Option("--difficulty", metavar="NAME", help="Scenario whose sizes are shown.")]


def run(difficulty: Difficulty = "medium") -> None:
    """Print the table of features per role, in Markdown."""
    from medchain.env.spaces import feature_table
    from medchain.scenario import load_scenario

    typer.echo(feature_table(load_scenario(difficulty)))
