"""A language model by name, as a player of whole episodes: `llm:PATH_OR_NAME[+ADAPTER]`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from medchain.core.words import COORDINATOR
from medchain.scenario import Scenario
from policies.llm.adapters import load_adapter
from policies.llm.chat import ModelError
from policies.llm.conversation import Manner
from policies.llm.loading import Lora, Source, load_base, with_lora
from policies.llm.player import Player, TextSettings
from policies.llm.rollout import Key, Rollout
from policies.llm.settings import system_prompt, text_settings

STREAM = (0, 1 << 20)
"""Draws of evaluations, the same for all."""


@lru_cache(maxsize=2)
def settled(name: str) -> tuple[TextSettings, str | None, float]:
    """Settings, adapter folder and temperature that a name stands for.

    A run folder brings its settings and its last adapter ("+none" leaves it out); anything else is a model as it is.

    Raises:
        ModelError: there is no such run, model or adapter.
    """
    path, _, adapter = name.partition("+")
    folder = Path(path)
    if (folder / "config.json").is_file() and (folder / "checkpoints").is_dir():
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        base = str(folder / "base") if config["model"]["name"] == "tiny" else config["model"]["name"]
        checkpoints = sorted(p for p in (folder / "checkpoints").glob("[0-9]*") if p.name.isdigit())
        if not adapter and not checkpoints:
            raise ModelError(f"the run in {folder} has no checkpoint yet; {folder}+none plays its base model")
        found = adapter or str(checkpoints[-1] / "coordinator")
        return text_settings(config, base), None if found == "none" else found, config["evaluation"]["temperature"]
    text = {"brief": "short", "system": None}
    manner = Manner("short", "full", turn_tokens=900, round_turns=8, context_tokens=8192)
    settings = TextSettings(Source(path, lora=Lora()), manner=manner, constrained=False, system=system_prompt(text))
    return settings, adapter or None, 1.0


@lru_cache(maxsize=1)
def _loaded(name: str) -> tuple[Player, Any, float]:
    settings, adapter, temperature = settled(name)
    rank = settings.source.lora
    if adapter is not None:
        file = Path(adapter) / "adapter_config.json"
        if not file.is_file():
            raise ModelError(f"expected an adapter (adapter_config.json) in {adapter}, found none")
        told = json.loads(file.read_text(encoding="utf-8"))
        rank = replace(rank, rank=told["r"], alpha=told["lora_alpha"])
    model = load_base(settings.source)
    if adapter is not None:
        model = with_lora(model, rank)
        load_adapter(model, Path(adapter))
    return Player(replace(settings, seats={"coordinator": "coordinator"})), model.eval(), temperature


def check(name: str) -> None:
    """Raise ModelError unless `name` can be played; loads nothing but the tokenizer."""
    settings, _, _ = settled(name)
    Player(settings)


def rollouts(name: str, scenario: Scenario, difficulty: str, seeds: Sequence[int]) -> tuple[list[Rollout], list[Any]]:
    """Play one episode per seed; what came of each, and its record."""
    player, model, temperature = _loaded(name)
    player.scenarios[difficulty] = scenario
    records: dict[int, Any] = {}
    plain = player.rollout

    def note(key: Key, table: Any) -> Rollout:
        records[key.seed] = table.session.episodes.copy()
        return plain(key, table)

    player.rollout = note  # type: ignore[method-assign]
    try:
        found = player.play([Key(seed, difficulty, 0) for seed in seeds], {"coordinator": model}, STREAM, temperature)
    finally:
        player.rollout = plain  # type: ignore[method-assign]
    return found, [records[seed] for seed in seeds]


def play_records(name: str, scenario: Scenario, seeds: Sequence[int]) -> np.ndarray[Any, Any]:
    """Episode records, [seed]; other seats are scripted."""
    assert COORDINATOR == 0
    _, records = rollouts(name, scenario, "asked", seeds)
    return np.concatenate(records)
