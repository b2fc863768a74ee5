"""The output of ndt-bench localize: a record per scan, out of its folder."""

import csv
import json
import math
from typing import NamedTuple

import numpy as np

from ndt_convert.faults import Fault
from ndt_convert.poses import read_tum


PARTICLES, ITERATIONS = "particles.jsonl", "iterations.jsonl"  # of searches and alignments, if asked for
SETTING, TRUTH = "localization.json", "localization_truth.tum"
MAP = "localization_map.pcd"  # some points of all that was localised in


class Result(NamedTuple):
    scan: str
    stamp_s: float
    map_from_body: np.ndarray  # 4x4; the body is the scanner, or the vehicle's base
    predicted: np.ndarray  # map_from_body before the alignment
    covariance: object  # 36 numbers, row-major x y z roll pitch yaw, or None
    diagnostics: dict
    particles: list  # of this scan's search, as in particles.jsonl; empty without one
    iterations: list = []  # map_from_scan of each iteration of its alignment
    truth: object = None  # map_from_scan, if it is known
    body_from_scan: np.ndarray = np.eye(4)

    def of_body(self, pose):
        """The body's pose where the scanner has this one."""
        return pose @ np.linalg.inv(self.body_from_scan)

    @property
    def odometry(self):
        """(odometry_from_body, those of the two poses that it lies between), or None."""
        poses = self.diagnostics["odometry"]
        return poses and tuple(self.of_body(pose_of_record(pose)) for pose in (poses, poses["older"], poses["newer"]))


def read(folder):
    """Returns a record of every scan that was localised, in order."""
    try:
        times, poses = read_tum(folder / "poses.tum")
        with open(folder / "frames.csv", newline="", encoding="utf-8") as file:
            names = [row["scan"] for row in csv.DictReader(file)]
        lines = (folder / "diagnostics.jsonl").read_text(encoding="utf-8").splitlines()
        particles = {search["frame"]: search["particles"] for search in _records(folder / PARTICLES)}
        iterations = _iterations(folder / ITERATIONS)
        truth = dict(zip(*read_tum(folder / TRUTH))) if (folder / TRUTH).exists() else {}
    except OSError as error:
        raise Fault(error.filename, "", error.strerror, "give the folder that ndt-bench localize wrote") from None
    if not len(times) == len(names) == len(lines):
        raise Fault(folder, "", f"{len(times)} poses, {len(names)} rows of frames.csv and {len(lines)} diagnostics", "localise again")
    return [_result(*row, particles, iterations, truth) for row in zip(names, times, poses, map(json.loads, lines))]


def setting(folder):
    """Returns the options of the localisation."""
    return json.loads((folder / SETTING).read_text(encoding="utf-8"))


def _records(file):
    """The records of a file with one a line; none if it was not asked for."""
    if file.exists():
        with open(file, encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _iterations(file):
    found = {}
    for record in _records(file):
        found.setdefault(record["frame"], []).append(pose_of(record["pose"][:3], record["pose"][3:]))
    return found


def _result(name, stamp_s, pose, diagnostics, particles, iterations, truth):
    frame, predicted = diagnostics["frame"], pose_of(diagnostics["predicted_xyz_m"], diagnostics["predicted_rpy_rad"])
    return Result(name, float(stamp_s), pose, predicted, diagnostics["covariance"], diagnostics, particles.get(frame, []),
                  iterations.get(frame, []), truth.get(stamp_s))


def pose_of_record(record, prefix="pose"):
    """The pose of an object in a file of ndt-bench."""
    return pose_of(record[f"{prefix}_xyz_m"], record[f"{prefix}_rpy_rad"])


def pose_of(xyz_m, rpy_rad):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation(*rpy_rad), xyz_m
    return pose


def rotation(roll, pitch, yaw):
    """Rx(roll) Ry(pitch) Rz(yaw), as everywhere in this project; not the order of ROS."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a), math.cos(a)) for a in (roll, pitch, yaw))
    x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return x @ y @ z
