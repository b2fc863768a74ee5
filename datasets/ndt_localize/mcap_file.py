"""A localisation as one MCAP file that ROS 2 and Foxglove read: tf, odometry, poses, path, clouds, particles of searches, diagnostics."""

import tempfile
from pathlib import Path

import numpy as np

from ndt_convert.clouds import read_cloud
from ndt_convert.faults import Fault

from . import frames, node_topics
from .messages import Messages, velocity_between
from .node_status import NodeStatuses
from .results import pose_of_record

# Autoware's names where it has one for the same; the node's own are in node_topics.
TOPICS = {"/tf": "tf2_msgs/msg/TFMessage", "/localization/kinematic_state": "nav_msgs/msg/Odometry",
          "/localization/reference_kinematic_state": "nav_msgs/msg/Odometry",
          "/localization/pose_with_covariance": "geometry_msgs/msg/PoseWithCovarianceStamped", "/localization/path": "nav_msgs/msg/Path",
          "/localization/points_initial": "sensor_msgs/msg/PointCloud2", "/map/pointcloud_map": "sensor_msgs/msg/PointCloud2",
          "/initial_pose/particles": "geometry_msgs/msg/PoseArray", "/initial_pose/particle_scores": "sensor_msgs/msg/PointCloud2",
          "/diagnostics": "diagnostic_msgs/msg/DiagnosticArray", **node_topics.TOPICS}
ALIGNED, NO_GROUND = node_topics.ROOT + "points_aligned", node_topics.ROOT + "points_aligned_no_ground"
MAP_SHARE = 20  # the map may have this many times the points of a scan


def require_library():
    try:
        import rosbags  # noqa: F401
    except ImportError:
        raise Fault("--mcap", "", "writing MCAP needs the Python package rosbags",
                    "python3 -m venv extras && extras/bin/pip install rosbags, and set NDT_EXTRAS_PYTHON=extras/bin/python") from None


def write(file, results, clouds, map_cloud, options):
    """Writes `file`, whole or not at all. `clouds` has the files of scans by their names; map_cloud is a file or None. `options` are
    those of the command line, with the names of the frames and the setting of the localisation."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.rosbag2.enums import CompressionFormat, CompressionMode

    with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent) as work:
        bag = Path(work) / "bag"
        writer = Writer(bag, version=9, storage_plugin=StoragePlugin.MCAP)
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        with writer:
            _Recorder(writer, options).record(results, clouds, map_cloud)
        (bag / "bag.mcap").rename(file)


class _Recorder:
    def __init__(self, writer, options):
        from rosbags.typesys import Stores, get_types_from_msg, get_typestore

        self._options, self._frames, self._writer = options, options.frames, writer
        self._store = get_typestore(Stores.ROS2_HUMBLE)
        for kind, text in node_topics.DEFINITIONS.items():
            self._store.register(get_types_from_msg(text, kind))
        self._make = Messages(self._store)
        self._node, self._statuses = node_topics.NodeTopics(self._make, options.setting), NodeStatuses(options.setting)
        self._topics = {name: writer.add_connection(name, kind, typestore=self._store) for name, kind in TOPICS.items()}

    def _put(self, topic, time_ns, message):
        self._writer.write(self._topics[topic], time_ns, self._store.serialize_cdr(message, TOPICS[topic]))

    def record(self, results, clouds, map_cloud):
        times = [_nanoseconds(result.stamp_s) for result in results]
        headers = [self._make.header(time, self._frames.map) for time in times]
        self._with_odometry = any(result.odometry is not None for result in results)
        # All of it at the first time, so that it is seen from the start and does not grow with the square of the scans.
        self._put("/localization/path", times[0], self._make.path(headers, [result.map_from_body for result in results]))
        if map_cloud is not None:
            points = thinned(read_cloud(map_cloud, self._options.bin_fields), MAP_SHARE * self._options.cloud_points)
            self._put("/map/pointcloud_map", times[0], self._make.cloud(headers[0], points))
        before = None
        for time, header, result in zip(times, headers, results):
            self._poses(time, header, result, before)
            for topic, message in self._node.of(header, result):
                self._put(topic, time, message)
            if result.particles:
                self._particles(time, header, result)
            if result.scan in clouds:
                points = read_cloud(clouds[result.scan], self._options.bin_fields)
                self._clouds(time, on_body(thinned(points, self._options.cloud_points), result), result)
            self._put("/diagnostics", time, self._make.diagnostics(header, result.diagnostics))
            for status in self._statuses.of(time, result):  # each in a message of its own, as the node sends them
                self._put("/diagnostics", time, self._make.one_status(self._make.header(time, ""), *status))
            before = result

    def _poses(self, time, header, result, before):
        for parent, children in frames.tree(result, self._frames, self._with_odometry):
            self._put("/tf", time, self._make.transforms(time, parent, children))
        covariance = np.zeros(36) if result.covariance is None else result.covariance
        seconds = before and result.stamp_s - before.stamp_s
        self._state("kinematic_state", time, header, result.map_from_body, before and before.map_from_body, seconds, covariance)
        if result.truth is not None:
            earlier = before.of_body(before.truth) if before and before.truth is not None else None
            self._state("reference_kinematic_state", time, header, result.of_body(result.truth), earlier, seconds, np.zeros(36))
        if result.covariance is not None:
            self._put("/localization/pose_with_covariance", time,
                      self._make.pose_with_covariance(header, result.map_from_body, result.covariance))

    def _state(self, name, time, header, pose, before, seconds, covariance):
        velocity = np.zeros(6) if before is None else velocity_between(before, pose, seconds)
        self._put(f"/localization/{name}", time, self._make.odometry(header, self._frames.base, pose, covariance, velocity))

    def _clouds(self, time, points, result):
        """In the body's own frame, found and predicted, which tf places: map coordinates may be too large for float32."""
        found = self._make.header(time, self._frames.ndt_base)
        self._put(ALIGNED, time, self._make.cloud(found, points))
        self._put("/localization/points_initial", time, self._make.cloud(self._make.header(time, self._frames.predicted), points))
        above = node_topics.above_ground(points, result, self._options.setting)
        if above is not None:
            self._put(NO_GROUND, time, self._make.cloud(found, above))

    def _particles(self, time, header, result):
        """Writes where the alignments of a search ended, and beside them their scores; PoseArray has no room for scores."""
        poses = [result.of_body(pose_of_record(particle)) for particle in result.particles]
        scores = [particle["nvtl"] or 0.0 for particle in result.particles]  # null: it was not finite
        self._put("/initial_pose/particles", time, self._make.poses(header, poses))
        points = np.column_stack([[pose[:3, 3] for pose in poses], scores])
        self._put("/initial_pose/particle_scores", time, self._make.cloud(header, points, ("x", "y", "z", "nvtl")))


def _nanoseconds(stamp_s):
    if stamp_s < 0:
        raise Fault("--mcap", "", f"a scan has the time {stamp_s} s, but MCAP requires times from 0 on", "give times that begin at 0 or later")
    return round(stamp_s * 10**9)


def on_body(points, result):
    """The points of the scan in the frame of the body."""
    if np.array_equal(result.body_from_scan, np.eye(4)):
        return points
    return points @ result.body_from_scan[:3, :3].T + result.body_from_scan[:3, 3]


def thinned(points, most):
    """Every n-th, so that at most so many are left."""
    return points[::max(1, -(-len(points) // most))]
