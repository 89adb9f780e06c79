"""How language models spoke in their episodes, counted: for `medchain eval` and for run folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

RATES = {
    "parse_rate": "turns that parse",
    "refused_share": "calls that are refused",
    "calls_per_round": "calls per round",
    "tokens_per_episode": "tokens per episode",
}
"""Figures of `speech`, and what they are called in a table."""

Counts = Mapping[str, Any]
"""Of one episode: turns, unparsed, calls, refused, tokens, rounds, and calls by tool under `tools`."""


def counts(tallies: Iterable[Any], rounds: int) -> dict[str, Any]:
    """Counts of an episode from the tallies (policies/llm/conversation.py) of those who spoke in `rounds` contexts."""
    tallies = list(tallies)
    keys = ("turns", "unparsed", "calls", "refused", "tokens")
    found: dict[str, Any] = {key: sum(getattr(tally, key) for tally in tallies) for key in keys}
    return {**found, "rounds": rounds, "tools": dict(sum((tally.tools for tally in tallies), Counter[str]()))}


def counts_of(rollout: Any) -> dict[str, Any]:
    """Counts of a Rollout (policies/llm/rollout.py)."""
    return counts(rollout.tallies.values(), sum(map(len, rollout.stretches.values())))


def speech(episodes: Sequence[Counts]) -> dict[str, Any]:
    """RATES over some episodes, and how often each tool was called, the most frequent first."""
    total = {key: sum(e[key] for e in episodes) for key in ("turns", "unparsed", "calls", "refused", "tokens", "rounds")}
    tools = sum((Counter(e["tools"]) for e in episodes), Counter[str]())
    return {
        "parse_rate": 1.0 - total["unparsed"] / max(1, total["turns"]),
        "refused_share": total["refused"] / max(1, total["calls"]),
        "calls_per_round": total["calls"] / max(1, total["rounds"]),
        "tokens_per_episode": total["tokens"] / max(1, len(episodes)),
        "tools": dict(tools.most_common()),
    }
