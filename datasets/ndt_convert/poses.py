"""Trajectories: TUM and KITTI text in, TUM out, and poses at given times. Poses are (n, 4, 4) arrays."""

import math

import numpy as np

from .faults import Fault
from .files import opened

EXPORT_AGAIN = "export the trajectory again"
QUATERNION_NORM = 1e-3  # a quaternion's length may be this far from 1, as in ndt-bench
REACH_M = 1e9  # ndt-bench's Limits::kOriginM: farther than any place on Earth
RIGID = 1e-3  # |R Rt - I| in every entry, as in ndt-bench


def guess_format(file):
    """"tum" or "kitti", by the number of columns."""
    for number, words in _rows(file):
        if len(words) in (8, 12):
            return "tum" if len(words) == 8 else "kitti"
        raise Fault(file, f"line {number}", f"{len(words)} columns",
                    "give TUM (time x y z qx qy qz qw) or KITTI poses (the 12 numbers of a 3x4 matrix)")
    raise Fault(file, "", "contains no poses", EXPORT_AGAIN)


def read_tum(file, columns=(8,)):
    """Times (n,) in seconds, increasing, and poses. gnss.tum may have 11 columns, the last of covariances."""
    times, out = [], []
    for number, row in _numbers(file, *columns):
        norm = math.hypot(*row[4:8])
        if abs(norm - 1) > QUATERNION_NORM:
            raise Fault(file, f"line {number}", f"quaternion qx qy qz qw has length {norm:.6g}, not 1", EXPORT_AGAIN)
        if times and row[0] <= times[-1]:
            raise Fault(file, f"line {number}", f"time {row[0]} does not come after {times[-1]}, the one before",
                        "sort the lines by time and drop repeated ones")
        require_near(row[1:4], file, f"line {number}")
        times.append(row[0])
        out.append(pose_of(row[1:4], row[4:8]))
    return np.array(times), np.array(out)


def read_kitti(file):
    out = []
    for number, row in _numbers(file, 12):
        out.append(np.vstack([np.reshape(row, (3, 4)), [0, 0, 0, 1]]))
        require_rigid(out[-1], file, f"line {number}")
    return np.array(out)


def read_matrix(file):
    """One 4x4 matrix."""
    rows = [row for _, row in _numbers(file, 4)]
    if len(rows) != 4 or rows[3] != [0, 0, 0, 1]:
        raise Fault(file, "", f"{len(rows)} rows of 4 numbers", "give a 4x4 matrix with the last row 0 0 0 1")
    require_rigid(np.array(rows), file, "")
    return np.array(rows)


def read_calibration(file):
    """cam0_from_lidar: the line Tr of a KITTI odometry calib.txt."""
    for number, words in _rows(file):
        if words[0] in ("Tr:", "Tr_velo_to_cam:", "Tr_velo_cam:"):
            row = [_number(word, file, number) for word in words[1:]]
            if len(row) != 12:
                raise Fault(file, f"line {number}", f"{words[0]} has {len(row)} numbers", "give the 12 of a 3x4 matrix")
            out = np.vstack([np.reshape(row, (3, 4)), [0, 0, 0, 1]])
            require_rigid(out, file, f"line {number}")
            return out
    raise Fault(file, "", "has no line Tr", "give the calib.txt of a KITTI odometry sequence")


def read_times(file):
    return np.array([row[0] for _, row in _numbers(file, 1)])


def write_tum(file, times, poses, covariances=None):
    """covariances: None, or 2x2 of x and y for every pose."""
    more = np.empty((len(times), 0)) if covariances is None else np.asarray(covariances).reshape(-1, 4)[:, [0, 1, 3]]
    with open(file, "w", encoding="ascii") as out:
        out.write("# time_s x_m y_m z_m qx qy qz qw" + ("" if covariances is None else " var_x_m2 cov_xy_m2 var_y_m2") + "\n")
        for time, pose, values in zip(times, poses, more):
            out.write(" ".join(repr(float(v)) for v in (time, *pose[:3, 3], *quaternion_of(pose[:3, :3]), *values)) + "\n")


def write_times(file, times):
    with open(file, "w", encoding="ascii") as out:
        out.writelines(f"{float(time)!r}\n" for time in times)


def at_times(times, poses, wanted, longest_gap_s):
    """Poses at the wanted times, between neighbours no farther apart than the gap; and which of them there are (mask)."""
    after = np.clip(np.searchsorted(times, wanted), 1, max(1, len(times) - 1))
    before = after - 1
    after = np.minimum(after, len(times) - 1)
    gap = times[after] - times[before]
    hit = (wanted == times[before]) | (wanted == times[after])
    covered = hit | ((wanted >= times[before]) & (wanted <= times[after]) & (gap <= longest_gap_s))
    out = np.tile(np.eye(4), (len(wanted), 1, 1))
    for i in np.flatnonzero(covered):
        share = 0.0 if gap[i] == 0 else (wanted[i] - times[before[i]]) / gap[i]
        out[i] = _between(poses[before[i]], poses[after[i]], share)
    return out, covered


def pose_of(position, quaternion):
    x, y, z, w = np.asarray(quaternion, dtype=float) / math.hypot(*quaternion)
    out = np.eye(4)
    out[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                   [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                   [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    out[:3, 3] = position
    return out


def checked_pose(position, quaternion, file, where):
    """As pose_of; refuses what is no rotation or not finite."""
    if not (abs(np.linalg.norm(quaternion) - 1) <= QUATERNION_NORM and np.isfinite(position).all()):
        raise Fault(file, where, f"position {list(position)} and orientation {list(quaternion)}: not finite, or not a unit quaternion",
                    "choose another topic, or give the poses with --poses")
    require_near(position, file, where)
    return pose_of(position, quaternion)


def quaternion_of(rotation):
    """(qx, qy, qz, qw), qw >= 0: the eigenvector of Bar-Itzhack's matrix, good for every angle."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    matrix = np.array([[a - e - i, b + d, c + g, h - f], [b + d, e - a - i, f + h, c - g],
                       [c + g, f + h, i - a - e, d - b], [h - f, c - g, d - b, a + e + i]]) / 3
    quaternion = np.linalg.eigh(matrix)[1][:, 3]
    return quaternion if quaternion[3] >= 0 else -quaternion


def require_near(position, file, where):
    if not all(abs(metres) <= REACH_M for metres in position):
        place = " ".join(f"{metres:g}" for metres in position)
        raise Fault(file, where, f"position {place} is beyond {REACH_M:g} m", "give metres, from an origin on the earth")


def require_rigid(pose, file, where):
    rotation = pose[:3, :3]
    if not np.abs(rotation).max() < 2 or np.abs(rotation @ rotation.T - np.eye(3)).max() > RIGID or np.linalg.det(rotation) < 0:
        raise Fault(file, where, "the matrix is not a rigid motion (its rotation is not orthonormal)", EXPORT_AGAIN)
    require_near(pose[:3, 3], file, where)


def _between(first, second, share):
    """Straight line, and the shorter turn at constant speed [Shoemake 1985]."""
    p, q = quaternion_of(first[:3, :3]), quaternion_of(second[:3, :3])
    if p @ q < 0:
        q = -q
    angle = math.atan2(np.linalg.norm(q - (p @ q) * p), p @ q)
    q = q if angle < 1e-9 else (math.sin((1 - share) * angle) * p + math.sin(share * angle) * q) / math.sin(angle)
    return pose_of((1 - share) * first[:3, 3] + share * second[:3, 3], q)


def _rows(file):
    """(line number, words) of the lines that are neither blank nor comments."""
    with opened(file, "r", encoding="utf-8", errors="replace") as text:
        for number, line in enumerate(text, start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                yield number, line.split()


def _numbers(file, *columns):
    """(line number, numbers) of lines that all have one of these numbers of columns."""
    empty = True
    for number, words in _rows(file):
        if len(words) not in columns:
            raise Fault(file, f"line {number}", f"{len(words)} values instead of {' or '.join(map(str, columns))}", EXPORT_AGAIN)
        columns = (len(words),)
        empty = False
        yield number, [_number(word, file, number) for word in words]
    if empty:
        raise Fault(file, "", "contains no numbers", EXPORT_AGAIN)


def _number(word, file, number):
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Fault(file, f"line {number}", f"'{word[:40]}' is not a finite number", EXPORT_AGAIN)
    return value
