"""Answers of evo, for test_trajectory.py; run by the interpreter that NDT_EXTRAS_PYTHON names.

usage: evo_oracle.py TRAJECTORIES.npz   (arrays truth, estimate (n, 4, 4), lengths_m, step); prints JSON
"""

import json
import sys

import numpy as np
from evo.core import lie_algebra, metrics
from evo.core.geometry import accumulated_distances
from evo.core.metrics import PoseRelation
from evo.core.trajectory import PosePath3D
from evo.core.units import Unit

TRANSLATION, ANGLE = PoseRelation.translation_part, PoseRelation.rotation_angle_deg


def path_of(poses):
    return PosePath3D(poses_se3=list(poses))


def ape(truth, estimate, align):
    estimate = path_of(estimate)
    if align:
        estimate.align(path_of(truth), correct_scale=False)
    metric = metrics.APE(TRANSLATION)
    metric.process_data((path_of(truth), estimate))
    return metric.get_all_statistics()


def rpe(truth, estimate, relation, delta):
    metric = metrics.RPE(relation, delta, Unit.frames, all_pairs=True)
    metric.process_data((path_of(truth), path_of(estimate)))
    return metric.get_all_statistics()


def kitti(truth, estimate, lengths_m, step):
    """evo has no KITTI metric: its own path lengths, relative poses and angles, put together as the
    development kit does."""
    path = accumulated_distances(truth[:, :3, 3])
    translation, rotation = [], []
    for first in range(0, len(truth), step):
        for length in lengths_m:
            last = next((i for i in range(first, len(path)) if path[i] > path[first] + length), None)
            if last is None:
                continue
            error = lie_algebra.relative_se3(
                lie_algebra.relative_se3(estimate[first], estimate[last]),
                lie_algebra.relative_se3(truth[first], truth[last]),
            )
            translation.append(np.linalg.norm(error[:3, 3]) / length)
            rotation.append(lie_algebra.so3_log_angle(error[:3, :3], degrees=True) / length)
    return {
        "segments": len(translation),
        "translation_percent": 100 * float(np.mean(translation)),
        "rotation_deg_per_m": float(np.mean(rotation)),
    }


def main():
    data = np.load(sys.argv[1])
    truth, estimate = data["truth"], data["estimate"]
    answer = {
        "ape": ape(truth, estimate, align=False),
        "ape_aligned": ape(truth, estimate, align=True),
        "kitti": kitti(truth, estimate, data["lengths_m"].tolist(), int(data["step"])),
    }
    for delta in (1, 5):
        answer[f"rpe_{delta}_m"] = rpe(truth, estimate, TRANSLATION, delta)
        answer[f"rpe_{delta}_deg"] = rpe(truth, estimate, ANGLE, delta)
    json.dump(answer, sys.stdout, default=float)


main()
