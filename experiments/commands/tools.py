"""`medchain tools`: the 21 tools as a table, or as schemas for MCP and OpenAI function calling."""

from __future__ import annotations

from typing import Annotated

import typer

FORMATS = ("table", "json", "openai", "mcp")

Format = Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="What to print.")]
Difficulty = Annotated[
    str, typer.Option("--difficulty", metavar="NAME", help="Scenario whose wards and products are listed.")
]


def run(format: Format = "table", difficulty: Difficulty = "medium") -> None:
    """List the coordinator's tools: names, parameters, legal values."""
    from json import dumps

    from medchain.errors import UnknownNameError
    from medchain.scenario import load_scenario
    from medchain.tools.registry import REPLIES, Registry

    if format not in FORMATS:
        raise UnknownNameError("format", format, list(FORMATS))
    registry = Registry(load_scenario(difficulty))
    if format == "table":
        _print_table(registry.table())
    elif format == "json":
        typer.echo(dumps({"tools": registry.described(), "answers": registry.described(REPLIES)}, indent=1))
    else:
        typer.echo(dumps(registry.openai() if format == "openai" else registry.mcp(), indent=1))


def _print_table(rows: list[tuple[str, str, str]]) -> None:
    from rich import box
    from rich.table import Table

    from experiments.tables import console

    table = Table("system", "tool (optional parameters in brackets)", "what it does", box=box.SIMPLE_HEAD)
    for system, signature, description in rows:
        table.add_row(system, signature.replace("[", r"\["), description)
    out = console()
    out.print(table)
