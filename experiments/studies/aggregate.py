"""Few runs, said honestly: interquartile means with stratified bootstrap intervals, and performance profiles.

After Agarwal et al., "Deep Reinforcement Learning at the Edge of the Statistical Precipice" (2021). What varies
independently is a training run; runs are resampled within each task (an opponent, a scheme), never across tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import bootstrap, trim_mean

Array = np.ndarray[Any, Any]
CONFIDENCE, RESAMPLES, SEED = 0.95, 5_000, 20_250_801


class Interval(NamedTuple):
    """An estimate with its interval over `runs` runs; NaN ends where one run says nothing of the spread."""

    value: float
    low: float
    high: float
    runs: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def iqm(values: Array, axis: int = -1) -> Any:
    """Mean of the middle half along `axis`."""
    return trim_mean(values, 0.25, axis=axis)


def stratified(tasks: Sequence[Sequence[float]], statistic: Callable[..., Any] = iqm) -> Interval:
    """`statistic` of all runs of all tasks together; its interval resamples the runs of each task on their own.

    Args:
        tasks: for each task, one value per run.
        statistic: takes (values, axis).
    """
    samples = [np.asarray(runs, np.float64) for runs in tasks]
    return _interval(samples, lambda *drawn, axis=-1: statistic(np.concatenate(drawn, axis), axis=axis))


def mean_of(runs: Sequence[float]) -> Interval:
    """Mean over runs."""
    return stratified([runs], np.mean)


def difference(one: Sequence[float], other: Sequence[float]) -> Interval:
    """Mean of `one` minus mean of `other`; the runs of each are resampled on their own."""
    samples = [np.asarray(one, np.float64), np.asarray(other, np.float64)]
    return _interval(samples, lambda a, b, axis=-1: np.mean(a, axis=axis) - np.mean(b, axis=axis))


def _interval(samples: list[Array], statistic: Callable[..., Any]) -> Interval:
    value, runs = float(statistic(*samples)), min(map(len, samples))
    if runs < 2:
        return Interval(value, float("nan"), float("nan"), runs)
    if all(np.ptp(sample) == 0 for sample in samples):
        return Interval(value, value, value, runs)
    found = bootstrap(
        samples,
        statistic,
        method="percentile",
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        vectorized=True,
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return Interval(value, float(found.low), float(found.high), runs)


class Profile(NamedTuple):
    """Share of episodes whose score is above each threshold, with its band over runs; arrays [threshold]."""

    thresholds: Array
    share: Array
    low: Array
    high: Array


def profile(scores: Sequence[Sequence[float]], points: int = 101) -> Profile:
    """The performance profile of runs with the scores of their episodes, [run][episode], in [0, 1]."""
    thresholds = np.linspace(0.0, 1.0, points)
    above = np.stack([(np.asarray(run)[:, None] > thresholds).mean(0) for run in scores])
    if len(above) == 1:
        return Profile(thresholds, above[0], above[0], above[0])
    drawn = np.random.default_rng(SEED).integers(len(above), size=(RESAMPLES, len(above)))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(above[drawn].mean(1), [tail, 1 - tail], axis=0)
    return Profile(thresholds, above.mean(0), low, high)
