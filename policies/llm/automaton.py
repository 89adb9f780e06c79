"""Constrained decoding: a grammar over tokens, as an automaton that is made deterministic as far as it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np

Encode = Callable[[str], list[int]]
FAR = 1 << 30


class Grammar:
    """A regular language, built from parts. A part is (entry, exit) of a Thompson automaton."""

    def __init__(self, encode: Encode) -> None:
        """`encode` turns a literal into tokens, without special tokens around it."""
        self.encode = encode
        self.empty: list[list[int]] = []  # [state] states reached without a token
        self.edges: list[list[tuple[int, int]]] = []  # [state] (token, next state)

    def _state(self) -> int:
        self.empty.append([])
        self.edges.append([])
        return len(self.empty) - 1

    def literal(self, text: str) -> tuple[int, int]:
        """Exactly this text, in the tokenizer's own spelling of it."""
        return self.tokens(self.encode(text))

    def tokens(self, ids: Iterable[int]) -> tuple[int, int]:
        """Exactly these tokens."""
        first = last = self._state()
        for token in ids:
            following = self._state()
            self.edges[last].append((token, following))
            last = following
        return first, last

    def either(self, parts: Iterable[tuple[int, int]]) -> tuple[int, int]:
        """One of the parts."""
        first, last = self._state(), self._state()
        for a, b in parts:
            self.empty[first].append(a)
            self.empty[b].append(last)
        return first, last

    def chain(self, *parts: tuple[int, int]) -> tuple[int, int]:
        """The parts, one after another."""
        for (_, b), (c, _) in pairwise(parts):
            self.empty[b].append(c)
        return parts[0][0], parts[-1][1]

    def maybe(self, part: tuple[int, int]) -> tuple[int, int]:
        """The part or nothing."""
        return self.either([part, self.tokens([])])

    def repeat(self, part: tuple[int, int]) -> tuple[int, int]:
        """The part, once or more often."""
        self.empty[part[1]].append(part[0])
        return part


class Automaton:
    """Says at each point of a completion which tokens may follow. State 0 is the start; `end` closes a completion.

    The same tokens give the same answers in every process, so a learner applies the mask that the sampler used.
    """

    def __init__(self, grammar: Grammar, whole: tuple[int, int], end: int, vocabulary: int) -> None:
        """Of the language `whole`, over `vocabulary` tokens; `end` is the token that closes a completion."""
        self._grammar, self._final, self.end, self.vocabulary = grammar, whole[1], end, vocabulary
        self._distance = self._distances()
        self._sets: list[frozenset[int]] = []
        self._number: dict[frozenset[int], int] = {}
        self._next: list[dict[int, int]] = []
        self._tight: dict[tuple[int, int], np.ndarray[Any, Any]] = {}
        self.room = 3 + max(d for d in self._distance if d < FAR)
        self._intern(self._closure([whole[0]]))

    def _distances(self) -> list[int]:
        """Fewest tokens from each state of the grammar to its end, by relaxation from the end."""
        g, n = self._grammar, len(self._grammar.empty)
        before: list[list[tuple[int, int]]] = [[] for _ in range(n)]
        for a in range(n):
            for b in g.empty[a]:
                before[b].append((a, 0))
            for _, b in g.edges[a]:
                before[b].append((a, 1))
        distance = [FAR] * n
        distance[self._final], layer = 0, [self._final]
        while layer:
            following = []
            while layer:
                b = layer.pop()
                for a, cost in before[b]:
                    if distance[b] + cost < distance[a]:
                        distance[a] = distance[b] + cost
                        (following if cost else layer).append(a)
            layer = following
        return distance

    def _closure(self, states: Iterable[int]) -> frozenset[int]:
        seen, todo = set(states), list(states)
        while todo:
            for b in self._grammar.empty[todo.pop()]:
                if b not in seen:
                    seen.add(b)
                    todo.append(b)
        return frozenset(s for s in seen if self._grammar.edges[s] or s == self._final)

    def _intern(self, states: frozenset[int]) -> int:
        if states not in self._number:
            self._number[states] = len(self._sets)
            self._sets.append(states)
            following: dict[int, list[int]] = {}
            for s in states:
                for token, b in self._grammar.edges[s]:
                    following.setdefault(token, []).append(b)
            self._next.append(dict.fromkeys(following, -1))
        return self._number[states]

    def distance(self, state: int) -> int:
        """Fewest tokens from here to a complete text, the closing one not counted."""
        return min(self._distance[s] for s in self._sets[state])

    def step(self, state: int, token: int) -> int:
        """State after `token`; KeyError if it is not allowed."""
        found = self._next[state][token]
        if found < 0:
            reached = [b for s in self._sets[state] for t, b in self._grammar.edges[s] if t == token]
            found = self._intern(self._closure(reached))
            self._next[state][token] = found
        return found

    def allowed(self, state: int, left: int) -> np.ndarray[Any, Any]:
        """Token ids that may follow when `left` tokens may still be sampled, sorted; the text can always be completed."""
        key = state, min(left, self.room)  # with more room than any call needs to be completed, all may follow
        if key not in self._tight:
            free = left >= self.room
            ids = [t for t in self._next[state] if free or self.distance(self.step(state, t)) + 2 <= left]
            if self._final in self._sets[state]:
                ids.append(self.end)
            self._tight[key] = np.array(sorted(ids), np.int64)
        return self._tight[key]

    def walk(self, ids: Iterable[int], cap: int) -> list[np.ndarray[Any, Any]]:
        """What was allowed at each token of a completion sampled under a cap of `cap` tokens."""
        state, allowed = 0, []
        for n, token in enumerate(ids):
            allowed.append(self.allowed(state, cap - n))
            state = state if token == self.end else self.step(state, token)
        return allowed

    def spell(self, text: str, words: list[str]) -> list[int]:
        """Tokens of a complete text of the language, `words` being each token's text.

        Raises:
            ValueError: the text is not of the language.
        """
        path: list[tuple[int, int, list[int]]] = [(0, 0, self._fitting(0, text, 0, words))]  # (state, place, tokens to try)
        ids: list[int] = []
        while path:
            state, place, options = path[-1]
            if place == len(text) and self._final in self._sets[state]:
                return ids
            if not options:
                path.pop()
                del ids[-1:]
                continue
            token = options.pop()
            ids.append(token)
            state, place = self.step(state, token), place + len(words[token])
            path.append((state, place, self._fitting(state, text, place, words)))
        raise ValueError(f"not a legal turn: {text[:200]!r}")

    def _fitting(self, state: int, text: str, place: int, words: list[str]) -> list[int]:
        """Tokens that may follow and that the text goes on with, the longest last."""
        found = [t for t in self._next[state] if text.startswith(words[t], place)]
        return sorted(found, key=lambda t: (len(words[t]), t))
