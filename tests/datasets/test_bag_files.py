"""Containers of bags as people have them: packed, without metadata or with wrong ones, of other drivers and of ROS 1."""

import subprocess

import pytest
from conftest import EXIT_BAD_INPUT, convert, pcd_points, with_times
from test_odd_bags import TIMES, bag, clouds

PACK_FILE = """import sys, zstandard
data = zstandard.ZstdCompressor().compress(open(sys.argv[1], "rb").read())
open(sys.argv[1] + ".zstd", "wb").write(data)"""
PACK_MESSAGES = """import sqlite3, sys, zstandard
with sqlite3.connect(sys.argv[1]) as c:
    for key, data in c.execute("select id, data from messages").fetchall():
        c.execute("update messages set data = ? where id = ?", (zstandard.ZstdCompressor().compress(data), key))"""
FORGET_TYPES = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('delete from message_definitions'); c.commit()"


def changed(python, script, file):
    subprocess.run([python, "-c", script, file], check=True)


def first_x(folder):
    return [pcd_points(file)[0, 0] for file in sorted((folder / "scans").iterdir())]


# Packed files and messages, and metadata.

def test_a_packed_file_is_read_in_its_folder_and_alone(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *clouds())
    changed(extras_python, PACK_FILE, made / "bag.db3")
    (made / "bag.db3").unlink()
    for number, without in enumerate([None, made / "metadata.yaml"]):  # whose metadata name bag.db3
        if without:
            without.unlink()
        for name in (made, made / "bag.db3.zstd"):
            out = tmp_path / f"{name.name}_{number}"
            said = convert(name, "--out", out, "--name", "a", python=extras_python)
            assert "bag.db3.zstd is packed with zstd, and is unpacked" in said and first_x(out) == list(range(20))
            assert sorted(path.name for path in out.iterdir()) == ["dataset.toml", "scans", "times.txt"]
    (made / "bag.db3.zstd").write_bytes(b"no zstd at all")
    message = convert(made, "--out", tmp_path / "bad", code=EXIT_BAD_INPUT, python=extras_python)
    assert f"{made}/bag.db3.zstd: cannot be read as a ROS bag" in message and not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


def test_an_unpacked_file_stands_for_the_packed_one_beside_it(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *clouds())
    changed(extras_python, PACK_FILE, made / "bag.db3")
    (made / "metadata.yaml").unlink()
    said = convert(made, "--out", tmp_path / "out", python=extras_python)
    assert "20 scans" in said and "is packed" not in said


@pytest.mark.parametrize("keep_metadata", [True, False])
def test_packed_messages_are_read_without_metadata(tmp_path, extras_python, keep_metadata):
    made = bag(extras_python, tmp_path, *clouds())
    changed(extras_python, PACK_MESSAGES, made / "bag.db3")
    if not keep_metadata:
        (made / "metadata.yaml").unlink()
    convert(made, "--out", tmp_path / "out", python=extras_python)
    assert first_x(tmp_path / "out") == list(range(20))


@pytest.mark.parametrize("find, put", [("message_count: 20", "message_count: 0"), ("message_count: 20", "message_count: 7"),
                                       ("storage_identifier: sqlite3", "storage_identifier: ''"), ("rosbag2_bagfile_information", "other"),
                                       ("version: 9", "version: 99"), ("rosbag2_bagfile_information:", "a: b: ]")])
def test_the_files_are_believed_and_not_their_metadata(tmp_path, extras_python, find, put):
    made = bag(extras_python, tmp_path, *clouds())
    text = (made / "metadata.yaml").read_text()
    assert find in text
    (made / "metadata.yaml").write_text(text.replace(find, put))
    convert(made, "--out", tmp_path / "out", python=extras_python)
    assert first_x(tmp_path / "out") == list(range(20))


def test_only_files_that_the_metadata_name_are_read_and_a_missing_one_is_said(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *clouds())
    (made / "other.db3").write_bytes((made / "bag.db3").read_bytes())
    assert "20 scans" in convert(made, "--out", tmp_path / "out", python=extras_python)
    (made / "bag.db3").unlink()
    message = convert(made, "--out", tmp_path / "bad", code=EXIT_BAD_INPUT, python=extras_python)
    assert f"{made}: metadata.yaml: names bag.db3, which is not there; copy it into the folder" in message


@pytest.mark.parametrize("change, said", [
    ("delete from messages", "/points: has no message; the sensor sent nothing"),
    ("update topics set type = x'00ff'", "no topic of type sensor_msgs/msg/PointCloud2; its topics are /points (b'\\x00\\xff')")])
def test_topics_without_a_message_and_names_that_are_no_text_are_said(tmp_path, extras_python, change, said):
    made = bag(extras_python, tmp_path, *clouds())
    changed(extras_python, f'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute("{change}"); c.commit()', made / "bag.db3")
    assert said in convert(made, "--out", tmp_path / "out", code=EXIT_BAD_INPUT, python=extras_python)


# Other MCAP files.

@pytest.mark.parametrize("profile", ["ros1", "none"])
def test_mcap_of_ros1_and_without_a_profile_is_read(tmp_path, extras_python, profile):
    made = bag(extras_python, tmp_path, *clouds(), profile=profile)
    said = convert(made, "--out", tmp_path / "out", python=extras_python)
    assert "topic /points, the only sensor_msgs/msg/PointCloud2" in said and first_x(tmp_path / "out") == list(range(20))
    made.write_bytes(made.read_bytes()[:-200])
    message = convert(made, "--out", tmp_path / "cut", code=EXIT_BAD_INPUT, python=extras_python)
    assert f"{made}: cannot be read as a ROS bag (" in message


# Rows and drivers.

def test_a_wrong_row_step_of_packed_data_is_said_once(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *[[topic, at, "rows", given] for topic, at, _, given in clouds()])
    said = convert(made, "--out", tmp_path / "out", python=extras_python)
    assert said.count("/points: row_step 7680 is wrong: the data are exactly the points, so rows are read as packed") == 1
    points = pcd_points(tmp_path / "out" / "scans" / "000003.pcd")
    assert points.tolist() == [[3, i, 0] for i in range(4)]


@pytest.mark.parametrize("kind, container", [*((kind, container) for kind in ("livox1", "livox2") for container in
                                               ("db3", "db3 without types", "ros1", "none", "bag")), ("fork", "db3"), ("fork", "bag")])
def test_livox_clouds_are_read_with_the_times_of_their_points(tmp_path, extras_python, kind, container):
    profile = container if container in ("ros1", "none", "bag") else None
    made = bag(extras_python, tmp_path, *[["/livox/lidar", at, kind, {"stamp": at, "x": i, "n": 0 if i == 0 else 5}] for i, at in enumerate(TIMES)],
               profile=profile)
    if container == "db3 without types":
        changed(extras_python, FORGET_TYPES, made / "bag.db3")
    said = convert(made, "--out", tmp_path / "out", python=extras_python)
    package = {"livox1": "livox_ros_driver", "livox2": "livox_ros_driver2", "fork": "livox_interfaces"}[kind]
    assert f"topic /livox/lidar, the only {package}/msg/CustomMsg" in said and "1 messages without a finite point were left out" in said
    assert "19 points that are not finite were dropped" in said and "as no returns: 19 zero" in said and "19 scans" in said
    for i in (0, 18):
        points, times = with_times(tmp_path / "out" / "scans" / f"{i:06d}.pcd")
        assert points == [[i + 1, k, 1] for k in range(5)] and times == pytest.approx([0, 0.001, 0.002, 0.003, 0.004])
    convert(made, "--keep-no-returns", "--topic", "/livox/lidar", "--out", tmp_path / "whole", python=extras_python)
    points, times = with_times(tmp_path / "whole" / "scans" / "000000.pcd")
    assert len(points) == 6 and times[5] == pytest.approx(0.005)


def test_a_pointcloud2_goes_before_livox_messages(tmp_path, extras_python):
    livox = [["/livox/lidar", at, "livox2", {"stamp": at, "n": 50}] for at in TIMES]
    said = convert(bag(extras_python, tmp_path, *clouds(), *livox), "--out", tmp_path / "out", python=extras_python)
    assert "topic /points, the only sensor_msgs/msg/PointCloud2; choose another with --topic: /livox/lidar" in said
