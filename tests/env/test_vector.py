"""N phase-level episodes equal N single ones, and scripted agents play the same game in the vector environment."""

import copy
import hashlib
import pickle

import numpy as np
import pytest

from medchain.env.phases import STEPS
from medchain.env.vector import VectorEnv
from medchain.scenario import load_scenario
from policies.knobs import load_knobs
from policies.respond import PolicyResponder
from policies.roster import coordinator
from policies.scripted.batch import play
from policies.scripted.circle import circle
from policies.scripted.responders import CoordinatorResponder
from policies.scripted.single import ScriptedWard
from policies.scripted.wards import Persona


def digests(env: VectorEnv) -> list[str]:
    return [hashlib.sha256(record.tobytes()).hexdigest() for record in env.episodes]


def choose(env: VectorEnv, agent: int, seeds: list[int]) -> np.ndarray:
    """Random legal choices that depend on (seed, agent, step) only."""
    heads, mask = env.heads(agent), env.mask(agent)
    legal = np.split(mask, np.cumsum(heads)[:-1])
    draws = [np.random.default_rng((seed, agent, env.step)).random(len(heads)) for seed in seeds]
    options = [np.flatnonzero(part) for part in legal]
    return np.array([[o[int(u * len(o))] for o, u in zip(options, row, strict=True)] for row in draws])


def run(seeds: list[int], reward: str = "terminal", **others: dict) -> tuple[list[list[str]], np.ndarray]:
    """Digests after every round, and the returns."""
    env = VectorEnv(load_scenario("heavy"), len(seeds), reward=reward, **others)
    env.reset(seeds)
    rounds, total = [], 0.0
    while not env.done:
        for agent in env.deciders():
            env.put(agent, choose(env, agent, seeds))
        total = total + env.advance()
        if env.step % STEPS == 0:
            rounds.append(digests(env))
    return rounds, total


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_a_batch_equals_singles(n: int) -> None:
    seeds = list(range(100, 100 + n))
    together, returns = run(seeds)
    for i in range(n) if n < 10 else (0, 13, 999):
        alone, own = run([seeds[i]])
        assert [row[i] for row in together] == [row[0] for row in alone]
        np.testing.assert_array_equal(returns[i], own[0])


@pytest.mark.parametrize("reward", ["shaped", "progress", "guided"])
def test_shaping_is_paid_as_an_advance(reward: str) -> None:
    """The coordinator's return is the score in all reward modes."""
    seeds = list(range(20))
    np.testing.assert_allclose(run(seeds)[1][:, 0], run(seeds, reward)[1][:, 0], atol=1e-9)


@pytest.mark.parametrize("name", ["rubber_stamp", "auditor", "oracle"])
def test_scripted_agents_play_the_same_game(name: str) -> None:
    """All five scripted: the vector environment ends with the records of the compiled loop."""
    scenario = load_scenario("heavy")
    others = circle(dict.fromkeys((1, 2, 3), (Persona.SCRIPTED, 1.0)), 4)
    responders = {0: CoordinatorResponder(coordinator(name), load_knobs(name)), **others}
    env = VectorEnv(scenario, 12, responders)
    env.reset(list(range(50, 62)))
    while not env.done:
        assert env.deciders() == []
        env.advance()
    expected = [hashlib.sha256(r.tobytes()).hexdigest() for r in play(scenario, name, range(50, 62))]
    assert digests(env) == expected


@pytest.mark.parametrize("by", ["circle", "policy"])
def test_a_round_that_closes_early_waits_for_the_others(by: str) -> None:
    """A coordinator that closes rounds when it likes: nobody requests before all are at the next round."""
    scenario, seeds = load_scenario("medium"), list(range(50, 56))

    def others() -> dict:
        wards = {w: PolicyResponder(ScriptedWard(scenario, name)) for w, name in enumerate(scenario.wards, 1)}
        alone = circle(dict.fromkeys((1, 2, 3), (Persona.SCRIPTED, 1.0)))
        return {0: CoordinatorResponder(coordinator("random_legal"), load_knobs("random_legal"))} | (
            alone if by == "circle" else wards
        )

    env = VectorEnv(scenario, len(seeds), others())
    env.reset(seeds)
    while not env.done:
        assert set(env.episodes["round"]) == {env.step // STEPS + 1}
        env.advance()
    for seed, record in zip(seeds, digests(env), strict=True):
        single = VectorEnv(scenario, 1, others())
        single.reset([seed])
        while not single.done:
            single.advance()
        assert digests(single) == [record]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("scripted", [True, False], ids=["scripted coordinator", "everybody by put"])
def test_a_copy_plays_on_as_the_original(copied, scripted: bool) -> None:
    """Buffers that show the same memory must do so in the copy too."""
    seeds = [3, 4, 5]
    env = VectorEnv(
        load_scenario("heavy"),
        3,
        {0: CoordinatorResponder(coordinator("auditor"), load_knobs("auditor"))} if scripted else None,
    )
    env.reset(seeds)
    for moves in (12, 28):
        twin = copied(env)
        for _ in range(moves):
            for one in (env, twin):
                for agent in one.deciders():
                    one.put(agent, choose(one, agent, seeds))
                one.move()
            assert digests(env) == digests(twin)


def test_learned_coordinator_meets_scripted_wards() -> None:
    """Scripted wards answer what a phase-level coordinator asks; an always-padding ward is asked and caught."""
    responders = circle(dict.fromkeys((1, 2, 3), (Persona.PADS, 2.0)), 4)
    env = VectorEnv(load_scenario("light"), 5, responders)
    env.reset([1, 2, 3, 4, 5])
    while not env.done:
        action = np.zeros((5, len(env.heads(0))), int)
        action[:, :30] = 2
        if env.deciders():
            env.put(0, action)
        env.advance()
    assert (env.episodes["verdict"] > 1).sum() == 5 * 8 * 3
    assert env.episodes["evidence_count"].tolist() == [64] * 5
    assert env.episodes["forfeits"].sum() == 0


def test_seeds_must_match_the_batch() -> None:
    env = VectorEnv(load_scenario(), 2)
    with pytest.raises(ValueError, match="expected 2 seeds"):
        env.reset([1])
    env.reset([1, 2])
    while not env.done:
        env.advance()
    with pytest.raises(RuntimeError, match="over"):
        env.advance()
