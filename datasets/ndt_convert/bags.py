"""Messages of ROS 1 and ROS 2 bags, read with the library rosbags; ROS is not needed."""

import heapq
from contextlib import ExitStack, contextmanager

import numpy as np

from . import geodesy, poses
from .clouds import EXTENSIONS
from .faults import Fault, UsageFault
from .pointcloud2 import MESSAGE_TYPE, points_of

SUFFIXES = (".bag", ".mcap", ".db3")
POSE_TYPES = {"nav_msgs/msg/Odometry": lambda m: m.pose.pose, "geometry_msgs/msg/PoseStamped": lambda m: m.pose,
              "geometry_msgs/msg/PoseWithCovarianceStamped": lambda m: m.pose.pose}
NAVSAT_TYPE = "sensor_msgs/msg/NavSatFix"
NO_FIX = -1  # of its status
PACKETS = ("velodyne_msgs/", "ouster_", "pandar_msgs/", "hesai_", "nebula_msgs/", "rslidar_msg", "robosense_msgs/", "livox_")


def is_bag(path):
    return path.suffix in SUFFIXES if path.is_file() else (path / "metadata.yaml").is_file() or bool(parts_of(path))


def parts_of(folder):
    """The files of a bag that was split and has no metadata.yaml; none of a folder with clouds."""
    files = sorted(path for path in folder.glob("*") if path.is_file())
    if any(path.suffix.lower() in EXTENSIONS for path in files):
        return []
    return [path for path in files if path.suffix in SUFFIXES]


class Bag:
    """An open bag, of one file or several; made by open_bag."""

    def __init__(self, path, readers, deserialize):
        self.path, self._readers, self._deserialize = path, readers, deserialize
        self.topics = {}  # name: (type, number of messages)
        for name, info in sorted((item for reader in readers for item in reader.topics.items()), key=lambda item: item[0]):
            self.topics[name] = (info.msgtype, info.msgcount + self.topics.get(name, (None, 0))[1])

    def topics_of(self, kinds):
        """Their names; those without a message too."""
        return [name for name, (kind, _) in self.topics.items() if kind in kinds]

    def messages(self, topic):
        """(receive time in ns, message), in the order of the bag."""
        kind = self.topics[topic][0]
        parts = []
        for reader in self._readers:
            connections = [c for c in reader.connections if c.topic == topic]
            if connections:
                parts.append(_faults_of(self.path, reader.messages(connections=connections)))
        for _, time_ns, raw in heapq.merge(*parts, key=lambda message: message[1]):
            try:
                message = self._deserialize(raw, kind)
            except Exception as error:  # the library lets assertions and struct errors through
                raise Fault(self.path, topic, f"a message cannot be read as {kind} ({error})", "the recording is damaged") from None
            yield time_ns, message

    def clouds_topic(self, wanted):
        """The topic asked for, else the one with the most bytes, and a line that says so."""
        if wanted is not None:
            self._require_topic(wanted)
            if self.topics[wanted][0] != MESSAGE_TYPE:
                raise Fault(self.path, wanted, f"is of type {self.topics[wanted][0]}, not {MESSAGE_TYPE}", self._advice([wanted]))
            return wanted, None
        found = [name for name, (kind, count) in self.topics.items() if kind == MESSAGE_TYPE and count]
        if not found:
            listing = ", ".join(f"{name} ({kind})" for name, (kind, _) in self.topics.items()) or "none"
            raise Fault(self.path, "", f"no topic of type {MESSAGE_TYPE}; its topics are {listing}", self._advice(self.topics))
        if len(found) == 1:
            return found[0], f"topic {found[0]}, the only {MESSAGE_TYPE}"
        size = {name: self.topics[name][1] * len(next(self.messages(name))[1].data) for name in found}
        best = max(found, key=size.get)
        others = ", ".join(name for name in found if name != best)
        return best, f"topic {best}, the largest {MESSAGE_TYPE}; others with --topic: {others}"

    def trajectory(self, topic):
        """Times (s) and poses of a topic of odometry or stamped poses, in its own frames."""
        self._require_topic(topic)
        kind = self.topics[topic][0]
        if kind not in POSE_TYPES:
            raise Fault(self.path, topic, f"is of type {kind}", "poses can be read from " + ", ".join(POSE_TYPES))
        times, out = [], []
        for number, (time_ns, message) in enumerate(self.messages(topic)):
            at, pose = stamp_s(message, time_ns, False), POSE_TYPES[kind](message)
            if times and at <= times[-1]:
                continue  # repeated: the first stands
            turn = [pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w]
            times.append(at)
            out.append(poses.checked_pose([pose.position.x, pose.position.y, pose.position.z], turn, self.path, f"{topic} message {number}"))
        if not times:
            raise Fault(self.path, topic, "contains no message", "choose another topic, or give the poses with --poses")
        return np.array(times), np.array(out)

    def fixes(self, topic, origin):
        """Times (s) and positions of a topic of NavSatFix in metres east, north and up of the origin, and how many had no fix."""
        times, out, missing = [], [], 0
        for time_ns, message in self.messages(topic):
            at = stamp_s(message, time_ns, False)
            place = [message.latitude, message.longitude, message.altitude if np.isfinite(message.altitude) else origin[2]]
            if message.status.status <= NO_FIX or not np.isfinite(place).all():
                missing += 1
            elif not times or at > times[-1]:
                times.append(at)
                out.append(geodesy.east_north_up(place, origin))
        if not times:
            raise Fault(self.path, topic, f"contains no fix among {missing} messages", "choose another --gnss-topic, or leave it out")
        return np.array(times), np.array(out), missing

    def frame_of(self, topic):
        """The frame that the first message of a topic tells of: of a pose the body's, or None; of others that of the header."""
        message = next((message for _, message in self.messages(topic)), None)
        if message is None:
            return None
        if self.topics[topic][0] in POSE_TYPES:
            return getattr(message, "child_frame_id", None) or None
        return message.header.frame_id

    def scans(self, topic, every, receive_time):
        """(time in s, points, dropped points) of every n-th message."""
        last = None
        for number, (time_ns, message) in enumerate(self.messages(topic)):
            if number % every:
                continue
            where = f"{topic} message {number}"
            at = stamp_s(message, time_ns, receive_time)
            if last is not None and at <= last:
                raise Fault(self.path, where, f"its time {at:.6f} s does not come after {last:.6f} s, the one before",
                            "use the times of the recording: --receive-time" if not receive_time else "the bag repeats itself")
            last = at
            yield at, *points_of(message, self.path, where)

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


def stamp_s(message, receive_ns, receive_time):
    """Of the header; a header without a time counts as received."""
    stamp = message.header.stamp
    ns = stamp.sec * 10**9 + stamp.nanosec
    return (receive_ns if receive_time or ns == 0 else ns) / 1e9


@contextmanager
def open_bag(path):
    try:
        from rosbags.rosbag1 import Reader as Reader1
        from rosbags.rosbag2 import Reader as Reader2
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        advice = "python3 -m venv extras && extras/bin/pip install rosbags, and call extras/bin/python -m ndt_convert"
        raise Fault(path, "", "reading bags needs the Python package rosbags", advice) from None
    parts = [path] if path.is_file() or (path / "metadata.yaml").is_file() else parts_of(path)
    one = parts[0].suffix == ".bag"
    if any((part.suffix == ".bag") != one for part in parts):
        raise Fault(path, "", "has bags of ROS 1 and of ROS 2", "leave the parts of one recording in the folder")
    store = get_typestore(Stores.ROS1_NOETIC if one else Stores.ROS2_HUMBLE)
    with ExitStack() as stack:
        readers = []
        for part in parts:
            try:
                readers.append((Reader1 if one else Reader2)(part))
                readers[-1].open()
            except Exception as error:  # the library's own, and what sqlite, yaml and the codecs raise
                raise _unreadable(part, error) from None
            stack.callback(readers[-1].close)
        yield Bag(path, readers, store.deserialize_ros1 if one else store.deserialize_cdr)


def _faults_of(path, messages):
    while True:
        try:
            message = next(messages)
        except StopIteration:
            return
        except Exception as error:
            raise _unreadable(path, error) from None
        yield message


def _unreadable(path, error):
    text = " ".join(str(error).split()) or type(error).__name__
    return Fault(path, "", f"cannot be read as a ROS bag ({text})",
                 "give a .bag, .mcap or .db3 file or a rosbag2 folder, whole; 'rosbag reindex' and 'ros2 bag reindex' mend some")
