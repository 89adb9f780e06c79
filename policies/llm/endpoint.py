"""A seat that a model behind an OpenAI-compatible endpoint holds: it plays, it is not trained.

Such a model's tokens are its own affair, so characters stand for them here: contexts, caps and counts are kept as everywhere
else, and the messages of a request are cut out of the context.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from policies.llm.chat import ModelError
from policies.llm.conversation import Conversation, Stretch
from policies.llm.sampling import Completion

PAUSE_S = 0.02
"""How long a step waits for an answer, so that local models beside it speak on."""

CHARACTERS = 4
"""About as many to a token."""


@dataclass(frozen=True)
class Endpoint:
    """Where a model answers: base URL, its name there, the environment variable with the key, patience, requests at once."""

    url: str
    model: str
    key: str | None = None
    timeout_s: float = 120.0
    parallel: int = 8


class Letters:
    """What a Chat is to a local model: contexts as code points, closed by 0."""

    end = 0

    def __init__(self, system: str) -> None:
        """`system` opens every request."""
        self.system = system

    def opening(self, brief: str) -> list[int]:
        """A context that begins with a brief."""
        return self.encode(brief)

    def following(self, result: str) -> list[int]:
        """What follows a turn."""
        return self.encode(result)

    def encode(self, text: str) -> list[int]:
        """Code points of a text."""
        return [ord(c) for c in text.replace("\0", "")]

    def decode(self, ids: Sequence[int]) -> str:
        """Text of code points."""
        return "".join(chr(i) for i in ids if i != self.end)

    def messages(self, stretch: Stretch) -> list[dict[str, str]]:
        """A context in the words of the protocol; what tools return is said by the user."""
        found, at = [{"role": "system", "content": self.system}], 0
        for start, count, _, _ in stretch.turns:
            found.append({"role": "user", "content": self.decode(stretch.ids[at:start])})
            at = start + count
            found.append({"role": "assistant", "content": self.decode(stretch.ids[start:at])})
        return [*found, {"role": "user", "content": self.decode(stretch.ids[at:])}]


class Client:
    """Asks an endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Nothing is sent yet.

        Raises:
            ModelError: the client library or the key is missing.
        """
        if find_spec("openai") is None:
            raise ModelError("the role llm_api needs the package openai; install medchain[serve]")
        if endpoint.key is not None and not os.environ.get(endpoint.key):
            raise ModelError(f"the environment variable {endpoint.key} is not set; expected the key of {endpoint.url} in it")
        from openai import OpenAI

        key = os.environ[endpoint.key] if endpoint.key else "none"
        self.endpoint = endpoint
        self._client = OpenAI(base_url=endpoint.url, api_key=key, timeout=endpoint.timeout_s, max_retries=2)

    def ask(self, messages: list[dict[str, str]], cap: int, temperature: float) -> tuple[str, int]:
        """The answer and how many tokens it took.

        Raises:
            ModelError: the endpoint does not answer, or with an error.
        """
        from openai import OpenAIError

        asked: Any = messages
        try:
            made = self._client.chat.completions.create(
                model=self.endpoint.model, messages=asked, max_tokens=cap, temperature=temperature
            )
            text = made.choices[0].message.content or ""
        except (OpenAIError, IndexError, AttributeError) as error:
            where = f"{self.endpoint.model} at {self.endpoint.url}"
            raise ModelError(f"expected an answer of {where}, got {type(error).__name__}: {str(error)[:200]}") from None
        return text, made.usage.completion_tokens if made.usage else len(text) // CHARACTERS

    def check(self) -> None:
        """Raise ModelError unless the endpoint answers."""
        self.ask([{"role": "user", "content": "Answer with one word."}], 1, 0.0)


class EndpointVoice(NamedTuple):
    """What speaks for an agent; see Voice."""

    client: Client
    cap: int
    temperature: float

    def speaker(self, episodes: int) -> EndpointSpeaker:
        """Speaks in up to so many episodes."""
        return EndpointSpeaker(self)


class EndpointSpeaker:
    """Speaks for whoever waits, several requests at once; see Speaker."""

    def __init__(self, voice: EndpointVoice) -> None:
        """Nobody waits."""
        self.voice = voice
        self.queue: deque[tuple[int, Conversation, np.random.Generator]] = deque()
        self._seated: dict[int, Conversation] = {}
        self._asked: dict[Future[tuple[str, int]], int] = {}
        self._pool = ThreadPoolExecutor(voice.client.endpoint.parallel)

    @property
    def busy(self) -> bool:
        """Whether anybody waits."""
        return bool(self.queue or self._asked)

    def step(self) -> list[tuple[int, Conversation, Completion]]:
        """Send what is to be sent; (episode, who, turn) of the answers that have come."""
        while self.queue:
            episode, talk, _ = self.queue.popleft()
            self._seated[episode] = talk
            self.go_on(episode, ())
        come, _ = wait(self._asked, PAUSE_S, FIRST_COMPLETED)
        return [self._come(future) for future in come]

    def _come(self, future: Future[tuple[str, int]]) -> tuple[int, Conversation, Completion]:
        episode = self._asked.pop(future)
        talk, (text, tokens) = self._seated[episode], future.result()
        ids = [*talk.chat.encode(text), talk.chat.end]
        talk.tally.tokens += tokens - len(ids)  # `take` counts characters
        return episode, talk, Completion(ids, [0.0] * len(ids), [False] * len(ids), True)

    def go_on(self, episode: int, ids: Sequence[int]) -> None:
        """The episode's conversation wants another turn; `ids` are in its context already."""
        talk: Any = self._seated[episode]
        asked = talk.chat.messages(talk.now)
        self._asked[self._pool.submit(self.voice.client.ask, asked, self.voice.cap, self.voice.temperature)] = episode

    def leave(self, episode: int) -> None:
        """The episode's context is finished."""
        del self._seated[episode]
