"""A language model among phase-level agents: beside scripted ones it plays what it plays at tool level."""

import numpy as np
import pytest

from experiments.rllib.phase_batch import PhaseBatch
from experiments.rllib.phase_report import play_out
from experiments.rllib.phase_roles import RolePart
from medchain.core.words import Phase
from medchain.scenario import load_scenario
from policies.llm.evaluate import play_records

SEEDS = [50, 51, 52]


def roles(run, **others):
    parts = {name: RolePart(role="scripted") for name in load_scenario("light").agents}
    return parts | {"coordinator": RolePart(role="llm", model=str(run))} | others


def test_beside_scripted_agents_it_plays_what_eval_plays(mini_run):
    scenario = load_scenario("light")
    batch = play_out(PhaseBatch(scenario, len(SEEDS), roles(mini_run), "terminal"), SEEDS)
    assert batch.env.episodes.tobytes() == play_records(str(mini_run), scenario, SEEDS).tobytes()


def test_learned_wards_are_asked_by_a_model(mini_run):
    """Two wards choose at phase level, one that hides and one that pads; the model's calls carry the rounds."""
    learned = {name: RolePart(role="learned", module="wards") for name in ("ward_er", "ward_general")}
    batch = PhaseBatch(load_scenario("light"), 2, roles(mini_run, **learned), "terminal")
    batch.reset(SEEDS[:2])
    rng, steps = np.random.default_rng(0), 0
    while asked := batch.turn():
        assert asked == [2, 3]
        batch.act(
            {agent: rng.integers(0, 3, (2, len(batch.env.heads(agent)))) * batch_mask(batch, agent) for agent in asked}
        )
        steps += 1
    assert steps == 16
    assert (batch.env.episodes["phase"] == Phase.ENDED).all()
    assert batch.env.episodes["requested"][:, :, 1:].any()
    assert (batch.take(2) != 0).all()


def batch_mask(batch, agent):
    """1 for the heads of an agent that may choose now."""
    heads, mask = batch.env.heads(agent), batch.env.mask(agent)
    return np.array([part.sum() > 1 for part in np.split(mask, np.cumsum(heads)[:-1])], np.int64)


@pytest.mark.parametrize("agent", ["ward_icu", "arbiter"])
def test_only_the_coordinator_can_be_a_model_here(agent):
    from experiments.rllib.phase_roles import check_roles
    from medchain.errors import ConfigError

    with pytest.raises(ConfigError, match="an llm plays the coordinator"):
        check_roles(load_scenario("light"), roles("x", **{agent: RolePart(role="llm", model="x")}), "here")
