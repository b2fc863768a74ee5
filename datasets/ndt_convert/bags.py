"""Messages of ROS 1 and ROS 2 bags, read with the library rosbags; ROS is not needed."""

import heapq
from collections import Counter
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

import numpy as np

from . import bag_files, clock, covariance, livox, pointcloud2, poses
from .faults import Fault, UsageFault
from .point_times import PointTimes
from .pointcloud2 import MESSAGE_TYPE
from .senders import Sender, listed, require_one, sender_of
from .tf import plain

CLOUD_TYPES = (MESSAGE_TYPE, *livox.TYPES)
POSE_TYPES = {"nav_msgs/msg/Odometry": lambda m: m.pose.pose, "geometry_msgs/msg/PoseStamped": lambda m: m.pose,
              "geometry_msgs/msg/PoseWithCovarianceStamped": lambda m: m.pose.pose}
NAVSAT_TYPE = "sensor_msgs/msg/NavSatFix"
NO_FIX = -1  # of its status
PACKETS = ("velodyne_msgs/", "ouster_", "pandar_msgs/", "hesai_", "nebula_msgs/", "rslidar_msg", "robosense_msgs/")
SIZED = 50  # messages that tell how large those of a topic are


class Timed(NamedTuple):
    """A message that could be read."""

    number: int  # on its topic
    stamp_s: float
    received_s: float
    value: object


class Bag:
    """An open bag, of one file or several; made by open_bag. `say` gets a line for what is left out."""

    def __init__(self, path, parts, frames, say):
        self.path, self._parts, self._say = path, parts, say
        self._frames, self._picks = {plain(frame) for frame in frames}, {}
        self.offsets, self.set_clocks = {}, {}  # topic: median of stamp less receive time; the second of topics with stamps out of order
        self.topics = {}  # name: (type, number of messages)
        for name, kind, count in sorted(topic for part in parts for topic in part.topics()):
            self.topics[name] = (kind, count + self.topics.get(name, (None, 0))[1])

    def topics_of(self, kinds):
        """Their names; those without a message too."""
        return [name for name, (kind, _) in self.topics.items() if kind in kinds]

    def messages(self, topic, bad):
        """(number on the topic, receive time in ns, message), in the order of the bag. `bad` gets a Fault for each that cannot be read."""
        kind = self.topics[topic][0]
        for number, raw in enumerate(self._raw(topic)):
            try:
                message = raw.decode(raw.data, kind)
            except (Fault, MemoryError):  # a package is missing, or it is over its bound
                raise
            except Exception as error:  # the library lets assertions and struct errors through
                bad.append(Fault(self.path, f"{topic} message {number}", f"cannot be read as {kind} ({error})",
                                 "it is cut off, or its type has another definition than the one of ROS"))
                continue
            yield number, raw.time_ns, message

    def _raw(self, topic):
        return heapq.merge(*(part.messages(topic) for part in self._parts), key=lambda raw: raw.time_ns)

    def clouds_topic(self, wanted):
        """The topic asked for, else the one with the most bytes, and a line that says so."""
        if wanted is not None:
            self._require_topic(wanted)
            if self.topics[wanted][0] not in CLOUD_TYPES:
                raise Fault(self.path, wanted, f"is of type {self.topics[wanted][0]}, not {MESSAGE_TYPE}", self._advice([wanted]))
            return wanted, None
        found = self._clouds_topics()
        best = max(found, key=self._bytes_of) if len(found) > 1 else found[0]
        others = ", ".join(name for name in self.topics_of(CLOUD_TYPES) if name != best and self.topics[name][1])
        which = "largest" if len(found) > 1 else "only"
        return best, f"topic {best}, the {which} {self.topics[best][0]}" + (f"; choose another with --topic: {others}" if others else "")

    def _clouds_topics(self):
        """The topics with messages: of PointCloud2, else of Livox."""
        for kinds in ((MESSAGE_TYPE,), livox.TYPES):
            found = [name for name in self.topics_of(kinds) if self.topics[name][1]]
            if found:
                return found
        empty = self.topics_of(CLOUD_TYPES)
        if empty:
            raise Fault(self.path, empty[0], "has no message", "the sensor sent nothing, or the recorder's QoS did not fit; record it again")
        listing = ", ".join(f"{name} ({kind})" for name, (kind, _) in self.topics.items()) or "none"
        raise Fault(self.path, "", f"no topic of type {MESSAGE_TYPE}; its topics are {listing}", self._advice(self.topics))

    def _bytes_of(self, topic):
        """An estimate by the largest of its first messages: drivers begin with empty ones."""
        return self.topics[topic][1] * max((len(raw.data) for raw in islice(self._raw(topic), SIZED)), default=0)

    def of_one_sender(self, topic, bad):
        """Yields messages() of the sender that --frame picks; refuses two."""
        names, seen = self._picked(topic), Sender("", "")
        for number, time_ns, message in self.messages(topic, bad):
            sender = sender_of(message)
            if not sender.has(names):
                continue
            if sender.contradicts(seen):
                require_one(self.path, topic, self._senders(topic, names))
            seen = Sender(*(a or b for a, b in zip(seen, sender)))
            yield number, time_ns, message

    def _senders(self, topic, names=()):
        found = Counter(sender_of(message) for _, _, message in self.messages(topic, []))
        return Counter({sender: count for sender, count in found.items() if sender.has(names)})

    def _picked(self, topic):
        """The names of --frame that occur on the topic; says once what they leave out."""
        if not self._frames:
            return set()
        if topic not in self._picks:
            found = self._senders(topic)
            names = self._picks[topic] = {name for name in self._frames if any(name in sender for sender in found)}
            left = Counter({sender: count for sender, count in found.items() if not sender.has(names)})
            if found and len(left) == len(found):
                raise UsageFault("--frame", topic, f"no sender has all of {', '.join(sorted(names))}", f"choose from {listed(found)}")
            if left:
                self._say(f"{topic}: left out, as --frame {' '.join(sorted(names))} asks: {listed(left)}")
        return self._picks[topic]

    def require_frames_used(self):
        """Refuses a --frame that is on none of the topics that were read."""
        unused = self._frames.difference(*self._picks.values())
        if unused:
            raise UsageFault("--frame", "", f"no message has {', '.join(sorted(unused))}",
                             f"the topics {', '.join(sorted(self._picks))} were read; check the name, or leave it out")

    def trajectory(self, topic):
        """Times (s), poses and covariances of x and y, or None, of a topic of odometry or stamped poses, in its own frames."""
        self._require_topic(topic)
        kind = self.topics[topic][0]
        if kind not in POSE_TYPES:
            raise Fault(self.path, topic, f"is of type {kind}", "poses can be read from " + ", ".join(POSE_TYPES))
        found, bad = [], []
        for number, time_ns, message in self.of_one_sender(topic, bad):
            pose = POSE_TYPES[kind](message)
            turn = [pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w]
            try:
                pose = poses.checked_pose([pose.position.x, pose.position.y, pose.position.z], turn, self.path, f"{topic} message {number}")
                found.append(Timed(number, stamp_s(message, time_ns, False), time_ns / 1e9, (pose, covariance.of_pose(message))))
            except Fault as fault:
                bad.append(fault)
        self.tell_bad(topic, bad, len(found))
        if not found:
            raise Fault(self.path, topic, "contains no message", "choose another topic, or give the poses with --poses")
        return self._columns(topic, found)

    def fixes(self, topic):
        """Times (s), places (latitude, longitude and height, which may be NaN) and covariances of east and north, or None, of a topic of
        NavSatFix."""
        found, bad, missing = [], [], 0
        for number, time_ns, message in self.of_one_sender(topic, bad):
            place = [message.latitude, message.longitude, message.altitude if np.isfinite(message.altitude) else np.nan]
            if message.status.status <= NO_FIX or not _is_place(*place[:2]):
                missing += 1
            else:
                found.append(Timed(number, stamp_s(message, time_ns, False), time_ns / 1e9, (place, covariance.of_fix(message))))
        self.tell_bad(topic, bad, len(found))
        if not found:
            raise Fault(self.path, topic, f"contains no fix among {missing} messages", "choose another --gnss-topic, or leave it out")
        if missing:
            self._say(f"{topic}: {missing} messages without a fix were left out")
        return self._columns(topic, found)

    def _columns(self, topic, found):
        """Times, values and covariances, or None, of Timed (value, covariance or None) whose stamps are in order."""
        found = [timed for timed, keep in zip(found, self.in_order(topic, found)) if keep]
        times, values = np.array([timed.stamp_s for timed in found]), np.array([timed.value[0] for timed in found])
        known = [timed.value[1] for timed in found if timed.value[1] is not None]
        if 0 < len(known) < len(found):
            self._say(f"{topic}: {len(found) - len(known)} of {len(found)} messages have no covariance, so no covariance is written")
        return times, values, np.array(known) if len(known) == len(found) else None

    def frame_of(self, topic):
        """The frame that the first message of a topic tells of: of a pose the body's, or None; of others that of the header."""
        message = next((message for _, _, message in self.of_one_sender(topic, [])), None)
        if message is None:
            return None
        if self.topics[topic][0] in POSE_TYPES:
            return getattr(message, "child_frame_id", None) or None
        return message.header.frame_id

    def parent_of(self, topic):
        """The frame that the poses of a topic are in, by its first message; None if it does not say."""
        message = next((message for _, _, message in self.of_one_sender(topic, [])), None)
        return plain(message.header.frame_id) or None if message else None

    def stamps(self, topic, receive_time):
        """[(number on the topic, stamp in seconds)]"""
        return [(number, stamp_s(message, time_ns, receive_time)) for number, time_ns, message in self.of_one_sender(topic, [])]

    def scans(self, topic, every, receive_time, bad, numbers=None):
        """Yields Timed (points, dropped points, seconds of the points after the stamp or None) of every n-th message,
        or of those with the numbers. `bad` gets a Fault for each that cannot be read."""
        packed, times = False, PointTimes(topic, self._say)
        for count, (number, time_ns, message) in enumerate(self.of_one_sender(topic, bad)):
            if count % every or (numbers is not None and number not in numbers):
                continue
            try:
                points, dropped, found = self._points_of(message, topic, number)
            except Fault as fault:
                bad.append(fault)
                continue
            if not packed and self.topics[topic][0] == MESSAGE_TYPE and pointcloud2.has_wrong_row_step(message):
                packed = True
                self._say(f"{topic}: row_step {message.row_step} is wrong: the data are exactly the points, so rows are read as packed")
            seconds = times.seconds(found, stamp_s(message, time_ns, False), number)
            yield Timed(number, stamp_s(message, time_ns, receive_time), time_ns / 1e9, (points, dropped, seconds))

    def _points_of(self, message, topic, number):
        reader = livox if self.topics[topic][0] in livox.TYPES else pointcloud2
        return reader.points_of(message, self.path, f"{topic} message {number}")

    def tell_bad(self, topic, bad, good):
        """Says how many messages could not be read; raises the first Fault if none could."""
        if bad and not good:
            raise bad[0]
        if bad:
            self._say(f"{topic}: {len(bad)} of {len(bad) + good} messages were left out, which cannot be read; the first: {bad[0]}")

    def in_order(self, topic, found):
        """Returns a mask of the Timed messages to keep, by the rule of clock.kept; says how many it leaves out."""
        keep = clock.kept([timed.stamp_s for timed in found], [timed.received_s for timed in found])
        left = [timed for timed, kept in zip(found, keep) if not kept]
        self.offsets[topic] = float(np.median([timed.stamp_s - timed.received_s for timed, kept in zip(found, keep) if kept]))
        if left:
            self.set_clocks[topic] = self.offsets[topic]
            self._say(f"{topic}: {len(left)} of {len(found)} messages were left out, whose stamps repeat or do not fit the others (a clock "
                      f"that was set, or wrong stamps); the first: message {left[0].number}, {left[0].stamp_s:.6f} s")
        return keep

    def kind_of(self, topic):
        """Its type; refuses a topic that is not there."""
        self._require_topic(topic)
        return self.topics[topic][0]

    def _require_topic(self, topic):
        if topic not in self.topics:
            raise UsageFault(self.path, "", f"unknown topic {topic}", "choose from " + (", ".join(self.topics) or "none"))

    def _advice(self, topics):
        if any(self.topics[name][0].startswith(PACKETS) for name in topics):
            return ("these are raw packets of the sensor: play the bag through its driver and record the "
                    f"{MESSAGE_TYPE} it publishes")
        return f"record a {MESSAGE_TYPE}, or save the scans as files and give their folder"


def _is_place(latitude, longitude):
    """True if it is a place on the earth; drivers write 0, 0 for nothing."""
    return abs(latitude) <= 90 and abs(longitude) <= 360 and (latitude, longitude) != (0, 0)


def stamp_s(message, receive_ns, receive_time):
    """Returns the header's time, or the time of receipt if that is asked for or if the header has none."""
    stamp = message.header.stamp
    ns = stamp.sec * 10**9 + stamp.nanosec
    return (receive_ns if receive_time or ns == 0 else ns) / 1e9


@contextmanager
def open_bag(path, work, frames, say):
    """The bag, of whose topics with several senders `frames` pick one. What is packed is unpacked in the folder `work`."""
    with bag_files.opened(path, work, say) as parts:
        yield Bag(path, parts, frames, say)
