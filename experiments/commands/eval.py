"""`medchain eval`: policies on seeds, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

Policies = Annotated[
    str,
    typer.Option(
        "--policy",
        metavar="NAME[,NAME]",
        help="Coordinators; a model as llm:RUN_OR_MODEL[+ADAPTER], a network as learned:RUN_OR_FILE.",
    ),
]
Seeds = Annotated[str, typer.Option("--seeds", metavar="A-B[,C,…]", help="Seeds; held out are 50-59.")]
Difficulties = Annotated[
    str, typer.Option("--difficulty", metavar="NAME[,NAME]", help="light, medium, heavy, or a scenario file.")
]
Workers = Annotated[int, typer.Option("--workers", min=1, max=1024, help="Processes; the result does not depend on it.")]
Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write summaries and episodes here too.")]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the comparison as a page here too.")]
Record = Annotated[Path | None, typer.Option("--record", metavar="DIR", help="Leave a replay of every episode here.")]
Paired = Annotated[bool, typer.Option("--paired", help="Add the differences to the first policy, paired by seed.")]


def run(
    policy: Policies,
    seeds: Seeds = "50-59",
    difficulty: Difficulties = "light,medium,heavy",
    workers: Workers = 1,
    json: Json = None,
    html: Html = None,
    record: Record = None,
    paired: Paired = False,
) -> None:
    """Play whole episodes and print scores, components, fill per ward and the share of the bound."""
    from json import dumps

    from experiments.evaluation import evaluate
    from experiments.options import OptionError, check_writable, parse_names, parse_seeds, write_atomically
    from experiments.recording import check_folder
    from experiments.summary import differences, speeches, summarise, to_json
    from experiments.tables import component_table, console, difference_table, score_table, speech_table

    names, numbers = parse_names("--policy", policy), parse_seeds("--seeds", seeds)
    difficulties = parse_names("--difficulty", difficulty)
    if paired and len(names) < 2:
        raise OptionError(f"--paired: expected two or more policies to compare, got {policy}")
    for option, path in (("--json", json), ("--html", html)):
        if path is not None:
            check_writable(option, path)
    if record is not None:
        check_folder("--record", record, names, difficulties)
    with _progress(len(names) * len(numbers) * len(difficulties)) as progress:
        results = evaluate(names, numbers, difficulties, workers, progress, record)
    if json is not None:
        write_atomically(json, dumps(to_json(results), indent=1) + "\n")
    if html is not None:
        from experiments.comparison import comparison_page, footer

        write_atomically(html, comparison_page(results).html(footer()))
    out = console()
    out.print(f"{len(numbers)} seeds ({seeds}), {difficulty}: {len(numbers) * len(difficulties)} episodes a policy")
    summaries = summarise(results)
    out.print(score_table(summaries))
    out.print(component_table(summaries))
    if spoken := speeches(results):
        out.print(speech_table(spoken))
    if paired:
        out.print(difference_table(differences(results)))


@contextmanager
def _progress(episodes: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr while episodes are played; nothing where stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    err = Console(stderr=True)
    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TextColumn("episodes"), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("playing", total=episodes)
        yield lambda done: bar.update(task, advance=done)
