"""No-return points: what a driver writes where no echo came back. The rule is that of ndt-bench (ndt/align/no_returns.hpp)."""

import numpy as np

CAUSES = ("zero", "sentinel", "identical", "max_range")  # a point has the first that applies
ZERO, SENTINEL, IDENTICAL, MAX_RANGE = range(1, 5)
FAR_M = 1e7  # a coordinate as large is FLT_MAX or its kin
NINES = (9999, -9999, 99999, -99999)  # sentinels if all three coordinates have them
AT_LEAST = 5  # copies, or points at the largest range, below which nothing is concluded
SAME_RANGE_M = 0.001
GAP_M = 0.05  # below a largest range that is no surface
MEETS = 0.7  # of a dome's range, as far as the ground below it is seen


def causes(points):
    """The cause of each point: 0 for a return, else its place in CAUSES from 1. Points that are not finite have 0.

    1. zero: x, y and z are 0.
    2. sentinel: a coordinate of FAR_M or more, or all three the same one of NINES.
    3. identical: more than 1 % of the finite points, and at least AT_LEAST, have the same coordinates.
    4. max_range: as many have the largest range of the others to a millimetre, and are no surface: half as many lie in the 5 cm below
       it, they are 90 % of the scan, or a dome: a cap above nearly all others, of which the farthest 2 % reach 70 % of its range.
    """
    out = np.zeros(len(points), np.uint8)
    finite = np.flatnonzero(np.isfinite(points).all(axis=1))
    points = points[finite]
    found = np.zeros(len(points), np.uint8)
    found[(points[:, [0]] == points).all(axis=1) & np.isin(points[:, 0], NINES)] = SENTINEL
    found[(np.abs(points) >= FAR_M).any(axis=1)] = SENTINEL
    found[~points.any(axis=1)] = ZERO
    found[_identical(points) & (found == 0)] = IDENTICAL
    left = np.flatnonzero(found == 0)
    found[left[_at_max_range(points[left].astype(np.float64), len(points))]] = MAX_RANGE
    out[finite] = found
    return out


def _is_many(count, points):
    """True if so many of the points are more than 1 % and at least AT_LEAST."""
    return (count * 100 > points) & (count >= AT_LEAST)


def _identical(points):
    """Mask of the points that occur many times. The x alone settles most scans, and is sorted faster than whole points."""
    out = np.zeros(len(points), bool)
    points = points + points.dtype.type(0)  # -0 becomes 0
    values, counts = np.unique(points[:, 0], return_counts=True)
    frequent = values[_is_many(counts, len(points))]
    if len(frequent):
        suspects = np.flatnonzero(np.isin(points[:, 0], frequent))
        keys = np.ascontiguousarray(points[suspects]).view(np.dtype((np.void, 3 * points.itemsize)))[:, 0]
        _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        out[suspects] = _is_many(counts, len(points))[inverse.reshape(-1)]
    return out


def _at_max_range(points, finite):
    """Mask of those of the points, (n, 3) double, that share the largest range and are not a surface around the scanner."""
    ranges = np.sqrt((points**2).sum(axis=1))
    shell = ranges >= ranges.max(initial=0) - SAME_RANGE_M
    count = np.count_nonzero(shell)
    close = np.count_nonzero(ranges >= ranges.max(initial=0) - GAP_M) - count
    if not _is_many(count, finite) or 2 * close > count or 10 * count >= 9 * len(points) or _is_dome(points, ranges, shell):
        shell[:] = False
    return shell


def _is_dome(points, ranges, shell):
    """True if the points of the shell, and almost no others, lie within a cone from the scanner, and the others come near to its range. The
    sky above open land is a cone, too, but farther than what is seen below."""
    nearer = np.sort(ranges[~shell])
    if nearer[len(nearer) * 49 // 50] < MEETS * ranges.max():
        return False
    directions = np.divide(points, ranges[:, None], out=np.zeros_like(points), where=ranges[:, None] > 0)
    axis = directions[shell].mean(axis=0)
    length = np.sqrt((axis**2).sum())
    cosines = directions @ (axis / length if length > 0 else axis)
    edge = np.sort(cosines[shell])[np.count_nonzero(shell) // 100]  # the 1st percentile
    inside = np.count_nonzero(cosines[~shell] > edge)
    return 50 * inside <= np.count_nonzero(~shell)
