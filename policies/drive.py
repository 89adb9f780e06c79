"""Play one Session by policies, command by command, from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from medchain.core import views
from medchain.core.session import Session, fill_arbiter, fill_coordinator, fill_ward, submit_command
from medchain.core.words import Phase
from medchain.errors import ConfigError
from policies.protocol import Policy

Array = np.ndarray[Any, Any]
OnStep = Callable[[int, Array, Any], None]
"""Called after each command with the agent's number, the command (an array of one) and the result record."""


def play_session(session: Session, policies: Mapping[int, Policy], on_step: OnStep | None = None) -> None:
    """Play `session` from where it stands to its end; `policies` by agent number.

    Every policy starts with a fresh state for the session's seed.

    Raises:
        ConfigError: an agent has no policy.
    """
    agents = range(session.scenario.sizes.agents)
    if missing := [agent for agent in agents if agent not in policies]:
        raise ConfigError(f"every agent needs a policy, 0 .. {agents[-1]}; none is given for {missing}")
    z, wards = session.scenario.sizes, session.scenario.sizes.wards
    episodes, params, results = session.episodes, session.params, session.results
    seeds = [int(session.record["seed"])]
    states = [policies[a].initial_state(1, seeds) for a in agents]
    acts = [policies[a].act for a in agents]
    looks = [getattr(policies[a], "must_look", None) for a in agents]  # of a PlansAhead; isinstance would cost 10 us each
    dtypes = [views.coordinator_dtype(z), *[views.ward_dtype(z)] * wards, views.arbiter_dtype(z)]
    seen = [np.zeros(1, dtype) for dtype in dtypes]
    phases, asked, rounds = episodes["phase"], episodes["asked_ward"], episodes["round"]
    ended, coordinate, verdict = int(Phase.ENDED), int(Phase.COORDINATE), int(Phase.VERDICT)
    while (phase := phases.item()) != ended:
        if phase == coordinate:
            agent, look = 0, looks[0]
            if look is None or look(states[0], 0, rounds.item()):
                fill_coordinator(episodes, 0, params, seen[0], 0)
        elif phase == verdict:
            agent = wards + 1
            fill_arbiter(episodes, 0, params, seen[agent], 0)
        else:
            agent = asked.item() + 1
            fill_ward(episodes, 0, params, seen[agent], 0, agent - 1)
        commands, states[agent] = acts[agent](seen[agent], states[agent])
        submit_command(episodes, 0, params, commands, 0, results)
        if on_step is not None:
            on_step(agent, commands, results[0])
