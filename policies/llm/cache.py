"""A key-value cache whose rows grow at their own pace: a row's tokens lie side by side, without holes."""

from __future__ import annotations

from typing import Any

import torch
from transformers.cache_utils import Cache, CacheLayerMixin

FIRST_ROOM = 256


class RowCache(Cache):
    """Cache of `count` contexts. `aim` says where the next forward pass writes and how far it looks back."""

    def __init__(self, layers: int, count: int) -> None:
        """Empty, for a transformer of `layers` layers."""
        self.count, self.room, self.reach = count, FIRST_ROOM, 0
        self.rows = self.places = torch.zeros(0, dtype=torch.long)
        self.leading = True
        super().__init__(layers=[RowLayer(self) for _ in range(layers)])

    def aim(self, rows: torch.Tensor, places: torch.Tensor, reach: int, leading: bool) -> None:
        """Next pass: token j of its row i goes to `places[i, j]` of row `rows[i]`; it sees the first `reach` places.

        `leading`: `rows` are the first rows in order, which can be looked at without copying them.
        """
        self.rows, self.places, self.reach, self.leading = rows, places, reach, leading
        while self.room < reach:
            self.room *= 2

    def move(self, source: int, target: int) -> None:
        """Row `target` becomes a copy of row `source`."""
        for layer in self.layers:
            if layer.is_initialized:
                layer.keys[target], layer.values[target] = layer.keys[source], layer.values[source]


class RowLayer(CacheLayerMixin):
    """Keys and values of one layer, [row, place, head, dimension]."""

    is_sliding = False

    def __init__(self, cache: RowCache) -> None:
        """A layer of `cache`."""
        super().__init__()
        self.cache = cache

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Make room; shapes and dtypes are known once the first keys have come."""
        self.keys, self.values = (self._roomy(states.transpose(1, 2)) for states in (key_states, value_states))
        self.is_initialized = True

    def _roomy(self, like: torch.Tensor) -> torch.Tensor:
        return like.new_zeros(self.cache.count, self.cache.room, like.shape[2], like.shape[3])

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Put new keys and values, [row, head, token, dimension], where the cache aims; all that they may look at."""
        cache = self.cache
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        elif self.keys.shape[1] < cache.room:
            self.keys, self.values = self._grown(self.keys), self._grown(self.values)
        at = cache.rows[:, None], cache.places
        self.keys[at], self.values[at] = key_states.transpose(1, 2), value_states.transpose(1, 2)
        seen = slice(len(cache.rows)) if cache.leading else cache.rows
        return self.keys[seen, : cache.reach].transpose(1, 2), self.values[seen, : cache.reach].transpose(1, 2)

    def _grown(self, old: torch.Tensor) -> torch.Tensor:
        new = self._roomy(old)
        new[:, : old.shape[1]] = old
        return new

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """(places looked at, offset); the mask is made by whoever aims."""
        return self.cache.reach, 0

    def get_seq_length(self) -> int:
        """Places looked at."""
        return self.cache.reach

    def get_max_length(self) -> int:
        """No maximum."""
        return -1
