"""RLlib episodes straight from arrays: what add_env_reset and add_env_step would have built, without a call per step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer as Buffer

from policies.learned.module import FORESEEN

Array = np.ndarray[Any, Any]


CREDIT = "credit"
"""Extra model output: what of the reward each SKU, and audits, have earned."""


class Track(NamedTuple):
    """What one agent saw and did in `n` whole episodes, with T decisions each."""

    name: str
    module: str
    at: list[int]  # env steps of its decisions [T], from 0
    observations: Array  # [n, T + 1, width], the last one after the end
    actions: Array  # [n, T, heads]
    rewards: Array  # [n, T], from one decision to the next
    logps: Array  # [n, T]
    logits: Array  # [n, T, choices]
    foreseen: Array  # [n, T, lines, FORESIGHT], what a critic is told beyond the observation
    credit: Array  # [n, T, ledgers - 1], what of the rewards SKUs and audits have earned


def to_episodes(
    tracks: Sequence[Track],
    keys: Sequence[int],
    steps: int,
    infos: Sequence[Mapping[str, Any]],
    spaces: tuple[Mapping[str, Any], Mapping[str, Any]],
) -> list[MultiAgentEpisode]:
    """One finished, numpy'ized MultiAgentEpisode per key.

    Args:
        tracks: one per learned agent.
        keys: episode keys [n]; they are the episodes' ids.
        steps: env steps of an episode.
        infos: what every agent's last info holds [n].
        spaces: observation and action spaces by agent name.
    """
    times = {track.name: _times(track, steps) for track in tracks}
    modules = {track.name: track.module for track in tracks}
    return [_episode(tracks, times, modules, i, key, steps, infos[i], spaces) for i, key in enumerate(keys)]


def _times(track: Track, steps: int) -> list[Any]:
    """Agent step at each env step, or RLlib's tag for none."""
    at: list[Any] = [MultiAgentEpisode.SKIP_ENV_TS_TAG] * (steps + 1)
    for number, step in enumerate([*track.at, steps]):
        at[step] = number
    return at


def _episode(
    tracks: Sequence[Track],
    times: Mapping[str, list[Any]],
    modules: Mapping[str, str],
    i: int,
    key: int,
    steps: int,
    info: Mapping[str, Any],
    spaces: tuple[Mapping[str, Any], Mapping[str, Any]],
) -> MultiAgentEpisode:
    episode = MultiAgentEpisode(
        id_=str(key), observation_space=spaces[0], action_space=spaces[1], agent_module_ids=dict(modules)
    )
    episode.env_t = steps
    episode.is_terminated = True
    for track in tracks:
        episode.env_t_to_agent_t[track.name] = Buffer(list(times[track.name]))
        episode.agent_episodes[track.name] = _own_episode(track, i, episode.id_, info, spaces)
    return episode


def _own_episode(
    track: Track, i: int, id_: str, info: Mapping[str, Any], spaces: tuple[Mapping[str, Any], Mapping[str, Any]]
) -> SingleAgentEpisode:
    length = len(track.at)
    outputs = {
        Columns.ACTION_LOGP: Buffer(track.logps[i]),
        Columns.ACTION_DIST_INPUTS: Buffer(track.logits[i]),
        FORESEEN: Buffer(track.foreseen[i]),
        CREDIT: Buffer(track.credit[i]),
    }
    return SingleAgentEpisode(
        id_=f"{id_}/{track.name}",
        agent_id=track.name,
        module_id=track.module,
        multi_agent_episode_id=id_,
        observations=Buffer(track.observations[i]),
        observation_space=spaces[0][track.name],
        infos=[{"key": int(id_)}, *[{} for _ in range(length - 1)], {"key": int(id_), **info}],
        actions=Buffer(track.actions[i]),
        action_space=spaces[1][track.name],
        rewards=Buffer(track.rewards[i]),
        terminated=True,
        extra_model_outputs=outputs,
        len_lookback_buffer=0,
    )
