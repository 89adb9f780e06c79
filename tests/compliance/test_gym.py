"""The coordinator alone, against Gymnasium's own check and what it misses."""

import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import policies  # noqa: F401 - makes the id known

SURFACES = ["structured", "text"]


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("difficulty", ["light", "heavy"])
def test_gymnasium_check(surface: str, difficulty: str) -> None:
    env = gymnasium.make("MedChain-v0", surface=surface, difficulty=difficulty, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not checking|.*render|.*reward range|.*spec|.*Box.*")
        check_env(env.unwrapped, skip_render_check=True)


def test_the_id_is_known_by_the_module_that_it_names() -> None:
    code = "import gymnasium; env = gymnasium.make('policies.gym_view:MedChain-v0', surface='text', difficulty='light');"
    code += "print(env.reset(seed=1)[0]['text'][:12])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Round 1 of 8\n"


def play(env, seed: int):
    observation, info = env.reset(seed=seed)
    assert info["seed"] == seed
    env.action_space.seed(seed)
    total, ended = 0.0, False
    while not ended:
        assert env.observation_space.contains(observation)
        observation, reward, ended, truncated, info = env.step(env.action_space.sample(observation.get("action_mask")))
        assert not truncated
        total += reward
    return total, info


@pytest.mark.parametrize("reward", ["terminal", "shaped"])
@pytest.mark.parametrize("surface", SURFACES)
def test_the_return_is_the_score(surface: str, reward: str) -> None:
    env = gymnasium.make("MedChain-v0", surface=surface, reward=reward)
    total, info = play(env, 3)
    assert total == pytest.approx(info["score"], abs=1e-12)
    assert set(info["forfeits"].values()) == {0}
    again, _ = play(env, 3)
    assert again == total


def test_calls_after_the_end_are_refused() -> None:
    env = gymnasium.make("MedChain-v0").unwrapped
    play(env, 1)
    digest = env.digest()
    observation, reward, ended, truncated, info = env.step(env.action_space.sample())
    assert (reward, ended, truncated, info["refusal"]) == (0.0, True, False, "episode_ended")
    assert env.observation_space.contains(observation) and env.digest() == digest


def test_personas_change_what_wards_ask() -> None:
    def asked(factor: float) -> int:
        env = gymnasium.make("MedChain-v0", personas={"ward_icu": ("pads", factor)}).unwrapped
        env.reset(seed=2)
        return int(env.aec.session.record["requested"][0, 0].sum())

    assert asked(2.0) == pytest.approx(2 * asked(1.0), rel=0.02)


def test_a_fresh_seed_follows_gymnasiums_generator() -> None:
    first, second = gymnasium.make("MedChain-v0"), gymnasium.make("MedChain-v0")
    first.reset(seed=9), second.reset(seed=9)
    _, told = first.reset()
    _, also = second.reset()
    assert told["seed"] == also["seed"] != 9
    assert isinstance(told["seed"], int) and np.isfinite(told["seed"])
