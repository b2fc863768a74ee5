"""The input of a conversion: scans with their times, and the poses that are known of them."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import poses, stamps
from .faults import Fault


class Scan(NamedTuple):
    file: Path  # in the folder that is being made, or the user's own
    origin: str  # what messages call it


class Trajectory:
    """Poses of the scans, or what they are taken from. times is None where a row belongs to a scan by its number."""

    def __init__(self, file, times, map_from_scan, longest_gap_s, advice=""):
        self.file, self.times, self.poses, self.longest_gap_s, self._advice = file, times, map_from_scan, longest_gap_s, advice

    def of_scans(self, count, times):
        """(poses, which of the scans have one)."""
        if self.times is None or times is None:
            if len(self.poses) != count:
                raise Fault(self.file, "", f"{len(self.poses)} poses for {count} scans",
                            "give one pose a scan, or TUM poses and the times of the scans (--stamps, or a bag)")
            return self.poses, np.full(count, True)
        found, covered = poses.at_times(self.times, self.poses, times, self.longest_gap_s)
        if not covered.any():
            raise Fault(self.file, "", f"its times {self.times[0]:.3f} to {self.times[-1]:.3f} s cover no scan; the scans are from "
                        f"{times[0]:.3f} to {times[-1]:.3f} s",
                        self._advice or "shift them with --time-offset, allow longer gaps with --longest-gap, or for a bag use --receive-time")
        return found, covered


class Frames(NamedTuple):
    """The frames of a bag."""

    scan: str  # of the scans, may be empty
    tree: object  # tf.Tree
    longest_gap_s: float
    odometry: object = None  # that the odometry's poses are in; None without one


class Recording(NamedTuple):
    scans: list  # of Scan
    times: object  # (n,) in seconds, or None
    trajectory: object  # Trajectory or None
    odometry: object = None  # (times, poses of the scanner in a world of its own) or None
    gnss: object = None  # (times, poses of the scanner in the map, whose positions alone count, covariances of x and y or None) or None
    imu: object = None  # (n, 7) as rates.IMU_HEADING, or None
    twist: object = None  # (n, 7) as rates.TWIST_HEADING, or None
    frames: object = None  # Frames, if they were asked for


def trajectory_of_file(options, say):
    if not options.poses:
        return None
    kind = options.poses_format or poses.guess_format(options.poses)
    if kind == "kitti":
        return Trajectory(options.poses, None, moved(poses.read_kitti(options.poses), options), options.longest_gap)
    times, found = poses.read_tum(options.poses)
    times = stamps.in_seconds(times, options.poses, say, None if options.stamps else options.stamp_unit, refuse=False)
    return Trajectory(options.poses, times + options.time_offset, moved(found, options), options.longest_gap)


def moved(map_from_body, options):
    """map_from_scan, by what is known of how the sensor is mounted."""
    if options.calib:  # the camera's first frame is the map: the lidar's first frame becomes it
        cam_from_lidar = poses.read_calibration(options.calib)
        return np.linalg.inv(cam_from_lidar) @ map_from_body @ cam_from_lidar
    if options.body_from_scan:
        return map_from_body @ poses.read_matrix(options.body_from_scan)
    return map_from_body
