"""A language model by name, as a player of whole episodes: `llm:PATH_OR_NAME[+ADAPTER]`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from medchain.errors import ConfigError
from medchain.scenario import Scenario
from medchain.tools.names import Names
from policies.llm.adapters import adapter_of, check_adapter, load_adapter, lora_in
from policies.llm.chat import ModelError
from policies.llm.conversation import Manner
from policies.llm.loading import Lora, Source, load_base, with_lora
from policies.llm.player import Player, TextSettings
from policies.llm.rollout import Key, Rollout
from policies.llm.settings import system_prompt, text_settings
from policies.llm.table import Table

SEAT = "coordinator"
EVALUATION = 1 << 20
"""Second number of the stream of held-out draws, training's is its iteration: `medchain eval` plays what a run played."""

NAMELESS = "asked"
"""What stands for a difficulty where a scenario has no name."""

RUN = "versions.json"
"""A folder with this file is a run's."""

PLAIN = Manner("short", "full", turn_tokens=900, round_turns=8, context_tokens=8192)
"""How a model is spoken to that no run has trained."""


class Meant(NamedTuple):
    """What a name stands for: settings, adapter folder if any, temperature, the stream of its draws."""

    settings: TextSettings
    adapter: Path | None
    temperature: float
    stream: tuple[int, int]


def meant(name: str) -> Meant:
    """What a name stands for; checks everything that can be checked without loading a model's weights.

    A run folder brings its settings and its last adapter ("+none" leaves it out); anything else is a model as it is.

    Raises:
        ModelError: there is no such run, model or adapter, or the adapter is of another model.
    """
    path, _, adapter = (name, "", "") if Path(name).exists() else name.partition("+")
    found = _of_run(Path(path), adapter) if (Path(path) / RUN).is_file() else _of_model(path, adapter)
    if found.adapter is not None:
        check_adapter(found.adapter, found.settings.source)
    return found


def _of_run(folder: Path, adapter: str) -> Meant:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("agents", {}).get(SEAT, {}).get("role") != "llm" or "model" not in config:
        raise ModelError(f"expected a run whose {SEAT} has the role llm, got {folder}, where no language model has it")
    base = str(folder / "base") if config["model"]["name"] == "tiny" else config["model"]["name"]
    alone = {agent: {**part, "role": "llm" if agent == SEAT else "scripted"} for agent, part in config["agents"].items()}
    settings = text_settings({**config, "agents": alone}, base)
    chosen = None if adapter == "none" else Path(adapter) if adapter else adapter_of(folder, SEAT)
    if chosen is not None:
        settings = _ranked(settings, chosen)
    return Meant(settings, chosen, config["evaluation"]["temperature"], (config["run"]["seed"], EVALUATION))


def _of_model(path: str, adapter: str) -> Meant:
    if path == "tiny":
        raise ModelError("the model tiny is built by a run: expected llm:RUN_FOLDER, got llm:tiny")
    system = system_prompt({"brief": "short", "system": None})
    settings = TextSettings(Source(path, lora=Lora()), manner=PLAIN, constrained=False, system=system)
    if not adapter or adapter == "none":
        return Meant(settings, None, 1.0, (0, EVALUATION))
    return Meant(_ranked(settings, Path(adapter)), Path(adapter), 1.0, (0, EVALUATION))


def _ranked(settings: TextSettings, adapter: Path) -> TextSettings:
    """Settings whose adapter has the shape of the one in a folder."""
    return replace(settings, source=replace(settings.source, lora=lora_in(adapter)))


Attend = Callable[[Key, Table], None]
"""Called with every episode that is about to start."""


class Keeper(Player):
    """A player that keeps the record of each episode, by difficulty and seed; `attend` is told of those that start."""

    def __init__(self, settings: TextSettings) -> None:
        super().__init__(settings)
        self.records: dict[tuple[str, int], Any] = {}
        self.attend: Attend | None = None

    def table(self, key: Key) -> Table:
        table = super().table(key)
        if self.attend is not None:
            self.attend(key, table)
        return table

    def rollout(self, key: Key, table: Table) -> Rollout:
        self.records[key.difficulty, key.seed] = table.session.episodes.copy()
        return super().rollout(key, table)

    def meet(self, difficulty: str, scenario: Scenario) -> None:
        """Get to know a scenario.

        Raises:
            ConfigError: the model's grammar has the names of another hospital.
        """
        known, new = Names(next(iter(self.scenarios.values()))), Names(scenario)
        if self.automata is not None and _hospital(known) != _hospital(new):
            ours, theirs = (f"{', '.join(n.wards)}; {', '.join(n.skus)}" for n in (known, new))
            raise ConfigError(f"this model can only speak of the hospital it was made for ({ours}), got {theirs}")
        if self.scenarios.get(difficulty) != scenario:
            self.scenarios[difficulty] = scenario
            self._others.pop(difficulty, None)  # scripted players of the scenario that had this name


def _hospital(names: Names) -> Any:
    return names.agents, names.skus, names.suppliers, [names.lines(w) for w in range(len(names.wards))]


@lru_cache(maxsize=2)
def loaded(name: str) -> tuple[Keeper, Any, Meant]:
    """A player of the model called `name`, the model itself, and what the name stands for; kept for the next call.

    Raises:
        ModelError: it cannot be loaded.
    """
    found = meant(name)
    model = load_base(found.settings.source)
    if found.adapter is not None:
        model = with_lora(model, found.settings.source.lora)
        load_adapter(model, found.adapter)
    if torch.cuda.is_available() and found.settings.source.quantisation == "none":
        model = model.to("cuda")
    return Keeper(found.settings), model.eval(), found


def check(name: str) -> None:
    """Raise ModelError unless `name` can be played; loads nothing but the tokenizer."""
    Player(meant(name).settings)


def rollouts(
    name: str, scenario: Scenario, difficulty: str, seeds: Sequence[int], attend: Attend | None = None
) -> tuple[list[Rollout], np.ndarray[Any, Any]]:
    """Play one episode per seed; what came of each, and the records, [seed]. The other seats are scripted.

    Raises:
        ModelError, ConfigError: the model cannot be loaded, or cannot speak of that scenario.
    """
    player, model, how = loaded(name)
    player.meet(difficulty, scenario)
    player.attend = attend
    found = player.play([Key(seed, difficulty, 0) for seed in seeds], {SEAT: model}, how.stream, how.temperature)
    return found, np.concatenate([player.records.pop((difficulty, seed)) for seed in seeds])


def play_records(name: str, scenario: Scenario, seeds: Sequence[int]) -> np.ndarray[Any, Any]:
    """Episode records, [seed], of a scenario that has no name."""
    return rollouts(name, scenario, NAMELESS, seeds)[1]
