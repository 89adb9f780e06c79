"""Play many episodes at once: rows of a batch are shared by all that want to speak, each episode at its own turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from policies.llm.automaton import Automaton
from policies.llm.conversation import Conversation, Stretch, Tally
from policies.llm.endpoint import EndpointVoice
from policies.llm.sampling import Completion, Rows, Sampling, Writer, step
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
    standing: dict[int, list[float]] = field(default_factory=dict)  # by agent: its return as it stood before each round
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

    def speaker(self, episodes: int) -> Speaker:
        """Speaks in up to so many episodes at once."""
        return Speaker(self, min(episodes, self.most))


class Speaker:
    """Speaks for whoever waits for one voice: a fixed number of rows, the next conversation takes the next free one."""

    def __init__(self, voice: Voice, rows: int) -> None:
        """All rows free."""
        self.how = Sampling(voice.cap, voice.end, voice.temperature, voice.automata)
        self.rows, self.most = Rows(voice.model, rows), rows
        self.queue: deque[tuple[int, Conversation, np.random.Generator]] = deque()
        self.seated: list[tuple[int, Conversation, Writer]] = []  # (episode, who, what it writes), by row

    @property
    def busy(self) -> bool:
        """Whether anybody waits or speaks."""
        return bool(self.queue or self.seated)

    def step(self) -> list[tuple[int, Conversation, Completion]]:
        """Seat who waits, let everyone write on; (episode, who, turn) of those whose turn is over."""
        while self.queue and len(self.seated) < self.most:
            episode, talk, rng = self.queue.popleft()
            self.rows.clear(len(self.seated))
            self.seated.append((episode, talk, Writer(rng)))
            self.go_on(episode, talk.now.ids)
        step(self.rows, [writer for _, _, writer in self.seated], self.how)
        return [(episode, talk, writer.turn) for episode, talk, writer in self.seated if writer.over]

    def go_on(self, episode: int, ids: Sequence[int]) -> None:
        """The episode's conversation wants another turn in the same context, after `ids`."""
        _, talk, writer = self.seated[self._row(episode)]
        writer.begin(ids, talk.form(), self.how)

    def leave(self, episode: int) -> None:
        """The episode's context is finished: its row is free, the last row moves up."""
        row, last = self._row(episode), self.seated.pop()
        if row < len(self.seated):
            self.seated[row] = last
            self.rows.move(len(self.seated), row)

    def _row(self, episode: int) -> int:
        return next(row for row, (one, _, _) in enumerate(self.seated) if one == episode)


def play(
    keys: Sequence[Key],
    make: Callable[[Key], Table],
    voices: Mapping[int, Voice | EndpointVoice],
    stream: Sequence[int],
    done: Callable[[Key, Table], Rollout],
) -> list[Rollout]:
    """Play the episodes of `keys` to their ends, in the order of `keys`.

    An episode's draws depend on `stream` and its key only, not on what else is played beside it.
    """
    tables = [make(key) for key in keys]
    rngs = [np.random.default_rng([*stream, key.seed, sum(key.difficulty.encode()), key.member]) for key in keys]
    speakers = {agent: voice.speaker(len(keys)) for agent, voice in voices.items()}

    for episode, table in enumerate(tables):
        first = table.advance()
        if first is not None:
            speakers[first.agent].queue.append((episode, first, rngs[episode]))
    while any(speaker.busy for speaker in speakers.values()):
        for speaker in speakers.values():
            for episode, talk, turn in speaker.step() if speaker.busy else ():
                context = talk.now
                talk.take(turn, talk.form())
                wants = tables[episode].advance()
                if wants is talk and wants.now is context:
                    speaker.go_on(episode, talk.fresh)
                    continue
                speaker.leave(episode)
                if wants is not None:
                    speakers[wants.agent].queue.append((episode, wants, rngs[episode]))
    return [done(key, table) for key, table in zip(keys, tables, strict=True)]
