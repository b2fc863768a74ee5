"""Messages of ROS 1 and ROS 2 bags, read with the library rosbags; ROS is not needed."""

from contextlib import contextmanager

import numpy as np

from . import poses
from .faults import Fault, UsageFault
from .pointcloud2 import MESSAGE_TYPE, points_of

SUFFIXES = (".bag", ".mcap", ".db3")
POSE_TYPES = {"nav_msgs/msg/Odometry": lambda m: m.pose.pose, "geometry_msgs/msg/PoseStamped": lambda m: m.pose,
              "geometry_msgs/msg/PoseWithCovarianceStamped": lambda m: m.pose.pose}
PACKETS = ("velodyne_msgs/", "ouster_", "pandar_msgs/", "hesai_", "nebula_msgs/", "rslidar_msg", "robosense_msgs/", "livox_")


def is_bag(path):
    return path.suffix in SUFFIXES if path.is_file() else (path / "metadata.yaml").is_file()


class Bag:
    """An open bag; made by open_bag."""

    def __init__(self, path, reader, deserialize):
        self.path, self._reader, self._deserialize = path, reader, deserialize
        self.topics = {name: (info.msgtype, info.msgcount) for name, info in sorted(reader.topics.items())}

    def messages(self, topic):
        """(receive time in ns, message), in the order of the bag."""
        kind = self.topics[topic][0]
        connections = [c for c in self._reader.connections if c.topic == topic]
        for _, time_ns, raw in _faults_of(self.path, self._reader.messages(connections=connections)):
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
            if not abs(np.linalg.norm(turn) - 1) <= poses.QUATERNION_NORM:
                raise Fault(self.path, f"{topic} message {number}", f"the orientation {turn} is not a unit quaternion",
                            "choose another topic, or give the poses with --poses")
            times.append(at)
            out.append(poses.pose_of([pose.position.x, pose.position.y, pose.position.z], turn))
        if not times:
            raise Fault(self.path, topic, "contains no message", "choose another topic, or give the poses with --poses")
        return np.array(times), np.array(out)

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
    one = path.suffix == ".bag"
    store = get_typestore(Stores.ROS1_NOETIC if one else Stores.ROS2_HUMBLE)
    try:
        reader = (Reader1 if one else Reader2)(path)
        reader.open()
    except Exception as error:  # the library's own, and what sqlite, yaml and the codecs raise
        raise _unreadable(path, error) from None
    try:
        yield Bag(path, reader, store.deserialize_ros1 if one else store.deserialize_cdr)
    finally:
        reader.close()


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
