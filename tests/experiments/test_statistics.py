"""Intervals on data whose bootstrap distribution is known in closed form."""

from math import comb

import numpy as np
import pytest

from experiments.statistics import CONFIDENCE, RESAMPLES, cluster_bootstrap, paired_difference

TAIL = (1 - CONFIDENCE) / 2


def binomial_quantile(n: int, share: float, probability: float) -> int:
    """Least k with P(at most k of n draws hit a share) >= probability."""
    total = 0.0
    for k in range(n + 1):
        total += comb(n, k) * share**k * (1 - share) ** (n - k)
        if total >= probability:
            return k
    return n


@pytest.mark.parametrize(("ones", "clusters"), [(1, 2), (5, 10), (3, 12), (20, 40)])
def test_resampled_zeros_and_ones_are_binomial(ones: int, clusters: int) -> None:
    values = [1.0] * ones + [0.0] * (clusters - ones)
    found = cluster_bootstrap(values, range(clusters))
    low, high = (binomial_quantile(clusters, ones / clusters, p) / clusters for p in (TAIL, 1 - TAIL))
    assert found.mean == pytest.approx(ones / clusters) and found.clusters == clusters
    assert found.low == pytest.approx(low, abs=1 / clusters) and found.high == pytest.approx(high, abs=1 / clusters)


def test_two_clusters_are_drawn_as_a_pair_of_coins() -> None:
    """Means 0, 1/2, 1 with probabilities 1/4, 1/2, 1/4: the middle 95 % reach from 0 to 1."""
    assert cluster_bootstrap([0.0, 1.0], [8, 9])[:3] == (0.5, 0.0, 1.0)


def test_the_spread_is_that_of_cluster_means_over_the_root_of_their_number() -> None:
    rng = np.random.default_rng(3)
    centres = rng.normal(0.5, 0.1, 400)
    values = np.concatenate([centres - 0.05, centres + 0.05])  # two episodes a cluster, alike but for a fixed difference
    found = cluster_bootstrap(values.tolist(), [*range(400)] * 2)
    width = 2 * 1.959964 * centres.std() / np.sqrt(400)
    assert found.high - found.low == pytest.approx(width, rel=0.04)


def test_more_episodes_of_the_same_seeds_do_not_narrow_the_interval() -> None:
    values, seeds = [0.1, 0.4, 0.6, 0.7], [1, 2, 3, 4]
    assert cluster_bootstrap(values * 5, seeds * 5) == pytest.approx(cluster_bootstrap(values, seeds))


def test_clusters_of_different_sizes_weigh_by_their_episodes() -> None:
    assert cluster_bootstrap([0.0, 0.0, 0.0, 1.0], [1, 1, 1, 2]).mean == 0.25


def test_one_cluster_says_nothing_of_the_spread() -> None:
    assert cluster_bootstrap([0.2, 0.4], [5, 5]) == (pytest.approx(0.3), 0.0, 1.0, 1)
    assert paired_difference([0.2], [0.4], [5]) == (pytest.approx(-0.2), -1.0, 1.0, 1)


def test_a_constant_difference_is_certain_however_wide_the_scores_vary() -> None:
    scores = [0.1, 0.9, 0.4, 0.6]
    found = paired_difference([s + 0.05 for s in scores], scores, [1, 2, 3, 4])
    assert found[:3] == pytest.approx((0.05, 0.05, 0.05))


def test_the_same_values_give_the_same_interval_in_any_order() -> None:
    values, seeds = [0.1, 0.4, 0.6, 0.7], [2**63 - 1, 2, 3, 0]
    assert cluster_bootstrap(values, seeds) == cluster_bootstrap(values[::-1], seeds[::-1])


def test_many_clusters_are_resampled_in_blocks() -> None:
    clusters = 2 * 2_000_000 // RESAMPLES + 1
    found = cluster_bootstrap([0.0, 1.0] * clusters, range(2 * clusters))
    half_width = 1.959964 * 0.5 / np.sqrt(2 * clusters)
    assert found[:3] == pytest.approx((0.5, 0.5 - half_width, 0.5 + half_width), abs=half_width / 20)


@pytest.mark.parametrize(("values", "clusters"), [([], []), ([0.1], []), ([0.1], [1, 2])])
def test_values_without_clusters_are_an_error(values: list[float], clusters: list[int]) -> None:
    with pytest.raises(ValueError, match=f"got {len(values)} and {len(clusters)}"):
        cluster_bootstrap(values, clusters)
