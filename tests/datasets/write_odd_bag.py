"""Bags in which single messages are wrong, two sensors share a topic, or the container is unusual, for test_odd_bags.py, test_bag_files.py,
test_point_times.py and test_projection.py; run by the interpreter that NDT_EXTRAS_PYTHON names.

usage: write_odd_bag.py FOLDER < JSON             a list of [topic, receive time, kind, arguments], where times are seconds after START_S
       write_odd_bag.py FILE.mcap PROFILE < JSON  the same as one MCAP with this profile: ros1, or none
       write_odd_bag.py FILE.bag bag < JSON       the same as a bag of ROS 1
"""

import json
import sys
from pathlib import Path

import numpy as np
from rosbags import rosbag1, rosbag2
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from write_bag import FIX, ODOMETRY, POINTS, POSE, START_S, TF, Messages, ramp

KINDS = {"odometry": ODOMETRY, "pose": POSE, "transform": TF, "fix": FIX,
         **dict.fromkeys(("cloud", "timed", "rows", "cut", "wide", "junk", "torn", "nothing"), POINTS),
         "livox1": "livox_ros_driver/msg/CustomMsg", "livox2": "livox_ros_driver2/msg/CustomMsg", "fork": "livox_interfaces/msg/CustomMsg"}
LIVOX = "std_msgs/Header header\nuint64 timebase\nuint32 point_num\nuint8 lidar_id\nuint8[3] rsvd\nCustomPoint[] points"
LIVOX_POINT = "uint32 offset_time\nfloat32 x\nfloat32 y\nfloat32 z\nuint8 reflectivity\nuint8 tag\nuint8 line"


def register_livox(store):
    """The messages of both drivers, and of a fork with another field."""
    for kind in ("livox1", "livox2", "fork"):
        more = "float64 more\n" if kind == "fork" else ""
        store.register(get_types_from_msg(LIVOX, KINDS[kind]))
        store.register(get_types_from_msg(more + LIVOX_POINT, KINDS[kind].replace("CustomMsg", "CustomPoint")))


def livox(make, kind, stamp, x=0, n=4):
    """n points (x, i, 1), i ms after the stamp; two more are zero and not a number."""
    point = make.types[KINDS[kind].replace("CustomMsg", "CustomPoint")]
    more = {"more": 5.0} if kind == "fork" else {}
    places = [(x, i, 1) for i in range(n)] + ([(0, 0, 0), (float("nan"), 0, 0)] if n else [])
    points = [point(**more, offset_time=i * 10**6, **dict(zip("xyz", map(float, place))), reflectivity=1, tag=0, line=0)
              for i, place in enumerate(places)]
    return make.types[KINDS[kind]](header=make.header(stamp, "livox_frame"), timebase=0, point_num=len(points), lidar_id=0,
                                   rsvd=np.zeros(3, np.uint8), points=points)


def timed(make, at, field, form, values, big=False, x=0, **given):
    """Points (x, i, 0) with a ring and their times in the field; the first point is not finite."""
    order = ">" if big else "<"
    layout = np.dtype([*((name, f"{order}f4") for name in "xyz"), ("ring", f"{order}u2"), (field, order + form)])
    records, points = np.zeros(len(values), layout), ramp(len(values), x)
    for name, column in zip("xyz", points.T):
        records[name] = column
    records["z"][0], records[field] = np.nan, values
    cloud = make.cloud(at, points, **given)
    kinds = {"u2": 4, "i4": 5, "u4": 6, "f4": 7, "f8": 8}
    make_field = make.types["sensor_msgs/msg/PointField"]
    cloud.fields = [make_field(name=name, offset=layout.fields[name][1], datatype=kinds[layout[name].str[1:]], count=1)
                    for name in layout.names]
    cloud.point_step, cloud.row_step, cloud.is_bigendian = layout.itemsize, records.nbytes, big
    cloud.data = np.frombuffer(records.tobytes(), np.uint8)
    return cloud


def message(make, kind, stamp=0, **given):
    """`stamp`: seconds after START_S. cut lacks points, wide has points of 4 GiB, junk no field; torn ends early."""
    at = START_S + stamp
    if kind == "pose":
        return make.types[POSE](header=make.header(at, given["frame"]), pose=make.pose(given["x"]))
    if kind in ("odometry", "transform", "fix"):
        return getattr(make, kind)(at, **given)
    if kind in ("livox1", "livox2", "fork"):
        return livox(make, kind, at, **given)
    if kind == "timed":
        return timed(make, at, **given)
    cloud = make.cloud(at, ramp(0 if kind == "nothing" else 4, given.pop("x", 0)), **given)
    if kind == "cut":
        cloud.data = cloud.data[:20]
    if kind == "rows":  # two, but row_step is that of a wider cloud
        cloud.height, cloud.width, cloud.row_step = 2, 2, 640 * cloud.point_step
    if kind == "wide":
        cloud.point_step = 2**32 - 1
    if kind == "junk":
        cloud.fields = []
    return cloud


def write(folder, wanted):
    store = get_typestore(Stores.ROS2_HUMBLE)
    register_livox(store)
    make = Messages(store, False)
    with rosbag2.Writer(folder, version=9) as writer:
        topics = {}
        for topic, received, kind, given in wanted:
            if topic not in topics:
                topics[topic] = writer.add_connection(topic, KINDS[kind], typestore=store)
            out = message(make, kind, **given)
            data = store.serialize_cdr(out, out.__msgtype__)
            writer.write(topics[topic], round((START_S + received) * 10**9), bytes(data)[:40 if kind == "torn" else None])


def write_mcap(file, profile, wanted):
    """Reads with the package mcap. The profile ros1 goes with messages of ROS 1; none: of ROS 2, and without a summary."""
    from mcap.writer import IndexType, Writer

    ros1 = profile == "ros1"
    store = get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.ROS2_HUMBLE)
    register_livox(store)
    make = Messages(store, ros1)
    with open(file, "wb") as stream:
        writer = Writer(stream) if ros1 else Writer(stream, index_types=IndexType.NONE, repeat_channels=False, use_statistics=False)
        writer.start(profile="ros1" if ros1 else "")
        topics = {}
        for topic, received, kind, given in wanted:
            if topic not in topics:
                name = KINDS[kind].replace("/msg/", "/") if ros1 else KINDS[kind]
                schema = writer.register_schema(name, "ros1msg" if ros1 else "ros2msg", b"")
                topics[topic] = writer.register_channel(topic, "ros1" if ros1 else "cdr", schema)
            out, time_ns = message(make, kind, **given), round((START_S + received) * 10**9)
            data = (store.serialize_ros1 if ros1 else store.serialize_cdr)(out, out.__msgtype__)
            writer.add_message(topics[topic], time_ns, bytes(data), time_ns)
        writer.finish()


def write_bag(file, wanted):
    store = get_typestore(Stores.ROS1_NOETIC)
    register_livox(store)
    make = Messages(store, True)
    with rosbag1.Writer(file) as writer:
        topics = {}
        for topic, received, kind, given in wanted:
            if topic not in topics:
                topics[topic] = writer.add_connection(topic, KINDS[kind], typestore=store)
            out = message(make, kind, **given)
            writer.write(topics[topic], round((START_S + received) * 10**9), store.serialize_ros1(out, out.__msgtype__))


if sys.argv[2:] == ["bag"]:
    write_bag(Path(sys.argv[1]), json.load(sys.stdin))
elif len(sys.argv) > 2:
    write_mcap(Path(sys.argv[1]), sys.argv[2], json.load(sys.stdin))
else:
    write(Path(sys.argv[1]), json.load(sys.stdin))
