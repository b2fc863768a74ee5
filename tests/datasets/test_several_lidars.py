"""Scans of several lidars that become one."""

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, convert, np, pcd_points, with_times
from test_odd_bags import TIMES, bag

LEFT = [2**-0.5 * value for value in (0, 0, 1, 1)]  # a quarter turn


def lidar(topic, frame, stamps, kind="cloud"):
    return [[topic, at, kind, {"stamp": at, "x": i, **({"frame": frame} if kind == "cloud" else {})}] for i, at in enumerate(stamps)]


def transform(parent, child, position, quaternion=(0, 0, 0, 1), stamp=None):
    topic = "/tf_static" if stamp is None else "/tf"
    return [topic, stamp or 0, "transform", {"stamp": stamp or 0, "parent": parent, "child": child, "position": position, "quaternion": quaternion}]


TREE = [transform("base", "front", [2, 0, 1]), transform("base", "rear", [-2, 0, 1], LEFT)]
MOVED = {"front": lambda i: [[i, k, 0] for k in range(4)], "rear": lambda i: [[-4 - k, i, 0] for k in range(4)]}


def points(folder, number):
    return pcd_points(folder / "scans" / f"{number:06d}.pcd")


def test_the_nearest_scan_of_each_other_lidar_joins_moved_by_tf(tmp_path, extras_python):
    rear = [at + 0.03 for at in TIMES if at != TIMES[7]]  # one is missing
    made = bag(extras_python, tmp_path, *TREE, *lidar("/front", "front", TIMES), *lidar("/rear", "rear", rear),
               *lidar("/far", "rear", [at + 50 for at in TIMES]))
    said = convert(made, "--topic", "/front,/rear", "--keep-no-returns", "--out", tmp_path / "out", python=extras_python)
    assert "/rear: joined 19 of 20 scans; 1 have no partner within 0.050 s\n" in said and "20 scans" in said
    for number, of_rear in ((0, 0), (6, 6), (7, None), (8, 7), (19, 18)):
        expected = MOVED["front"](number) + ([] if of_rear is None else MOVED["rear"](of_rear))
        assert points(tmp_path / "out", number) == pytest.approx(np.array(expected), abs=1e-5)
    said = convert(made, "--topic", "/rear,/front", "--every", 2, "--out", tmp_path / "thin", python=extras_python)
    assert "/front: joined 10 of 10 scans\n" in said and len(points(tmp_path / "thin", 3)) == 8
    message = convert(made, "--topic", "/front,/far", "--out", tmp_path / "bad", code=EXIT_BAD_INPUT, python=extras_python)
    assert "/far: no scan lies within 0.050 s of one of the first topic; check that both have one clock" in message


def test_each_scan_is_moved_by_tf_at_its_own_stamp(tmp_path, extras_python):
    turning = [transform("base", "rear", [at, 0, 0], stamp=at) for at in (0.0, 0.5, 1.0)]  # ends at 1 s
    made = bag(extras_python, tmp_path, transform("base", "front", [0, 0, 0]), *turning, *lidar("/front", "front", TIMES),
               *lidar("/rear", "rear", [at + 0.04 for at in TIMES]))
    said = convert(made, "--topic", "/front,/rear", "--out", tmp_path / "out", python=extras_python)
    assert "/rear: joined 10 of 20 scans; 10 have a partner whose stamp tf does not cover\n" in said
    assert points(tmp_path / "out", 3)[4:] == pytest.approx(np.array([[3 + 0.34, k, 0] for k in range(4)]), abs=1e-5)


def test_no_returns_are_left_out_before_they_are_moved(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *TREE, *lidar("/front", "front", TIMES), *lidar("/rear", "rear", TIMES))
    said = convert(made, "--topic", "/front,/rear", "--out", tmp_path / "out", python=extras_python)
    assert "2 points of /front, /rear were left out as no returns" in said  # 0 0 0 of the first scan of each
    assert points(tmp_path / "out", 0) == pytest.approx(np.array(MOVED["front"](0)[1:] + MOVED["rear"](0)[1:]), abs=1e-5)


def test_times_of_points_count_from_the_first_lidar(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, transform("livox_frame", "front", [0, 0, 0]), *lidar("/a", "", TIMES, "livox2"),
               *lidar("/b", "", [at + 0.02 for at in TIMES], "livox1"), *lidar("/front", "front", TIMES))
    convert(made, "--topic", "/a,/b", "--out", tmp_path / "out", python=extras_python)
    found, times = with_times(tmp_path / "out" / "scans" / "000004.pcd")
    assert found == [[4, k, 1] for k in range(4)] * 2 and times == pytest.approx([0, 0.001, 0.002, 0.003, 0.02, 0.021, 0.022, 0.023], abs=1e-6)
    convert(made, "--topic", "/a,/front", "--out", tmp_path / "without", python=extras_python)
    assert len(points(tmp_path / "without", 4)) == 8, "without times, since /front has none"


def test_topics_that_cannot_join_are_named(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, TREE[0], *lidar("/front", "front", TIMES), *lidar("/rear", "rear", TIMES))
    for topic, code, reason in [("/front,/rear", EXIT_BAD_INPUT, "tf: does not join front and rear; its frames are base, front"),
                                ("/front,/none", EXIT_USAGE, "unknown topic /none"), ("/front,", EXIT_USAGE, "unknown topic ;"),
                                ("/front,/tf_static", EXIT_BAD_INPUT, "/tf_static: is of type tf2_msgs/msg/TFMessage")]:
        assert reason in convert(made, "--topic", topic, "--out", tmp_path / "out", code=code, python=extras_python)
