"""Who plays a side of the game, in one word, as an agent's role at phase level.

A side is the coordinator, the wards under study (they share their weights), or the arbiter. A word is the name of a
scripted coordinator or of a persona, or `file:PATH`, a frozen network. The wards that are not under study are scripted,
unless a word is given for a ward by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.studies.metrics import Counts, count
from medchain.errors import UnknownNameError
from medchain.scenario import Scenario

COORDINATOR, WARDS, ARBITER = SIDES = ("coordinator", "wards", "arbiter")
ROLES = {COORDINATOR: "coordinator", WARDS: "ward", ARBITER: "arbiter"}
"""The role of a side's network (policies/learned/layout.py)."""

FILE = "file:"
SCRIPTED = "scripted"

Cast = Mapping[str, str]
"""Side, or ward by name, -> word. Sides that are left out are learned, or scripted."""


def roles(scenario: Scenario, wards: Sequence[str], learns: Sequence[str], cast: Cast) -> dict[str, dict[str, Any]]:
    """The role of every agent: as in RolePart, plain data.

    Raises:
        UnknownNameError: there is no such side or ward.
    """
    for side in (*learns, *cast):
        if side not in SIDES and side not in scenario.wards:
            raise UnknownNameError("side", side, [*SIDES, *scenario.wards])
    return {name: _role(side_of(scenario, wards, name), name, learns, cast) for name in scenario.agents}


def side_of(scenario: Scenario, wards: Sequence[str], agent: str) -> str | None:
    """The side of an agent; None for a ward that is not under study."""
    if agent in scenario.wards:
        return WARDS if agent in wards else None
    return agent


def _role(side: str | None, name: str, learns: Sequence[str], cast: Cast) -> dict[str, Any]:
    if side in learns:
        return {"role": "learned", "module": side}
    word = cast.get(name) or cast.get(side or "") or ("auditor" if side == COORDINATOR else SCRIPTED)
    if word.startswith(FILE):
        return {"role": "checkpoint", "path": word.removeprefix(FILE)}
    if side == COORDINATOR:
        return {"role": "scripted", "policy": word}
    return {"role": "scripted"} if side == ARBITER else {"role": "scripted", "persona": word}


def play_cast(scenario: Scenario, wards: Sequence[str], cast: Cast, seeds: Sequence[int]) -> Counts:
    """Play one episode per seed without anyone learning; frozen networks draw their choices."""
    from experiments.rllib.phase_batch import PhaseBatch
    from experiments.rllib.phase_roles import RolePart

    parts = {name: RolePart.model_validate(role) for name, role in roles(scenario, wards, (), cast).items()}
    batch = PhaseBatch(scenario, len(seeds), parts, "terminal")
    batch.reset(seeds)
    batch.turn()
    return count(batch.env.episodes, scenario)


def digest(path: Path) -> str:
    """SHA-256 of a network's weights, name by name, hex: the file around them may differ."""
    import hashlib

    import torch

    found = hashlib.sha256()
    for name, tensor in sorted(torch.load(path, map_location="cpu", weights_only=True)["state"].items()):
        found.update(name.encode() + np.ascontiguousarray(tensor.numpy()).tobytes())
    return found.hexdigest()
