"""./run localize --mcap as Autoware's node ndt_scan_matcher would be recorded: its topics, statuses and frames, read by another library
than the one that writes them."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from conftest import EXIT_USAGE, bench, refusal
from test_localize_bags import FILTERS, ROOT, bag, extras_python, localize, ran, start_in  # noqa: F401  # fixtures are found by their names

sys.path.insert(0, str(ROOT / "datasets"))
results = pytest.importorskip("ndt_localize.results", reason="skipped for want of numpy")
node_topics = pytest.importorskip("ndt_localize.node_topics")

ESTIMATOR = "/localization/pose_estimator/"
FLOAT32, INT32 = "autoware_internal_debug_msgs/msg/Float32Stamped", "autoware_internal_debug_msgs/msg/Int32Stamped"
# Definitions of autoware_internal_debug_msgs 1.12.1, autowarefoundation/autoware_internal_msgs at 1856e5b2172b0e4c1fb53b3baf8365d6a773007.
DEFINITIONS = {FLOAT32: "builtin_interfaces/Time stamp\nfloat32 data\n", INT32: "builtin_interfaces/Time stamp\nint32 data\n"}
# Subscriptions of the localization evaluator of tier4/driving_log_replayer_v2 at 38d08c178663a28a558158797fa323544de53602, and the
# trajectories that the evaluation scripts of autowarefoundation/autoware_tools compare.
EVALUATED = {ESTIMATOR + "transform_probability": FLOAT32, ESTIMATOR + "nearest_voxel_transformation_likelihood": FLOAT32,
             ESTIMATOR + "initial_to_result_relative_pose": "geometry_msgs/msg/PoseStamped", ESTIMATOR + "exe_time_ms": FLOAT32,
             ESTIMATOR + "iteration_num": INT32, "/diagnostics": "diagnostic_msgs/msg/DiagnosticArray", "/tf": "tf2_msgs/msg/TFMessage",
             ESTIMATOR + "pose_with_covariance": "geometry_msgs/msg/PoseWithCovarianceStamped",
             "/localization/kinematic_state": "nav_msgs/msg/Odometry", "/localization/reference_kinematic_state": "nav_msgs/msg/Odometry"}
AVAILABILITY = "topic_state_monitor_ndt_scan_matcher_exe_time: localization_topic_status"
# Publishers of autoware_ndt_scan_matcher, autowarefoundation/autoware_core at 2d693b8229147fc81ce4807e630b5bcb7ac625a4.
NODE = {"points_aligned": "sensor_msgs/msg/PointCloud2", "points_aligned_no_ground": "sensor_msgs/msg/PointCloud2",
        "pose": "geometry_msgs/msg/PoseStamped", "initial_pose_with_covariance": "geometry_msgs/msg/PoseWithCovarianceStamped",
        "multi_ndt_pose": "geometry_msgs/msg/PoseArray", "multi_initial_pose": "geometry_msgs/msg/PoseArray",
        "no_ground_transform_probability": FLOAT32, "no_ground_nearest_voxel_transformation_likelihood": FLOAT32,
        "initial_to_result_distance": FLOAT32, "initial_to_result_distance_old": FLOAT32, "initial_to_result_distance_new": FLOAT32,
        "ndt_marker": "visualization_msgs/msg/MarkerArray", "monte_carlo_initial_pose_marker": "visualization_msgs/msg/MarkerArray"}
STATUSES = ["initial_pose_subscriber", "map_update", "ndt_align_service", "regularization_pose_subscriber", "scan_matching",
            "trigger_node_service"]
KEYS = {
    "scan_matching": {"topic_time_stamp", "sensor_points_size", "is_succeed_transform_sensor_points", "sensor_points_max_distance",
                      "is_activated", "is_succeed_interpolate_initial_pose", "is_set_map_points", "iteration_num",
                      "local_optimal_solution_oscillation_num", "transform_probability", "transform_probability_before",
                      "nearest_voxel_transformation_likelihood", "nearest_voxel_transformation_likelihood_before",
                      "nearest_voxel_transformation_likelihood_diff", "distance_initial_to_result", "execution_time",
                      "skipping_publish_num"},
    "initial_pose_subscriber": {"topic_time_stamp", "is_activated", "is_expected_frame_id"},
    "regularization_pose_subscriber": {"topic_time_stamp"},
    "trigger_node_service": {"service_call_time_stamp", "is_activated", "is_succeed_service"},
    "ndt_align_service": {"service_call_time_stamp", "is_succeed_transform_initial_pose", "is_set_map_points", "is_set_sensor_points",
                          "best_particle_score", "is_succeed_service"},
    "map_update": {"timer_callback_time_stamp", "is_activated", "is_set_last_update_position",
                   "distance_last_update_position_to_current_position"}}
OF_UPDATE = {"is_need_rebuild", "maps_size_before", "is_succeed_call_pcd_loader", "maps_to_add_size", "maps_to_remove_size",
             "map_update_execution_time", "maps_size_after", "is_updated_map"}


class Recording:
    def __init__(self, python, folder):
        if subprocess.run([python, "-c", "import mcap_ros2"], capture_output=True).returncode:
            pytest.skip(f"skipped for want of mcap-ros2-support in {python}")
        lines = ran(python, ROOT / "tests/cli/read_mcap.py", folder / "a.mcap").stdout.splitlines()[1:]
        self.all = [json.loads(line) for line in lines]
        self.types = {message["topic"]: message["type"] for message in self.all}
        self.rows = results.read(folder / "out")
        self.records = [row.diagnostics for row in self.rows]

    def __getitem__(self, topic):
        return [message["message"] for message in self.all if message["topic"] == topic]

    def of(self, name):
        return self[ESTIMATOR + name]

    def statuses(self, name):
        arrays = self["/diagnostics"]
        return [array["status"][0] for array in arrays if array["status"][0]["name"] == name]

    def node_statuses(self, name):
        return self.statuses(f"ndt_scan_matcher: {name}_status")


def values(status):
    return {item["key"]: item["value"] for item in status["values"]}


def matrix(pose, place="position", turn="orientation"):
    x, y, z, w = (pose[turn][axis] for axis in "xyzw")
    found = np.eye(4)
    found[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    found[:3, 3] = [pose[place][axis] for axis in "xyz"]
    return found


def near(a, b):
    return np.allclose(a, b, atol=1e-6)


@pytest.fixture(scope="module")
def whole(town, bag, tmp_path_factory, extras_python):  # noqa: F811
    """A bag with odometry and GNSS, followed with all that the node can do."""
    folder = tmp_path_factory.mktemp("node")
    bench("map", "cut", town / "map.pcd", "--out", folder / "tiles")
    localize(extras_python, "--scans", bag, "--map", folder / "tiles", "--out", folder / "out", "--mcap", folder / "a.mcap", *FILTERS,
             "--odometry-topic", "/odom", "--gnss-topic", "/gnss", "--init", "search", "--guess", start_in(town),
             "--recovery-particles", 20, "--covariance", "multi_ndt", "--no-ground-height", -1, "--debug-iterations",
             "--map-radius=50", "--lidar-radius=30", "--map-update-distance=4")
    return Recording(extras_python, folder)


@pytest.fixture(scope="module")
def plain(town, tmp_path_factory, extras_python):  # noqa: F811
    """A dataset with a truth and odometry."""
    folder = tmp_path_factory.mktemp("plain")
    localize(extras_python, "--scans", town, "--out", folder / "out", "--mcap", folder / "a.mcap", "--implementation", "persistent_cpu",
             "--gnss", "none", "--critical-ms", 1e-6)
    return Recording(extras_python, folder)


def test_definitions_are_those_of_autoware(whole):
    assert node_topics.DEFINITIONS == DEFINITIONS
    for name in ("exe_time_ms", "iteration_num"):
        assert list(whole.of(name)[0]) == ["stamp", "data"]


def test_the_topics_that_autoware_evaluates_are_there(plain):
    assert {topic: plain.types.get(topic) for topic in EVALUATED} == EVALUATED
    for topic in EVALUATED:
        assert len(plain[topic]) >= 8, topic
    # The evaluator takes the newest numbers when a relative pose comes.
    order = [message["topic"].removeprefix(ESTIMATOR) for message in plain.all]
    assert order.index("/tf") < order.index("exe_time_ms") < order.index("iteration_num") < order.index("initial_to_result_relative_pose")
    assert [values(status)["status"] for status in plain.statuses(AVAILABILITY)] == ["OK"] + 7 * ["WarnRate"], "2 scans a second"


def test_all_topics_of_the_node_are_there(whole):
    assert {name: whole.types.get(ESTIMATOR + name) for name in NODE} == NODE
    assert all(kind == whole.types[topic] for topic, kind in node_topics.TOPICS.items() if topic in whole.types)


def test_numbers_are_those_of_the_alignments(whole):
    aligned = [record for record in whole.records if record["aligned"] is not None]
    assert len(aligned) == 7, "the first is only searched"
    for name, key in (("exe_time_ms", "execution_time"), ("iteration_num", "iteration_num"),
                      *((score, score) for score in ("transform_probability", "nearest_voxel_transformation_likelihood")),
                      ("initial_to_result_distance", "distance_initial_to_result"),
                      ("no_ground_transform_probability", "no_ground_points_transform_probability"),
                      ("no_ground_nearest_voxel_transformation_likelihood", "no_ground_points_nearest_voxel_transformation_likelihood")):
        assert [message["data"] for message in whole.of(name)] == pytest.approx([record[key] for record in aligned], rel=1e-6), name
    for record, message in zip(aligned, whole.of("exe_time_ms")):
        assert message["stamp"]["sec"] + message["stamp"]["nanosec"] * 1e-9 == record["topic_time_stamp"]


def test_poses_are_those_of_the_alignments(whole):
    rows = [row for row in whole.rows if row.diagnostics["aligned"] is not None]
    for row, relative, pose, guess, several, guesses in zip(rows, *map(whole.of, (
            "initial_to_result_relative_pose", "pose", "initial_pose_with_covariance", "multi_ndt_pose", "multi_initial_pose"))):
        assert near(row.predicted @ matrix(relative["pose"]), row.map_from_body) and near(matrix(pose["pose"]), row.map_from_body)
        assert near(matrix(guess["pose"]["pose"]), row.predicted)
        ended, began = [matrix(one) for one in several["poses"]], [matrix(one) for one in guesses["poses"]]
        assert len(ended) == len(began) == 7 and near(ended[0], row.map_from_body) and near(began[0], row.predicted)
        away = np.linalg.norm([one[:3, 3] - row.map_from_body[:3, 3] for one in began[1:]], axis=1)
        assert away == pytest.approx([0.5] * 4 + [1] * 2, abs=0.02), "a tilt shortens them"
        assert 0 < np.linalg.norm(np.ptp([one[:3, 3] for one in ended], axis=0)) < 0.2, "they come back, each in its own way"


def test_distances_to_both_poses_of_the_odometry_are_told(whole):
    rows = [row for row in whole.rows if row.diagnostics["predicted_by"] == "odometry"]
    assert len(rows) == len(whole.of("initial_to_result_distance_old")) == len(whole.of("initial_to_result_distance_new")) == 7
    for row, old in zip(rows, whole.of("initial_to_result_distance_old")):
        now, older, _ = row.odometry
        guess = row.predicted @ np.linalg.inv(now) @ older
        assert old["data"] == pytest.approx(np.linalg.norm(guess[:3, 3] - row.map_from_body[:3, 3]), abs=1e-6)


def test_markers_show_iterations_and_particles(whole):
    rows = [row for row in whole.rows if row.iterations]
    assert len(rows) == len(whole.of("ndt_marker")) == 7
    before = 0
    for row, message in zip(rows, whole.of("ndt_marker")):
        added = [marker for marker in message["markers"] if marker["action"] == 0]
        assert [marker["id"] for marker in added] == list(range(len(row.iterations))) and near(matrix(added[-1]["pose"]), row.map_from_body)
        assert [marker["id"] for marker in message["markers"] if marker["action"] == 2] == list(range(len(added), before))
        assert {marker["ns"] for marker in added} == {"result_pose_matrix_array"}
        assert {marker["header"]["frame_id"] for marker in added} == {"map"}
        before = len(added)
    (search,) = whole.of("monte_carlo_initial_pose_marker")
    particles = whole.rows[0].particles
    colours = ("transform_probability", "iteration", "index")
    names = {f"{which}_pose_{what}_color_marker" for which in ("initial", "result") for what in colours}
    assert {marker["ns"] for marker in search["markers"]} == names and len(search["markers"]) == 6 * len(particles)
    for which, prefix in (("initial", "guess"), ("result", "pose")):
        arrows = [marker for marker in search["markers"] if marker["ns"] == f"{which}_pose_index_color_marker"]
        assert all(near(matrix(arrow["pose"]), results.pose_of_record(particle, prefix)) for arrow, particle in zip(arrows, particles))


def test_points_above_the_ground_are_some_of_the_aligned(whole):
    clouds = zip(whole.of("points_aligned"), whole.of("points_aligned_no_ground"))
    assert len(whole.of("points_aligned")) == 8 and len(whole.of("points_aligned_no_ground")) == 7
    assert all(0 < above["width"] < cloud["width"] and above["header"]["frame_id"] == "ndt_base_link" for cloud, above in clouds)


def test_tf_is_a_tree_with_map_odom_and_base(whole):
    assert len(whole["/tf"]) == 2 * 8
    for row, upper, lower in zip(whole.rows, whole["/tf"][::2], whole["/tf"][1::2]):
        transforms = {one["child_frame_id"]: one for one in upper["transforms"] + lower["transforms"]}
        assert len(transforms) == len(upper["transforms"]) + len(lower["transforms"]), "a frame has one parent"
        assert {name: one["header"]["frame_id"] for name, one in transforms.items()} == {
            "odom": "map", "ndt_base_link": "map", "lidar_predicted": "map", "lidar": "odom"}
        poses = {name: matrix(one["transform"], "translation", "rotation") for name, one in transforms.items()}
        assert near(poses["odom"] @ poses["lidar"], row.map_from_body) and near(poses["ndt_base_link"], row.map_from_body)
        assert near(poses["lidar"], row.odometry[0])


def test_without_odometry_the_base_hangs_on_the_map(town, tmp_path, extras_python):  # noqa: F811
    localize(extras_python, "--scans", town, "--out", tmp_path / "out", "--mcap", tmp_path / "a.mcap", "--implementation", "persistent_cpu",
             "--prediction", "constant_velocity")
    plain = Recording(extras_python, tmp_path)
    assert len(plain["/tf"]) == 8 and not plain.of("initial_to_result_distance_old")
    for row, message in zip(plain.rows, plain["/tf"]):
        parents = {one["child_frame_id"]: one["header"]["frame_id"] for one in message["transforms"]}
        assert parents == {"base_link": "map", "ndt_base_link": "map", "base_link_predicted": "map"}
        assert near(matrix(message["transforms"][0]["transform"], "translation", "rotation"), row.map_from_body)


def test_the_six_statuses_have_the_names_and_keys_of_the_node(whole):
    of_node = [array["status"] for array in whole["/diagnostics"] if array["status"][0]["hardware_id"] == "ndt_scan_matcher"]
    assert {len(status) for status in of_node} == {1}, "readers look at the first status of a message"
    assert {status[0]["name"] for status in of_node} == {f"ndt_scan_matcher: {name}_status" for name in STATUSES}
    for name, keys in KEYS.items():
        found = whole.node_statuses(name)
        assert all(status["message"] == "OK" for status in found if status["level"] == 0)
        assert set(values(found[-1])) - (OF_UPDATE if name == "map_update" else set()) == keys, name
    counts = {name: len(whole.node_statuses(name)) for name in STATUSES}
    updates = sum(record["map_update"] is not None for record in whole.records)
    assert counts == {"initial_pose_subscriber": 8, "scan_matching": 8, "regularization_pose_subscriber": 8, "trigger_node_service": 1,
                      "ndt_align_service": 1, "map_update": counts["map_update"]} and updates <= counts["map_update"] <= 8
    scan = values(whole.node_statuses("scan_matching")[3])
    assert scan["is_activated"] == "True" and int(scan["topic_time_stamp"]) == round(whole.records[3]["topic_time_stamp"] * 1e9)
    assert all(math.isfinite(float(value)) for value in scan.values() if value not in ("True", "False"))


def test_updates_of_the_map_are_told_as_by_the_node(whole):
    told = [values(status) for status in whole.node_statuses("map_update") if OF_UPDATE <= set(values(status))]
    updates = [record["map_update"] for record in whole.records if record["map_update"] is not None]
    assert len(told) == len(updates) >= 2
    for status, update in zip(told, updates):
        assert int(status["maps_size_after"]) == int(status["maps_size_before"]) + update["added"] - update["removed"] == update["tiles"]
        assert status["is_succeed_call_pcd_loader"] == "True" and float(status["distance_last_update_position_to_current_position"]) >= 4


def test_levels_are_those_of_the_node(plain, town, tmp_path, extras_python):  # noqa: F811
    for status, record in zip(plain.node_statuses("scan_matching"), plain.records):
        assert (status["level"], status["message"]) == (1, f"it took {record['execution_time']} ms")
    localize(extras_python, "--scans", town, "--out", tmp_path / "out", "--mcap", tmp_path / "a.mcap", "--implementation", "persistent_cpu",
             "--gnss", "none", "--least-score", 100, "--lost-after", 3, "--recovery-particles", 0, "--critical-ms", 1e6, code=4)
    lost = Recording(extras_python, tmp_path)
    messages = [status["message"] for status in lost.node_statuses("scan_matching")]
    assert [status["level"] for status in lost.node_statuses("scan_matching")] == 8 * [1], "the node warns; it has no pose that is lost"
    assert all("is not above 100" in message for message in messages)
    assert ["scans in a row were rejected" in message for message in messages] == [k >= 2 for k in range(8)]
    assert not lost.of("pose") and len(lost.of("initial_to_result_relative_pose")) == 8, "rejected poses are not published, their way is"


def test_a_search_that_finds_nothing_is_a_warning_and_the_node_is_not_available(town, tmp_path, extras_python):  # noqa: F811
    localize(extras_python, "--scans", town, "--out", tmp_path / "out", "--mcap", tmp_path / "a.mcap", "--implementation", "persistent_cpu",
             "--init", "search", "--guess", "500,500,0,0,0,0", "--recovery-particles", 20, code=4)
    lost = Recording(extras_python, tmp_path)
    found = lost.node_statuses("ndt_align_service")
    assert [(status["level"], values(status)["is_succeed_service"]) for status in found] == 8 * [(1, "False")]
    assert [values(status)["status"] for status in lost.statuses(AVAILABILITY)] == 8 * ["NotReceived"]


def test_points_that_come_late_are_a_warning(town, tmp_path, extras_python):  # noqa: F811
    base = ["localize", "--scans", town, "--out", tmp_path / "out", "--implementation", "persistent_cpu"]
    assert "--points-timeout requires --real-time" in refusal(*base, "--points-timeout", 1, code=EXIT_USAGE)
    assert "--points-timeout = 0: must be above 0" in refusal(*base, "--real-time", "--points-timeout", 0, code=EXIT_USAGE)
    localize(extras_python, *base[1:], "--mcap", tmp_path / "a.mcap", "--real-time", "--speed", 1000, "--points-timeout", 1e-6,
             "--critical-ms", 1e6)
    late = Recording(extras_python, tmp_path)
    for record, status in zip(late.records, late.node_statuses("scan_matching")):
        waited = record["sensor_points_delay_time_sec"]
        assert values(status)["sensor_points_delay_time_sec"] == str(waited)
        assert any("the scan waited" in message for message in record["messages"]) == (waited > 1e-6) == ("too late" in status["message"])
    assert late.records[-1]["sensor_points_delay_time_sec"] > 1e-6 and late.records[-1]["level"] == "WARN"


def test_frames_come_from_the_parameter_file_unless_they_are_given(town, tmp_path, extras_python):  # noqa: F811
    if "built in" not in next(line for line in bench("doctor").stdout.splitlines() if line.startswith("yaml-cpp")):
        pytest.skip("built without yaml-cpp")
    file = tmp_path / "node.yaml"
    file.write_text('/**:\n  ros__parameters:\n    frame: {base_frame: "car", ndt_base_frame: ndt_car, map_frame: "/world"}\n'
                    '    sensor_points: {timeout_sec: 2.5}\n')
    base = ["--scans", town, "--out", tmp_path / "out", "--implementation", "persistent_cpu", "--prediction", "constant_velocity",
            "--autoware-params", file, "--mcap", tmp_path / "a.mcap"]
    for words, names in (([], ("world", "car", "ndt_car")), (["--map-frame", "earth", "--base-frame", "bus"], ("earth", "bus", "ndt_car"))):
        done = localize(extras_python, *base, *words)
        assert "  took     frame.map_frame = /world: frames of ./run localize --mcap\n" in done.stderr
        assert "  took     sensor_points.timeout_sec = 2.5: --points-timeout\n" in done.stderr
        recording = Recording(extras_python, tmp_path)
        tf, state = recording["/tf"][0]["transforms"], recording["/localization/kinematic_state"][0]
        assert (tf[0]["header"]["frame_id"], tf[0]["child_frame_id"], tf[2]["child_frame_id"]) == names
        assert (state["header"]["frame_id"], state["child_frame_id"]) == names[:2]
        (tmp_path / "a.mcap").unlink()
    assert json.loads((tmp_path / "out" / "localization.json").read_text())["points_timeout_s"] == 2.5
    file.write_text("/**:\n  ros__parameters:\n    frame: {map_frame: [a, b]}\n")
    assert "frame.map_frame = [a, b]: is no name; give one name" in localize(extras_python, *base, code=2).stderr
