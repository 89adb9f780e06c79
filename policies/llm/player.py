"""Everything that plays language models in episodes, built from plain settings: what a runner and an evaluation share."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from medchain.core.words import COORDINATOR, Verdict
from medchain.reward.roles import arbiter_close_reward, verdict_reward, ward_reward
from medchain.scenario import Scenario, load_scenario
from policies.llm.answers import forms_of
from policies.llm.brief import TINY_SYSTEM
from policies.llm.chat import Chat
from policies.llm.conversation import Conversation, Manner
from policies.llm.embedded import turn_automata
from policies.llm.endpoint import CHARACTERS, Client, Endpoint, EndpointVoice, Letters
from policies.llm.loading import Lora, Source, load_tokenizer
from policies.llm.rollout import Key, Rollout, Voice, play
from policies.llm.table import Table
from policies.scripted.single import ScriptedArbiter, ScriptedCoordinator, ScriptedWard


@dataclass(frozen=True)
class TextSettings:
    """How language models are seated and spoken to. `seats`: agent name -> module id; the others are scripted.

    `scripted`: coordinator's name under "coordinator", a ward's persona under its name. `endpoints`: by agent name, models
    elsewhere. `loras`: by module, adapters of another shape than the source's. `systems`: by agent name, not `system`.
    """

    source: Source
    seats: Mapping[str, str] = field(default_factory=lambda: {"coordinator": "coordinator"})
    scripted: Mapping[str, Any] = field(default_factory=dict)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    loras: Mapping[str, Lora] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)
    difficulties: tuple[str, ...] = ("light", "medium", "heavy")
    manner: Manner = field(default_factory=Manner)
    constrained: bool = True
    temperature: float = 1.0
    system: str = TINY_SYSTEM
    thinking: bool = False
    batch: int = 64

    def source_of(self, module: str) -> Source:
        """The base model with the adapter of a module."""
        return replace(self.source, lora=self.loras.get(module, self.source.lora))

    def forms(self, scenario: Scenario) -> list[str]:
        """What local models may be asked for, sorted."""
        return forms_of([n for n, name in enumerate(scenario.agents) if name in self.seats], scenario)


class Player:
    """Plays episodes for given models."""

    def __init__(self, settings: TextSettings) -> None:
        """Load tokenizer, chat template, automata and scenarios; no model."""
        self.settings = settings
        self.scenarios = {name: load_scenario(name) for name in settings.difficulties}
        first = next(iter(self.scenarios.values()))
        self.tokenizer = load_tokenizer(settings.source.name)
        self.chat = Chat(self.tokenizer, settings.system, settings.thinking)
        self.automata = turn_automata(first, self.tokenizer, settings.forms(first)) if settings.constrained else None
        self.agents = {name: number for number, name in enumerate(first.agents)}
        self.seats = {self.agents[name]: module for name, module in settings.seats.items()}
        self.clients = {self.agents[name]: Client(endpoint) for name, endpoint in settings.endpoints.items()}
        self._chats: dict[int, Any] = {}
        self._others: dict[str, dict[int, Any]] = {}

    def others(self, difficulty: str) -> dict[int, Any]:
        """Scripted policies of the seats that no language model holds."""
        if difficulty not in self._others:
            scenario, scripted = self.scenarios[difficulty], self.settings.scripted
            made: dict[int, Any] = {}
            for name, number in self.agents.items():
                if number in self.seats or number in self.clients:
                    continue
                if number == COORDINATOR:
                    made[number] = ScriptedCoordinator(scripted.get(name, "auditor"), scenario)
                elif name in scenario.wards:
                    made[number] = ScriptedWard(scenario, name, scripted.get(name, "scripted"))
                else:
                    made[number] = ScriptedArbiter(scenario)
            self._others[difficulty] = made
        return self._others[difficulty]

    def table(self, key: Key) -> Table:
        """The episode of a key, about to start."""
        seats = dict.fromkeys([*self.seats, *self.clients], self.sit)
        return Table(self.scenarios[key.difficulty], key.seed, self.others(key.difficulty), seats)

    def sit(self, desk: Any, agent: int) -> Conversation:
        """The conversation of a model that takes an agent's seat at a desk."""
        how, name = self.settings, list(self.agents)[agent]
        system, manner = how.systems.get(name, how.system), how.manner
        if agent in self.clients:  # what is made for a tiny model is not for these
            brief = "short" if manner.brief == "tiny" else manner.brief
            manner = replace(manner, brief=brief, results="full", context_tokens=CHARACTERS * manner.context_tokens)
            return Conversation(desk, agent, Letters(system), manner)
        if agent not in self._chats:
            self._chats[agent] = Chat(self.tokenizer, system, how.thinking)
        return Conversation(desk, agent, self._chats[agent], manner)

    def rollout(self, key: Key, table: Table) -> Rollout:
        """What is kept of an episode that has ended."""
        found, talks = table.breakdown(), table.conversations
        stood = {agent: self._stood(table, agent, float(found["score"])) for agent in talks}
        return Rollout(
            key,
            float(found["score"]),
            found,
            {agent: talk.stretches for agent, talk in talks.items()},
            {agent: talk.tally for agent, talk in talks.items()},
            {agent: standing[-1] for agent, standing in stood.items()},
            table.paid,
            {agent: standing[:-1] for agent, standing in stood.items()},
            table.openings,
        )

    def _stood(self, table: Table, agent: int, score: float) -> list[float]:
        """An agent's return as it stood before each round, and at the end."""
        if agent == COORDINATOR:
            return [*table.standing, score]
        s, p = table.session.record, table.session.params[0]
        rounds, wards, _ = s["verdict"].shape
        if agent <= wards:
            earned = [ward_reward(s, p, agent - 1, r) for r in range(rounds)]
        else:
            earned = [arbiter_close_reward(s, p, r) for r in range(rounds)]
            for r, w, k in np.argwhere(s["verdict"] != Verdict.NONE).tolist():
                earned[r] += verdict_reward(s, p, r, w, k)
        return [0.0, *itertools.accumulate(map(float, earned))]

    def play(
        self,
        keys: Sequence[Key],
        models: Mapping[str, Any],
        stream: Sequence[int],
        temperature: float | None = None,
        free: bool = False,
    ) -> list[Rollout]:
        """Play the episodes of `keys` with `models` by module id; `free`: without the constraints of the settings."""
        how, heat = self.settings, self.settings.temperature if temperature is None else temperature
        automata = None if free else self.automata
        voices: dict[int, Any] = {
            number: Voice(models[module], automata, how.manner.turn_tokens, self.chat.end, heat, how.batch)
            for number, module in self.seats.items()
        }
        voices |= {n: EndpointVoice(client, how.manner.turn_tokens, heat) for n, client in self.clients.items()}
        return play(keys, self.table, voices, stream, self.rollout)
