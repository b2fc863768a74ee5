"""Clouds for a page: the coloured PLY of align --ply, and a choice of points that a browser turns smoothly."""

import numpy as np

from ..read.files import MOST_CLOUD_BYTES, content
from ..read.refusal import refusal

AGAIN = "run ndt-bench align --ply again"
TYPES = {"double": "<f8", "float": "<f4", "uchar": "u1"}
MOST_HEADER = 4096  # bytes
MOST_POINTS = 60_000  # of a cloud on a page
COARSER = 1.25  # edges of one voxel grid and the next


def read_ply(path) -> np.ndarray:
    """Returns the vertices of a binary PLY as a structured array with x, y, z. Throws InputError."""
    data = content(path, MOST_CLOUD_BYTES, AGAIN)
    head, end, _ = data[:MOST_HEADER].partition(b"end_header\n")
    lines = [line.split() for line in head.decode("ascii", "replace").splitlines()]
    if not end or lines[0] != ["ply"] or ["format", "binary_little_endian", "1.0"] not in lines:
        raise refusal(path, "header", "is not that of a binary little-endian PLY file", AGAIN)
    counts = [line[-1] for line in lines if line[:1] == ["element"]]
    columns = [line[1:] for line in lines if line[:1] == ["property"]]
    if len(counts) != 1 or not counts[0].isdecimal() or not all(len(c) == 2 and c[0] in TYPES for c in columns):
        raise refusal(path, "header", "has other elements or properties than ndt-bench writes", AGAIN)
    names = [name for _, name in columns]
    if not {"x", "y", "z"} <= set(names) or len(set(names)) != len(names):
        raise refusal(path, "header", f"has the properties {', '.join(names)}, not x, y and z once each", AGAIN)
    vertex = np.dtype([(name, TYPES[kind]) for kind, name in columns])
    begin = len(head) + len(end)
    if len(data) - begin != int(counts[0]) * vertex.itemsize:
        raise refusal(path, f"byte {begin}", f"{len(data) - begin} bytes of points, not {int(counts[0]) * vertex.itemsize}", AGAIN)
    return np.frombuffer(data, vertex, offset=begin)


def points_of(vertices) -> np.ndarray:
    return np.column_stack([vertices[axis] for axis in "xyz"]).astype(float)


def near(points, others, margin_m) -> np.ndarray:
    """Returns the points in the box around the others, widened by the margin in x and y."""
    low, high = np.nanmin(others[:, :2], axis=0) - margin_m, np.nanmax(others[:, :2], axis=0) + margin_m
    return points[((points[:, :2] >= low) & (points[:, :2] <= high)).all(axis=1)]


def thinned(points, most=MOST_POINTS) -> np.ndarray:
    """Returns indices of at most so many points, in order: one for each occupied cube of the finest grid that is coarse enough."""
    kept = np.arange(len(points))
    if len(kept) <= most:
        return kept
    low, extent = points.min(axis=0), np.ptp(points, axis=0).max()
    edge = extent / 2000
    while len(kept) > most:
        x, y, z = np.floor((points[kept] - low) / max(edge, 1e-9)).astype(np.int64).T
        kept = np.sort(kept[np.unique((x << 42) + (y << 21) + z, return_index=True)[1]])
        edge *= COARSER
    return kept
