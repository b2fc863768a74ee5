"""ndt-bench trajectory TRUTH ESTIMATE: the errors of anybody's trajectory, from two TUM files."""

import json
from pathlib import Path

import numpy as np

from .judge import trajectory
from .read.files import content
from .read.refusal import refusal

MOST_BYTES = 4 << 30  # of Limits::kPoses lines
QUATERNION_NORM = 1e-3  # of four digits of text, as ndt::Limits::kQuaternionNorm
LONGEST_GAP_S = 0.01  # as evo


def read_tum(path):
    """Times (n,) and poses (n, 4, 4) of lines "time x y z qx qy qz qw". Raises InputError naming file and
    line."""
    times, poses = [], []
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        values = _numbers(path, number, line)
        if times and values[0] <= times[-1]:
            raise refusal(
                path,
                f"line {number}",
                f"time {values[0]!r} does not come after {times[-1]!r}, the one before",
                "sort the lines by time and drop repeated ones",
            )
        times.append(values[0])
        poses.append(_pose(path, number, values[1:]))
    if not times:
        raise refusal(path, "", "contains no poses", "give lines of time x y z qx qy qz qw")
    return np.array(times), np.array(poses)


def _text(path):
    return content(Path(path), MOST_BYTES, "give a TUM file: lines of time x y z qx qy qz qw").decode("utf-8", "replace")


def _numbers(path, number, line):
    words = line.split()
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if len(words) != 8 or len(values) != 8 or not np.isfinite(values).all():
        raise refusal(
            path, f"line {number}", "not 8 finite numbers", "give time x y z qx qy qz qw, or # for a comment"
        )
    return values


def _pose(path, number, values):
    x, y, z, w = values[3:]
    length = float(np.sqrt(x * x + y * y + z * z + w * w))
    if not abs(length - 1) <= QUATERNION_NORM:
        raise refusal(
            path, f"line {number}", f"quaternion of length {length:.6g}, not 1", "give unit quaternions, w last"
        )
    x, y, z, w = (q / length for q in (x, y, z, w))
    pose = np.eye(4)
    pose[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    pose[:3, 3] = values[:3]
    return pose


def associated(times, others, longest_gap_s):
    """Indices of the pairs of times that are nearest to each other, both ways, and no farther apart than the
    gap."""
    nearest, back = _nearest(times, others), _nearest(others, times)
    mine = np.arange(len(times))
    pairs = (back[nearest] == mine) & (np.abs(others[nearest] - times) <= longest_gap_s)
    return mine[pairs], nearest[pairs]


def _nearest(times, others):
    after = np.clip(np.searchsorted(others, times), 1, max(1, len(others) - 1))
    if len(others) == 1:
        return np.zeros(len(times), dtype=int)
    before = after - 1
    return np.where(times - others[before] <= others[after] - times, before, after)


def errors(truth_file, estimate_file, align=False, delta=1, longest_gap_s=LONGEST_GAP_S):
    """Returns what the command prints, as an object."""
    times, truth = read_tum(truth_file)
    estimate_times, estimate = read_tum(estimate_file)
    mine, others = associated(times, estimate_times, longest_gap_s)
    if len(mine) == 0:
        raise refusal(
            estimate_file,
            "",
            f"no pose within {longest_gap_s:g} s of one of {truth_file} (times {times[0]:.6g} to {times[-1]:.6g} s,"
            f" here {estimate_times[0]:.6g} to {estimate_times[-1]:.6g} s)",
            "give trajectories of the same clock, or a longer --max-gap",
        )
    truth, estimate = truth[mine], estimate[others]
    path = np.linalg.norm(np.diff(truth[:, :3, 3], axis=0), axis=1).sum()
    return {
        "truth": str(truth_file),
        "estimate": str(estimate_file),
        "pairs": len(mine),
        "truth_poses": len(times),
        "estimate_poses": len(estimate_times),
        "path_m": float(path),
        "aligned": align,
        "ate": trajectory.ate(truth, estimate, align=align),
        "rpe_delta": delta,
        "rpe": trajectory.rpe(truth, estimate, delta) if len(truth) > delta else None,
        "kitti": trajectory.kitti(truth, estimate),
    }


def lines_of(found):
    ate, rpe, kitti = found["ate"], found["rpe"], found["kitti"]
    left = found["truth_poses"] - found["pairs"], found["estimate_poses"] - found["pairs"]
    lines = [
        f"poses  {found['pairs']} pairs over {found['path_m']:.1f} m; without a partner: {left[0]} of the truth,"
        f" {left[1]} of the estimate",
        f"ATE    {ate['rmse_m']:.4f} m RMSE, mean {ate['mean_m']:.4f}, median {ate['median_m']:.4f}, max"
        f" {ate['max_m']:.4f} m ({'moved onto the truth' if found['aligned'] else 'not moved onto the truth'})",
    ]
    if rpe is None:
        lines.append(f"RPE    none: no two pairs are {found['rpe_delta']} frames apart")
    else:
        lines.append(
            f"RPE    {rpe['translation_rmse_m']:.4f} m and {rpe['rotation_rmse_deg']:.4f} deg RMSE over"
            f" {found['rpe_delta']} frame{'s' if found['rpe_delta'] != 1 else ''}, max"
            f" {rpe['translation_max_m']:.4f} m and {rpe['rotation_max_deg']:.4f} deg"
        )
    if kitti["segments"] == 0:
        lines.append("KITTI  none: the path is shorter than 100 m")
    else:
        lines.append(
            f"KITTI  {kitti['translation_percent']:.4f} % and {kitti['rotation_deg_per_m']:.6f} deg/m over"
            f" {kitti['segments']} stretches"
        )
    return lines


def run(arguments, show):
    found = errors(arguments.truth, arguments.estimate, arguments.align, arguments.delta, arguments.max_gap)
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        show(lines_of(found))
