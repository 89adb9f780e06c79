"""Summaries as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from experiments.speech import RATES
from experiments.statistics import CONFIDENCE, Estimate
from experiments.summary import Difference, Summary

PLAIN_WIDTH = 120
"""Columns where the output is not a terminal: what a file holds does not depend on a window."""


def console() -> Console:
    """Standard output; as wide as the terminal, or PLAIN_WIDTH."""
    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def number(value: float | None) -> str:
    """Three decimals; a dash where there is nothing to judge."""
    return "-" if value is None else f"{value:.3f}"


def interval(estimate: Estimate | None, signed: bool = False) -> str:
    """The interval, or why there is none."""
    if estimate is None:
        return "-"
    if estimate.clusters == 1:
        return "one seed"
    sign = "+" if signed else ""
    return f"{estimate.low:{sign}.3f} .. {estimate.high:{sign}.3f}"


def score_table(summaries: Sequence[Summary]) -> Table:
    """Score, its interval, share of the bound and fill of each ward: one row a policy."""
    table = plain_table("Score, share of the bound, and fill of each ward's lines")
    table.add_column("policy", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column(f"{CONFIDENCE:.0%} interval", justify="right", no_wrap=True)
    table.add_column("of bound", justify="right")
    wards = list(dict.fromkeys(ward for s in summaries for ward in s.fill))
    for ward in wards:
        table.add_column(ward, justify="right")
    for s in summaries:
        fills = [number(s.fill.get(ward)) for ward in wards]
        table.add_row(s.policy, number(s.score.mean), interval(s.score), f"{s.bound_share:.1%}", *fills)
    return table


def component_table(summaries: Sequence[Summary]) -> Table:
    """The components as they enter the score, gated: one column a policy."""
    table = plain_table("Components of the score")
    table.add_column("component", no_wrap=True)
    for s in summaries:
        table.add_column(s.policy.replace("_", "\n"), justify="right", vertical="bottom")
    for name in summaries[0].components:
        table.add_row(name, *[number(s.components[name]) for s in summaries])
    table.add_row("justification_penalty", *[number(s.penalty) for s in summaries])
    return table


def difference_table(differences: Sequence[Difference]) -> Table:
    """Paired differences to the first policy, with intervals."""
    table = plain_table(
        f"Difference to {differences[0].baseline}, paired by seed and difficulty ({CONFIDENCE:.0%} intervals)"
    )
    table.add_column("policy", no_wrap=True)
    for column in ("score", "critical service", "score without audit"):
        table.add_column(column, justify="right")
        table.add_column("interval", justify="right", no_wrap=True)
    for d in differences:
        row = []
        for estimate in (d.score, d.critical_service_level, d.score_without_audit):
            row += ["-" if estimate is None else f"{estimate.mean:+.3f}", interval(estimate, signed=True)]
        table.add_row(d.policy, *row)
    return table


def speech_table(speeches: Mapping[str, Mapping[str, Any]]) -> Table:
    """How each language model spoke, then the share of its calls that went to each tool: one column a policy."""
    table = plain_table("How language models spoke, and the share of calls to each tool")
    table.add_column("", no_wrap=True)
    for policy in speeches:
        table.add_column(policy, justify="right", vertical="bottom", overflow="fold")
    for key, title in RATES.items():
        table.add_row(title, *[f"{s[key]:,.0f}" if s[key] >= 100 else number(s[key]) for s in speeches.values()])
    calls = {policy: max(1, sum(s["tools"].values())) for policy, s in speeches.items()}
    for tool in dict.fromkeys(tool for s in speeches.values() for tool in s["tools"]):
        table.add_row(tool, *[f"{s['tools'].get(tool, 0) / calls[policy]:.1%}" for policy, s in speeches.items()])
    return table


def plain_table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
