"""A town's drive as a ROS 2 bag; run by the interpreter that NDT_EXTRAS_PYTHON names, with datasets/ on PYTHONPATH.

usage: drive_bag.py TOWN FOLDER       its scans in frame lidar, its odometry, and its true positions as poses with covariance
       drive_bag.py TOWN FOLDER back  the same with the second scan's time before the first's
       drive_bag.py TOWN FOLDER tf    the same with tf: lidar turns on a mast of base_link, and the last scan has no tf; truth_base.tum
                                      beside it has the true poses of base_link
"""

import sys
from pathlib import Path

import numpy as np
from rosbags import rosbag2
from rosbags.typesys import Stores, get_typestore

from ndt_convert.clouds import read_cloud
from ndt_convert.poses import pose_of, read_tum, write_tum
from ndt_localize.messages import Messages

START_S = 1_600_000_000
KINDS = {"/points": "sensor_msgs/msg/PointCloud2", "/odom": "nav_msgs/msg/Odometry", "/gnss": "geometry_msgs/msg/PoseWithCovarianceStamped"}
TF = "tf2_msgs/msg/TFMessage"
BASE_FROM_MAST = pose_of([0.5, -0.2, 1.5], [0.0, 0.1, 0.0, 0.99 ** 0.5])

town, folder = Path(sys.argv[1]), Path(sys.argv[2])
back, with_tf = (sys.argv[3:] == [word] for word in ("back", "tf"))
if with_tf:
    KINDS |= {"/tf": TF, "/tf_static": TF}


def mast_from_lidar(i):
    """Turned by 0.1 rad a scan."""
    return pose_of([0, 0, 0.3], [0, 0, np.sin(0.05 * i), np.cos(0.05 * i)])


store = get_typestore(Stores.ROS2_HUMBLE)
make = Messages(store)
with rosbag2.Writer(folder, version=9, storage_plugin=rosbag2.StoragePlugin.MCAP) as writer:
    topics = {name: writer.add_connection(name, kind, typestore=store) for name, kind in KINDS.items()}

    def put(topic, time_ns, message):
        writer.write(topics[topic], time_ns, store.serialize_cdr(message, KINDS[topic]))

    times, truth = read_tum(town / "truth.tum")
    odometry = read_tum(town / "odometry.tum")[1]
    if with_tf:
        put("/tf_static", round(START_S * 10**9), make.transforms(0, "base_link", {"mast": BASE_FROM_MAST}))
    for i, time in enumerate(times):
        at = round((START_S + time) * 10**9)
        stamp = at - 10**9 if back and i == 1 else at
        points = read_cloud(town / "scans" / f"{i:06d}.pcd", "scan")
        put("/points", at, make.cloud(make.header(stamp, "lidar"), points))
        put("/odom", at, make.odometry(make.header(at, "odom"), "lidar", odometry[i], np.zeros(36), np.zeros(6)))
        put("/gnss", at, make.pose_with_covariance(make.header(at, "map"), truth[i], np.zeros(36)))
        if with_tf and i < len(times) - 1:
            put("/tf", at, make.transforms(at, "mast", {"lidar": mast_from_lidar(i)}))

if with_tf:
    bases = [pose @ np.linalg.inv(BASE_FROM_MAST @ mast_from_lidar(i)) for i, pose in enumerate(truth)]
    write_tum(folder.parent / "truth_base.tum", START_S + times, bases)
