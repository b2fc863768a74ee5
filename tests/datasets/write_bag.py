"""Bags for test_bags.py; run by the interpreter that NDT_EXTRAS_PYTHON names.

usage: write_bag.py ros1 FILE.bag        clouds of two topics, odometry, and a message without a finite point
       write_bag.py ros2 FOLDER          clouds whose headers have no time, and stamped poses
       write_bag.py back FOLDER          clouds whose headers go back in time
       write_bag.py raw FOLDER FILE      twice the PointCloud2 as serialised in FILE
"""

import sys
from pathlib import Path

import numpy as np
from rosbags import rosbag1, rosbag2
from rosbags.typesys import Stores, get_typestore

POINTS, ODOMETRY, POSE = "sensor_msgs/msg/PointCloud2", "nav_msgs/msg/Odometry", "geometry_msgs/msg/PoseStamped"
START_S = 1_600_000_000


class Messages:
    def __init__(self, store, with_seq):
        self.types, self.with_seq = store.types, with_seq

    def header(self, time_s):
        time = self.types["builtin_interfaces/msg/Time"](sec=int(time_s), nanosec=round(time_s % 1 * 10**9))
        seq = {"seq": 0} if self.with_seq else {}
        return self.types["std_msgs/msg/Header"](**seq, stamp=time, frame_id="lidar")

    def cloud(self, time_s, points):
        field = self.types["sensor_msgs/msg/PointField"]
        fields = [field(name=name, offset=4 * i, datatype=7, count=1) for i, name in enumerate("xyz")]
        return self.types[POINTS](header=self.header(time_s), height=1, width=len(points), fields=fields, is_bigendian=False, point_step=12,
                                  row_step=12 * len(points), data=points.astype("<f4").reshape(-1).view(np.uint8), is_dense=False)

    def pose(self, x):
        point = self.types["geometry_msgs/msg/Point"](x=x, y=0.0, z=0.0)
        return self.types["geometry_msgs/msg/Pose"](position=point,
                                                    orientation=self.types["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0))

    def odometry(self, time_s, x):
        zero = self.types["geometry_msgs/msg/Vector3"](x=0.0, y=0.0, z=0.0)
        twist = self.types["geometry_msgs/msg/Twist"](linear=zero, angular=zero)
        none = np.zeros(36)
        return self.types[ODOMETRY](header=self.header(time_s), child_frame_id="base",
                                    pose=self.types["geometry_msgs/msg/PoseWithCovariance"](pose=self.pose(x), covariance=none),
                                    twist=self.types["geometry_msgs/msg/TwistWithCovariance"](twist=twist, covariance=none))


def ramp(n, start):
    """Points (start, i, 0)."""
    return np.column_stack([np.full(n, start), np.arange(n), np.zeros(n)])


def write(path):
    store = get_typestore(Stores.ROS1_NOETIC)
    make = Messages(store, True)
    with rosbag1.Writer(path) as writer:
        topics = {name: writer.add_connection(name, kind, typestore=store) for name, kind in
                  [("/lidar/front", POINTS), ("/lidar/top", POINTS), ("/odom", ODOMETRY)]}

        def put(topic, time_s, message):
            writer.write(topics[topic], round((START_S + time_s) * 10**9), store.serialize_ros1(message, message.__msgtype__))

        for i in range(5):
            at = i / 10
            points = ramp(100, i)
            points[:i, 2] = np.nan  # i points are not finite
            put("/lidar/top", at + 0.03, make.cloud(START_S + at, points if i != 3 else points * np.nan))
            put("/lidar/front", at + 0.04, make.cloud(START_S + at, ramp(10, i)))
            put("/odom", at + 0.05, make.odometry(START_S + at - 0.05, 2.0 * i - 1))
        put("/odom", 0.6, make.odometry(START_S + 0.45, 9.0))


def write_ros2(path, kind, raw=None):
    store = get_typestore(Stores.ROS2_HUMBLE)
    make = Messages(store, False)
    with rosbag2.Writer(path, version=9) as writer:
        topics = {"/points": writer.add_connection("/points", POINTS, typestore=store)}
        if kind == "ros2":
            topics["/pose"] = writer.add_connection("/pose", POSE, typestore=store)

        def put(topic, time_s, message):
            writer.write(topics[topic], round((START_S + time_s) * 10**9), store.serialize_cdr(message, message.__msgtype__))

        if raw:
            for i in range(2):
                writer.write(topics["/points"], (START_S + i) * 10**9, Path(raw).read_bytes())
            return
        for i in range(3):
            put("/points", i, make.cloud(0 if kind == "ros2" else START_S - i, ramp(4, i)))
            if kind == "ros2":
                pose = store.types[POSE](header=make.header(START_S + i), pose=make.pose(float(i)))
                put("/pose", i, pose)


if sys.argv[1] == "ros1":
    write(Path(sys.argv[2]))
else:
    write_ros2(Path(sys.argv[2]), *([sys.argv[1]] if sys.argv[1] != "raw" else ["raw", sys.argv[3]]))
