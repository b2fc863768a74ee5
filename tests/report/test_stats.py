"""Quantiles and intervals against values from books, and against simulations whose answer is known."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pytest
from ndt_report.judge.stats import cluster_mean_interval, student_t_quantile, weighted_quantile, wilson


@pytest.mark.parametrize(
    "successes, n, low, high",
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_values_of_newcombe_1998(successes, n, low, high):
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_of_nothing_says_nothing_and_stays_within_0_and_1():
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(20, 20)[1] == pytest.approx(1.0) and wilson(20, 20)[1] <= 1.0


@pytest.mark.parametrize(
    "p, df, value",
    [
        (0.975, 1, 12.706),
        (0.975, 2, 4.303),
        (0.975, 5, 2.571),
        (0.995, 5, 4.032),
        (0.975, 30, 2.042),
        (0.975, 1000, 1.962),
    ],
)
def test_student_t_quantiles_are_those_of_the_tables(p, df, value):
    assert student_t_quantile(p, df) == pytest.approx(value, rel=1e-3)


def test_a_weighted_quantile_counts_weights_not_values():
    assert weighted_quantile([3, 1, 2], [1, 1, 1], 0.5) == 2
    assert weighted_quantile([1, 2, 3], [1, 1, 8], 0.5) == 3
    assert weighted_quantile([1, 2, 3], [8, 1, 1], 0.5) == 1
    assert weighted_quantile([5], [0.1], 0.99) == 5


def coverage(clusters, per_cluster, trials=200, by_value=False):
    random = np.random.default_rng(5)
    hits = 0
    for _ in range(trials):
        values = np.repeat(random.normal(0, 1, clusters), per_cluster) + random.normal(
            0, 0.3, clusters * per_cluster
        )
        ids = np.arange(len(values)) if by_value else np.repeat(np.arange(clusters), per_cluster)
        _, low, high, _ = cluster_mean_interval(values, ids, ids)
        hits += low <= 0 <= high
    return hits / trials


@pytest.mark.parametrize("clusters", [4, 8, 20])
def test_the_interval_holds_the_truth_as_often_as_it_says_when_jobs_differ(clusters):
    assert 0.92 <= coverage(clusters, 6) <= 0.985


def test_resampling_single_values_would_be_far_too_sure():
    assert coverage(8, 6, by_value=True) < 0.75


def test_jobs_that_cross_are_resampled_on_both_sides():
    random = np.random.default_rng(6)
    hits, trials = 0, 150
    for _ in range(trials):
        a, b = np.repeat(np.arange(6), 6), np.tile(np.arange(6), 6)
        values = random.normal(0, 1, 6)[a] - random.normal(0, 1, 6)[b] + random.normal(0, 0.1, 36)
        _, low, high, jobs = cluster_mean_interval(values, a, b)
        hits += low <= 0 <= high
        assert jobs == 6
    assert 0.91 <= hits / trials <= 1.0


def test_one_job_gives_no_interval():
    mean, low, high, jobs = cluster_mean_interval([1.0, 2.0, 3.0], [7, 7, 7], [9, 9, 9])
    assert mean == 2 and np.isnan(low) and np.isnan(high) and jobs == 1


def test_the_same_data_gives_the_same_bits():
    values, ids = np.random.default_rng(1).normal(size=40), np.repeat(np.arange(8), 5)
    assert cluster_mean_interval(values, ids, ids) == cluster_mean_interval(values, ids, ids)
