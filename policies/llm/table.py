"""One episode with every seat taken: conversations where language models sit, policies everywhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from medchain.core.session import Session
from medchain.core.words import COORDINATOR, MICRO
from medchain.reward.formula import breakdown
from medchain.reward.shaping import advance
from medchain.scenario import Scenario
from medchain.tools.desk import Desk
from policies.llm.conversation import Conversation

Seat = Callable[[Desk, int], Conversation]


class Table:
    """An episode of one seed. `advance` plays on until a language model must speak."""

    def __init__(self, scenario: Scenario, seed: int, others: Mapping[int, Any], seats: Mapping[int, Seat]) -> None:
        """`others` are policies by agent number, `seats` make the conversations of the rest."""
        self.session = Session(scenario, seed)
        self.desk = Desk(self.session)
        self.others = others
        self.states = {a: policy.initial_state(1, [seed]) for a, policy in others.items() if a not in seats}
        self.conversations = {agent: make(self.desk, agent) for agent, make in seats.items()}
        self.paid: list[float] = []  # shaping paid before each round
        self.standing: list[float] = []  # score as it stood before each round
        self.openings: list[str] = []  # digest of the record where the coordinator's part of each round opens

    def advance(self) -> Conversation | None:
        """Play until a completion is wanted; the conversation that wants it, or None when the episode has ended."""
        while not self.session.ended:
            agent = self.session.pending().agent
            if agent == COORDINATOR and len(self.openings) < int(self.session.record["round"]):
                self.paid.append(advance(self.session.record, self.session.params[0]) / MICRO)
                self.standing.append(float(self.breakdown()["score"]))
                self.openings.append(self.session.digest())
            talk = self.conversations.get(agent)
            if talk is None:
                commands, self.states[agent] = self.others[agent].act(self.session.view(agent), self.states[agent])
                self.desk.submit(commands)
            elif talk.ready():
                return talk
        return None

    def breakdown(self) -> Any:
        """Score and components as they stand."""
        return breakdown(self.session.record, self.session.params[0])
