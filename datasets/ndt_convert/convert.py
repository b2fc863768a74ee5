"""From an input and what was asked for to a dataset folder."""

import shutil

import numpy as np

from . import bag_files, from_bag, from_evalio, from_folder, live_line, poses, rates
from .bounded import bounded
from .clouds import read_cloud, write_pcd
from .description import description, write_toml
from .faults import Fault, UsageFault
from .files import new_folder
from .map_frame import is_in_map
from .scans import put
from .voxel_map import VoxelMap


def convert(options, say):
    """Makes options.out; `say` gets a line for everything decided on the user's behalf. Returns the Frames of a bag, if options.keep_frames
    asks for them."""
    with new_folder(options.out) as work:
        (work / "scans").mkdir()
        if options.map:
            read_cloud(options.map, options.bin_fields)  # an unusable one is refused before the scans are read
        return _fill(work, options, say)


def _fill(work, options, say):
    recording = _recording(work, options, say)
    scans, times, truth = _truth(recording.scans, recording.times, recording.trajectory, say)
    used = np.full(len(scans), True) if times is None else _first_of_each(times, scans, say)
    in_map = is_in_map(scans, truth, options, say)
    scans = put(scans, work / "scans", used, truth if in_map else None, options, say)
    times, truth = (None if rows is None else rows[used] for rows in (times, truth))
    if truth is not None:
        poses.write_tum(work / "poses.tum", np.arange(len(scans)) if times is None else times, truth)
    elif times is not None:
        poses.write_times(work / "times.txt", times)
    for name, sensor in (("odometry", recording.odometry), ("gnss", recording.gnss)):
        if sensor is not None:
            poses.write_tum(work / f"{name}.tum", *sensor)
    for name, heading, rows in (("imu", rates.IMU_HEADING, recording.imu), ("twist", rates.TWIST_HEADING, recording.twist)):
        if rows is not None:
            rates.write(work / f"{name}.csv", heading, rows)
    frames, map_name = _map(work, scans, truth, options, say)
    write_toml(work / "dataset.toml", description(work, scans, frames, map_name, truth is not None, used, options, say))
    size = sum(path.stat().st_size for path in work.rglob("*") if path.is_file())
    left_out = f" ({len(used) - len(scans)} left out)" if len(scans) < len(used) else ""
    say(f"{options.out}: {len(scans)} scans{left_out}{f', {map_name}' if map_name else ''}, {size / 2**20:.1f} MiB")
    return recording.frames


def _recording(work, options, say):
    if from_evalio.is_sequence(options.input):
        return from_evalio.read(work, options, say)
    if bag_files.is_bag(options.input):
        return bounded(options.input, lambda tell: from_bag.read(work, options, tell), say)
    return from_folder.read(work, options, say)


def _truth(scans, times, trajectory, say):
    """(scans, times, poses) of the scans that have a pose; the others are removed. Without a trajectory poses are None."""
    if trajectory is None:
        return scans, times, None
    found, covered = trajectory.of_scans(len(scans), times)
    if covered.all():
        return scans, times, found
    say(f"{len(scans) - covered.sum()} of {len(scans)} scans are outside {trajectory.file} and were left out")
    return [scan for scan, keep in zip(scans, covered) if keep], times[covered], found[covered]


def _first_of_each(times, scans, say):
    """Mask of the scans whose time is not that of the scan before."""
    first = np.diff(times, prepend=-np.inf) > 0
    again = np.flatnonzero(~first)
    if len(again):
        more = f", and {len(again) - 1} more" if len(again) > 1 else ""
        say(f"{len(again)} of {len(scans)} scans have the time of the scan before and were left out: {scans[again[0]].origin}{more}")
    return first


def _map(work, scans, truth, options, say):
    """([frames] or None, name of the map or None)."""
    frames = options.queries
    if options.map:
        name = f"map{options.map.suffix.lower()}"
        shutil.copyfile(options.map, work / name)
        return frames, name
    if not options.build_map:
        return frames, None
    if truth is None:
        raise UsageFault(options.input, "", "a map can only be built from scans with poses", "give --poses or --pose-topic")
    builders, frames = _builders(len(scans), options)
    voxels = VoxelMap(options.map_voxel)
    for i in live_line.counted(builders, "building the map, scan"):
        points = read_cloud(scans[i].file, options.bin_fields)
        ranges = np.linalg.norm(points.astype(np.float64), axis=1)
        voxels.add(points[ranges >= options.map_min_range], truth[i], scans[i].origin)
    centroids = voxels.centroids()
    if not len(centroids):
        raise Fault(options.input, "", "the scans of the map contain no points", "lower --map-min-range")
    write_pcd(work / "map.pcd", centroids)
    queries = set(range(frames["first"], len(scans), frames["step"])[:frames.get("count")])
    own = queries & set(builders)
    say(f"map of {len(builders)} scans: {len(centroids)} points, one per {options.map_voxel} m; "
        f"{len(queries - own)} other scans are to be aligned"
        + (f", and {len(own)} that are in the map ({options.build_map}): their errors come out too small" if own else ""))
    return frames, "map.pcd"


def _builders(count, options):
    """Returns the scans that make the map, and those that are aligned with it: those of --queries, else the others."""
    if options.build_map == "even":
        builders, others = set(range(0, count, 2)), {"first": 1, "step": 2}
    elif options.build_map == "all-but-queries":
        others = options.queries
        queries = range(others["first"], count, others["step"])[:others.get("count")]
        builders = set(range(count)) - set(queries)
    else:
        first = int(options.build_map.removeprefix("first-"))
        builders, others = set(range(min(first, count))), {"first": first, "step": 1}
    if not builders or len(builders) == count:
        raise UsageFault(options.input, "", f"--build-map {options.build_map} makes the map of {len(builders)} of {count} scans",
                         "leave scans for both the map and the alignments")
    return sorted(builders), options.queries or others
