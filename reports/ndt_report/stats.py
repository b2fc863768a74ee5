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


def wilson(successes: int, n: int, z: float = Z_95):
    """Wilson's score interval of a share, (low, high); (0, 1) for n = 0."""
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return float(max(0.0, centre - half)), float(min(1.0, centre + half))


@lru_cache(maxsize=None)
def student_t_quantile(p: float, df: int) -> float:
    """p in (0.5, 1). The density in t = sqrt(df) tan(a) is cos(a)^(df - 1): summed on a fine grid of a."""
    angle = np.linspace(0.0, np.pi / 2, 20_001)[:-1]
    density = np.cos(angle) ** (df - 1)
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return float(np.sqrt(df) * np.tan(np.interp((p - 0.5) * 2, below / below[-1], angle)))


def _weights(ids, random):
    """How often each entry counts in each resample [RESAMPLES, n]: whole clusters are drawn with
    replacement."""
    names, member = np.unique(ids, return_inverse=True)
    drawn = random.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES)
    return drawn[:, member], len(names)


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
    pairs = sorted(set(zip(clusters_a, clusters_b)))
    one_to_one = len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    random = np.random.default_rng(SEED)
    weights, m = _weights(clusters_a, random)
    if not one_to_one:
        other, m_other = _weights(clusters_b, random)
        weights, m = weights * other, min(m, m_other)
    if m < 2:
        return mean, np.nan, np.nan, m
    total = weights.sum(axis=1)
    weights, total = weights[total > 0], total[total > 0]
    means = weights @ values / total
    low, high = np.percentile(means, [2.5, 97.5])
    widen = np.sqrt(m / (m - 1)) * student_t_quantile((1 + confidence) / 2, m - 1) / Z_95
    return mean, mean - widen * (mean - float(low)), mean + widen * (float(high) - mean), m
