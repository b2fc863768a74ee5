"""ROS bags to dataset folders; everything here needs the interpreter that NDT_EXTRAS_PYTHON names."""

import shutil
import subprocess
import sys

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, ROOT, convert, description, np, pcd_points, with_times, write_tum

START_S = 1_600_000_000
KITTI_START_S = 1317617735
REAL_BAGS = ["kitti00_sqlite3", "kitti00_mcap", "kitti00_zstd.mcap", "kitti00_lz4.mcap", "kitti00_unchunked.mcap",
             "kitti00_sqlite3/kitti00_sqlite3_0.db3", "kitti00_mcap/kitti00_mcap_0.mcap"]


def written(python, tmp_path, *args):
    """A bag made by write_bag.py."""
    out = tmp_path / ("bag.bag" if args[0] == "ros1" else "bag")
    done = subprocess.run([python, ROOT / "tests/datasets/write_bag.py", args[0], out, *args[1:]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.parametrize("name", REAL_BAGS)
def test_every_container_gives_the_same_clouds_bit_for_bit(tmp_path, extras_python, datasets, name):
    said = convert(datasets / "bags" / name, "--out", tmp_path / "out", python=extras_python)
    assert "topic /points, the only sensor_msgs/msg/PointCloud2" in said and "6 scans" in said
    assert sorted(p.name for p in (tmp_path / "out" / "scans").iterdir()) == [f"{i:06d}.pcd" for i in range(6)]
    for i in range(6):
        scan = np.fromfile(datasets / "kitti00" / "scans" / f"{i:06d}.bin", dtype="<f4").reshape(-1, 4)
        assert pcd_points(tmp_path / "out" / "scans" / f"{i:06d}.pcd").tobytes() == scan[::8, :3].tobytes()
    table = description(tmp_path / "out")
    assert table["kind"] == "sequence" and table["scans"] == ["scans/*.pcd"] and "truth" not in table


def test_poses_of_another_clock_are_shifted_and_a_map_is_built(tmp_path, extras_python, datasets):
    poses = datasets / "kitti00" / "poses_scanmatch.tum"
    bag = datasets / "bags" / "kitti00_mcap"
    said = convert(bag, "--poses", poses, "--time-offset", KITTI_START_S, "--build-map", "even", "--out", tmp_path / "out", python=extras_python)
    assert "map of 3 scans" in said and description(tmp_path / "out")["frames"] == {"first": 1, "step": 2}
    got, given = np.loadtxt(tmp_path / "out" / "poses.tum"), np.loadtxt(poses)[:6]
    assert np.abs(got[:, 0] - KITTI_START_S - given[:, 0]).max() < 1e-6 and np.abs(got[:, 1:] - given[:, 1:]).max() < 1e-5
    message = convert(bag, "--poses", poses, "--out", tmp_path / "other", code=EXIT_BAD_INPUT, python=extras_python)
    assert "cover no scan" in message and "--time-offset" in message


def test_raw_packets_are_refused_with_what_to_do(tmp_path, extras_python, datasets):
    message = convert(datasets / "bags" / "vlp16_packets", "--out", tmp_path / "out", code=EXIT_BAD_INPUT, python=extras_python)
    assert ("no topic of type sensor_msgs/msg/PointCloud2; its topics are /velodyne_packets (velodyne_msgs/msg/VelodyneScan); these are raw "
            "packets of the sensor: play the bag through its driver and record the sensor_msgs/msg/PointCloud2") in message
    message = convert(datasets / "bags" / "vlp16_packets", "--topic", "/velodyne_packets", "--out", tmp_path / "out", code=EXIT_BAD_INPUT,
                      python=extras_python)
    assert "/velodyne_packets: is of type velodyne_msgs/msg/VelodyneScan, not sensor_msgs/msg/PointCloud2; these are raw packets" in message
    assert not (tmp_path / "out").exists()


def test_a_recorded_message_with_points_of_26_bytes_is_decoded(tmp_path, extras_python, datasets):
    raw = datasets / "bags" / "pointcloud2_cdr.bin"
    said = convert(written(extras_python, tmp_path, "raw", raw), "--receive-time", "--out", tmp_path / "out", python=extras_python)
    assert "left out 7 % of the points as no returns: 9,156 zero" in said
    data = raw.read_bytes()
    points = 64000
    start = data.index(np.array([points * 26] * 2, "<u4").tobytes()) + 8  # row_step, length of data
    layout = np.dtype({"names": [*"xyz", "timestamp"], "formats": [*["<f4"] * 3, "<f8"], "offsets": [0, 4, 8, 18], "itemsize": 26})
    records = np.frombuffer(data, layout, count=points, offset=start)
    expected = np.stack([records[axis] for axis in "xyz"], axis=1)
    kept = np.isfinite(expected).all(axis=1) & expected.any(axis=1)
    seconds = records["timestamp"][kept] - 1714506077.250967979  # the header's stamp, with --receive-time too
    assert kept.sum() > 10000 and seconds.max() == pytest.approx(0.0498, abs=1e-4)
    for name in ("000000.pcd", "000001.pcd"):
        points, times = with_times(tmp_path / "out" / "scans" / name)
        assert points == expected[kept].tolist() and times == pytest.approx(seconds, abs=1e-6)


def test_a_ros1_bag_gives_its_largest_topic_with_odometry_as_truth(tmp_path, extras_python):
    bag = written(extras_python, tmp_path, "ros1")
    said = convert(bag, "--pose-topic", "/odom", "--truth-quality", "odometry", "--out", tmp_path / "out", python=extras_python)
    assert "topic /lidar/top, the largest sensor_msgs/msg/PointCloud2; choose another with --topic: /lidar/front" in said
    assert "107 points that are not finite were dropped" in said and "1 messages without a finite point were left out" in said
    scans = [pcd_points(tmp_path / "out" / "scans" / f"{i:06d}.pcd") for i in range(4)]
    assert [(len(scan), float(scan[0, 0])) for scan in scans] == [(99, 0), (99, 1), (98, 2), (96, 4)]  # without the one at 0 0 0
    rows = np.loadtxt(tmp_path / "out" / "poses.tum")  # odometry 0.05 s before and after each scan, 2 m apart
    expected = np.array([[START_S + i / 10, 2 * i, 0, 0, 0, 0, 0, 1] for i in (0, 1, 2, 4)])
    assert rows == pytest.approx(expected, abs=1e-5)  # times near 1.6e9 s are spaced by 2.4e-7 s
    assert description(tmp_path / "out")["truth"]["quality"] == "odometry"

    said = convert(bag, "--topic", "/lidar/front", "--every", 2, "--max-scans", 2, "--out", tmp_path / "front", python=extras_python)
    assert " topic /lidar" not in said and "2 scans" in said
    assert pcd_points(tmp_path / "front" / "scans" / "000001.pcd")[0].tolist() == [2, 0, 0]


def test_topics_that_cannot_be_used_are_named(tmp_path, extras_python):
    bag = written(extras_python, tmp_path, "ros1")
    for args, code, message in [
        (["--topic", "/points"], EXIT_USAGE, "unknown topic /points; choose from /lidar/front, /lidar/top, /odom"),
        (["--topic", "/odom"], EXIT_BAD_INPUT, "/odom: is of type nav_msgs/msg/Odometry, not sensor_msgs/msg/PointCloud2; record a"),
        (["--pose-topic", "/lidar/top"], EXIT_BAD_INPUT, "/lidar/top: is of type sensor_msgs/msg/PointCloud2; poses can be read from nav_msgs"),
        (["--pose-topic", "/tf"], EXIT_USAGE, "unknown topic /tf"),
        (["--stamps", write_tum(tmp_path / "times", [(0, 0, 0)])], EXIT_USAGE, "a bag has times of its own; leave out --stamps"),
        (["--poses", write_tum(tmp_path / "poses", [(0, 0, 0)] * 3)], EXIT_BAD_INPUT, "cover no scan"),
    ]:
        assert message in convert(bag, *args, "--out", tmp_path / "out", code=code, python=extras_python), args


def test_other_sensors_and_tf_survive(tmp_path, extras_python):
    bag = written(extras_python, tmp_path, "sensors")
    said = convert(bag, "--odometry-topic", "/odom", "--gnss-topic", "/fix", "--map-origin", "49,8.4,100", "--pose-tf", "map",
                   "--out", tmp_path / "out", python=extras_python)
    assert "/odom: moved from base to lidar, as tf has it" in said and "/fix: 2 messages without a fix were left out" in said
    quarter = [0, 0, 0.5**0.5, 0.5**0.5]
    truth = np.loadtxt(tmp_path / "out" / "poses.tum")
    assert truth == pytest.approx(np.array([[START_S + t, 2 * t + 1, 100, 2, *quarter] for t in (0.05, 0.25, 0.45, 0.65, 0.85)]), abs=1e-5)
    odometry = np.loadtxt(tmp_path / "out" / "odometry.tum")
    assert odometry == pytest.approx(np.array([[START_S + i / 10, 0.2 * i + 1, 0, 2, *quarter] for i in range(11)]), abs=1e-5)
    gnss = np.loadtxt(tmp_path / "out" / "gnss.tum")
    assert gnss[:, 3] == pytest.approx([0, 1, 2, 4, 5, 6, 8, 9, 10], abs=1e-4) and gnss[1, 2] == pytest.approx(11.12, abs=0.01)
    assert gnss[:, 0] - START_S == pytest.approx([0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 1])
    table = description(tmp_path / "out")
    assert table["odometry"] == {"file": "odometry.tum"} and table["gnss"] == {"file": "gnss.tum"} and "times" not in table


def test_times_survive_without_a_truth_and_odometry_comes_from_tf(tmp_path, extras_python):
    bag = written(extras_python, tmp_path, "sensors")
    convert(bag, "--odometry-tf", "odom", "--out", tmp_path / "out", python=extras_python)
    assert description(tmp_path / "out")["times"] == {"file": "times.txt"} and "truth" not in description(tmp_path / "out")
    assert np.loadtxt(tmp_path / "out" / "times.txt") - START_S == pytest.approx([0.05, 0.25, 0.45, 0.65, 0.85])
    odometry = np.loadtxt(tmp_path / "out" / "odometry.tum")
    assert odometry[:, :4] == pytest.approx(np.array([[START_S + t, 2 * t + 1, 0, 2] for t in (0.05, 0.25, 0.45, 0.65, 0.85)]), abs=1e-5)


def test_a_bag_in_parts_is_read_as_one(tmp_path, extras_python):
    bag = written(extras_python, tmp_path, "split")
    assert sorted(path.name for path in bag.iterdir()) == ["drive_0.db3", "drive_1.db3"]
    assert "6 scans" in convert(bag, "--out", tmp_path / "out", python=extras_python)
    assert [pcd_points(tmp_path / "out" / "scans" / f"{i:06d}.pcd")[0, 0] for i in range(6)] == list(range(6))
    (bag / "drive_1.db3").write_bytes(b"")
    message = convert(bag, "--out", tmp_path / "cut", code=EXIT_BAD_INPUT, python=extras_python)
    assert f"{bag}/drive_1.db3: cannot be read as a ROS bag" in message


def test_sensors_that_cannot_be_used_are_named(tmp_path, extras_python):
    bag = written(extras_python, tmp_path, "sensors")
    for args, code, message in [
        (["--gnss-topic", "/fix"], EXIT_USAGE, "requires the map's origin; give --map-origin LATITUDE,LONGITUDE,HEIGHT"),
        (["--gnss-topic", "/odom", "--map-origin", "49,8,0"], EXIT_USAGE, "requires NavSatFix, but /odom is nav_msgs/msg/Odometry, with positions in the map"),
        (["--map-origin", "49,8,0"], EXIT_USAGE, "requires a NavSatFix topic"),
        (["--gnss-topic", "/fix", "--map-origin", "99,8,0"], EXIT_USAGE, "'99,8,0' is not LATITUDE,LONGITUDE,HEIGHT"),
        (["--odometry-topic", "/fix"], EXIT_BAD_INPUT, "/fix: is of type sensor_msgs/msg/NavSatFix"),
        (["--pose-tf", "earth"], EXIT_BAD_INPUT, "does not join earth and lidar; its frames are base, lidar, map, odom"),
        (["--pose-tf", "map", "--longest-gap", "0.01"], EXIT_BAD_INPUT, "says at no scan's time where lidar is in map"),
        (["--odometry-topic", "/odom", "--odometry-tf", "odom"], EXIT_USAGE, "--odometry-topic and --odometry-tf exclude each other"),
    ]:
        assert message in convert(bag, *args, "--out", tmp_path / "out", code=code, python=extras_python), args


def test_headers_without_a_time_count_as_received(tmp_path, extras_python):
    bag = written(extras_python, tmp_path, "ros2")
    convert(bag, "--pose-topic", "/pose", "--out", tmp_path / "out", python=extras_python)
    assert np.loadtxt(tmp_path / "out" / "poses.tum")[:, :2].tolist() == [[START_S + i, i] for i in range(3)]


def test_headers_that_go_back_in_time_are_refused_unless_the_receive_time_is_asked_for(tmp_path, extras_python):
    bag = written(extras_python, tmp_path, "back")
    message = convert(bag, "--out", tmp_path / "out", code=EXIT_BAD_INPUT, python=extras_python)
    assert f"/points message 1: its time {START_S - 1}.000000 s does not come after {START_S}.000000 s" in message
    assert "use the times of the recording: --receive-time" in message
    assert "3 scans" in convert(bag, "--receive-time", "--out", tmp_path / "out", python=extras_python)


def test_bags_that_are_cut_off_or_none_are_refused(tmp_path, extras_python, datasets):
    bags = datasets / "bags"
    cut = tmp_path / "cut"
    shutil.copytree(bags / "kitti00_sqlite3", cut)
    cut.chmod(0o755)
    database = cut / "kitti00_sqlite3_0.db3"
    database.unlink()
    database.write_bytes((bags / "kitti00_sqlite3" / database.name).read_bytes()[:400_000])
    mcap = tmp_path / "cut.mcap"
    mcap.write_bytes((bags / "kitti00_zstd.mcap").read_bytes()[:-1000])
    ros1 = tmp_path / "cut.bag"
    ros1.write_bytes(written(extras_python, tmp_path, "ros1").read_bytes()[:3000])
    (tmp_path / "empty.mcap").write_bytes(b"")
    (tmp_path / "text.bag").write_text("not a bag\n")
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "metadata.yaml").write_text("rosbag2_bagfile_information:\n  version: 5\n")
    for bag, name, remedy in [(cut, database, "sqlite3 FILE .recover"), (mcap, mcap, "mcap recover"), (ros1, ros1, "rosbag reindex"),
                              (tmp_path / "empty.mcap", tmp_path / "empty.mcap", "nothing was recorded"),
                              (tmp_path / "text.bag", tmp_path / "text.bag", "whole"), (tmp_path / "meta", tmp_path / "meta", "whole")]:
        message = convert(bag, "--out", tmp_path / "out", code=EXIT_BAD_INPUT, python=extras_python)
        assert message.startswith(f"ndt_convert: {name}: cannot be read as a ROS bag (") and remedy in message, message
        assert not (tmp_path / "out").exists()


def test_without_the_library_the_message_says_how_to_get_it(tmp_path):
    try:
        import rosbags  # noqa: F401
    except ImportError:
        pass
    else:
        pytest.skip("skipped for want of an interpreter without rosbags")
    (tmp_path / "a.mcap").write_bytes(b"")
    message = convert(tmp_path / "a.mcap", "--out", tmp_path / "out", code=EXIT_BAD_INPUT, python=sys.executable)
    assert "reading bags needs the Python package rosbags; python3 -m venv extras && extras/bin/pip install rosbags" in message
