"""The console script `medchain`: what its commands are called and how it ends. Each command is a module of commands/.

To add one, write `commands/NAME.py` with a function `run` and add `"NAME"` to COMMANDS. Such a module imports typer and
little else at its top; what is heavy is imported inside `run`, so that `medchain --help` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import medchain
from medchain.errors import MedChainError

COMMANDS = ("eval", "policies", "play", "replay", "train", "check-model", "tools", "features", "study", "doctor")
"""In the order in which `medchain --help` lists them; a command `check-model` lives in commands/check_model.py."""

BAD_INPUT, INTERRUPTED = 2, 130
"""Exit codes: the user's input is wrong (typer's own usage errors are 2 too); Ctrl-C."""


class Commands(TyperGroup):
    """Commands whose user errors are one line on stderr, never a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except MedChainError as error:
            typer.echo(f"medchain: {error}", err=True)
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            typer.echo("medchain: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(cls=Commands, no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(medchain.__version__)
        raise typer.Exit


@app.callback()
def medchain_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """MedChain: a hospital pharmacy where wards pad their requests and a coordinator audits them."""


for _name in COMMANDS:
    app.command(_name)(import_module(f"experiments.commands.{_name.replace('-', '_')}").run)


def main() -> None:
    """Run the console script; exits 2 on wrong input, 130 when interrupted."""
    app(prog_name="medchain")


if __name__ == "__main__":
    main()
