"""Quantiles, intervals and the cluster bootstrap. Everything is deterministic: the resampling is seeded."""

from functools import lru_cache

import numpy as np

RESAMPLES = 2000
SEED = 20
CONFIDENCE = 0.95
Z_95 = 1.959963984540054


def weighted_quantile(values, weights, quantile: float) -> float:
    """Smallest value that at least the given share of the weight is at or below."""
    order = np.argsort(values, kind="stable")
    values, weights = np.asarray(values, float)[order], np.asarray(weights, float)[order]
    reached = np.cumsum(weights) / np.sum(weights)
    return float(values[min(np.searchsorted(reached, quantile - 1e-12), len(values) - 1)])


def of_each(lists, function) -> np.ndarray:
    """function(matrix), a value a row, of every list, computed for all lists of one length at once: a run
    holds a million of them. NaN for None and for an empty list."""
    lengths = np.array([0 if values is None else len(values) for values in lists], int)
    out = np.full(len(lengths), np.nan)
    for length in np.unique(lengths[lengths > 0]):
        where = np.flatnonzero(lengths == length)
        out[where] = function(np.array([lists[i] for i in where]))
    return out


def medians(lists) -> np.ndarray:
    return of_each(lists, lambda matrix: np.median(matrix, axis=1))


def wilson(successes: int, n: int, z: float = Z_95):
    """Wilson's score interval of a share, (low, high); (0, 1) for n = 0."""
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = centre - half if successes > 0 else 0.0  # rounding would leave 1e-17
    high = centre + half if successes < n else 1.0
    return float(max(0.0, low)), float(min(1.0, high))


@lru_cache(maxsize=None)
def student_t_quantile(p: float, df: int) -> float:
    """p in (0.5, 1). The density in t = sqrt(df) tan(a) is cos(a)^(df - 1): summed on a fine grid of a."""
    angle = np.linspace(0.0, np.pi / 2, 20_001)[:-1]
    density = np.cos(angle) ** (df - 1)
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return float(np.sqrt(df) * np.tan(np.interp((p - 0.5) * 2, below / below[-1], angle)))


def _drawn(count: int, random):
    """How often each of the clusters counts in each resample [RESAMPLES, count]: they are drawn with
    replacement."""
    return random.multinomial(count, np.full(count, 1 / count), size=RESAMPLES)


def cluster_mean_interval(values, clusters_a, clusters_b, confidence: float = CONFIDENCE):
    """(mean, low, high, clusters) of paired differences, measured in jobs of one side and jobs of the other.

    Whatever slows a whole job (the machine's clock, where its memory is) is common to its measurements, so
    whole jobs are resampled. Where every job of one side meets one job of the other, they are drawn as pairs;
    otherwise both sides are drawn independently. With few jobs a bootstrap is too narrow: its spread is
    widened by sqrt(m / (m - 1)) and by Student's t over the normal quantile, m the smaller number of jobs.
    With one job there is no interval: low and high are NaN.
    """
    values = np.asarray(values, float)
    mean = float(values.mean())
    names_a, of_a = np.unique(clusters_a, return_inverse=True)
    names_b, of_b = np.unique(clusters_b, return_inverse=True)
    # Entries that two jobs have in common are drawn together, so their sum and number are all it takes.
    pairs, of_pair = np.unique(of_a * len(names_b) + of_b, return_inverse=True)
    sums, counts = np.bincount(of_pair, values), np.bincount(of_pair)
    random = np.random.default_rng(SEED)
    m = len(names_a)
    weights = _drawn(m, random)[:, pairs // len(names_b)]
    if not len(pairs) == len(names_a) == len(names_b):
        weights = weights * _drawn(len(names_b), random)[:, pairs % len(names_b)]
        m = min(m, len(names_b))
    if m < 2:
        return mean, np.nan, np.nan, m
    total = weights @ counts
    weights, total = weights[total > 0], total[total > 0]
    means = weights @ sums / total
    low, high = np.percentile(means, [2.5, 97.5])
    widen = np.sqrt(m / (m - 1)) * student_t_quantile((1 + confidence) / 2, m - 1) / Z_95
    return mean, mean - widen * (mean - float(low)), mean + widen * (float(high) - mean), m
