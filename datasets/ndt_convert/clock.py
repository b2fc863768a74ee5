"""Stamps of a sensor whose clock was set, or gave single wrong times."""

from bisect import bisect_left

import numpy as np

LONE_S = 10  # the first or the last stamp is wrong if it leaves the trend of the receive times by more


def kept(stamps_s, received_s):
    """Which messages to keep (mask), so that their stamps increase and as many as possible stay. Of repeated stamps the first stays. Where
    a clock was set back and two stretches are equally long, the one recorded later stays."""
    stamps, keep = np.asarray(stamps_s, dtype=float), np.full(len(stamps_s), False)
    fresh = [i for i in range(len(stamps)) if i == 0 or stamps[i] != stamps[i - 1]]
    found = _without_lone_ends([fresh[i] for i in _longest_increasing(stamps[fresh])], stamps - np.asarray(received_s, dtype=float))
    keep[found] = True
    return keep


def _longest_increasing(values):
    """Indexes of the longest increasing subsequence, by piles of cards [Aldous and Diaconis 1999]."""
    tops, top_of, below = [], [], []  # of each pile the value and the index on top; of each value the index it lies right of
    for i, value in enumerate(values):
        pile = bisect_left(tops, value)
        tops[pile:pile + 1], top_of[pile:pile + 1] = [value], [i]
        below.append(top_of[pile - 1] if pile else None)
    out, at = [], top_of[-1] if top_of else None
    while at is not None:
        out.append(at)
        at = below[at]
    return out[::-1]


def _without_lone_ends(kept_indexes, offsets):
    """A wrong first or last stamp need not break the order: only the offset between stamp and receive time shows it."""
    def lone(end, next_to_it, after):
        return abs(offsets[end] - offsets[next_to_it]) > LONE_S >= abs(offsets[next_to_it] - offsets[after])

    if len(kept_indexes) > 2 and lone(*kept_indexes[:3]):
        kept_indexes = kept_indexes[1:]
    if len(kept_indexes) > 2 and lone(*kept_indexes[:-4:-1]):
        kept_indexes = kept_indexes[:-1]
    return kept_indexes
