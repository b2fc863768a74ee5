"""The output of ndt-bench localize: a record per scan, out of its folder."""

import csv
import json
import math
from typing import NamedTuple

import numpy as np

from ndt_convert.faults import Fault
from ndt_convert.poses import read_tum


PARTICLES = "particles.jsonl"  # of searches, if asked for
MAP = "localization_map.pcd"  # some points of all that was localised in


class Result(NamedTuple):
    scan: str
    stamp_s: float
    map_from_body: np.ndarray  # 4x4; the body is the scanner, or the vehicle's base
    predicted: np.ndarray  # map_from_body before the alignment
    covariance: object  # 36 numbers, row-major x y z roll pitch yaw, or None
    diagnostics: dict
    particles: list  # of this scan's search, as in particles.jsonl; empty without one
    body_from_scan: np.ndarray = np.eye(4)


def read(folder):
    """Returns a record of every scan that was localised, in order."""
    try:
        times, poses = read_tum(folder / "poses.tum")
        with open(folder / "frames.csv", newline="", encoding="utf-8") as file:
            names = [row["scan"] for row in csv.DictReader(file)]
        lines = (folder / "diagnostics.jsonl").read_text(encoding="utf-8").splitlines()
        searches = (folder / PARTICLES).read_text(encoding="utf-8").splitlines() if (folder / PARTICLES).exists() else []
    except OSError as error:
        raise Fault(error.filename, "", error.strerror, "give the folder that ndt-bench localize wrote") from None
    if not len(times) == len(names) == len(lines):
        raise Fault(folder, "", f"{len(times)} poses, {len(names)} rows of frames.csv and {len(lines)} diagnostics", "localise again")
    particles = {search["frame"]: search["particles"] for search in map(json.loads, searches)}
    return [_result(*row, particles) for row in zip(names, times, poses, map(json.loads, lines))]


def _result(name, stamp_s, pose, diagnostics, particles):
    predicted = pose_of(diagnostics["predicted_xyz_m"], diagnostics["predicted_rpy_rad"])
    return Result(name, float(stamp_s), pose, predicted, diagnostics["covariance"], diagnostics, particles.get(diagnostics["frame"], []))


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
