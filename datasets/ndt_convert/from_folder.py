"""Scans in a folder, and the times and poses given for them."""

from collections import Counter

import numpy as np

from . import poses, stamps
from .clouds import FORMATS
from .faults import Fault, UsageFault
from .library import scans_among
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


def scan_files(folder, left_out=(), order="number"):
    """The clouds of a folder, all of one format, without those left out: in the order of the numbers in their names (2 before 10), or by
    letter with order="name"."""
    left_out = {path.resolve() for path in left_out}
    files = _scans(folder, order, left_out)
    if not files:
        below = next((path for path in sorted(folder.iterdir()) if path.is_dir() and _scans(path)), None)
        raise Fault(folder, "", f"contains no scans ({FORMATS})", "give the folder that holds the scans" + (f", such as {below}" if below else ""))
    formats = Counter(path.suffix.lower() for path in files)
    if len(formats) > 1:
        raise Fault(folder, "", "scans of several formats: " + ", ".join(f"{n} {e}" for e, n in sorted(formats.items())),
                    "leave one format in the folder; a map is named with --map")
    return files


def differing(files):
    """The first names that differ between the two orders, (by number, by letter), None where they agree."""
    names = [path.name for path in files]
    return next((pair for pair in zip(scans_among(names), scans_among(names, by_number=False)) if pair[0] != pair[1]), None)


def _scans(folder, order="number", left_out=()):
    names = [path.name for path in folder.iterdir() if path.is_file() and path.resolve() not in left_out]
    return [folder / name for name in scans_among(names, by_number=order == "number")]
