"""Scans in a folder, whose files are copied, and the times and poses given for them."""

import shutil

import numpy as np

from . import poses
from .clouds import check_cloud
from .faults import Fault, UsageFault
from .folder import scan_files
from .recording import Recording, Scan, Trajectory, trajectory_of_file

OF_BAGS = ("topic", "receive_time", "pose_topic", "pose_tf", "odometry_topic", "odometry_tf", "gnss_topic", "frame")


def read(work, options, say):
    given = [f"--{name}".replace("_", "-") for name in OF_BAGS if getattr(options, name)]
    if given:
        raise UsageFault(options.input, "", "is a folder of scans, not a bag", f"leave out {', '.join(given)}")
    files = scan_files(options.input, [path for path in (options.map,) if path])
    if [path.name for path in files] != sorted(path.name for path in files):
        say("scans are taken in the order of the numbers in their names")
    times, trajectory = _times_of_file(len(files), options), trajectory_of_file(options)
    taken = slice(None, None if options.max_scans is None else options.max_scans * options.every, options.every)
    if trajectory is not None and (trajectory.times is None or times is None):  # by number, of all scans
        trajectory.of_scans(len(files), None)
        times = trajectory.times if times is None else times
        trajectory = Trajectory(trajectory.file, None, trajectory.poses[taken], trajectory.longest_gap_s)
    files, times = files[taken], None if times is None else times[taken]
    scans = [Scan(work / "scans" / f"{number:06d}{file.suffix.lower()}", str(file)) for number, file in enumerate(files)]
    for scan, file in zip(scans, files):
        check_cloud(file, options.bin_fields)
        shutil.copyfile(file, scan.file)
    return Recording(scans, times, trajectory)


def _times_of_file(scans, options):
    """None without a file of times."""
    if not options.stamps:
        return None
    times = poses.read_times(options.stamps)
    if len(times) != scans:
        raise Fault(options.stamps, "", f"{len(times)} times for {scans} scans", "give one time a scan, in their order")
    if (np.diff(times) <= 0).any():
        raise Fault(options.stamps, "", "the times do not increase", "give them in the order of the scans")
    return times
