"""An episode with a person as coordinator: the same text that a model gets, wards and arbiter scripted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from experiments.seat.help import help_text
from experiments.seat.typed import read_line
from medchain.core.session import Session
from medchain.core.words import COORDINATOR
from medchain.env.replay_log import Recorder
from medchain.errors import ToolError
from medchain.scenario import Scenario
from medchain.tools.desk import Desk
from policies.scripted.single import scripted_policies

Read = Callable[[str], str]
"""Asks for a line with a prompt; raises EOFError where there is no more."""
Show = Callable[[str], None]


class Seat:
    """A person's episode: the scripted agents answer by themselves, and everything is recorded."""

    def __init__(self, scenario: Scenario, seed: int, name: str, recorder: Recorder | None) -> None:
        """Start the episode; raises SeedError, or ReplayError where the recording cannot be written."""
        self.session = Session(scenario, seed)
        self.desk = Desk(self.session)
        self.recorder = recorder
        self._policies = scripted_policies(scenario, "zero")
        self._states = {agent: policy.initial_state(1, [seed]) for agent, policy in self._policies.items()}
        if recorder is not None:
            recorder.start(self.session, name)
        self._others()

    def _others(self) -> None:
        """Let the scripted agents answer until the coordinator is asked, or the episode has ended."""
        while not self.session.ended and (agent := self.session.pending().agent) != COORDINATOR:
            commands, self._states[agent] = self._policies[agent].act(self.session.view(agent), self._states[agent])
            self.desk.submit(commands)
            self._note(agent, commands[0], {})

    def call(self, given: Any) -> str:
        """Make the coordinator's call; what came of it, and what is asked next."""
        turn = self.desk.read(given)
        self.desk.told(turn, self.session.submit(turn.command))
        self._note(COORDINATOR, turn.command[0], turn.said)
        self._others()
        return self.text()

    def _note(self, agent: int, command: Any, said: Mapping[str, str]) -> None:
        if self.recorder is not None:
            self.recorder.add(self.session.scenario.agents[agent], command, said)

    def text(self) -> str:
        """What the coordinator should read now."""
        return self.desk.prompt(COORDINATOR)


def converse(seat: Seat, read: Read, show: Show) -> None:
    """Read lines and make the calls they mean until the episode ends or there are no more.

    Lines that are empty or begin with # are passed over.
    """
    show(seat.text())
    while not seat.session.ended:
        try:
            line = read(_prompt(seat.session)).strip()
        except EOFError:
            return
        word, _, rest = line.partition(" ")
        if not line or line.startswith("#"):
            continue
        if word in ("quit", "exit"):
            return
        show(_answer(seat, line, word, rest))


def _answer(seat: Seat, line: str, word: str, rest: str) -> str:
    try:
        if word in ("help", "?"):
            return help_text(seat.desk.registry.names, rest)
        if word == "look":
            return seat.text()
        return seat.call(read_line(line))
    except ToolError as error:
        return f"Not a call, and not counted as one. {error}"


def _prompt(session: Session) -> str:
    s = session.record
    return f"round {int(s['round'])} day {int(s['day'])}> "
