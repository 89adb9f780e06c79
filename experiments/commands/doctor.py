"""`medchain doctor`: what is installed and what it can be used for."""

from __future__ import annotations


def run() -> None:
    """Show versions, which extras are there, the kernel cache, the GPU and the browser; always exits 0."""
    from experiments.health import findings
    from experiments.tables import console, plain_table

    table = plain_table("MedChain on this machine")
    for name in ("what", "state", "told"):
        table.add_column(name, no_wrap=name != "told", overflow="fold")
    for finding in findings():
        table.add_row(finding.what, finding.state, finding.told)
    console().print(table)
