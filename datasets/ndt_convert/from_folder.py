"""Scans in a folder, and the times and poses given for them."""

import numpy as np

from . import poses, stamps
from .faults import Fault, UsageFault
from .folder import differing, scan_files
from .recording import Recording, Scan, Trajectory, trajectory_of_file

OF_BAGS = ("topic", "receive_time", "pose_topic", "pose_tf", "odometry_topic", "odometry_tf", "imu_topic", "twist_topic", "gnss_topic", "frame")


def read(work, options, say):
    given = [f"--{name}".replace("_", "-") for name in OF_BAGS if getattr(options, name)]
    if given:
        raise UsageFault(options.input, "", "is a folder of scans, not a bag", f"leave out {', '.join(given)}")
    files = scan_files(options.input, [path for path in (options.map,) if path], options.order)
    times, trajectory = _times_of_file(len(files), options, say), trajectory_of_file(options, say)
    _say_order(files, times, trajectory, options, say)
    taken = slice(None, None if options.max_scans is None else options.max_scans * options.every, options.every)
    if trajectory is not None and (trajectory.times is None or times is None):  # by number, of all scans
        trajectory.of_scans(len(files), None)
        times = trajectory.times if times is None else times
        trajectory = Trajectory(trajectory.file, None, trajectory.poses[taken], trajectory.longest_gap_s)
    files, times = files[taken], None if times is None else times[taken]
    return Recording([Scan(file, str(file)) for file in files], times, trajectory)


def _say_order(files, times, trajectory, options, say):
    """Says the order where another is possible, with the first names that differ if a file has a row for each scan."""
    found = differing(files)
    if found is None:
        return
    first, second, order, other = (*found, "numbers", "name") if options.order == "number" else (*found[::-1], "letters", "number")
    by_row = [options.stamps] if times is not None else []
    if trajectory is not None and (trajectory.times is None or times is None):
        by_row.append(trajectory.file)
    if options.odometry:
        by_row.append(options.odometry)
    rows = f": {first} before {second}, and so are the rows of {', '.join(map(str, by_row))}; --order {other} takes the other" if by_row else ""
    say(f"scans are taken in the order of the {order} in their names{rows}")


def _times_of_file(scans, options, say):
    """None without a file of times. A time may be that of the line before."""
    if not options.stamps:
        return None
    times = poses.read_times(options.stamps)
    if len(times) != scans:
        raise Fault(options.stamps, "", f"{len(times)} times for {scans} scans", "give one time a scan, in their order")
    if (np.diff(times) < 0).any():
        raise Fault(options.stamps, "", "the times do not increase", "give them in the order of the scans")
    return stamps.in_seconds(times, options.stamps, say, options.stamp_unit)
