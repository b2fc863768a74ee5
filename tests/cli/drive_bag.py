"""A town's drive as a ROS 2 bag; run by the interpreter that NDT_EXTRAS_PYTHON names, with datasets/ on PYTHONPATH.

usage: drive_bag.py TOWN FOLDER       its scans in frame lidar, its odometry, and its true positions as poses with covariance
       drive_bag.py TOWN FOLDER back  the same with the second scan's time before the first's
       drive_bag.py TOWN FOLDER tf    the same with tf: lidar turns on a mast of base_link, and the last scan has no tf; truth_base.tum
                                      beside it has the true poses of base_link
       drive_bag.py TOWN FOLDER three the same with fixed tf, and each scan in thirds: of lidar, left and right
       drive_bag.py TOWN FOLDER livox the same with fixed tf, and the scans as Livox's CustomMsg, swept while the sensor moves
       drive_bag.py TOWN FOLDER imu   the same with fixed tf, and what an IMU in another place and wheels measure, 50 times a second
"""

import sys
from pathlib import Path

import numpy as np
from rosbags import rosbag2
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from ndt_convert import livox
from ndt_convert.clouds import read_cloud
from ndt_convert.poses import at_times, pose_of, read_tum, write_tum
from ndt_localize.messages import velocity_between
from sent_messages import SentMessages

START_S = 1_600_000_000
SWEEP_S = 0.1
KINDS = {"/points": "sensor_msgs/msg/PointCloud2", "/odom": "nav_msgs/msg/Odometry", "/gnss": "geometry_msgs/msg/PoseWithCovarianceStamped"}
TF = "tf2_msgs/msg/TFMessage"
BASE_FROM_MAST = pose_of([0.5, -0.2, 1.5], [0.0, 0.1, 0.0, 0.99 ** 0.5])

town, folder = Path(sys.argv[1]), Path(sys.argv[2])
back, with_tf, three, of_livox, inertial = (sys.argv[3:] == [word] for word in ("back", "tf", "three", "livox", "imu"))
fixed = three or of_livox or inertial
if with_tf or fixed:
    KINDS |= {"/tf": TF, "/tf_static": TF}
OTHERS = {"left": (0.02, pose_of([0.1, 0.9, 1.2], [0.1, 0.2, 0.3, 0.86 ** 0.5])),
          "right": (-0.03, pose_of([0.1, -0.9, 1.2], [0.0, 0.0, 0.8, 0.6]))}  # seconds after lidar, base_from_scan
if of_livox:
    KINDS["/points"] = "livox_ros_driver2/msg/CustomMsg"
BASE_FROM_IMU = pose_of([-0.4, 0.1, 0.5], [0.0, 0.0, 0.6, 0.8])
RATE_HZ = 50
if inertial:
    KINDS |= {"/imu": "sensor_msgs/msg/Imu", "/wheels": "geometry_msgs/msg/TwistStamped"}
if three:
    KINDS |= {f"/{name}": KINDS["/points"] for name in OTHERS}


def mast_from_lidar(i):
    """Turned by 0.1 rad a scan, unless tf is fixed."""
    i = 0 if fixed else i
    return pose_of([0, 0, 0.3], [0, 0, np.sin(0.05 * i), np.cos(0.05 * i)])


def swept(points, i):
    """The points as a sensor sees them that moves by its odometry and needs SWEEP_S from the first to the last; and their times."""
    i = min(i, len(times) - 2)  # the last scan moves as the one before it
    after_s = np.linspace(0, SWEEP_S, len(points))
    poses = at_times(times[i:i + 2] - times[i], np.linalg.inv(odometry[i]) @ odometry[i:i + 2], after_s, np.inf)[0]
    return np.einsum("nji,nj->ni", poses[:, :3, :3], points - poses[:, :3, 3]), after_s


def custom_message(header, points, after_s):
    point = store.types["livox_ros_driver2/msg/CustomPoint"]
    points = [point(offset_time=round(t * 1e9), **dict(zip("xyz", place)), reflectivity=1, tag=0, line=k % 4)
              for k, (place, t) in enumerate(zip(points.tolist(), after_s))]
    timebase = header.stamp.sec * 10**9 + header.stamp.nanosec
    return store.types[KINDS["/points"]](header=header, timebase=timebase, point_num=len(points), lidar_id=0, rsvd=np.zeros(3, np.uint8),
                                         points=points)


def put_inertial():
    """Rates between two scans are constant, about the axes of the IMU; wheels tell the motion of base_link."""
    lidar_from_base = np.linalg.inv(BASE_FROM_MAST @ mast_from_lidar(0))
    bases = [pose @ lidar_from_base for pose in truth]
    grid = np.arange(times[0], times[-1] + 1e-9, 1 / RATE_HZ)
    between = at_times(times, np.array(bases), grid, np.inf)[0]
    for k, time in enumerate(grid):
        first, second = between[min(k, len(grid) - 2)], between[min(k, len(grid) - 2) + 1]
        motion = RATE_HZ * velocity_between(first, second, 1)
        back = BASE_FROM_IMU[:3, :3].T
        at = round((START_S + time) * 10**9)
        put("/imu", at, make.imu(make.header(at, "imu"), back @ motion[3:], back @ first[:3, :3].T @ [0, 0, 9.81]))
        put("/wheels", at, make.twist(make.header(at, "base_link"), motion))


store = get_typestore(Stores.ROS2_HUMBLE)
store.register(livox.definitions("livox_ros_driver2/msg/CustomMsg", get_types_from_msg))
make = SentMessages(store)
with rosbag2.Writer(folder, version=9, storage_plugin=rosbag2.StoragePlugin.MCAP) as writer:
    topics = {name: writer.add_connection(name, kind, typestore=store) for name, kind in KINDS.items()}

    def put(topic, time_ns, message):
        writer.write(topics[topic], time_ns, store.serialize_cdr(message, KINDS[topic]))

    times, truth = read_tum(town / "truth.tum")
    odometry = read_tum(town / "odometry.tum")[1]
    if with_tf or fixed:
        put("/tf_static", round(START_S * 10**9), make.transforms(0, "base_link", {"mast": BASE_FROM_MAST}))
    if inertial:
        put("/tf_static", round(START_S * 10**9), make.transforms(0, "base_link", {"imu": BASE_FROM_IMU}))
        put_inertial()
    for i, time in enumerate(times):
        at = round((START_S + time) * 10**9)
        stamp = at - 10**9 if back and i == 1 else at
        points = read_cloud(town / "scans" / f"{i:06d}.pcd")
        header = make.header(stamp, "lidar")
        put("/points", at, custom_message(header, *swept(points, i)) if of_livox else make.cloud(header, points[::3] if three else points))
        for number, (name, (after_s, base_from_scan)) in enumerate(OTHERS.items() if three else (), 1):
            scan_from_lidar = np.linalg.inv(base_from_scan) @ BASE_FROM_MAST @ mast_from_lidar(i)
            moved = points[number::3] @ scan_from_lidar[:3, :3].T + scan_from_lidar[:3, 3]
            own = at + round(after_s * 10**9)
            put(f"/{name}", own, make.cloud(make.header(own, name), moved))
        put("/odom", at, make.odometry(make.header(at, "odom"), "lidar", odometry[i], np.zeros(36), np.zeros(6)))
        put("/gnss", at, make.pose_with_covariance(make.header(at, "map"), truth[i], np.zeros(36)))
        if i == 0 and fixed:
            put("/tf_static", at, make.transforms(0, "mast", {"lidar": mast_from_lidar(0)}))
        if i == 0 and three:
            put("/tf_static", at, make.transforms(0, "base_link", {name: pose for name, (_, pose) in OTHERS.items()}))
        if with_tf and i < len(times) - 1:
            put("/tf", at, make.transforms(at, "mast", {"lidar": mast_from_lidar(i)}))

if with_tf or fixed:
    bases = [pose @ np.linalg.inv(BASE_FROM_MAST @ mast_from_lidar(i)) for i, pose in enumerate(truth)]
    write_tum(folder.parent / "truth_base.tum", START_S + times, bases)
