"""A batched runner that plays several casts at once: the learned agents meet different others from episode to episode.

`env_config["casts"]` is a list of the roles of all agents, each as in `env_config["agents"]`, with the same learned agents
in the same modules. Of a block of keys, number i is played by cast i modulo their count. What was played is counted as a
study counts (experiments/studies/metrics.py), by cast, in `take_counts`.
"""

from __future__ import annotations

from typing import Any

from experiments.rllib.phase_batch import PhaseBatch
from experiments.rllib.phase_env import Setting
from experiments.rllib.phase_runner import PhaseEnvRunner
from experiments.studies.metrics import Counts, count


class CastRunner(PhaseEnvRunner):
    """PhaseEnvRunner over a list of casts."""

    def __init__(self, config: Any, **kwargs: Any) -> None:
        """Cast the roles of every cast."""
        super().__init__(config, **kwargs)
        given = self.config.env_config
        self._casts = [Setting({**given, "agents": cast}) for cast in given["casts"]]
        self._played: list[dict[int, PhaseBatch]] = [{} for _ in self._casts]
        self._counts: list[list[Counts]] = [[] for _ in self._casts]

    def _play(self, keys: list[int], explore: bool) -> list[Any]:
        found: dict[int, Any] = {}
        for i, setting in enumerate(self._casts):
            own = keys[i :: len(self._casts)]
            if own:
                self._setting, self._batches = setting, self._played[i]
                found |= zip(own, super()._play(own, explore), strict=True)
                self._played[i] = self._batches
                self._counts[i].append(count(self._batches[len(own)].env.episodes, setting.scenario))
        return [found[key] for key in keys]

    def take_counts(self) -> list[list[Counts]]:
        """Counts of what each cast has played since the last call, block by block."""
        taken, self._counts = self._counts, [[] for _ in self._casts]
        return taken
