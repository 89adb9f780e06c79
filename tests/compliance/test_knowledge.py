"""Non-interference through the shells: what a role may not know changes nothing of what it observes, on any surface."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from medchain.core.words import Phase
from medchain.env.aec import raw_env
from medchain.env.game import Game
from medchain.env.spaces import features_dtype
from medchain.env.structured import Structured
from medchain.env.text import Spoken
from tests.compliance.players import turns
from tests.laws.hiding import for_arbiter, for_coordinator, for_ward


def hidden(s, p, agent: int, rng):
    if agent == 0:
        return for_coordinator(s, p, rng)
    return for_ward(s, p, agent - 1, rng) if agent <= 3 else for_arbiter(s, p, rng)


@pytest.mark.parametrize("scenario", ["light", "medium", "heavy"])
def test_observations_show_nothing_that_their_agent_may_not_know(scenario: str) -> None:
    env, rng = raw_env(scenario=scenario, surface="text"), np.random.default_rng(1)
    other = Game(env.scenario, shaped=False, spoken=True)
    phases = set()
    for i, _ in enumerate(turns(env, 23)):
        phase = env.session.pending().phase
        if i % 7 and phase in phases:
            continue
        phases.add(phase)
        for agent in range(5):
            record = hidden(env.session.record, env.session.params[0], agent, rng)
            other.load(record.tobytes(), env.game.desk.dump())
            for surface in (Structured(env.scenario, agent), Spoken(env.scenario, agent)):
                seen, still = surface.observe(env.game, 0), None
                if isinstance(surface, Structured):
                    surface.forget()
                still = surface.observe(other, 1)
                assert data_equivalence(seen, still, exact=True), (agent, phase)
    assert phases == set(Phase)


def test_a_view_filled_up_turn_by_turn_is_the_view() -> None:
    """Surfaces fill their views up instead of clearing them: after every turn that gives the same bytes."""
    env = raw_env(scenario="heavy")
    for _ in turns(env, 31):
        for number, surface in enumerate(env._surfaces.values()):
            surface.observe(env.game, env._clock)
            assert surface._seen[:1].tobytes() == env.session.view(number).tobytes()


def test_features_stay_within_their_bounds_and_say_something() -> None:
    """Every feature of every role takes more than one value in some episode; an observation is finite."""
    env = raw_env(scenario="heavy")
    values: dict[tuple[str, str], set[float]] = {}
    roles = dict(zip(env.possible_agents, ["coordinator", "ward", "ward", "ward", "arbiter"], strict=True))
    for seed in range(6):
        for i, _ in enumerate(turns(env, seed)):
            for agent in env.possible_agents if i % 5 == 0 else [env.agent_selection]:
                observation = env.observe(agent)["observation"]
                assert np.isfinite(observation).all()
                named = observation.view(features_dtype(roles[agent], env.scenario.sizes))[0]
                for name in named.dtype.names:
                    values.setdefault((roles[agent], name), set()).update(np.unique(named[name]).tolist())
    constant = {key for key, seen in values.items() if len(seen) < 2}
    assert constant <= {("arbiter", "redacted")}  # rarely reviewed after a redaction: see tests/env/test_features.py
