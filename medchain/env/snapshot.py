"""An environment as bytes: a line of JSON with PettingZoo's books and what was said, then the record.

Not a pickle: bytes from a stranger are checked, never run.
"""

from __future__ import annotations

import json
from typing import Any

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
    head = {
        "medchain": __version__,
        "scenario": scenario_digest(env.session.scenario),
        "difficulty": env._difficulty,
        "draws": env._rng.bit_generator.state,
        "desk": env.game.desk.dump(),
        **{name: getattr(env, name) for name in BOOKS},
    }
    record: bytes = env.session.save()
    return json.dumps(head).encode() + b"\n" + record


def unpack(env: Any, data: bytes) -> None:
    """Continue from `pack`'s bytes in a raw_env of the same scenario.

    Raises:
        ReplayError: the bytes are of another version or scenario, or damaged; the environment is unchanged.
    """
    first, _, record = bytes(data).partition(b"\n")
    try:
        head = json.loads(first)
        books = {name: head[name] for name in BOOKS}
        written, digest, difficulty = head["medchain"], head["scenario"], head["difficulty"]
        draws, said = head["draws"], head["desk"]
    except (ValueError, KeyError, TypeError):
        raise ReplayError("saved state: expected the bytes of save(), got something else") from None
    if written != __version__:
        raise ReplayError(f"saved state: written by version {written}, this is version {__version__}")
    try:
        game = env._game_of(difficulty)
    except MedChainError as error:
        raise ReplayError(f"saved state: {error}") from None
    if digest != scenario_digest(game.session.scenario):
        raise ReplayError(f"saved state: scenario {digest[:12]} is not the environment's {difficulty or 'own'}")
    game.load(record, said)
    env.game, env._difficulty = game, difficulty
    env._rng.bit_generator.state = draws
    for name, value in books.items():
        setattr(env, name, value)
    env._forget()
    if env._recorder is not None:
        env._recorder.abandon()
