"""./run localize: bags localised by one command, and MCAP read back by another library than the one that writes it."""

import json
import math
import os
import struct
import subprocess
import time
from pathlib import Path

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_JOBS_FAILED, EXIT_OK, EXIT_USAGE, bench, refusal, tum
from test_surveyed_maps import survey

ROOT = Path(__file__).resolve().parent.parent.parent
START_S = 1_600_000_000
ALIGNED = "/localization/pose_estimator/points_aligned"


@pytest.fixture(scope="session")
def extras_python():
    python = os.environ.get("NDT_EXTRAS_PYTHON")
    if not python:
        pytest.skip("skipped for want of NDT_EXTRAS_PYTHON, an interpreter with tests/requirements-extras.txt")
    if subprocess.run([python, "-c", "import rosbags"], capture_output=True).returncode:
        pytest.skip(f"skipped for want of rosbags in {python}")
    return python


def ran(python, *words):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([python, *map(str, words)], capture_output=True, text=True, env=environment)


def localize(python, *args, code=EXIT_OK):
    done = ran(python, "-m", "ndt_localize", "--bench", BENCH, *args)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="module")
def bag(town, tmp_path_factory, extras_python):
    folder = tmp_path_factory.mktemp("bag") / "drive"
    done = ran(extras_python, ROOT / "tests/cli/drive_bag.py", town, folder)
    assert done.returncode == 0, done.stderr
    return folder


def apart(first, second):
    return max(math.dist(a[1:4], b[1:4]) for a, b in zip(first, second))


def start_in(town):
    start = tum(town / "truth.tum")[0]
    return f"{start[1]},{start[2]},{start[3]},0,0,{2 * math.asin(start[6])}"


FILTERS = ["--implementation", "persistent_cpu", "--scan-voxel-leaf", "1"]


def test_a_bag_is_followed_with_its_odometry_and_its_times(town, bag, tmp_path, extras_python):
    out = tmp_path / "new" / "out"
    done = localize(extras_python, "--scans", bag, "--map", town / "map.pcd", "--out", out, "--odometry-topic", "/odom", *FILTERS,
                    "--init", start_in(town))
    assert "bag              topic /points, the only sensor_msgs/msg/PointCloud2\n" in done.stdout
    assert "scans            8 of drive: 8 ok, 0 doubtful, 0 lost\nodometry         used for 7 of 7 scans\n" in done.stdout
    got = tum(out / "poses.tum")
    assert [pose[0] for pose in got] == [START_S + 0.5 * k for k in range(8)] and apart(got, tum(town / "truth.tum")) < 0.1
    assert [path.name for path in out.parent.iterdir()] == ["out"], "the dataset of the bag is gone"


def test_a_map_in_tiles_follows_and_gives_the_poses_of_its_merged_cloud(town, bag, tmp_path, extras_python):
    tiles, merged = tmp_path / "tiles", tmp_path / "merged.pcd"
    bench("map", "cut", town / "map.pcd", "--out", tiles)
    bench("map", "merge", tiles, "--out", merged)
    base = ["--scans", bag, "--odometry-topic", "/odom", *FILTERS, "--init", start_in(town)]
    whole = localize(extras_python, *base, "--map", merged, "--out", tmp_path / "of_merged")
    for name, map, mcap in (("tiles", tiles, ["--mcap", tmp_path / "of_tiles.mcap"]), ("metadata", tiles / "pointcloud_map_metadata.yaml", [])):
        done = localize(extras_python, *base, "--map", map, "--out", tmp_path / f"of_{name}", *mcap)
        assert "they follow the vehicle" in done.stderr and "map updates      0, " in done.stdout and "map updates" not in whole.stdout
        assert (tmp_path / f"of_{name}" / "poses.tum").read_bytes() == (tmp_path / "of_merged" / "poses.tum").read_bytes()
    assert (tmp_path / "of_tiles.mcap").stat().st_size > 1000
    near = localize(extras_python, *base, "--map", tiles, "--out", tmp_path / "near", "--map-radius=50", "--lidar-radius=30", "--map-update-distance=4")
    assert "8 ok, 0 doubtful, 0 lost" in near.stdout and "map updates      0, " not in near.stdout
    (tiles / "pointcloud_map_metadata.yaml").write_text("x_resolution: 20\n")
    done = localize(extras_python, "--scans", bag, "--map", tiles, "--out", tmp_path / "none", code=EXIT_BAD_INPUT)
    assert "y_resolution is missing" in done.stderr and not (tmp_path / "none").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_map_in_laz_follows_as_its_tiles_do(town, bag, tmp_path, extras_python, monkeypatch):
    if subprocess.run([extras_python, "-c", "import laspy, lazrs"], capture_output=True).returncode != 0:
        pytest.skip("skipped for want of laspy and lazrs, as in tests/requirements-extras.txt")
    monkeypatch.setenv("NDT_CACHE", str(tmp_path / "cache"))
    bench("map", "cut", town / "map.pcd", "--out", tmp_path / "tiles")
    base = ["--scans", bag, "--odometry-topic", "/odom", *FILTERS, "--init", start_in(town), "--map-radius=50", "--lidar-radius=30"]
    for name, map in (("tiles", tmp_path / "tiles"), ("laz", survey(town / "map.pcd", tmp_path / "town.laz"))):
        assert "they follow the vehicle" in localize(extras_python, *base, "--map", map, "--out", tmp_path / f"of_{name}").stderr
    assert (tmp_path / "of_laz/poses.tum").read_bytes() == (tmp_path / "of_tiles/poses.tum").read_bytes()


def test_true_poses_of_a_bag_are_compared_with(town, bag, tmp_path, extras_python):
    done = localize(extras_python, "--scans", bag / "drive.mcap", f"--map={town / 'map.pcd'}", "--out", tmp_path / "out", *FILTERS,
                    "--odometry-topic=/odom", "--pose-topic=/gnss", "--max-scans=3")
    assert "scans            3 of drive: 3 ok" in done.stdout and "closed-loop ATE  0.0" in done.stdout


def test_a_bag_with_gnss_finds_its_own_start(town, bag, tmp_path, extras_python):
    done = localize(extras_python, "--scans", bag, "--map", town / "map.pcd", "--out", tmp_path, "--gnss-topic", "/gnss",
                    "--odometry-topic", "/odom", *FILTERS)
    assert "bag              the first scan is searched around the GNSS position nearest to it in time\n" in done.stdout
    assert "GNSS             used for 8 of 8 scans\nsearches         1 on 1 scans: 1 found a pose" in done.stdout
    assert apart(tum(tmp_path / "poses.tum"), tum(town / "truth.tum")) < 0.1


def test_one_scan_with_a_wrong_time_is_left_out(town, tmp_path, extras_python):
    back = tmp_path / "back"
    assert ran(extras_python, ROOT / "tests/cli/drive_bag.py", town, back, "back").returncode == 0
    done = localize(extras_python, "--scans", back, "--map", town / "map.pcd", "--out", tmp_path / "out", "--odometry-topic=/odom", *FILTERS)
    assert "bag              /points: 1 of 8 messages were left out, whose stamps repeat or do not fit the others" in done.stdout
    assert "7 of back: 7 ok" in done.stdout


def test_what_cannot_be_localised_is_said_and_nothing_is_left(town, bag, tmp_path, extras_python):
    cut = tmp_path / "cut.mcap"
    cut.write_bytes((bag / "drive.mcap").read_bytes()[:-1000])
    there = tmp_path / "there.mcap"
    there.write_text("mine")
    base = ["--map", town / "map.pcd", "--out", tmp_path / "out"]
    before = sorted(tmp_path.iterdir())
    for args, code, message in [
        (["--scans", cut, *base], EXIT_BAD_INPUT, f"{cut}: cannot be read as a ROS bag"),
        (["--scans", bag, "--topic", "/odom", *base], EXIT_BAD_INPUT, "/odom: is of type nav_msgs/msg/Odometry"),
        (["--scans", bag, "--out", tmp_path / "out"], EXIT_USAGE, "--map is missing"),
        (["--scans", town, "--topic", "/points", "--out", tmp_path / "out"], EXIT_USAGE, f"--topic: requires a bag; --scans is {town}"),
        (["--scans", town, "--out", tmp_path / "out", "--map-frame", "world"], EXIT_USAGE, "--map-frame: requires --mcap or --rerun"),
        (["--scans", town, "--out", tmp_path / "out", "--mcap", there], EXIT_BAD_INPUT, "there.mcap: exists; give another --mcap"),
        (["--scans", town, "--out", tmp_path / "out", "--mcap", tmp_path / "no" / "a.mcap"], EXIT_BAD_INPUT, "no: is not a folder"),
        (["--scans", bag, *base, "--rate", "2", "--init", "0,0,0,0,0,0"], EXIT_USAGE, "--rate is unused: the scans of drive have times; remove it"),
    ]:
        assert message in localize(extras_python, *args, code=code).stderr, args
        assert sorted(tmp_path.iterdir()) == before, args
    assert there.read_text() == "mine"


def test_ndt_bench_names_the_command_that_reads_bags(town, tmp_path):
    (tmp_path / "a.mcap").write_bytes(b"")
    for scans in (tmp_path, tmp_path / "a.mcap"):
        message = refusal("localize", "--scans", scans, "--map", town / "map.pcd", "--out", tmp_path / "out", code=EXIT_USAGE)
        assert f"--scans: {scans} is a ROS bag; give the same arguments to ./run localize, which reads bags" in message
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def recorded(town, tmp_path_factory, extras_python):
    """(messages by topic, folder of the localisation)"""
    if subprocess.run([extras_python, "-c", "import mcap_ros2"], capture_output=True).returncode:
        pytest.skip(f"skipped for want of mcap-ros2-support in {extras_python}")
    folder = tmp_path_factory.mktemp("mcap")
    localize(extras_python, "--scans", town, "--out", folder / "out", "--mcap", folder / "a.mcap", "--base-frame", "lidar", "--cloud-points", 500,
             "--implementation", "persistent_cpu", "--gnss", "none")
    done = ran(extras_python, ROOT / "tests/cli/read_mcap.py", folder / "a.mcap")
    assert done.returncode == 0, done.stderr
    head, *messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert head["profile"] == "ros2" and head["chunks"] > 0 and head["messages"] == len(messages)
    topics = {}
    for message in messages:
        topics.setdefault(message["topic"], []).append(message)
    return topics, folder / "out"


def position(pose):
    return [pose["position"][axis] for axis in "xyz"]


def own_statuses(diagnostics):
    """The statuses of each message that does not mirror those of Autoware."""
    arrays = (message["message"]["status"] for message in diagnostics)
    return [array for array in arrays if array[0]["hardware_id"] == "ndt-bench"]


def test_mcap_has_every_pose_at_its_time(recorded):
    topics, out = recorded
    expected = tum(out / "poses.tum")
    frames = [json.loads(line) for line in (out / "diagnostics.jsonl").read_text().splitlines()]
    assert {name: len(messages) for name, messages in topics.items() if not name.startswith("/localization/pose_estimator/")} == {
        "/tf": 16, "/localization/kinematic_state": 8, "/localization/reference_kinematic_state": 8,
        "/localization/pose_with_covariance": 8, "/localization/path": 1, "/localization/points_initial": 8,
        "/map/pointcloud_map": 1, "/diagnostics": 33}
    for k, pose in enumerate(expected):
        tf = topics["/tf"][2 * k]["message"]
        odometry, single = (topics[name][k]["message"] for name in ("/localization/kinematic_state", "/localization/pose_with_covariance"))
        assert topics["/tf"][2 * k]["time"] == round(pose[0] * 1e9)
        assert odometry["header"]["stamp"] == {"sec": int(pose[0]), "nanosec": round(pose[0] % 1 * 1e9)}
        _, predicted, found = tf["transforms"]
        names = found["header"]["frame_id"], found["child_frame_id"], predicted["child_frame_id"]
        assert names == ("map", "ndt_base_link", "lidar_predicted")
        assert [found["transform"]["translation"][axis] for axis in "xyz"] == pose[1:4] == position(single["pose"]["pose"])
        assert [found["transform"]["rotation"][axis] for axis in "xyzw"] == pytest.approx(pose[4:], abs=1e-9)
        assert [predicted["transform"]["translation"][axis] for axis in "xyz"] == frames[k]["predicted_xyz_m"]
        assert (odometry["header"]["frame_id"], odometry["child_frame_id"]) == ("map", "lidar")
        assert position(odometry["pose"]["pose"]) == pose[1:4]
        assert odometry["pose"]["covariance"] == single["pose"]["covariance"] == frames[k]["covariance"]
    path = topics["/localization/path"][0]["message"]["poses"]
    assert [position(step["pose"]) for step in path] == [pose[1:4] for pose in expected]
    speed = topics["/localization/kinematic_state"][1]["message"]["twist"]["twist"]["linear"]
    assert math.hypot(*speed.values()) == pytest.approx(math.dist(expected[0][1:4], expected[1][1:4]) / 0.5)


def test_mcap_has_clouds_in_frames_that_tf_places_and_diagnostics(recorded, town):
    topics, out = recorded
    first = (town / "scans" / "000000.pcd").read_bytes().partition(b"DATA binary\n")[2]
    for name, frame in ((ALIGNED, "ndt_base_link"), ("/localization/points_initial", "lidar_predicted")):
        cloud = topics[name][0]["message"]
        assert cloud["header"]["frame_id"] == frame and 250 <= cloud["width"] <= 500 and cloud["height"] == 1
        assert [(field["name"], field["offset"], field["datatype"]) for field in cloud["fields"]] == [("x", 0, 7), ("y", 4, 7), ("z", 8, 7)]
        assert cloud["data"]["bytes"] == cloud["row_step"] == 12 * cloud["width"]
        assert bytes(cloud["data"]["first"][:12]) == struct.pack("<3f", *struct.unpack_from("<3f", first))
    assert topics["/map/pointcloud_map"][0]["message"]["header"]["frame_id"] == "map"
    own = own_statuses(topics["/diagnostics"])
    status = own[3][0]
    values = {item["key"]: item["value"] for item in status["values"]}
    assert values["verdict"] == "ok" and values["frame"] == "3" and values["is_set_map_points"] == "true"
    assert float(values["nearest_voxel_transformation_likelihood"]) > 2
    assert len(own[3]) == 1, "no map update, no search"


def statuses(python, folder, name):
    """(status `name` of each scan in a.mcap, or None; its rows of diagnostics.jsonl)"""
    if subprocess.run([python, "-c", "import mcap_ros2"], capture_output=True).returncode:
        pytest.skip(f"skipped for want of mcap-ros2-support in {python}")
    messages = [json.loads(line) for line in ran(python, ROOT / "tests/cli/read_mcap.py", folder / "a.mcap").stdout.splitlines()[1:]]
    own = own_statuses(message for message in messages if message["topic"] == "/diagnostics")
    found = [{status["name"]: status for status in array}.get(f"localization: {name}") for array in own]
    return found, [json.loads(line) for line in (folder / "out" / "diagnostics.jsonl").read_text().splitlines()]


def text(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def same_values(status, record):
    return {item["key"]: item["value"] for item in status["values"]} == {key: text(value) for key, value in record.items()}


def test_mcap_has_the_updates_of_the_map(town, bag, tmp_path, extras_python):
    bench("map", "cut", town / "map.pcd", "--out", tmp_path / "tiles")
    localize(extras_python, "--scans", bag, "--odometry-topic", "/odom", *FILTERS, "--init", start_in(town), "--map", tmp_path / "tiles", "--map-radius=50",
             "--lidar-radius=30", "--map-update-distance=4", "--out", tmp_path / "out", "--mcap", tmp_path / "a.mcap")
    found, rows = statuses(extras_python, tmp_path, "map_update_status")
    assert len(found) == len(rows) == 8 and sum(row["map_update"] is not None for row in rows) >= 2
    for status, row in zip(found, rows):
        assert (status is None) == (row["map_update"] is None)
        assert status is None or (status["level"], status["message"]) == (0, "OK") and same_values(status, row["map_update"])


def test_mcap_has_searches_for_a_lost_pose(town, tmp_path, extras_python):
    localize(extras_python, "--scans", town, "--out", tmp_path / "out", "--mcap", tmp_path / "a.mcap", "--implementation", "persistent_cpu",
             "--init", "search", "--guess", "500,500,0,0,0,0", "--recovery-particles", 20, code=EXIT_JOBS_FAILED)
    found, rows = statuses(extras_python, tmp_path, "recovery_status")
    assert len(found) == len(rows) == 8
    for k, (status, row) in enumerate(zip(found, rows)):
        assert (status["level"], status["message"]) == (1, f"no pose found in attempt {2 * k + 2}") and same_values(status, row["recovery"])


def test_mcap_has_the_particles_of_a_search(town, tmp_path, extras_python):
    if subprocess.run([extras_python, "-c", "import mcap_ros2"], capture_output=True).returncode:
        pytest.skip(f"skipped for want of mcap-ros2-support in {extras_python}")
    localize(extras_python, "--scans", town, "--out", tmp_path / "out", "--mcap", tmp_path / "a.mcap", "--implementation", "persistent_cpu",
             "--init", "search", "--recovery-particles", 20)
    messages = [json.loads(line) for line in ran(extras_python, ROOT / "tests/cli/read_mcap.py", tmp_path / "a.mcap").stdout.splitlines()[1:]]
    arrays, clouds = ([m for m in messages if m["topic"] == f"/initial_pose/{name}"] for name in ("particles", "particle_scores"))
    searches = [json.loads(line) for line in (tmp_path / "out" / "particles.jsonl").read_text().splitlines()]
    assert len(arrays) == len(clouds) == len(searches) >= 1
    times = [pose[0] for pose in tum(tmp_path / "out" / "poses.tum")]
    for array, cloud, search in zip(arrays, clouds, searches):
        assert array["type"] == "geometry_msgs/msg/PoseArray" and array["time"] == cloud["time"] == round(times[search["frame"]] * 1e9)
        assert array["message"]["header"]["frame_id"] == cloud["message"]["header"]["frame_id"] == "map"
        particles = search["particles"]
        assert [position(pose) for pose in array["message"]["poses"]] == [particle["pose_xyz_m"] for particle in particles]
        turn, (roll, pitch, yaw) = array["message"]["poses"][0]["orientation"], particles[0]["pose_rpy_rad"]
        assert 2 * math.atan2(turn["z"], turn["w"]) == pytest.approx(yaw, abs=1e-2 + abs(roll) + abs(pitch))
        assert [field["name"] for field in cloud["message"]["fields"]] == ["x", "y", "z", "nvtl"] and cloud["message"]["width"] == len(particles)
        first = struct.pack("<4f", *particles[0]["pose_xyz_m"], particles[0]["nvtl"])
        assert bytes(cloud["message"]["data"]["first"][:16]) == first


def messages_of(python, file):
    """Returns the messages of a recording, grouped by topic."""
    if subprocess.run([python, "-c", "import mcap_ros2"], capture_output=True).returncode:
        pytest.skip(f"skipped for want of mcap-ros2-support in {python}")
    topics = {}
    for line in ran(python, ROOT / "tests/cli/read_mcap.py", file).stdout.splitlines()[1:]:
        message = json.loads(line)
        topics.setdefault(message["topic"], []).append(message["message"])
    return topics


def turned(first, second):
    """The angle between two rows of TUM."""
    return 2 * math.acos(min(1, abs(sum(a * b for a, b in zip(first[4:], second[4:])))))


def test_poses_are_moved_to_the_base_by_the_tf_of_the_bag(town, tmp_path, extras_python):
    assert ran(extras_python, ROOT / "tests/cli/drive_bag.py", town, tmp_path / "drive", "tf").returncode == 0
    truth = tum(tmp_path / "truth_base.tum")
    base = ["--scans", tmp_path / "drive", "--map", town / "map.pcd", "--out", tmp_path / "out", *FILTERS, "--init", start_in(town),
            "--odometry-topic", "/odom"]
    done = localize(extras_python, *base, "--mcap", tmp_path / "a.mcap", "--cloud-points", 10**6)
    assert ("bag              poses are moved from lidar to base_link by tf, in poses_base.tum and in recordings; 1 of 8 scans are left out, "
            "at whose times tf does not say where it is") in done.stdout
    got = tum(tmp_path / "out" / "poses_base.tum")
    assert [pose[0] for pose in got] == [START_S + 0.5 * k for k in range(7)] and apart(got, truth) < 0.1
    assert max(turned(a, b) for a, b in zip(got, truth)) < 0.01
    scanner = tum(tmp_path / "out" / "poses.tum")
    assert len(scanner) == 8 and apart(scanner, tum(town / "truth.tum")) < 0.1 and apart(scanner, got) > 1.5
    topics = messages_of(extras_python, tmp_path / "a.mcap")
    assert len(topics["/tf"]) == 2 * len(topics["/localization/kinematic_state"]) == 2 * len(topics[ALIGNED]) == 14
    for pose, tf, below, odometry in zip(got, topics["/tf"][::2], topics["/tf"][1::2], topics["/localization/kinematic_state"]):
        assert [transform["child_frame_id"] for transform in tf["transforms"]] == ["odom", "base_link_predicted", "ndt_base_link"]
        assert [(one["header"]["frame_id"], one["child_frame_id"]) for one in below["transforms"]] == [("odom", "base_link")]
        assert list(tf["transforms"][2]["transform"]["translation"].values()) == pose[1:4] == position(odometry["pose"]["pose"])
        assert odometry["child_frame_id"] == "base_link"
    first = struct.unpack_from("<3f", (town / "scans" / "000000.pcd").read_bytes().partition(b"DATA binary\n")[2])
    cloud = topics[ALIGNED][0]
    sine = 2 * 0.1 * 0.99**0.5  # of the mast's turn about y
    x, z = 0.98 * first[0] + sine * (first[2] + 0.3), -sine * first[0] + 0.98 * (first[2] + 0.3)
    assert struct.unpack_from("<3f", bytes(cloud["data"]["first"])) == pytest.approx((x + 0.5, first[1] - 0.2, z + 1.5), abs=1e-4)
    assert cloud["header"]["frame_id"] == "ndt_base_link"

    (tmp_path / "out" / "poses_base.tum").unlink()
    for words in ([], ["--base-frame", "/base_link"]):
        done = localize(extras_python, *base, *words)
        assert "poses are moved from lidar to base_link by tf, in poses_base.tum" in done.stdout, "without a recording too"
        assert tum(tmp_path / "out" / "poses_base.tum") == got
    localize(extras_python, *base, "--base-frame", "mast")
    assert 1.4 < apart(tum(tmp_path / "out" / "poses_base.tum"), got) < 1.8

    done = localize(extras_python, *base, "--base-frame", "lidar")
    assert "poses are moved" not in done.stdout and not (tmp_path / "out" / "poses_base.tum").exists()


@pytest.mark.parametrize("kind, words", [("livox", []), ("three", ["--topic", "/points,/left,/right"])])
def test_livox_and_three_lidars_are_localised_by_one_command(town, tmp_path, extras_python, kind, words):
    assert ran(extras_python, ROOT / "tests/cli/drive_bag.py", town, tmp_path / "drive", kind).returncode == 0
    done = localize(extras_python, "--scans", tmp_path / "drive", "--map", town / "map.pcd", "--out", tmp_path / "out", *FILTERS, "--init",
                    start_in(town), "--odometry-topic", "/odom", *words)
    if kind == "livox":
        assert "bag              topic /points, the only livox_ros_driver2/msg/CustomMsg\n" in done.stdout
        assert "deskewed         8 of 8 scans with times of points" in done.stdout
    for name in ("left", "right") if kind == "three" else ():
        assert f"bag              /{name}: joined 8 of 8 scans\n" in done.stdout
    assert "8 ok, 0 doubtful, 0 lost" in done.stdout
    got, truth = tum(tmp_path / "out" / "poses_base.tum"), tum(tmp_path / "truth_base.tum")
    assert [pose[0] for pose in got] == [pose[0] for pose in truth] == [START_S + 0.5 * k for k in range(8)]
    assert apart(got, truth) < 0.1 and max(turned(a, b) for a, b in zip(got, truth)) < 0.01


def test_without_tf_the_frame_of_the_clouds_is_recorded(town, bag, tmp_path, extras_python):
    base = ["--scans", bag, "--map", town / "map.pcd", "--out", tmp_path / "out", *FILTERS, "--init", start_in(town), "--max-scans", 2]
    for name, words in (("lidar", []), ("vehicle", ["--base-frame", "vehicle"])):
        done = localize(extras_python, *base, "--mcap", tmp_path / f"{name}.mcap", *words)
        assert f"poses are the scanner's, called {name}\n" in done.stdout
        topics = messages_of(extras_python, tmp_path / f"{name}.mcap")
        assert topics["/tf"][0]["transforms"][0]["child_frame_id"] == topics["/localization/kinematic_state"][0]["child_frame_id"] == name
        assert position(topics["/localization/kinematic_state"][1]["pose"]["pose"]) == tum(tmp_path / "out" / "poses.tum")[1][1:4]
        assert not (tmp_path / "out" / "poses_base.tum").exists()


def test_a_signal_ends_the_localisation_in_order(town, bag, tmp_path, extras_python):
    program = tmp_path / "bench"
    program.write_text(f"#!/bin/sh\ntrap 'echo told > {tmp_path}/told; exit 3' TERM\necho $$ > {tmp_path}/begun\nwhile :; do sleep 0.05; done\n")
    program.chmod(0o755)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"}
    words = ["--bench", program, "--scans", bag, "--map", town / "map.pcd", "--out", tmp_path / "out"]
    process = subprocess.Popen([extras_python, "-m", "ndt_localize", *words], env=environment, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not (tmp_path / "begun").exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert len(list(tmp_path.glob(".out.*"))) == 1
    process.terminate()
    assert process.wait(60) == 143 and (tmp_path / "told").exists() and not list(tmp_path.glob(".*"))


def test_what_ends_lost_is_exported_too(town, tmp_path, extras_python):
    localize(extras_python, "--scans", town, "--out", tmp_path / "out", "--mcap", tmp_path / "a.mcap", "--init", "500,500,0,0,0,0",
             "--recovery-particles", 0, "--implementation", "persistent_cpu", code=EXIT_JOBS_FAILED)
    assert (tmp_path / "a.mcap").stat().st_size > 1000
    if subprocess.run([extras_python, "-c", "import mcap_ros2"], capture_output=True).returncode == 0:
        done = ran(extras_python, ROOT / "tests/cli/read_mcap.py", tmp_path / "a.mcap")
        topics = [json.loads(line).get("topic") for line in done.stdout.splitlines()]
        assert topics.count("/localization/kinematic_state") == 8
        assert "/localization/pose_with_covariance" not in topics, "predicted poses have none"


def test_rerun_has_poses_and_clouds_or_says_how_to_get_it(town, tmp_path, extras_python):
    base = ["--scans", town, "--out", tmp_path / "out", "--rerun", tmp_path / "a.rrd", "--implementation", "persistent_cpu"]
    if subprocess.run([extras_python, "-c", "import rerun"], capture_output=True).returncode:
        message = localize(extras_python, *base, code=EXIT_BAD_INPUT).stderr
        assert f"--rerun: needs the Python package rerun-sdk; {extras_python} -m pip install rerun-sdk" in message
        assert not any(tmp_path.iterdir())
        return
    localize(extras_python, *base)
    program, home = Path(extras_python).parent / "rerun", os.environ | {"HOME": str(tmp_path)}  # its first session there sends no usage data
    subprocess.run([program, "rrd", "verify", tmp_path / "a.rrd"], capture_output=True, check=True, env=home)
    text = subprocess.run([program, "rrd", "print", tmp_path / "a.rrd"], capture_output=True, text=True, env=home).stdout
    for entity in ("/map/path", "/map/points", "/map/base_link", "/map/base_link/points", "/map/base_link_predicted/points",
                   "/diagnostics/transform_probability"):
        assert entity in text, text


def test_a_page_shows_the_drive_or_says_how_to_get_it(town, tmp_path, extras_python):
    base = ["--scans", town, "--out", tmp_path / "out", "--view", tmp_path / "a.html", "--implementation", "persistent_cpu"]
    if subprocess.run([extras_python, "-c", "import plotly"], capture_output=True).returncode:
        message = localize(extras_python, *base, code=EXIT_BAD_INPUT).stderr
        assert f"--view: needs the Python package plotly; {extras_python} -m pip install plotly" in message
        assert not any(tmp_path.iterdir())
        return
    said = localize(extras_python, *base).stdout
    assert "MiB: 8 poses: 8 ok; at most " in said and not (tmp_path / "out" / "particles.jsonl").exists()
    assert "ok (8)" in (tmp_path / "a.html").read_text()
    assert "a.html: exists; give another --view" in localize(extras_python, *base, code=EXIT_BAD_INPUT).stderr
    words = ["--scans", town, "--out", tmp_path / "other", "--open"]
    assert "--open: requires --view" in localize(extras_python, *words, code=EXIT_USAGE).stderr


def test_without_a_bag_or_mcap_it_is_ndt_bench(town, tmp_path, extras_python):
    done = localize(extras_python, "--scans", town, "--out", tmp_path, "--implementation=persistent_cpu")
    assert "8 of town_small: 8 ok" in done.stdout
    assert "--mcap FILE" in (text := localize(extras_python, "--help").stdout) and "--lost-after" in text
