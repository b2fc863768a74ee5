"""Writes a bag in which two lidars take turns on one topic; run by the interpreter that NDT_EXTRAS_PYTHON names.

usage: mixed_bag.py SCANS STAMPS BAG   a folder of clouds in the order of their names, and a stamp in seconds for each"""

import sys
from pathlib import Path

import numpy as np
from rosbags import rosbag2
from rosbags.typesys import Stores, get_typestore

from sequences import read_points

STORE = get_typestore(Stores.ROS2_HUMBLE)
TYPES, CLOUD = STORE.types, "sensor_msgs/msg/PointCloud2"


def cloud(stamp_ns, frame, points):
    stamp = TYPES["builtin_interfaces/msg/Time"](sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)
    fields = [TYPES["sensor_msgs/msg/PointField"](name=name, offset=4 * k, datatype=7, count=1) for k, name in enumerate("xyz")]
    return TYPES[CLOUD](header=TYPES["std_msgs/msg/Header"](stamp=stamp, frame_id=frame), height=1, width=len(points), fields=fields,
                        is_bigendian=False, point_step=12, row_step=12 * len(points), is_dense=True,
                        data=points.astype("<f4").reshape(-1).view(np.uint8))


def main(scans, stamps, bag):
    with rosbag2.Writer(Path(bag), version=9) as writer:
        topic = writer.add_connection("/cloud", CLOUD, typestore=STORE)
        for k, (file, line) in enumerate(zip(sorted(Path(scans).iterdir()), Path(stamps).read_text().split())):
            seconds, _, rest = line.partition(".")
            stamp_ns = int(seconds) * 10**9 + int(rest)
            message = cloud(stamp_ns, ("lidar_front", "lidar_rear")[k % 2], read_points(file))
            writer.write(topic, stamp_ns, STORE.serialize_cdr(message, CLOUD))


main(*sys.argv[1:])
