"""Small things every rule needs to say what came of a command."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel


@kernel
def refuse(out: Any, refusal: int, a: int, b: int, c: int) -> bool:
    """Refuse a command, with the numbers that its sentence needs; always False."""
    out["ok"] = 0
    out["refusal"] = refusal
    out["a"] = a
    out["b"] = b
    out["c"] = c
    return False


@kernel
def tally(s: Any, fact: int) -> None:
    """Count a fact of this round for the training signal."""
    s["tally"][int(s["round"]) - 1, fact] += 1


@kernel
def use_system(s: Any, system: int) -> None:
    """Note that an enterprise system was used."""
    s["system_used"][system] = 1
