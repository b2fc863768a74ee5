"""Sequences of the package evalio, which downloads and reads public recordings: https://pypi.org/project/evalio.

Written to release 0.6.1, and tested with a stand-in of the same interface: no recording of it was at hand."""

from typing import NamedTuple

import numpy as np

from .clouds import write_pcd
from .faults import Fault, UsageFault
from .recording import Recording, Scan, Trajectory

PREFIX = "evalio:"
NOT_USED = ("poses", "pose_topic", "pose_tf", "topic", "receive_time", "odometry_topic", "odometry_tf", "imu_topic", "twist_topic", "gnss_topic", "frame", "stamps",
            "calib", "body_from_scan")


def is_sequence(path):
    return str(path).startswith(PREFIX)


def read(work, options, say):
    given = [f"--{name}".replace("_", "-") for name in NOT_USED if getattr(options, name)]
    if given:
        raise UsageFault(options.input, "", f"evalio gives times and poses, so {given[0]} is unused", "leave it out")
    sequence = open_sequence(options.input)
    truth = sequence.trajectory()
    scans, times, left_out = [], [], 0
    for time, points, seconds, lost in sequence.scans(options.every):
        if len(times) == options.max_scans:
            break
        left_out += lost
        if not len(points):
            continue
        scans.append(Scan(work / "scans" / f"{len(times):06d}.pcd", str(options.input)))
        write_pcd(scans[-1].file, points, seconds=seconds)
        times.append(time)
    if not times:
        raise Fault(options.input, "", "has no scan with points", "choose another sequence")
    say("the time of a scan is that of its first point, and its points are not corrected for motion")
    if left_out:
        say(f"{left_out} points that are not finite were dropped")
    trajectory = None if truth is None else Trajectory(str(options.input), *truth, options.longest_gap)
    return Recording(scans, np.array(times), trajectory)


class Sequence(NamedTuple):
    path: str
    found: object  # an evalio.datasets.Dataset

    def scans(self, every):
        """(time in seconds, finite points, their seconds after it, number of others) of every N-th scan. evalio fills a scan up with
        points at the origin where a beam came back with nothing."""
        for number, scan in enumerate(self.found.lidar()):
            if number % every:
                continue
            points = np.asarray(scan.to_vec_positions(), dtype=np.float64).reshape(-1, 3)
            good = np.isfinite(points).all(axis=1)
            seconds = np.asarray(scan.to_vec_stamps(), dtype=np.float32)
            yield scan.stamp.to_nsec() / 1e9, points[good], seconds[good], int((~good).sum())

    def trajectory(self):
        """(times, map_from_scan) of its ground truth, which evalio gives for the IMU; None if it has none."""
        truth = self.found.ground_truth()
        if truth is None:
            return None
        times = np.array([stamp.to_nsec() / 1e9 for stamp in truth.stamps])
        if not len(times) or (np.diff(times) <= 0).any():
            raise Fault(self.path, "", "its ground truth has no poses, or times that do not increase", "convert it without evalio")
        return times, np.array([_matrix(pose) for pose in truth.poses]) @ _matrix(self.found.imu_T_lidar())


def open_sequence(path):
    path = str(path)
    try:
        from evalio import datasets
    except ImportError:
        raise Fault(path, "", "reading it needs the Python package evalio",
                    "python3 -m venv extras && extras/bin/pip install evalio, and call extras/bin/python -m ndt_convert") from None
    found = datasets.get_sequence(path.removeprefix(PREFIX))
    if isinstance(found, Exception):  # which it returns
        raise Fault(path, "", "evalio knows no such sequence", "choose one that 'evalio ls datasets' shows, as evalio:dataset/sequence")
    if not found.is_downloaded():
        raise Fault(path, "", "its files are not there", f"run evalio download {found.full_name}, and set EVALIO_DATA to where it puts them")
    return Sequence(path, found)


def _matrix(pose):
    return np.asarray(pose.to_mat(), dtype=np.float64)
