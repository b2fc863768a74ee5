"""Stamps of a sensor whose clock was set, or gave single wrong times."""

import numpy as np

LONE_S = 10  # the first or the last stamp is wrong if it leaves the trend of the receive times by more


def kept(stamps_s, received_s):
    """Returns a mask of the messages to keep, so that their stamps increase and as many as possible stay. Of repeated stamps the first stays. Of
    equally many those stay whose stamps fit the receive times best, by the offset that most have."""
    stamps = np.asarray(stamps_s, dtype=float)
    offsets, keep = stamps - np.asarray(received_s, dtype=float), np.full(len(stamps), False)
    fresh = np.flatnonzero(np.diff(stamps, prepend=np.nan) != 0)
    if (np.diff(stamps[fresh]) < 0).any():
        usual = np.sort(offsets)[(len(offsets) - 1) // 2]  # of two equal parts that of the clock that was set back
        fresh = fresh[_longest_increasing(stamps[fresh], np.abs(offsets[fresh] - usual))]
    keep[_without_lone_ends(fresh, offsets)] = True
    return keep


def _longest_increasing(values, costs):
    """The indexes of the longest increasing subsequence, of several the cheapest. The tree of Fenwick [1994] gives the best end below a value."""
    ranks = np.unique(values, return_inverse=True)[1].reshape(-1) + 1
    best, before = [(0, 0.0, -1)] * (len(values) + 1), []  # (length, -cost, last index)
    for i, (rank, cost) in enumerate(zip(ranks.tolist(), costs.tolist())):
        below, at = best[0], rank - 1
        while at > 0:
            below, at = max(below, best[at]), at & (at - 1)
        before.append(below[2])
        longer, at = (below[0] + 1, below[1] - cost, i), rank
        while at < len(best):
            best[at], at = max(best[at], longer), at + (at & -at)
    out = [max(best)[2]]
    while before[out[-1]] >= 0:
        out.append(before[out[-1]])
    return out[::-1]


def _without_lone_ends(indexes, offsets):
    """A wrong first or last stamp need not break the order: only the offset between stamp and receive time shows it."""
    def lone(end, next_to_it, after):
        return abs(offsets[end] - offsets[next_to_it]) > LONE_S >= abs(offsets[next_to_it] - offsets[after])

    if len(indexes) > 2 and lone(*indexes[:3]):
        indexes = indexes[1:]
    if len(indexes) > 2 and lone(*indexes[:-4:-1]):
        indexes = indexes[:-1]
    return indexes
