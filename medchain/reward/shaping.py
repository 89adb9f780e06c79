"""The coordinator's training signal: an advance on the score.

The advance law: what a call earns is the growth of `advance` through it, and the terminal reward is the score minus the
advance at the end. The payments telescope, so an episode's return is the score in both reward modes, `shaped` and
`terminal`, and no loop of calls can raise it. Being a function of the record alone, the advance survives a snapshot.
"""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel


@kernel
def advance(s: Any, p: Any) -> int:
    """Shaping reward paid so far, in micro-reward (1e-6), scale included; may be negative.

    Each fact pays for at most `shaping_most` of its occurrences in a round, a system once an episode.
    """
    paid = 0
    for r in range(s["tally"].shape[0]):
        for fact in range(s["tally"].shape[1]):
            paid += int(p["shaping"][fact]) * min(int(s["tally"][r, fact]), int(p["shaping_most"][fact]))
    for i in range(s["system_used"].shape[0]):
        if s["system_used"][i] != 0:
            paid += int(p["shaping_system"])
    return paid
