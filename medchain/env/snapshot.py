"""An environment as bytes: a line of JSON with PettingZoo's books, then the record.

Not a pickle: bytes from a stranger are checked, never run.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from medchain import __version__
from medchain.errors import ReplayError
from medchain.scenario import Scenario

BOOKS = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos")


def shape_of(scenario: Scenario) -> tuple[Any, ...]:
    """What must be equal for two scenarios to share spaces."""
    names = (tuple(scenario.wards), tuple(scenario.skus), tuple(scenario.suppliers))
    return scenario.sizes, names, scenario.need.legal_request, scenario.limits.order_quantity


def scenario_digest(scenario: Scenario) -> str:
    """SHA-256 of every number of a scenario, hex."""
    return hashlib.sha256(scenario.model_dump_json().encode()).hexdigest()


def pack(env: Any) -> bytes:
    """The state of a raw_env that has been reset."""
    session = env.session
    head = {
        "medchain": __version__,
        "scenario": scenario_digest(session.scenario),
        "difficulty": env._difficulty,
        "draws": env._rng.bit_generator.state,
        "surfaces": {agent: surface.save() for agent, surface in env._surfaces.items()},
        **{name: getattr(env, name) for name in BOOKS},
    }
    saved: bytes = session.save()
    return json.dumps(head).encode() + b"\n" + saved


def unpack(env: Any, data: bytes) -> None:
    """Continue from `pack`'s bytes; a raw_env with the same scenario and surfaces.

    Raises:
        ReplayError: the bytes are of another version or scenario, or damaged; the environment is unchanged.
    """
    first, _, record = bytes(data).partition(b"\n")
    try:
        head = json.loads(first)
        difficulty, books = head["difficulty"], {name: head[name] for name in BOOKS}
        written, digest = head["medchain"], head["scenario"]
        draws, surfaces = head["draws"], head["surfaces"]
    except (ValueError, KeyError, TypeError):
        raise ReplayError("saved state: expected the bytes of save(), got something else") from None
    if written != __version__:
        raise ReplayError(f"saved state was written by version {written}; this is {__version__}")
    session = env._session_of(difficulty)
    if digest != scenario_digest(session.scenario):
        raise ReplayError(f"saved state is of another scenario ({digest[:12]}), not {env._difficulty or 'the env'}'s")
    session.load(record)
    env._difficulty = difficulty
    env._rng.bit_generator.state = draws
    for name, value in books.items():
        setattr(env, name, value)
    for agent, surface in env._surfaces.items():
        surface.load(surfaces[agent])
    env._forget()
    env._skip_agent_selection = None
