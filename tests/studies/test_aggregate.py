"""Interquartile means, intervals and profiles, on numbers that can be checked by hand."""

import numpy as np
import pytest

from experiments.studies.aggregate import difference, iqm, mean_of, profile, stratified


def test_interquartile_mean_leaves_out_the_outer_quarters() -> None:
    assert iqm(np.array([100.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -50.0])) == 3.5


def test_interval_holds_the_mean_and_narrows_with_runs() -> None:
    rng = np.random.default_rng(0)
    few, many = mean_of(rng.normal(0.5, 0.1, 5)), mean_of(rng.normal(0.5, 0.1, 80))
    for found in (few, many):
        assert found.low < found.value < found.high
    assert many.high - many.low < few.high - few.low
    assert many.low < 0.5 < many.high


def test_runs_are_resampled_within_their_task() -> None:
    """Between tasks there is all the difference and within them none: nothing is uncertain."""
    assert stratified([[0.1] * 4, [0.9] * 4], np.mean)[:3] == pytest.approx((0.5, 0.5, 0.5))
    assert stratified([[0.1, 0.9] * 2, [0.1, 0.9] * 2], np.mean).low < 0.4


def test_one_run_has_no_interval() -> None:
    found = mean_of([0.3])
    assert found.value == 0.3 and np.isnan(found.low) and np.isnan(found.high)


def test_difference() -> None:
    found = difference([2.0, 2.1, 1.9], [1.0, 1.1, 0.9])
    assert found.value == pytest.approx(1.0) and 0.8 <= found.low < found.high <= 1.2


def test_profile_is_the_share_above() -> None:
    found = profile([[0.2, 0.6], [0.6, 0.8]], points=11)
    at = dict(zip(found.thresholds.round(1).tolist(), found.share.tolist(), strict=True))
    assert (at[0.0], at[0.2], at[0.5], at[0.7], at[1.0]) == (1.0, 0.75, 0.75, 0.25, 0.0)
    assert (found.low <= found.share).all() and (found.share <= found.high).all()
