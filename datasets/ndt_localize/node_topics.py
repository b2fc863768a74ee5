"""The topics of Autoware's node ndt_scan_matcher, with its types, where its launch files put them."""

import numpy as np

from .results import pose_of_record

ROOT = "/localization/pose_estimator/"
FLOAT32, INT32 = "autoware_internal_debug_msgs/msg/Float32Stamped", "autoware_internal_debug_msgs/msg/Int32Stamped"
DEFINITIONS = {FLOAT32: "builtin_interfaces/Time stamp\nfloat32 data\n", INT32: "builtin_interfaces/Time stamp\nint32 data\n"}
_POSE, _POSES, _MARKERS = "geometry_msgs/msg/PoseStamped", "geometry_msgs/msg/PoseArray", "visualization_msgs/msg/MarkerArray"
_CLOUD, _WITH_COVARIANCE = "sensor_msgs/msg/PointCloud2", "geometry_msgs/msg/PoseWithCovarianceStamped"
TOPICS = {ROOT + name: kind for name, kind in {
    "initial_pose_with_covariance": _WITH_COVARIANCE, "exe_time_ms": FLOAT32, "transform_probability": FLOAT32,
    "nearest_voxel_transformation_likelihood": FLOAT32, "iteration_num": INT32, "pose": _POSE, "pose_with_covariance": _WITH_COVARIANCE,
    "ndt_marker": _MARKERS, "initial_to_result_relative_pose": _POSE, "initial_to_result_distance": FLOAT32,
    "initial_to_result_distance_old": FLOAT32, "initial_to_result_distance_new": FLOAT32, "points_aligned": _CLOUD,
    "points_aligned_no_ground": _CLOUD, "no_ground_transform_probability": FLOAT32,
    "no_ground_nearest_voxel_transformation_likelihood": FLOAT32, "multi_ndt_pose": _POSES, "multi_initial_pose": _POSES,
    "monte_carlo_initial_pose_marker": _MARKERS}.items()}
SCORES = ("transform_probability", "nearest_voxel_transformation_likelihood")
NUMBERS = {"exe_time_ms": "execution_time", **{score: score for score in SCORES}, "iteration_num": "iteration_num"}
NO_GROUND = {f"no_ground_{score}": f"no_ground_points_{score}" for score in SCORES}
BEST_NVTL, MOST_ITERATIONS, MOST_PARTICLES = 4.5, 30, 100  # that the colours of markers go up to
MOST_STEPS = 15


class NodeTopics:
    """Makes the messages of one recording, scan after scan."""

    def __init__(self, make, setting):
        self._make, self._setting = make, setting
        self._markers = 0  # of the scan before

    def of(self, header, result):
        """(topic, message), in the node's order."""
        for name, message in self._of_search(header, result):
            yield ROOT + name, message
        if result.diagnostics["aligned"] is not None:  # the node is silent about a scan that it did not align
            for name, message in self._of_alignment(header, result, result.of_body(pose_of_record(result.diagnostics["aligned"]))):
                yield ROOT + name, message

    def _of_alignment(self, header, result, aligned):
        record, make = result.diagnostics, self._make
        yield from self._neighbours(header, result, aligned)
        yield "initial_pose_with_covariance", make.pose_with_covariance(header, result.predicted, np.zeros(36))
        yield from self._numbers(header, record, NUMBERS)
        if record["source"] == "aligned":  # it was accepted
            yield "pose", make.pose_stamped(header, aligned)
            yield "pose_with_covariance", make.pose_with_covariance(header, aligned, result.covariance)
        if result.iterations:
            yield "ndt_marker", self._steps(header, [result.of_body(pose) for pose in result.iterations])
        yield "initial_to_result_relative_pose", make.pose_stamped(header, np.linalg.inv(result.predicted) @ aligned)
        for name, guess in self._guesses(result):
            yield f"initial_to_result_distance{name}", make.number(FLOAT32, header, np.linalg.norm(guess[:3, 3] - aligned[:3, 3]))
        yield from self._numbers(header, record, NO_GROUND)

    def _numbers(self, header, record, keys):
        for name, key in keys.items():
            if record[key] is not None:
                yield name, self._make.number(TOPICS[ROOT + name], header, record[key])

    def _guesses(self, result):
        """The prediction, and those by the odometry's poses before and after it."""
        yield "", result.predicted
        if result.odometry is not None and result.diagnostics["predicted_by"] == "odometry":
            now, older, newer = result.odometry
            yield "_old", result.predicted @ np.linalg.inv(now) @ older
            yield "_new", result.predicted @ np.linalg.inv(now) @ newer

    def _neighbours(self, header, result, aligned):
        """The alignments that a covariance is estimated from, the pose's own first."""
        record, localizer = result.diagnostics, self._setting["localizer"]
        if record["source"] != "aligned" or localizer["covariance"] not in ("multi_ndt", "multi_ndt_score"):
            return
        if record["multi_ndt"] is not None:
            ended = [result.of_body(pose_of_record(one)) for one in record["multi_ndt"]]
            yield "multi_ndt_pose", self._make.poses(header, [aligned, *ended])
        beside = [result.of_body(_beside(pose_of_record(record["aligned"]), offset)) for offset in localizer["offsets"]]
        yield "multi_initial_pose", self._make.poses(header, [result.predicted, *beside])

    def _steps(self, header, poses):
        make = self._make
        arrows = [make.arrow(header, "result_pose_matrix_array", i, pose, (i + 1) / MOST_STEPS) for i, pose in enumerate(poses)]
        gone = [make.no_marker(header, "result_pose_matrix_array", i) for i in range(len(poses), self._markers)]
        self._markers = len(poses)
        return make.markers(arrows + gone)

    def _of_search(self, header, result):
        arrows = []
        for i, particle in enumerate(result.particles):
            shares = {"transform_probability": (particle["nvtl"] or 0) / BEST_NVTL, "iteration": particle["iterations"] / MOST_ITERATIONS,
                      "index": i / MOST_PARTICLES}  # the node calls its NVTL so, too
            for pose_name, prefix in (("initial", "guess"), ("result", "pose")):
                pose = result.of_body(pose_of_record(particle, prefix))
                arrows += [self._make.arrow(header, f"{pose_name}_pose_{name}_color_marker", i, pose, share, lifetime_s=10)
                           for name, share in shares.items()]
        if arrows:
            yield "monte_carlo_initial_pose_marker", self._make.markers(arrows)


def _beside(pose, offset):
    """The pose moved by x and y along its own axes."""
    moved = pose.copy()
    moved[:2, 3] += pose[:2, :2] @ offset
    return moved


def above_ground(points, result, setting):
    """The points of the body that are scored once more by themselves; None if this was not asked for."""
    height = setting["localizer"]["no_ground_height"]
    if height is None or result.diagnostics["no_ground_points_transform_probability"] is None:
        return None
    from_scan = result.map_from_body @ result.body_from_scan
    return points[points @ result.map_from_body[2, :3] + result.map_from_body[2, 3] - from_scan[2, 3] > height]
