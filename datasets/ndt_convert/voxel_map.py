"""A map out of scans at known poses: one point per occupied cube, the centroid of all that fell into it."""

import numpy as np

from .faults import Fault

CELLS = 1 << 20  # either way of the first scan: 21 bits an axis in one 64-bit key
MERGE_AT = 4_000_000  # points waiting before they are merged


class VoxelMap:
    """Keeps sums a cell only, so a long recording needs the memory of its map."""

    def __init__(self, leaf_m):
        self.leaf_m = leaf_m
        self.start = None  # cell of the first scan
        self.keys, self.sums = np.empty(0, np.int64), np.empty((0, 4))
        self.waiting = []

    def add(self, points, map_from_scan, where):
        points = points.astype(np.float64) @ map_from_scan[:3, :3].T + map_from_scan[:3, 3]
        cells = np.floor(points / self.leaf_m)
        if self.start is None:
            self.start = np.floor(map_from_scan[:3, 3] / self.leaf_m)
        cells -= self.start
        if len(cells) and np.abs(cells).max() >= CELLS:
            raise Fault(where, "", f"a point is more than {CELLS * self.leaf_m:.0f} m from the first scan",
                        "check the poses, or give a larger --map-voxel")
        cells = cells.astype(np.int64) + CELLS
        keys = (cells[:, 2] << 42) | (cells[:, 1] << 21) | cells[:, 0]
        self.waiting.append(_sum(keys, np.column_stack([points, np.ones(len(points))])))
        if sum(len(keys) for keys, _ in self.waiting) > max(MERGE_AT, len(self.keys)):
            self._merge()

    def centroids(self):
        """(n, 3), in increasing order of cells, z slowest."""
        self._merge()
        return self.sums[:, :3] / self.sums[:, 3:]

    def _merge(self):
        parts = [(self.keys, self.sums), *self.waiting]
        self.keys, self.sums = _sum(np.concatenate([k for k, _ in parts]), np.concatenate([s for _, s in parts]))
        self.waiting = []


def centroids(rows, edge_m):
    """The mean of the rows (x, y, z and more columns) in each cube of the edge; rows that are not finite are left out."""
    rows = rows[np.isfinite(rows).all(axis=1)].astype(np.float64)
    _, keys = np.unique(np.floor(rows[:, :3] / edge_m), axis=0, return_inverse=True)
    _, sums = _sum(keys.reshape(-1), np.column_stack([rows, np.ones(len(rows))]))
    return sums[:, :-1] / sums[:, -1:]


def _sum(keys, rows):
    """Rows added up by key; keys sorted."""
    unique, index = np.unique(keys, return_inverse=True)
    index = index.reshape(-1)
    return unique, np.stack([np.bincount(index, weights=column, minlength=len(unique)) for column in rows.T], axis=1)
