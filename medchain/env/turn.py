"""One compiled call per turn and one per observation: the AEC shell around them only keeps PettingZoo's books."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core import hospital, views
from medchain.core.kernel import kernel
from medchain.core.words import COORDINATOR, MICRO, Phase
from medchain.env.features import write_arbiter, write_coordinator, write_ward
from medchain.env.masks import mask_arbiter, mask_coordinator, mask_ward
from medchain.reward.formula import BREAKDOWN, score_into
from medchain.reward.roles import arbiter_close_reward, verdict_reward, ward_reward
from medchain.reward.shaping import advance


@kernel
def take_turn(episodes: Any, params: Any, commands: Any, results: Any, rewards: Any, shaped: bool) -> tuple[int, int, bool]:
    """Submit commands[0] to episodes[0] and write what every agent earned by it to rewards[agent], float64.

    Returns: the number of the agent that is asked next (-1 after the end), the Refusal, and whether anybody earned.
    """
    s, p, out = episodes[0], params[0], results[0]
    r, phase, w, k = int(s["round"]) - 1, int(s["phase"]), int(s["asked_ward"]), int(s["asked_sku"])
    wards = s["pressure"].shape[0]
    paid = advance(s, p)
    hospital.submit(s, p, commands[0], out)
    rewards[:] = 0.0
    if shaped:
        rewards[COORDINATOR] = (advance(s, p) - paid) / MICRO
    if phase == Phase.VERDICT and (out["ok"] == 1 or out["forfeit"] == 1):
        rewards[wards + 1] += verdict_reward(s, p, r, w, k)
    if out["advanced"] == 1:
        for ward in range(wards):
            rewards[ward + 1] = ward_reward(s, p, ward, r)
        rewards[wards + 1] += arbiter_close_reward(s, p, r)
    if int(s["phase"]) == Phase.ENDED:
        score = score_into(s, p, np.zeros(BREAKDOWN))
        rewards[COORDINATOR] += score - (advance(s, p) / MICRO if shaped else 0.0)
        return -1, int(out["refusal"]), True
    earned = False
    for agent in range(rewards.shape[0]):
        earned = earned or rewards[agent] != 0.0
    return hospital.whose_turn(s), int(out["refusal"]), earned


@kernel
def see_coordinator(episodes: Any, params: Any, seen: Any) -> None:
    """Bring seen[0] to the coordinator's view; it is blank, or a view of an earlier turn of the same episode.

    The coordinator never forgets, so nothing needs clearing; its view is large, and a blank of it slow to copy.
    """
    views.see_coordinator(episodes[0], params[0], seen[0])


@kernel
def see_ward(episodes: Any, params: Any, ward: int, seen: Any) -> None:
    """Fill seen[0] with the view of ward index `ward`; seen[1] is blank."""
    seen[0] = seen[1]
    views.see_ward(episodes[0], params[0], seen[0], ward)


@kernel
def see_arbiter(episodes: Any, params: Any, seen: Any) -> None:
    """Fill seen[0] with the arbiter's view; seen[1] is blank."""
    seen[0] = seen[1]
    views.see_arbiter(episodes[0], params[0], seen[0])


@kernel
def observe_coordinator(episodes: Any, params: Any, seen: Any, sheets: Any) -> None:
    """Bring seen[0] to the coordinator's view and fill sheets[0], which arrives zeroed, with its features and masks."""
    see_coordinator(episodes, params, seen)
    write_coordinator(seen[0], params[0], sheets[0]["features"])
    mask_coordinator(seen[0], params[0], sheets[0]["masks"])


@kernel
def observe_ward(episodes: Any, params: Any, ward: int, seen: Any, sheets: Any) -> None:
    """The same for ward index `ward`."""
    see_ward(episodes, params, ward, seen)
    write_ward(seen[0], params[0], sheets[0]["features"])
    mask_ward(seen[0], params[0], sheets[0]["masks"])


@kernel
def observe_arbiter(episodes: Any, params: Any, seen: Any, sheets: Any) -> None:
    """The same for the arbiter."""
    see_arbiter(episodes, params, seen)
    write_arbiter(seen[0], params[0], sheets[0]["features"])
    mask_arbiter(seen[0], params[0], sheets[0]["masks"])
