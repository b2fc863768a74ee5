"""What a bag gives a dataset: scans, true poses, and the odometry and GNSS that a localisation may use."""

import numpy as np

from . import bags, tf
from .clouds import write_pcd
from .faults import Fault, UsageFault
from .recording import Recording, Scan, Trajectory, moved, trajectory_of_file


def read(work, options, say):
    if options.stamps:
        raise UsageFault(options.input, "", "a bag has times of its own", "leave out --stamps")
    with bags.open_bag(options.input) as bag:
        topic, why = bag.clouds_topic(options.topic)
        if why:
            say(why)
        sensors = _Sensors(bag, topic, options, say)
        trajectory = trajectory_of_file(options, say)
        if options.pose_topic:
            found = sensors.of_topic(options.pose_topic)
            trajectory = Trajectory(f"{options.input}: {options.pose_topic}", *found, options.longest_gap)
        odometry = sensors.of_topic(options.odometry_topic) if options.odometry_topic else None
        gnss = sensors.gnss() if options.gnss_topic else None
        scans, times = _scans(work, bag, topic, options, say)
        if options.pose_tf:
            found = sensors.of_tf(options.pose_tf, times)
            trajectory = Trajectory(f"{options.input}: tf of {options.pose_tf}", *found, options.longest_gap)
        if options.odometry_tf:
            odometry = sensors.of_tf(options.odometry_tf, times)
    return Recording(scans, times, trajectory, odometry, gnss)


def _scans(work, bag, topic, options, say):
    scans, times, dropped, empty = [], [], 0, 0
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
    return scans, np.array(times)


class _Sensors:
    """Poses of the scanner by other topics, moved to it from the body they are of."""

    def __init__(self, bag, clouds_topic, options, say):
        self._bag, self._options, self._say = bag, options, say
        self._scan_frame = bag.frame_of(clouds_topic) or ""
        self._tree = None

    def of_topic(self, topic):
        """(times, poses) of a topic of odometry or stamped poses."""
        times, found = self._bag.trajectory(topic)
        if self._options.calib or self._options.body_from_scan:
            return times, moved(found, self._options)
        body = self._bag.frame_of(topic)
        if body is None or tf.plain(body) == tf.plain(self._scan_frame):
            return times, found
        if not self._tf().knows(body, self._scan_frame):
            self._say(f"{topic}: poses of {body} are taken as those of {self._scan_frame}, since tf does not join them; --body-from-scan")
            return times, found
        mount, known = self._tf().poses(body, self._scan_frame, times, self._options.longest_gap)
        if not known.any():
            raise Fault(self._bag.path, topic, f"tf says at none of its times where {self._scan_frame} is on {body}", "give --body-from-scan")
        self._say(f"{topic}: moved from {body} to {self._scan_frame}, as tf has it")
        return times[known], (found @ mount)[known]

    def of_tf(self, frame, scan_times):
        """(times, poses) in a frame of tf, at the times of the scans that it covers."""
        found, known = self._tf().poses(frame, self._scan_frame, scan_times, self._options.longest_gap)
        if not known.any():
            raise Fault(self._bag.path, "tf", f"says at no scan's time where {self._scan_frame} is in {frame}",
                        "allow longer gaps with --longest-gap, or use --receive-time if the clocks differ")
        return scan_times[known], found[known]

    def gnss(self):
        """(times, poses in the map), of which the positions count."""
        topic, options = self._options.gnss_topic, self._options
        if self._bag.kind_of(topic) != bags.NAVSAT_TYPE:
            if options.map_origin:
                raise UsageFault("--map-origin", "", f"{topic} is of {self._bag.kind_of(topic)}, whose positions are in the map", "leave it out")
            return self.of_topic(topic)
        if options.map_origin is None:
            raise UsageFault("--gnss-topic", "", f"{topic} is of {bags.NAVSAT_TYPE}, places on the earth: where is the map's origin?",
                             "give --map-origin LATITUDE,LONGITUDE,HEIGHT; the map's x is east and y north")
        times, positions, missing = self._bag.fixes(topic, options.map_origin)
        if missing:
            self._say(f"{topic}: {missing} messages without a fix were left out")
        found = np.tile(np.eye(4), (len(times), 1, 1))
        found[:, :3, 3] = positions
        return times, found

    def _tf(self):
        if self._tree is None:
            self._tree = tf.tree_of(self._bag)
        return self._tree
