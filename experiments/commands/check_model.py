"""`medchain check-model`: whether a model can be trained here, before GPU time is spent."""

from __future__ import annotations

from typing import Annotated

import typer

Model = Annotated[str, typer.Argument(metavar="NAME|PATH", help="tiny, smollm2, a hub name or a folder.")]
Quantisation = Annotated[str, typer.Option("--quantisation", metavar="none|nf4|int8", help="The form it is loaded in.")]


def run(model: Model, quantisation: Quantisation = "none") -> None:
    """Go through the sanity list on the CPU; every item with its reason. Exit code 1 if any fails."""
    from contextlib import ExitStack
    from dataclasses import replace
    from importlib.util import find_spec
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from medchain.errors import ConfigError, UnknownNameError

    missing = [name for name in ("torch", "transformers", "peft") if find_spec(name) is None]
    if missing:
        raise ConfigError(f"check-model needs medchain[train]; not installed: {', '.join(missing)}")
    from experiments.hush import hush

    hush()
    from policies.llm.check import Checks, default_source
    from policies.llm.quantise import QUANTISATIONS

    if quantisation not in QUANTISATIONS:
        raise UnknownNameError("quantisation", quantisation, list(QUANTISATIONS))
    failed = 0
    with ExitStack() as stack:
        if model == "tiny":
            from medchain.scenario import load_scenario
            from policies.llm.embedded import tiny_tokenizer
            from policies.llm.tiny import save_model, tiny_model

            model = stack.enter_context(TemporaryDirectory())
            tokenizer = tiny_tokenizer(load_scenario("medium"))
            save_model(tiny_model(tokenizer), tokenizer, Path(model))
        for item in Checks(replace(default_source(model), quantisation=quantisation)).run():
            typer.echo(f"{'ok  ' if item.passed else 'FAIL'} {item.name}: {item.reason}")
            failed += not item.passed
    if failed:
        raise typer.Exit(1)
