"""A language model as the coordinator of the vector environment: it calls tools while others decide by phases.

Every episode of the batch has a conversation of its own; those that wait for the model are written side by side. A model's
draws depend on its stream and the episode's seed only: beside scripted wards it plays what `medchain eval` plays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from medchain.core.session import Session
from medchain.core.words import COORDINATOR, Kind, Phase
from medchain.env.vector import VectorEnv
from medchain.tools.desk import Desk, Turn
from policies.llm.evaluate import NAMELESS, loaded
from policies.llm.rollout import Voice

ANSWERS = {Phase.DISCLOSE: Kind.DISCLOSE, Phase.VERDICT: Kind.RULE, Phase.REPLY: Kind.REPLY}
"""What another agent answers to a call that hands it the turn."""


class _Seat(Session):
    """The session of one episode of a batch: it shares the batch's record."""

    def __init__(self, batch: VectorEnv, i: int) -> None:
        self.scenario, self.params = batch.scenario, batch.params
        self.episodes, self.results = batch.episodes[i : i + 1], batch.results[i : i + 1]


class _Talk:
    """One episode's conversation, and the answer that it waits for."""

    def __init__(self, batch: VectorEnv, i: int, player: Any, stream: tuple[int, int]) -> None:
        self.session = _Seat(batch, i)
        self.desk = Desk(self.session)
        self.talk = player.sit(self.desk, COORDINATOR)
        self.rng = np.random.default_rng([*stream, int(self.session.record["seed"]), sum(NAMELESS.encode()), 0])
        self._waits: Turn | None = None

    def speaks(self) -> bool:
        """Make queued calls; True when a completion is wanted, False when the turn has gone elsewhere."""
        if self._waits is not None:
            self.desk.told(self._waits, self.session.results[0])
            self._waits = None
        while not self.session.ended and self.session.pending().agent == COORDINATOR:
            if self.talk.ready():
                return True
        kind = None if self.session.ended else ANSWERS.get(self.session.pending().phase)
        if kind is not None:
            command = self.session.command()
            command[0]["kind"] = kind
            self._waits = self.desk.silent(command)
        return False


class ModelResponder:
    """The coordinator called `llm:NAME` in all episodes of a batch."""

    def __init__(self, name: str) -> None:
        """Load the model, its adapter and its manners.

        Raises:
            ModelError: there is none of that name.
        """
        self._player, model, how = loaded(name)
        settings = self._player.settings
        self._stream = how.stream
        self._voice = Voice(
            model,
            self._player.automata,
            settings.manner.turn_tokens,
            self._player.chat.end,
            how.temperature,
            settings.batch,
        )

    def start(self, batch: VectorEnv) -> None:
        """New episodes have started.

        Raises:
            ConfigError: the model's grammar has the names of another hospital.
        """
        self._player.meet(NAMELESS, batch.scenario)
        self._talks = [_Talk(batch, i, self._player, self._stream) for i in range(batch.n)]
        self._speaker = self._voice.speaker(batch.n)

    def answer(self, batch: VectorEnv, agent: int) -> None:
        """Speak in every episode in which the coordinator is asked, until it hands the turn over or closes the round."""
        speaker, talks = self._speaker, self._talks
        with torch.no_grad():
            for i in np.flatnonzero(batch.asks(agent)).tolist():
                self._queue(i)
            while speaker.busy:
                for i, talk, turn in speaker.step():
                    context = talk.now
                    talk.take(turn, talk.form())
                    if talks[i].speaks():
                        if talk.now is context:
                            speaker.go_on(i, talk.fresh)
                            continue
                        speaker.leave(i)
                        speaker.queue.append((i, talk, talks[i].rng))
                    else:
                        speaker.leave(i)

    def _queue(self, i: int) -> None:
        one = self._talks[i]
        if one.speaks():
            self._speaker.queue.append((i, one.talk, one.rng))
