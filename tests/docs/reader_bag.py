"""A town's drive as a reader's ROS 2 bag; run by the interpreter that NDT_EXTRAS_PYTHON names, with datasets/ on PYTHONPATH.

usage: reader_bag.py TOWN FOLDER CRS   scans, tf with odometry, GNSS in the map's grid CRS, and the true poses as Autoware publishes them
"""

import sys
from pathlib import Path

import numpy as np
from ndt_convert.clouds import read_cloud
from ndt_convert.poses import pose_of, read_tum
from ndt_localize.messages import Messages
from pyproj import Transformer
from rosbags import rosbag2
from rosbags.typesys import Stores, get_typestore

START_S = 1_600_000_000
TF = "tf2_msgs/msg/TFMessage"
KINDS = {"/points": "sensor_msgs/msg/PointCloud2", "/tf": TF, "/tf_static": TF, "/fix": "sensor_msgs/msg/NavSatFix",
         "/localization/kinematic_state": "nav_msgs/msg/Odometry"}
BASE_FROM_LIDAR = pose_of([0.9, 0.0, 1.6], [0.0, 0.0, 0.0, 1.0])


def fix(types, header, place):
    longitude, latitude = to_degrees.transform(*place[:2])
    status = types["sensor_msgs/msg/NavSatStatus"](status=0, service=1)
    covariance = np.diag([0.01, 0.01, 0.04]).reshape(-1)
    return types[KINDS["/fix"]](header=header, status=status, latitude=latitude, longitude=longitude, altitude=place[2],
                                position_covariance=covariance, position_covariance_type=2)


town, folder = Path(sys.argv[1]), Path(sys.argv[2])
to_degrees = Transformer.from_crs(sys.argv[3], "EPSG:4326", always_xy=True)
lidar_from_base = np.linalg.inv(BASE_FROM_LIDAR)
times, truth = read_tum(town / "truth.tum")
odometry = read_tum(town / "odometry.tum")[1]
store = get_typestore(Stores.ROS2_HUMBLE)
make = Messages(store)
with rosbag2.Writer(folder, version=9, storage_plugin=rosbag2.StoragePlugin.MCAP) as writer:
    topics = {name: writer.add_connection(name, kind, typestore=store) for name, kind in KINDS.items()}

    def put(topic, time_ns, message):
        writer.write(topics[topic], time_ns, store.serialize_cdr(message, KINDS[topic]))

    put("/tf_static", round(START_S * 10**9), make.transforms(0, "base_link", {"lidar": BASE_FROM_LIDAR}))
    for i, time in enumerate(times):
        at, base = round((START_S + time) * 10**9), truth[i] @ lidar_from_base
        put("/tf", at, make.transforms(at, "odom", {"base_link": odometry[i] @ lidar_from_base}))
        put("/points", at, make.cloud(make.header(at, "lidar"), read_cloud(town / "scans" / f"{i:06d}.pcd")))
        put("/fix", at, fix(store.types, make.header(at, "lidar"), truth[i, :3, 3]))
        put("/localization/kinematic_state", at, make.odometry(make.header(at, "map"), "base_link", base, np.zeros(36), np.zeros(6)))
