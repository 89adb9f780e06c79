"""From the name of a policy to what plays its episodes. A kind of policy with names of its own joins by a prefix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from medchain.errors import ConfigError, UnknownNameError
from medchain.scenario import Scenario, load_scenario

Array = np.ndarray[Any, Any]
Player = Callable[[Scenario, Sequence[int]], Array]
"""Plays one episode per seed to the end: episode records, [seed]."""

MODEL = "llm:"
"""Before the name or path of a language model: `llm:PATH_OR_NAME[+ADAPTER]`; a run folder brings its adapter."""
LEARNED = "learned:"
"""Before a coordinator's file or run folder that `medchain train` wrote at phase level."""
TRAIN_EXTRA = ("torch", "transformers", "peft")


def player(name: str) -> Player:
    """What plays the coordinator called `name`; wards and arbiter are scripted.

    Raises:
        UnknownNameError: there is no such policy.
    """
    if name in (MODEL, LEARNED):
        raise ConfigError(f"{name}: expected a name or a path after the colon, as in {name}runs/mine")
    if name.startswith(MODEL):
        return _model(name.removeprefix(MODEL))
    if name.startswith(LEARNED):
        return _learned(name.removeprefix(LEARNED))
    from policies.roster import coordinator, coordinator_names
    from policies.scripted.batch import play

    try:
        coordinator(name)
    except UnknownNameError:
        raise UnknownNameError("policy", name, coordinator_names()) from None
    return partial(_scripted, play, name)


def play_told(name: str, difficulty: str, seeds: Sequence[int], attend: Any = None) -> tuple[Array, Sequence[Any]]:
    """Play one episode per seed at a difficulty: episode records, and what was counted of a language model (see speech.py).

    `attend` is called with key and table of each episode that a language model is about to play.

    Raises:
        MedChainError: there is no such policy, or it cannot play there.
    """
    scenario = load_scenario(difficulty)
    if not name.startswith(MODEL):
        return player(name)(scenario, seeds), [None] * len(seeds)
    _needs(name)
    from experiments.speech import counts_of
    from policies.llm.evaluate import rollouts

    found, records = rollouts(name.removeprefix(MODEL), scenario, difficulty, seeds, attend)
    return records, [counts_of(rollout) for rollout in found]


def _model(name: str) -> Player:
    """What plays a language model; raises MedChainError if there is none of that name, or nothing to run it with."""
    _needs(MODEL + name)
    from policies.llm.evaluate import check, play_records

    check(name)
    return partial(play_records, name)


def _learned(path: str) -> Player:
    """What plays a learned coordinator; raises as `_learned_file`."""
    file = _learned_file(path)
    from experiments.rllib.phase_roles import play_learned

    return partial(play_learned, file)


def _learned_file(path: str) -> Any:
    """The file of a learned coordinator; raises ConfigError if there is none there, or no torch."""
    if find_spec("torch") is None:
        raise ConfigError(f"{LEARNED}{path}: learned coordinators need medchain[train]; not installed: torch")
    from pathlib import Path

    from experiments.rllib.phase_roles import role_file

    return role_file(Path(path), "coordinator")


def _needs(name: str) -> None:
    missing = [package for package in TRAIN_EXTRA if find_spec(package) is None]
    if missing:
        raise ConfigError(f"{name}: language models need medchain[train]; not installed: {', '.join(missing)}")
    from experiments.hush import hush

    hush()


def _scripted(play: Callable[..., Array], name: str, scenario: Scenario, seeds: Sequence[int]) -> Array:
    return play(scenario, name, seeds)


def commanders(name: str, scenario: Scenario) -> Mapping[int, Any]:
    """What `player(name)` plays, as one policy (policies/protocol.py) per agent number: for playing command by command.

    Raises:
        UnknownNameError: no scripted coordinator has that name.
        ConfigError: there is no learned coordinator there.
    """
    from policies.scripted.single import scripted_policies

    if not name.startswith(LEARNED):
        return scripted_policies(scenario, name)
    file = _learned_file(name.removeprefix(LEARNED))
    from policies.learned.checkpoint import load_net
    from policies.learned.player import decider
    from policies.phase import PhaseCoordinator

    return {**scripted_policies(scenario, "zero"), 0: PhaseCoordinator(scenario, decider(load_net(file, scenario.sizes), 0))}
