"""The AEC shell against PettingZoo's own tests."""

import warnings

import pytest
from pettingzoo.test import api_test, seed_test

from medchain import medchain_v0

DIFFICULTIES = ["light", "medium", "heavy"]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_pettingzoo_api(difficulty: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its advice is for board games: agents named x_0, one shape for all
        api_test(medchain_v0.env(scenario=difficulty), num_cycles=1000)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_pettingzoo_seed(difficulty: str) -> None:
    seed_test(lambda: medchain_v0.env(scenario=difficulty), num_cycles=500)
