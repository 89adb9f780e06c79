"""`medchain policies`: the scripted coordinators and what each does."""

from __future__ import annotations

from typing import Annotated

import typer

Markdown = Annotated[bool, typer.Option("--markdown", help="As a Markdown table, for the README.")]


def run(markdown: Markdown = False) -> None:
    """List the policies that `medchain eval` can play."""
    from policies.roster import describe_coordinators

    described = describe_coordinators()
    if markdown:
        rows = [f"| `{name}` | {what} |" for name, what in described.items()]
        typer.echo("\n".join(["| policy | what it does |", "|---|---|", *rows]))
        return
    width = max(map(len, described))
    typer.echo("\n".join(f"{name:{width}}  {what}" for name, what in described.items()))
