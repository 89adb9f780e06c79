"""An environment as bytes: a line of JSON with PettingZoo's books and what was said, then the record.

Not a pickle: loading runs nothing. Damage is found; a forged record is not, so load only what you saved.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from medchain import __version__
from medchain.env.replay_log import scenario_digest
from medchain.errors import MedChainError, ReplayError
from medchain.scenario import Scenario

BOOKS = ["agents", "agent_selection", "_skip_agent_selection", "rewards", "_cumulative_rewards"]
BOOKS += ["terminations", "truncations", "infos"]


def shape_of(scenario: Scenario) -> tuple[Any, ...]:
    """What must be equal for two scenarios to share spaces."""
    names = (tuple(scenario.wards), tuple(scenario.skus), tuple(scenario.suppliers))
    return scenario.sizes, names, scenario.need.legal_request, scenario.limits.order_quantity


def pack(env: Any) -> bytes:
    """The state of a raw_env that has been reset."""
    body = {
        "scenario": scenario_digest(env.session.scenario),
        "difficulty": env._difficulty,
        "draws": env._rng.bit_generator.state,
        "desk": env.game.desk.dump(),
        "books": {name: getattr(env, name) for name in BOOKS},
    }
    record: bytes = env.session.save()
    rest = json.dumps(body).encode() + b"\n" + record
    return f"medchain {__version__} {hashlib.sha256(rest).hexdigest()}\n".encode() + rest


def unpack(env: Any, data: bytes) -> None:
    """Continue from `pack`'s bytes in a raw_env of the same scenario.

    Raises:
        ReplayError: the bytes are of another version or scenario, or damaged; the environment is unchanged.
    """
    first, _, rest = bytes(data).partition(b"\n")
    name, _, version = first.decode(errors="replace").partition(" ")
    version, _, digest = version.partition(" ")
    if name != "medchain":
        raise ReplayError("saved state: expected the bytes of save(), got something else")
    if version != __version__:
        raise ReplayError(f"saved state: written by version {version[:40]!r}, this is version {__version__}")
    if hashlib.sha256(rest).hexdigest() != digest:
        raise ReplayError("saved state: damaged, its digest does not match")
    head, _, record = rest.partition(b"\n")
    body = json.loads(head)
    difficulty = body["difficulty"]
    try:
        game = env._game_of(difficulty)
    except MedChainError as error:
        raise ReplayError(f"saved state: {error}") from None
    if body["scenario"] != scenario_digest(game.session.scenario):
        raise ReplayError(f"saved state: its scenario is not the environment's {difficulty or 'own'}")
    game.load(record, body["desk"])
    env.game, env._difficulty = game, difficulty
    env._rng = np.random.default_rng()
    env._rng.bit_generator.state = body["draws"]
    for book, value in body["books"].items():
        setattr(env, book, value)
    env._forget()
    if env._recorder is not None:
        env._recorder.abandon()
