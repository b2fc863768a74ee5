"""Sequences of the package evalio, which downloads and reads public recordings: https://pypi.org/project/evalio.

Written to release 0.6.1, and tested with a stand-in of the same interface: no recording of it was at hand."""

from typing import NamedTuple

import numpy as np

from .faults import Fault

PREFIX = "evalio:"


def is_sequence(path):
    return str(path).startswith(PREFIX)


class Sequence(NamedTuple):
    path: str
    found: object  # an evalio.datasets.Dataset

    def scans(self, every):
        """(time in seconds, finite points, number of points left out) of every N-th scan. evalio fills a scan up with points at
        the origin where a beam came back with nothing."""
        for number, scan in enumerate(self.found.lidar()):
            if number % every:
                continue
            points = np.asarray(scan.to_vec_positions(), dtype=np.float64).reshape(-1, 3)
            good = np.isfinite(points).all(axis=1) & points.any(axis=1)
            yield scan.stamp.to_nsec() / 1e9, points[good], int((~good).sum())

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
