"""Play many episodes at once: whoever wants to speak is gathered into batches, each episode at its own turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from policies.llm.automaton import Automaton
from policies.llm.conversation import Conversation, Stretch, Tally
from policies.llm.sampling import Rows, Sampling, sample_turns
from policies.llm.table import Table


@dataclass(frozen=True)
class Key:
    """Names one episode of a group: all of one (seed, difficulty) meet the same world; `member` tells them apart."""

    seed: int
    difficulty: str
    member: int


@dataclass
class Rollout:
    """An episode that was played: its score, its breakdown, and by agent number its samples and counts."""

    key: Key
    score: float
    breakdown: dict[str, Any]
    stretches: dict[int, list[Stretch]]
    tallies: dict[int, Tally]
    returns: dict[int, float] = field(default_factory=dict)
    paid: list[float] = field(default_factory=list)  # shaping paid before each round, by round
    openings: list[str] = field(default_factory=list)  # digest of the record at each round's opening


@dataclass(frozen=True)
class Voice:
    """What speaks for an agent: a model, the automata of its turns (None: unconstrained), its caps."""

    model: Any
    automata: Mapping[str, Automaton] | None
    cap: int
    end: int
    temperature: float = 1.0
    most: int = 64


def play(
    keys: Sequence[Key],
    make: Callable[[Key], Table],
    voices: Mapping[int, Voice],
    stream: Sequence[int],
    done: Callable[[Key, Table], Rollout],
) -> list[Rollout]:
    """Play the episodes of `keys` to their ends, in the order of `keys`.

    An episode's draws depend on `stream` and its key only, not on what else is played beside it.
    """
    tables = [make(key) for key in keys]
    rngs = [np.random.default_rng([*stream, key.seed, sum(key.difficulty.encode()), key.member]) for key in keys]
    waiting: dict[int, Conversation] = {}
    for i, table in enumerate(tables):
        talk = table.advance()
        if talk is not None:
            waiting[i] = talk
    while waiting:
        agent = min(talk.agent for talk in waiting.values())
        cohort = [i for i, talk in waiting.items() if talk.agent == agent][: voices[agent].most]
        talks = {i: waiting.pop(i) for i in cohort}
        waiting.update(_cohort(cohort, talks, tables, rngs, voices[agent]))
    return [done(key, table) for key, table in zip(keys, tables, strict=True)]


def _cohort(
    cohort: list[int],
    talks: dict[int, Conversation],
    tables: Sequence[Table],
    rngs: Sequence[np.random.Generator],
    voice: Voice,
) -> dict[int, Conversation]:
    """Speak for the cohort until each has finished its context or the turn went elsewhere; who wants to speak then."""
    how = Sampling(voice.cap, voice.end, voice.temperature, dict(voice.automata) if voice.automata else None)
    rows = Rows(voice.model, len(cohort))
    fresh = [talks[i].now.ids for i in cohort]  # nothing of these contexts is cached yet
    elsewhere: dict[int, Conversation] = {}
    while cohort:
        forms = [talks[i].form() for i in cohort]
        turns = sample_turns(rows, [list(ids) for ids in fresh], forms, [rngs[i] for i in cohort], how)
        kept = []
        for row, i in enumerate(cohort):
            context = talks[i].now
            talks[i].take(turns[row], forms[row])
            wants = tables[i].advance()
            if wants is talks[i] and wants.now is context:
                kept.append(row)
            elif wants is not None:
                elsewhere[i] = wants
        cohort = [cohort[row] for row in kept]
        fresh = [talks[i].fresh for i in cohort]
        if cohort and len(kept) < len(turns):
            rows.keep(kept)
    return elsewhere
