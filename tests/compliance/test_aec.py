"""The AEC shell against PettingZoo's own tests, on both surfaces and all difficulties."""

import pickle
import warnings

import pytest
from pettingzoo.test import api_test, seed_test

from medchain import medchain_v0

DIFFICULTIES = ["light", "medium", "heavy"]
SURFACES = ["structured", "text", {"coordinator": "text", "arbiter": "text"}]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("surface", SURFACES, ids=str)
def test_pettingzoo_api(surface: str | dict[str, str], difficulty: str) -> None:
    """An episode ends its test early, so that it takes several to see a thousand turns."""
    env = medchain_v0.env(scenario=difficulty, surface=surface)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its advice is for board games: agents named x_0, one shape for all
        for _ in range(3):
            api_test(env, num_cycles=1000)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("surface", SURFACES, ids=str)
def test_pettingzoo_seed(surface: str | dict[str, str], difficulty: str) -> None:
    seed_test(lambda: medchain_v0.env(scenario=difficulty, surface=surface), num_cycles=500)


def test_pickle() -> None:
    env = medchain_v0.env()
    assert pickle.loads(pickle.dumps(env)).possible_agents == env.possible_agents
