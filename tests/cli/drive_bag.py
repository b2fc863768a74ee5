"""A town's drive as a ROS 2 bag; run by the interpreter that NDT_EXTRAS_PYTHON names, with datasets/ on PYTHONPATH.

usage: drive_bag.py TOWN FOLDER       its scans in frame lidar, its odometry, and its true positions as poses with covariance
       drive_bag.py TOWN FOLDER back  the same with the second scan's time before the first's
"""

import sys
from pathlib import Path

import numpy as np
from rosbags import rosbag2
from rosbags.typesys import Stores, get_typestore

from ndt_convert.clouds import read_cloud
from ndt_convert.poses import read_tum
from ndt_localize.messages import Messages

START_S = 1_600_000_000
KINDS = {"/points": "sensor_msgs/msg/PointCloud2", "/odom": "nav_msgs/msg/Odometry", "/gnss": "geometry_msgs/msg/PoseWithCovarianceStamped"}

town, folder, back = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] == ["back"]
store = get_typestore(Stores.ROS2_HUMBLE)
make = Messages(store)
with rosbag2.Writer(folder, version=9, storage_plugin=rosbag2.StoragePlugin.MCAP) as writer:
    topics = {name: writer.add_connection(name, kind, typestore=store) for name, kind in KINDS.items()}

    def put(topic, time_ns, message):
        writer.write(topics[topic], time_ns, store.serialize_cdr(message, KINDS[topic]))

    times, truth = read_tum(town / "truth.tum")
    odometry = read_tum(town / "odometry.tum")[1]
    for i, time in enumerate(times):
        at = round((START_S + time) * 10**9)
        stamp = at - 10**9 if back and i == 1 else at
        points = read_cloud(town / "scans" / f"{i:06d}.pcd", "scan")
        put("/points", at, make.cloud(make.header(stamp, "lidar"), points))
        put("/odom", at, make.odometry(make.header(at, "odom"), "lidar", odometry[i], np.zeros(36), np.zeros(6)))
        put("/gnss", at, make.pose_with_covariance(make.header(at, "map"), truth[i], np.zeros(36)))
