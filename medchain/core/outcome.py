"""Small things about a command: an empty one, what came of it, what it counts as."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import EVERY


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


@kernel
def blank(queue: Any, n: int, kind: int) -> int:
    """Write an empty command of `kind` at position `n` of a queue (if full, over the last); returns how many there are."""
    n = min(n, queue.shape[0] - 1)
    c = queue[n]
    c["kind"] = kind
    c["ward"] = EVERY
    c["sku"] = EVERY
    c["supplier"] = 0
    c["location"] = EVERY
    c["lot"] = EVERY
    c["ticket"] = 0
    c["quote"] = 0
    c["quantity"] = 0
    c["option"] = 0
    c["claimed_types"] = 0
    c["claimed_events"] = 0
    c["claimed_nonsense"] = 0
    c["claimed_skus"] = 0
    c["claimed_shortage"] = 0
    c["claimed_supplier"] = 0
    c["quantities"][:] = 0
    c["reasons"][:] = 0
    c["cites"][:] = 0
    return n + 1
