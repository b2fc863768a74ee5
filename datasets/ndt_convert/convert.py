"""From an input and what was asked for to a dataset folder."""

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import bags, evalio_input, poses
from .clouds import check_cloud, read_cloud, write_pcd
from .description import description
from .faults import Fault, UsageFault
from .folder import scan_files
from .toml_file import write_toml
from .voxel_map import VoxelMap


class Scan(NamedTuple):
    file: Path  # in the folder that is being made
    origin: str  # what messages call it


class Trajectory:
    """Poses of the scans, or what they are taken from. times is None where a row belongs to a scan by its number."""

    def __init__(self, file, times, map_from_scan, longest_gap_s):
        self.file, self.times, self.poses, self.longest_gap_s = file, times, map_from_scan, longest_gap_s

    def of_scans(self, count, times):
        """(poses, which of the scans have one)."""
        if self.times is None or times is None:
            if len(self.poses) != count:
                raise Fault(self.file, "", f"{len(self.poses)} poses for {count} scans",
                            "give one pose a scan, or TUM poses and the times of the scans (--stamps, or a bag)")
            return self.poses, np.full(count, True)
        found, covered = poses.at_times(self.times, self.poses, times, self.longest_gap_s)
        if not covered.any():
            raise Fault(self.file, "", f"its times {self.times[0]:.3f} to {self.times[-1]:.3f} s cover no scan, which are of "
                        f"{times[0]:.3f} to {times[-1]:.3f} s",
                        "shift them with --time-offset, or allow longer gaps with --longest-gap")
        return found, covered


def convert(options, say):
    """Makes options.out; `say` gets a line for everything decided on the user's behalf."""
    require_free(options.out)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{options.out.name}.", dir=options.out.parent))
    try:
        (work / "scans").mkdir()
        work.chmod(0o755)
        _fill(work, options, say)
        if options.out.is_dir():
            options.out.rmdir()
        work.rename(options.out)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def require_free(out):
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise Fault(out, "", "exists and is not empty" if out.is_dir() else "is a file", "give a new folder with --out")


def _fill(work, options, say):
    if evalio_input.is_sequence(options.input):
        scans, times, trajectory = _scans_of_evalio(work, options, say)
    elif bags.is_bag(options.input):
        scans, times, trajectory = _scans_of_bag(work, options, say)
    else:
        scans, times, trajectory = _scans_of_folder(work, options, say)
    scans, times, truth = _truth(scans, times, trajectory, say)
    if truth is not None:
        poses.write_tum(work / "poses.tum", np.arange(len(scans)) if times is None else times, truth)
    frames, map_name = _map(work, scans, truth, options, say)
    write_toml(work / "dataset.toml", description(work, scans, frames, map_name, truth is not None, options))
    size = sum(path.stat().st_size for path in work.rglob("*") if path.is_file())
    say(f"{options.out}: {len(scans)} scans{f', {map_name}' if map_name else ''}, {size / 2**20:.1f} MiB")


def _scans_of_folder(work, options, say):
    if options.topic or options.pose_topic or options.receive_time:
        raise UsageFault(options.input, "", "is a folder of scans, not a bag",
                         "leave out --topic, --pose-topic and --receive-time")
    files = scan_files(options.input, [path for path in (options.map,) if path])
    if [path.name for path in files] != sorted(path.name for path in files):
        say("scans are taken in the order of the numbers in their names")
    times, trajectory = _times_of_file(len(files), options), _trajectory_of_file(options)
    taken = slice(None, None if options.max_scans is None else options.max_scans * options.every, options.every)
    if trajectory is not None and (trajectory.times is None or times is None):  # by number, of all scans
        trajectory.of_scans(len(files), None)
        times = trajectory.times if times is None else times
        trajectory = Trajectory(trajectory.file, None, trajectory.poses[taken], trajectory.longest_gap_s)
    files, times = files[taken], None if times is None else times[taken]
    scans = [Scan(work / "scans" / f"{number:06d}{file.suffix.lower()}", str(file)) for number, file in enumerate(files)]
    for scan, file in zip(scans, files):
        check_cloud(file)
        shutil.copyfile(file, scan.file)
    return scans, times, trajectory


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


def _scans_of_bag(work, options, say):
    if options.stamps:
        raise UsageFault(options.input, "", "a bag has times of its own", "leave out --stamps")
    scans, times, dropped, empty = [], [], 0, 0
    with bags.open_bag(options.input) as bag:
        topic, why = bag.clouds_topic(options.topic)
        if why:
            say(why)
        trajectory = _trajectory_of_file(options)
        if options.pose_topic:
            pose_times, found = bag.trajectory(options.pose_topic)
            trajectory = Trajectory(f"{options.input}: {options.pose_topic}", pose_times, _moved(found, options),
                                    options.longest_gap)
        for time, points, lost in bag.scans(topic, options.every, options.receive_time):
            if len(times) == options.max_scans:
                break
            dropped += lost
            if not len(points):
                empty += 1
                continue
            scans.append(Scan(work / "scans" / f"{len(times):06d}.pcd", f"{options.input}: {topic}"))
            write_pcd(scans[-1].file, points)
            times.append(time)
    if dropped:
        say(f"{dropped} points that are not finite were dropped")
    if empty:
        say(f"{empty} messages without a finite point were left out")
    if not times:
        raise Fault(options.input, topic, "contains no cloud with points", "choose another topic with --topic")
    return scans, np.array(times), trajectory


def _scans_of_evalio(work, options, say):
    given = [name for name in ("poses", "pose_topic", "topic", "stamps", "calib", "body_from_scan") if getattr(options, name)]
    if given:
        raise UsageFault(options.input, "", f"evalio gives times and poses, --{given[0].replace('_', '-')} is not used", "leave it out")
    sequence = evalio_input.open_sequence(options.input)
    truth = sequence.trajectory()
    scans, times, left_out = [], [], 0
    for time, points, lost in sequence.scans(options.every):
        if len(times) == options.max_scans:
            break
        left_out += lost
        if not len(points):
            continue
        scans.append(Scan(work / "scans" / f"{len(times):06d}.pcd", str(options.input)))
        write_pcd(scans[-1].file, points)
        times.append(time)
    if not times:
        raise Fault(options.input, "", "has no scan with points", "choose another sequence")
    say("the time of a scan is that of its first point, and its points are not corrected for motion")
    if left_out:
        say(f"{left_out} points that are not finite or at the origin were dropped")
    trajectory = None if truth is None else Trajectory(str(options.input), *truth, options.longest_gap)
    return scans, np.array(times), trajectory


def _trajectory_of_file(options):
    if not options.poses:
        return None
    kind = options.poses_format or poses.guess_format(options.poses)
    if kind == "kitti":
        return Trajectory(options.poses, None, _moved(poses.read_kitti(options.poses), options), options.longest_gap)
    times, found = poses.read_tum(options.poses)
    return Trajectory(options.poses, times + options.time_offset, _moved(found, options), options.longest_gap)


def _moved(map_from_body, options):
    """map_from_scan, by what is known of how the sensor is mounted."""
    if options.calib:  # the camera's first frame is the map: the lidar's first frame becomes it
        cam_from_lidar = poses.read_calibration(options.calib)
        return np.linalg.inv(cam_from_lidar) @ map_from_body @ cam_from_lidar
    if options.body_from_scan:
        return map_from_body @ poses.read_matrix(options.body_from_scan)
    return map_from_body


def _truth(scans, times, trajectory, say):
    """(scans, times, poses) of the scans that have a pose; the others are removed. Without a trajectory poses are None."""
    if trajectory is None:
        return scans, times, None
    found, covered = trajectory.of_scans(len(scans), times)
    if covered.all():
        return scans, times, found
    say(f"{len(scans) - covered.sum()} of {len(scans)} scans are outside {trajectory.file} and were left out")
    kept = []
    for scan, keep in zip(scans, covered):
        if keep:
            kept.append(Scan(scan.file.rename(scan.file.with_stem(f"{len(kept):06d}")), scan.origin))
        else:
            scan.file.unlink()
    return kept, times[covered], found[covered]


def _map(work, scans, truth, options, say):
    """([frames] or None, name of the map or None)."""
    frames = options.queries
    if options.map:
        check_cloud(options.map)
        shutil.copyfile(options.map, work / f"map{options.map.suffix.lower()}")
        return frames, f"map{options.map.suffix.lower()}"
    if not options.build_map:
        return frames, None
    if truth is None:
        raise UsageFault(options.input, "", "a map can only be built from scans with poses", "give --poses or --pose-topic")
    builders, frames = _builders(len(scans), options)
    voxels = VoxelMap(options.map_voxel)
    for i in builders:
        points = read_cloud(*scans[i])
        ranges = np.linalg.norm(points.astype(np.float64), axis=1)
        voxels.add(points[ranges >= options.map_min_range], truth[i], scans[i].origin)
    centroids = voxels.centroids()
    if not len(centroids):
        raise Fault(options.input, "", "the scans of the map contain no points", "lower --map-min-range")
    write_pcd(work / "map.pcd", centroids)
    say(f"map of {len(builders)} scans: {len(centroids)} points, one per {options.map_voxel} m; "
        f"{len(scans) - len(builders)} other scans are to be aligned")
    return frames, "map.pcd"


def _builders(count, options):
    """Which scans make the map, and which are left to be aligned with it."""
    if options.build_map == "even":
        builders, frames = set(range(0, count, 2)), {"first": 1, "step": 2}
    elif options.build_map == "all-but-queries":
        frames = options.queries
        queries = range(frames["first"], count, frames["step"])[:frames.get("count")]
        builders = set(range(count)) - set(queries)
    else:
        first = int(options.build_map.removeprefix("first-"))
        builders, frames = set(range(min(first, count))), {"first": first, "step": 1}
    if not builders or len(builders) == count:
        raise UsageFault(options.input, "", f"--build-map {options.build_map} makes the map of {len(builders)} of {count} scans",
                         "leave scans for both the map and the alignments")
    return sorted(builders), frames
