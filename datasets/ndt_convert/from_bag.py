"""The data that a bag gives a dataset: scans, true poses, and the odometry and GNSS that a localisation may use."""

import numpy as np

from . import bags, gnss, live_line, rates, several, tf
from .clouds import write_pcd
from .faults import Fault, UsageFault
from .recording import Frames, Recording, Scan, Trajectory, moved, trajectory_of_file

EPOCHS = "if the scans' clock counts from another time, such as the start of the sensor, use --receive-time"
HALF = 0.5  # of the scans, at least, must be in order
SET_S = 0.5  # clocks that are farther apart are said, if one was set


def read(work, options, say):
    if options.stamps:
        raise UsageFault(options.input, "", "a bag has times of its own", "leave out --stamps")
    with bags.open_bag(options.input, work, options.frame or (), say) as bag:
        topic, *others = options.topic.split(",") if options.topic else [None]
        topic, why = bag.clouds_topic(topic)
        for other in others:
            bag.clouds_topic(other)
        if why:
            say(why)
        sensors = _Sensors(bag, topic, options, say)
        trajectory = trajectory_of_file(options, say)
        if options.pose_topic:
            times, found, _ = sensors.of_topic(options.pose_topic)
            trajectory = Trajectory(f"{options.input}: {options.pose_topic}", times, found, options.longest_gap, EPOCHS)
        odometry = sensors.of_topic(options.odometry_topic)[:2] if options.odometry_topic else None
        positions = sensors.gnss() if options.gnss_topic else None
        imu = rates.imu(bag, options.imu_topic, sensors.mount()) if options.imu_topic else None
        twist = rates.twists(bag, options.twist_topic, sensors.mount()) if options.twist_topic else None
        scans, times = _scans(work, bag, topic, options, say)
        if others:
            several.join(bag, [topic, *others], scans, times, sensors.frames(), options, say)
        bag.require_frames_used()
        if options.pose_tf:
            found = sensors.of_tf(options.pose_tf, times)
            trajectory = Trajectory(f"{options.input}: tf of {options.pose_tf}", *found, options.longest_gap)
        if options.odometry_tf:
            odometry = sensors.of_tf(options.odometry_tf, times)
        frames = sensors.known_frames()._replace(odometry=_odometry_frame(bag, options)) if options.keep_frames else None
        sensors.tell_wrong_tf()
    for name, sensor in ((options.odometry_topic, odometry), (options.gnss_topic, positions), (options.imu_topic, _times(imu)),
                         (options.twist_topic, _times(twist))):
        _tell_apart(name, sensor, times, say)
    _tell_clocks(bag, topic, say)
    return Recording(scans, times, trajectory, odometry, positions, imu, twist, frames)


def _times(rows):
    return None if rows is None else (rows[:, 0],)


def _odometry_frame(bag, options):
    return bag.parent_of(options.odometry_topic) if options.odometry_topic else options.odometry_tf and tf.plain(options.odometry_tf)


def _scans(work, bag, topic, options, say):
    found, bad, dropped, empty = [], [], 0, 0
    for timed in bag.scans(topic, options.every, options.receive_time, bad):
        if len(found) == options.max_scans:
            break
        live_line.draw(f"reading {topic}: message {timed.number} of {bag.topics[topic][1]}")
        points, lost, seconds = timed.value
        dropped += lost
        if not len(points):
            empty += 1
            continue
        write_pcd(work / "scans" / f"{len(found):06d}.pcd", points, seconds=seconds)
        found.append(timed._replace(value=None))
    bag.tell_bad(topic, bad, len(found) + empty)
    if dropped:
        say(f"{dropped} points that are not finite were dropped")
    if empty:
        say(f"{empty} messages without a finite point were left out")
    if not found:
        raise Fault(options.input, topic, "contains no cloud with points", "choose another topic with --topic")
    keep = _in_order(bag, topic, found, options)
    scans = [Scan(work / "scans" / f"{number:06d}.pcd", f"{options.input}: {topic}") for number in np.flatnonzero(keep)]
    return scans, np.array([timed.stamp_s for timed in found])[keep]


def _in_order(bag, topic, found, options):
    """Returns a mask of the scans to keep. Refuses stamps that order less than half of them."""
    keep = bag.in_order(topic, found)
    if len(found) == 1 or keep.sum() >= max(2, HALF * len(found)):
        return keep
    first = int(np.flatnonzero(np.diff([timed.stamp_s for timed in found]) <= 0)[0]) + 1
    raise Fault(options.input, f"{topic} message {found[first].number}",
                f"its time {found[first].stamp_s:.6f} s does not come after {found[first - 1].stamp_s:.6f} s, the one before; only "
                f"{keep.sum()} of {len(found)} scans are in order",
                "the bag repeats itself" if options.receive_time else "use the times of the recording: --receive-time")


def _tell_apart(topic, sensor, scan_times, say):
    """Says if another sensor's times and those of the scans have nothing in common."""
    if topic and sensor is not None and (sensor[0][-1] < scan_times[0] or sensor[0][0] > scan_times[-1]):
        say(f"{topic}: its times {sensor[0][0]:.3f} to {sensor[0][-1]:.3f} s cover no scan; the scans are from {scan_times[0]:.3f} to "
            f"{scan_times[-1]:.3f} s; {EPOCHS}")


def _tell_clocks(bag, clouds_topic, say):
    """Says where a sensor's clock was set and is now another than that of the scans."""
    for topic, offset in bag.set_clocks.items():
        apart = offset - bag.offsets[clouds_topic]
        if abs(apart) > SET_S and topic != clouds_topic:
            say(f"{topic}: its clock was set, and is {abs(apart):.3f} s {'ahead of' if apart > 0 else 'behind'} that of {clouds_topic}, by the "
                "times of the recording: its stamps may belong to other scans")


class _Sensors:
    """Poses of the scanner by other topics, moved to it from the body they are of."""

    def __init__(self, bag, clouds_topic, options, say):
        self._bag, self._options, self._say = bag, options, say
        self._scan_frame = bag.frame_of(clouds_topic) or ""
        self._tree = None

    def of_topic(self, topic):
        """(times, poses, covariances of x and y or None) of a topic of odometry or stamped poses."""
        times, found, covariances = self._bag.trajectory(topic)
        if self._options.calib or self._options.body_from_scan:
            return times, moved(found, self._options), None if self._options.calib else covariances
        body = self._bag.frame_of(topic)
        if body is None or tf.plain(body) == tf.plain(self._scan_frame):
            return times, found, covariances
        if not self._tf().knows(body, self._scan_frame):
            self._say(f"{topic}: poses of {body} are taken as those of {self._scan_frame}, since tf does not join them; --body-from-scan")
            return times, found, covariances
        mount, known = self._tf().poses(body, self._scan_frame, times, self._options.longest_gap)
        if not known.any():
            raise Fault(self._bag.path, topic, f"tf says at none of its times where {self._scan_frame} is on {body}", "give --body-from-scan")
        self._say(f"{topic}: moved from {body} to {self._scan_frame}, as tf has it")
        return times[known], (found @ mount)[known], covariances if covariances is None else covariances[known]

    def of_tf(self, frame, scan_times):
        """(times, poses) in a frame of tf, at the times of the scans that it covers."""
        found, known = self._tf().poses(frame, self._scan_frame, scan_times, self._options.longest_gap)
        if not known.any():
            raise Fault(self._bag.path, "tf", f"says at no scan's time where {self._scan_frame} is in {frame}",
                        "allow longer gaps with --longest-gap, or use --receive-time if the clocks differ")
        return scan_times[known], found[known]

    def gnss(self):
        """(times, poses in the map, of which the positions count, covariances of x and y or None)."""
        topic, options = self._options.gnss_topic, self._options
        if self._bag.kind_of(topic) != bags.NAVSAT_TYPE:
            gnss.require_no_place(topic, self._bag.kind_of(topic), options)
            return self.of_topic(topic)
        return gnss.in_map(self._bag, options, self._say)

    def mount(self):
        return rates.mounts(self._bag, self._scan_frame, self._tf, self._say)

    def frames(self):
        return Frames(tf.plain(self._scan_frame), self._tf(), self._options.longest_gap)

    def known_frames(self):
        """The frames, of which none are joined where tf cannot be read: this must not cost the localisation."""
        try:
            return self.frames()
        except Fault as fault:
            self._say(str(fault))
            return Frames(tf.plain(self._scan_frame), tf.Tree(self._bag.path), self._options.longest_gap)

    def tell_wrong_tf(self):
        for line in self._tree.wrong() if self._tree else []:
            self._say(line)

    def _tf(self):
        if self._tree is None:
            self._tree = tf.tree_of(self._bag)
        return self._tree
