"""Bags for test_bags.py; run by the interpreter that NDT_EXTRAS_PYTHON names.

usage: write_bag.py ros1 FILE.bag        clouds of two topics, odometry, and a message without a finite point
       write_bag.py ros2 FOLDER          clouds whose headers have no time, and stamped poses
       write_bag.py back FOLDER          clouds whose headers go back in time
       write_bag.py raw FOLDER FILE      twice the PointCloud2 as serialised in FILE
       write_bag.py sensors FOLDER       five clouds of a lidar on a car, with tf, odometry and GNSS
       write_bag.py split FOLDER         the clouds of ros2 as two files without a metadata.yaml
"""

import shutil
import sys
from pathlib import Path

import numpy as np
from rosbags import rosbag1, rosbag2
from rosbags.typesys import Stores, get_typestore

TF, FIX = "tf2_msgs/msg/TFMessage", "sensor_msgs/msg/NavSatFix"
POINTS, ODOMETRY, POSE = "sensor_msgs/msg/PointCloud2", "nav_msgs/msg/Odometry", "geometry_msgs/msg/PoseStamped"
START_S = 1_600_000_000


class Messages:
    def __init__(self, store, with_seq):
        self.types, self.with_seq = store.types, with_seq

    def header(self, time_s, frame="lidar"):
        time = self.types["builtin_interfaces/msg/Time"](sec=int(time_s), nanosec=round(time_s % 1 * 10**9))
        seq = {"seq": 0} if self.with_seq else {}
        return self.types["std_msgs/msg/Header"](**seq, stamp=time, frame_id=frame)

    def cloud(self, time_s, points, frame="lidar"):
        field = self.types["sensor_msgs/msg/PointField"]
        fields = [field(name=name, offset=4 * i, datatype=7, count=1) for i, name in enumerate("xyz")]
        return self.types[POINTS](header=self.header(time_s, frame), height=1, width=len(points), fields=fields, is_bigendian=False, point_step=12,
                                  row_step=12 * len(points), data=points.astype("<f4").reshape(-1).view(np.uint8), is_dense=False)

    def pose(self, x):
        point = self.types["geometry_msgs/msg/Point"](x=x, y=0.0, z=0.0)
        return self.types["geometry_msgs/msg/Pose"](position=point,
                                                    orientation=self.types["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0))

    def odometry(self, time_s, x, frame="lidar", child="base", covariance=None):
        zero = self.types["geometry_msgs/msg/Vector3"](x=0.0, y=0.0, z=0.0)
        twist = self.types["geometry_msgs/msg/Twist"](linear=zero, angular=zero)
        none = np.zeros(36)
        known = none if covariance is None else np.asarray(covariance, dtype=float)
        return self.types[ODOMETRY](header=self.header(time_s, frame), child_frame_id=child,
                                    pose=self.types["geometry_msgs/msg/PoseWithCovariance"](pose=self.pose(x), covariance=known),
                                    twist=self.types["geometry_msgs/msg/TwistWithCovariance"](twist=twist, covariance=none))

    def transform(self, time_s, parent, child, position, quaternion=(0, 0, 0, 1)):
        vector = self.types["geometry_msgs/msg/Vector3"](**dict(zip("xyz", map(float, position))))
        turn = self.types["geometry_msgs/msg/Quaternion"](**dict(zip("xyzw", map(float, quaternion))))
        header = self.header(time_s)
        header.frame_id = parent
        stamped = self.types["geometry_msgs/msg/TransformStamped"](
            header=header, child_frame_id=child, transform=self.types["geometry_msgs/msg/Transform"](translation=vector, rotation=turn))
        return self.types[TF](transforms=[stamped])

    def fix(self, time_s, latitude, longitude, height, status, covariance=None):
        status = self.types["sensor_msgs/msg/NavSatStatus"](status=status, service=1)
        return self.types[FIX](header=self.header(time_s), status=status, latitude=latitude, longitude=longitude, altitude=height,
                               position_covariance=np.zeros(9) if covariance is None else np.asarray(covariance, dtype=float),
                               position_covariance_type=0 if covariance is None else 2)


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


def write_sensors(path):
    """A car at 2 m/s along x of odom, which lies 100 m along y of map; the lidar 1 m ahead of its base, turned to the left. Every
    fourth fix is none, and one of the others stands 1e-4 degrees north of the origin (49, 8.4, 100)."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    make = Messages(store, False)
    with rosbag2.Writer(path, version=9) as writer:
        kinds = {"/points": POINTS, "/tf": TF, "/tf_static": TF, "/odom": ODOMETRY, "/fix": FIX}
        topics = {name: writer.add_connection(name, kind, typestore=store) for name, kind in kinds.items()}

        def put(topic, time_s, message):
            writer.write(topics[topic], round((START_S + time_s) * 10**9), store.serialize_cdr(message, message.__msgtype__))

        put("/tf_static", 0, make.transform(0, "base", "lidar", (1, 0, 2), (0, 0, 0.5**0.5, 0.5**0.5)))
        for i in range(11):
            at = START_S + i / 10
            put("/tf", i / 10, make.transform(at, "odom", "base", (0.2 * i, 0, 0)))
            put("/tf", i / 10, make.transform(at, "map", "odom", (0, 100, 0)))
            put("/odom", i / 10, make.odometry(at, 0.2 * i))
            put("/fix", i / 10, make.fix(at, 49 + 1e-4 * (i == 1), 8.4, 100.0 + i, -1 if i % 4 == 3 else 0))
        for i in range(5):
            put("/points", 0.05 + i / 5, make.cloud(START_S + 0.05 + i / 5, ramp(4, i)))


def write_split(folder):
    """Each part whole, the second first by name of its folder."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    make = Messages(store, False)
    folder.mkdir()
    for part in range(2):
        with rosbag2.Writer(folder / f"part{part}", version=9) as writer:
            topic = writer.add_connection("/points", POINTS, typestore=store)
            for i in range(3 * part, 3 * part + 3):
                message = make.cloud(START_S + i, ramp(4, i))
                writer.write(topic, (START_S + i) * 10**9, store.serialize_cdr(message, POINTS))
        (folder / f"part{part}" / f"part{part}.db3").rename(folder / f"drive_{part}.db3")
        shutil.rmtree(folder / f"part{part}")


if __name__ == "__main__":
    if sys.argv[1] == "ros1":
        write(Path(sys.argv[2]))
    elif sys.argv[1] == "sensors":
        write_sensors(Path(sys.argv[2]))
    elif sys.argv[1] == "split":
        write_split(Path(sys.argv[2]))
    else:
        write_ros2(Path(sys.argv[2]), *([sys.argv[1]] if sys.argv[1] != "raw" else ["raw", sys.argv[3]]))
