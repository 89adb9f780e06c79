"""Intervals for means over episodes that share seeds.

Episodes of one seed share its chance whatever the difficulty or the policy, so the seed is what varies independently:
seeds are resampled, all episodes of a drawn seed come along (cluster bootstrap, percentile interval). Every draw comes
from one fixed generator: the same episodes give the same interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

CONFIDENCE = 0.95
RESAMPLES = 10_000
GENERATOR_SEED = 20_250_801


class Estimate(NamedTuple):
    """A mean with its bootstrap interval; `clusters` seeds went into it."""

    mean: float
    low: float
    high: float
    clusters: int


def cluster_bootstrap(
    values: Sequence[float], clusters: Sequence[int], possible: tuple[float, float] = (0.0, 1.0)
) -> Estimate:
    """Mean of `values` and its interval, resampling whole clusters.

    Args:
        values: one per episode.
        clusters: the cluster (seed) of each.
        possible: least and greatest possible value: the interval where there is one cluster, which says nothing of the
            spread between clusters.

    Raises:
        ValueError: no values, or not one cluster for each.
    """
    if not values or len(values) != len(clusters):
        raise ValueError(f"expected one cluster for each of one or more values; got {len(values)} and {len(clusters)}")
    names, inverse = np.unique(np.asarray(clusters), return_inverse=True)
    sizes = np.bincount(inverse)
    sums = np.bincount(inverse, weights=values)
    mean = float(sums.sum() / sizes.sum())
    if len(names) == 1:
        return Estimate(mean, *possible, 1)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(_resampled_means(sums, sizes), [tail, 1 - tail])
    return Estimate(mean, float(low), float(high), len(names))


def _resampled_means(sums: Array, sizes: Array) -> Array:
    """Means of RESAMPLES draws of as many clusters as there are, block by block to bound the memory: float64 [resample]."""
    generator = np.random.Generator(np.random.PCG64(GENERATOR_SEED))
    block = max(1, 2_000_000 // len(sums))
    means = []
    for start in range(0, RESAMPLES, block):
        drawn = generator.integers(len(sums), size=(min(block, RESAMPLES - start), len(sums)))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    return np.concatenate(means)


def paired_difference(values: Sequence[float], baseline: Sequence[float], clusters: Sequence[int]) -> Estimate:
    """Mean of `values` − `baseline`, both in [0, 1], pair by pair: the pairs share a world, so its luck cancels out."""
    return cluster_bootstrap([a - b for a, b in zip(values, baseline, strict=True)], clusters, (-1.0, 1.0))
