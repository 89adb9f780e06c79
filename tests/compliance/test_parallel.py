"""The parallel shell against PettingZoo's own tests and what those miss."""

import copy
import pickle

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from medchain.env.parallel import PhaseParallelEnv
from medchain.errors import SeedError, UnknownNameError


def play(env: PhaseParallelEnv, seed: int, steps: int = 1000) -> list:
    """Random legal play; what every step returned, and the digests."""
    observations, _ = env.reset(seed=seed)
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed)
    seen = []
    while env.agents and steps:
        actions = {a: env.action_space(a).sample(mask=observations[a]["action_mask"]) for a in env.agents}
        observations, rewards, ends, _, infos = env.step(actions)
        seen.append((env.digest(), rewards, ends, infos))
        steps -= 1
    return seen


def test_pettingzoo_api() -> None:
    parallel_api_test(PhaseParallelEnv(), num_cycles=1000)


def test_pettingzoo_seed() -> None:
    parallel_seed_test(PhaseParallelEnv, num_cycles=20)


@pytest.mark.parametrize("difficulty", ["light", "medium", "heavy"])
def test_many_steps_equal_from_one_seed(difficulty: str) -> None:
    """PettingZoo compares a single step; here whole episodes, with a re-seeded instance against a fresh one."""
    used = PhaseParallelEnv(difficulty)
    play(used, 7)
    again, fresh = play(used, 50), play(PhaseParallelEnv(difficulty), 50)
    assert again == fresh
    assert len(again) == 40
    assert again[-1][3]["coordinator"]["score"] == pytest.approx(again[-1][1]["coordinator"])
    assert not any(info.get("refused") for step in again for info in step[3].values())


def test_difficulty_option_equals_the_scenario() -> None:
    env = PhaseParallelEnv("medium")
    env.reset(seed=3, options={"difficulty": "heavy", "unknown": 1})
    heavy = PhaseParallelEnv("heavy")
    heavy.reset(seed=3)
    assert env.digest() == heavy.digest()


def test_observe_and_state_are_pure() -> None:
    env = PhaseParallelEnv()
    env.reset(seed=1)
    before = env.digest()
    first = {a: env.observe(a) for a in env.agents}
    state = env.state()
    again = {a: env.observe(a) for a in env.agents}
    assert env.digest() == before
    assert env.state_space.contains(state)
    for agent in env.agents:
        assert env.observation_space(agent).contains(first[agent])
        np.testing.assert_array_equal(first[agent]["observation"], again[agent]["observation"])


def test_copies_continue_alike() -> None:
    env = PhaseParallelEnv()
    play(env, 5, steps=13)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        zeros = {a: np.zeros(len(env.action_space(a).nvec), int) for a in env.agents}
        original = copy.deepcopy(env)
        for _ in range(27):
            a, b = twin.step(zeros), original.step(zeros)
            assert a[1] == b[1]
            assert twin.digest() == original.digest()


@pytest.mark.parametrize("action", [None, "text", [1, 2], np.full(10_000, 3), [float("nan")] * 20, [9e300] * 20, {}])
def test_nonsense_is_refused_not_raised(action: object) -> None:
    env, idle = PhaseParallelEnv(), PhaseParallelEnv()
    env.reset(seed=2)
    idle.reset(seed=2)
    *_, infos = env.step(dict.fromkeys(env.agents, action))
    idle.step({a: np.zeros(len(idle.action_space(a).nvec), int) for a in idle.agents})
    assert infos["ward_icu"]["refused"]
    assert env.digest() == idle.digest()


def test_masked_out_choice_counts_as_zero() -> None:
    env = PhaseParallelEnv()
    observations, _ = env.reset(seed=2)
    heads = env.action_space("ward_icu").nvec
    action = np.zeros(len(heads), int)
    action[-1] = 1  # a redaction: not in this phase
    *_, infos = env.step({"ward_icu": action})
    assert infos["ward_icu"]["refused"] == [f"head {len(heads) - 1}: choice 1 is masked out in this phase"]
    assert observations["coordinator"]["action_mask"].sum() == len(env.action_space("coordinator").nvec)


def test_wrong_names_and_seeds_are_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match="known: terminal, shaped, progress"):
        PhaseParallelEnv(reward="dense")
    with pytest.raises(UnknownNameError, match="light, medium, heavy"):
        PhaseParallelEnv().reset(options={"difficulty": "hell"})
    for seed in (-1, 2**63, 1.5, "3", True):
        with pytest.raises(SeedError, match=r"0 \.\. 2\^63 - 1"):
            PhaseParallelEnv().reset(seed=seed)
