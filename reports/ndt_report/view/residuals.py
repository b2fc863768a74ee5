"""How far a scan's points are from the surfaces of the map: planes through its points, metre by metre."""

import numpy as np

CUBE_M = 1.0  # a plane is fitted to the map's points in each
LEAST_POINTS = 6
LIMIT = 1 << 20  # cubes on either side of the scan's middle


def distances(points, map_points) -> np.ndarray:
    """Returns metres from the plane of the nearest cube, by its centroid; NaN where none is within a cube's edge."""
    out = np.full(len(points), np.nan)
    keys, centres, normals = _planes(map_points - (middle := points.mean(axis=0)))
    if not len(keys):
        return out
    points = points - middle
    cells = np.floor(points / CUBE_M).astype(np.int64)
    nearest = np.full(len(points), CUBE_M**2)
    for beside in np.ndindex(3, 3, 3):
        sought = _key(cells + np.array(beside) - 1)
        at = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
        away = points - centres[at]
        squared = (away**2).sum(axis=1)
        nearer = (keys[at] == sought) & (squared < nearest)
        out[nearer] = np.abs((away * normals[at]).sum(axis=1))[nearer]
        nearest[nearer] = squared[nearer]
    return out


def _key(cells):
    x, y, z = (np.clip(cells, -LIMIT, LIMIT - 1) + LIMIT).T
    return (x << 42) + (y << 21) + z


def _planes(points):
    """Returns keys, increasing, centroids and normals of the cubes with enough points."""
    keys, cube, counts = np.unique(_key(np.floor(points / CUBE_M).astype(np.int64)), return_inverse=True, return_counts=True)
    summed = lambda values: np.bincount(cube, values, len(keys))  # noqa: E731
    centres = np.column_stack([summed(axis) for axis in points.T]) / counts[:, None]
    away = points - centres[cube]
    spread = np.empty((len(keys), 3, 3))
    for i, k in np.ndindex(3, 3):
        spread[:, i, k] = summed(away[:, i] * away[:, k])
    enough = counts >= LEAST_POINTS
    return keys[enough], centres[enough], np.linalg.eigh(spread[enough])[1][:, :, 0]
