"""Any policy as a responder of the vector environment: it answers at tool level, for all episodes at once."""

from __future__ import annotations

import numpy as np

from medchain.core.session import fill_arbiter, fill_coordinator, fill_ward, submit_command
from medchain.core.views import arbiter_dtype, coordinator_dtype, ward_dtype
from medchain.env.vector import VectorEnv
from policies.protocol import Policy


class PolicyResponder:
    """`policy` speaks for one agent, with a state of its own in every episode, one episode after the other."""

    def __init__(self, policy: Policy) -> None:
        """Answer as `policy` does: a language model, or a player of policies/phase.py."""
        self.policy = policy

    def start(self, batch: VectorEnv) -> None:
        """New episodes have started."""
        self.states = [self.policy.initial_state(1, [int(seed)]) for seed in batch.episodes["seed"]]

    def answer(self, batch: VectorEnv, agent: int) -> None:
        """Submit one command in every episode in which `agent` is asked."""
        z = batch.sizes
        for i in np.flatnonzero(batch.asks(agent)):
            if agent == 0:
                view = np.zeros(1, coordinator_dtype(z))
                fill_coordinator(batch.episodes, i, batch.params, view, 0)
            elif agent <= z.wards:
                view = np.zeros(1, ward_dtype(z))
                fill_ward(batch.episodes, i, batch.params, view, 0, agent - 1)
            else:
                view = np.zeros(1, arbiter_dtype(z))
                fill_arbiter(batch.episodes, i, batch.params, view, 0)
            commands, self.states[i] = self.policy.act(view, self.states[i])
            submit_command(batch.episodes, i, batch.params, commands, 0, batch.results)
