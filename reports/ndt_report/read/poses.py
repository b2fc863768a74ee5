"""Rigid poses as 4x4 matrices map_from_scan: how far apart two are, quaternions, chains."""

import numpy as np

RIGID = 1e-3  # largest entry of R Rt - I, as in ndt::Limits::kRigid


def translation_differences_m(a, b) -> np.ndarray:
    """Compares poses [n, 4, 4], each with its own."""
    return np.linalg.norm(a[:, :3, 3] - b[:, :3, 3], axis=1)


def rotation_differences_deg(a, b) -> np.ndarray:
    """Through the chord |A - B|, which stays exact for tiny angles where acos of the trace does not."""
    chords = np.linalg.norm(a[:, :3, :3] - b[:, :3, :3], axis=(1, 2)) / (2.0 * np.sqrt(2.0))
    return np.degrees(2.0 * np.arcsin(np.minimum(chords, 1.0)))


def translation_difference_m(a, b) -> float:
    return float(translation_differences_m(a[None], b[None])[0])


def rotation_difference_deg(a, b) -> float:
    return float(rotation_differences_deg(a[None], b[None])[0])


def quaternion_xyzw(matrix):
    """Unit quaternion of a rotation, w >= 0. By the largest of the four squares, so that it is exact at every
    angle."""
    r = matrix[:3, :3]
    squares = np.array(
        [
            1 + r[0, 0] - r[1, 1] - r[2, 2],
            1 - r[0, 0] + r[1, 1] - r[2, 2],
            1 - r[0, 0] - r[1, 1] + r[2, 2],
            1 + r[0, 0] + r[1, 1] + r[2, 2],
        ]
    )
    largest = int(np.argmax(squares))
    q = np.array(
        [
            [squares[0], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[2, 1] - r[1, 2]],
            [r[0, 1] + r[1, 0], squares[1], r[1, 2] + r[2, 1], r[0, 2] - r[2, 0]],
            [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], squares[2], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], squares[3]],
        ]
    )[largest]
    q = q / np.linalg.norm(q)
    return q if q[3] >= 0 else -q


def chained(steps):
    """Poses in the frame of the first scan from each scan's pose in the frame of the one before."""
    poses = [np.eye(4)]
    for step in steps:
        poses.append(poses[-1] @ step)
    return np.array(poses)


def moved(matrix, points):
    """points [n, 3] moved by a 4x4 matrix."""
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def not_rigid(matrices) -> np.ndarray:
    """True for each of [n, 4, 4] that is no rotation and translation."""
    rotation = matrices[:, :3, :3]
    skewed = np.abs(rotation @ rotation.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2), initial=0) > RIGID
    return skewed | (np.linalg.det(rotation) < 0) | (matrices[:, 3] != [0, 0, 0, 1]).any(axis=1)
