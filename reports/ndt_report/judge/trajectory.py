"""Errors of a whole trajectory: absolute (ATE), relative (RPE), and over path lengths as KITTI's odometry
benchmark has them.

Poses are float64 arrays of shape (n, 4, 4), map_from_body, metres; row i of the estimate belongs to row i of
the truth. Numpy only. All functions raise ValueError for anything else than two such trajectories of the same
length.
"""

import numpy as np

from ..read.poses import not_rigid

KITTI_LENGTHS_M = (100, 200, 300, 400, 500, 600, 700, 800)
KITTI_STEP = 10  # a sub-sequence starts at every tenth frame


def ate(truth, estimate, align=False):
    """Distances of the positions, metres: {"rmse_m", "mean_m", "median_m", "max_m", "poses"}.

    `align` first moves the estimate by the rigid motion, without scale, that brings its positions closest to
    the truth's [Umeyama 1991]; for trajectories that start in a frame of their own.
    """
    truth, estimate = _pair(truth, estimate)
    positions = estimate[:, :3, 3]
    if align:
        rotation, translation = umeyama(positions, truth[:, :3, 3])
        positions = positions @ rotation.T + translation
    error = np.linalg.norm(positions - truth[:, :3, 3], axis=1)
    return {
        "rmse_m": _rmse(error),
        "mean_m": float(error.mean()),
        "median_m": float(np.median(error)),
        "max_m": float(error.max()),
        "poses": len(error),
    }


def rpe(truth, estimate, delta=1):
    """Error of the motion over `delta` frames, of every pair (i, i + delta) [Sturm 2012, eq. 3].

    {"translation_rmse_m", "translation_mean_m", "translation_max_m", "rotation_rmse_deg",
    "rotation_mean_deg", "rotation_max_deg", "pairs"}. Raises ValueError if the trajectory has no more than
    `delta` poses.
    """
    truth, estimate = _pair(truth, estimate)
    if delta != int(delta) or delta < 1:
        raise ValueError(f"rpe: delta = {delta}: must be a whole number of frames, 1 or more")
    delta = int(delta)
    if delta >= len(truth):
        raise ValueError(f"rpe: {len(truth)} poses hold no pair {delta} frames apart")
    first = np.arange(len(truth) - delta)
    translation, rotation = _motion_errors(truth, estimate, first, first + delta)
    rotation = np.degrees(rotation)
    return {
        "translation_rmse_m": _rmse(translation),
        "translation_mean_m": float(translation.mean()),
        "translation_max_m": float(translation.max()),
        "rotation_rmse_deg": _rmse(rotation),
        "rotation_mean_deg": float(rotation.mean()),
        "rotation_max_deg": float(rotation.max()),
        "pairs": len(first),
    }


def kitti(truth, estimate, lengths_m=KITTI_LENGTHS_M, step=KITTI_STEP):
    """Translational error in percent and rotational error in degrees per metre over sub-sequences of given
    path lengths.

    {"translation_percent", "rotation_deg_per_m", "segments", "by_length": [{"length_m", then the same three},
    ...]}; means over the sub-sequences, None where the trajectory is too short for any. Follows
    calcSequenceErrors of the development kit of the KITTI odometry benchmark [Geiger 2012,
    https://www.cvlibs.net/datasets/kitti/eval_odometry.php]. A sub-sequence starts at every `step`-th frame
    and ends with the first frame whose path along the truth is longer than the length. Its errors are divided
    by the nominal length. The totals are means over all sub-sequences, not over the lengths. Unlike the kit,
    which takes the arc cosine of the trace, angles below 1e-8 rad do not vanish.
    """
    truth, estimate = _pair(truth, estimate)
    if step != int(step) or step < 1:
        raise ValueError(f"kitti: step = {step}: must be a whole number of frames, 1 or more")
    path = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(truth[:, :3, 3], axis=0), axis=1))])
    starts = np.arange(0, len(truth), int(step))
    translation, rotation, by_length = [], [], []
    for length in lengths_m:
        if not (np.isfinite(length) and length > 0):
            raise ValueError(f"kitti: length {length}: must be above 0 m")
        ends = np.searchsorted(path, path[starts] + length, side="right")
        inside = ends < len(path)
        t, r = _motion_errors(truth, estimate, starts[inside], ends[inside])
        translation.append(100 * t / length)
        rotation.append(np.degrees(r) / length)
        by_length.append({"length_m": length} | _kitti_means(translation[-1], rotation[-1]))
    if not by_length:
        raise ValueError("kitti: no length was given")
    return _kitti_means(np.concatenate(translation), np.concatenate(rotation)) | {"by_length": by_length}


def umeyama(points, onto):
    """Rotation (3, 3) and translation (3,) of the rigid motion with the least sum of squares |R p + t - q|^2
    [Umeyama 1991].

    If the points lie on a line, any turn about it fits equally well, and one of them is returned.
    """
    centre, onto_centre = points.mean(axis=0), onto.mean(axis=0)
    u, _, vt = np.linalg.svd((onto - onto_centre).T @ (points - centre))
    mirror = np.diag([1.0, 1.0, np.sign(np.linalg.det(u) * np.linalg.det(vt))])
    rotation = u @ mirror @ vt
    return rotation, onto_centre - rotation @ centre


def _pair(truth, estimate):
    truth, estimate = _trajectory(truth, "truth"), _trajectory(estimate, "estimate")
    if len(truth) != len(estimate):
        raise ValueError(
            f"the truth has {len(truth)} poses, the estimate {len(estimate)}; give one estimate for each true"
            " pose"
        )
    return truth, estimate


def _trajectory(poses, name):
    poses = np.asarray(poses, dtype=np.float64)
    if poses.ndim != 3 or poses.shape[1:] != (4, 4) or len(poses) == 0:
        raise ValueError(f"{name}: shape {poses.shape}; give (n, 4, 4) with n >= 1")
    finite = np.isfinite(poses).all(axis=(1, 2))
    if not finite.all():
        raise ValueError(
            f"{name}: pose {int(np.argmin(finite))} is not finite; leave out failed frames in both"
            " trajectories"
        )
    bad = not_rigid(poses)
    if bad.any():
        raise ValueError(f"{name}: pose {int(np.argmax(bad))} is not a rigid motion")
    return poses


def _motion_errors(truth, estimate, first, last):
    """Length (m) and angle (rad) of true_motion^-1 estimated_motion, of each pair of frames."""
    true_motion = _inverse(truth[first]) @ truth[last]
    error = _inverse(true_motion) @ (_inverse(estimate[first]) @ estimate[last])
    return np.linalg.norm(error[:, :3, 3], axis=1), _angles(error[:, :3, :3])


def _inverse(poses):
    out = np.zeros_like(poses)
    out[:, :3, :3] = poses[:, :3, :3].transpose(0, 2, 1)
    out[:, :3, 3] = -(out[:, :3, :3] @ poses[:, :3, 3:])[:, :, 0]
    out[:, 3, 3] = 1
    return out


def _angles(rotations):
    """From sine and cosine: the cosine alone cannot tell an angle below 1e-8 rad from none."""
    axis = np.stack(
        [
            rotations[:, 2, 1] - rotations[:, 1, 2],
            rotations[:, 0, 2] - rotations[:, 2, 0],
            rotations[:, 1, 0] - rotations[:, 0, 1],
        ],
        axis=1,
    )
    return np.arctan2(np.linalg.norm(axis, axis=1), np.trace(rotations, axis1=1, axis2=2) - 1)


def _kitti_means(translation_percent, rotation_deg_per_m):
    n = len(translation_percent)
    return {
        "segments": n,
        "translation_percent": float(translation_percent.mean()) if n else None,
        "rotation_deg_per_m": float(rotation_deg_per_m.mean()) if n else None,
    }


def _rmse(errors):
    return float(np.sqrt(np.mean(np.square(errors))))
