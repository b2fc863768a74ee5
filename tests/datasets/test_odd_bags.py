"""Bags in which single messages are wrong, or two sensors share a topic: what is kept, left out and said."""

import itertools
import json
import subprocess
from types import SimpleNamespace

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, ROOT, convert, np, pcd_points

from ndt_convert import clock, senders
from ndt_convert.faults import Fault, printable

START_S = 1_600_000_000
TIMES = [0.1 * i for i in range(20)]
NAN = float("nan")
TURN_LEFT = "\u202e"


def bag(python, tmp_path, *messages, profile=None):
    """A folder, with a profile an MCAP, or with "bag" a bag of ROS 1, of [topic, receive time, kind, arguments], in their order."""
    out = tmp_path / ("bag" if profile is None else "a.bag" if profile == "bag" else "bag.mcap")
    words = [python, ROOT / "tests/datasets/write_odd_bag.py", out, *([profile] if profile else [])]
    done = subprocess.run(words, input=json.dumps(messages), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def clouds(times=TIMES, stamps=None, **given):
    return [["/points", at, "cloud", {"stamp": stamp, "x": i, **given}] for i, (at, stamp) in enumerate(zip(times, stamps or times))]


def odometry(stamps=TIMES, x=lambda i: i, **given):
    return [["/odom", at, "odometry", {"stamp": stamp, "x": float(x(i)), "frame": "odom", "child": "lidar", **given}]
            for i, (at, stamp) in enumerate(zip(TIMES, stamps))]


def table(file):
    return np.atleast_2d(np.loadtxt(file)) - [START_S, *[0] * 7]


# Senders.

def test_two_lidars_on_a_topic_are_refused_or_picked(tmp_path, extras_python):
    front, rear = clouds(TIMES[::2], frame="front"), clouds(TIMES[1::2], frame="rear")
    made = bag(extras_python, tmp_path, *[one for pair in zip(front, rear) for one in pair])
    message = convert(made, "--out", tmp_path / "out", code=EXIT_USAGE, python=extras_python)
    assert "/points: has 2 senders: front (10 messages), rear (10 messages); pick one by the name of its frame: --frame NAME" in message
    assert "has 2 senders" in convert(made, "--every", 2, "--out", tmp_path / "out", code=EXIT_USAGE, python=extras_python)
    said = convert(made, "--frame", "rear", "--out", tmp_path / "out", python=extras_python)
    assert "/points: left out, as --frame rear asks: front (10 messages)" in said and "10 scans" in said
    assert np.loadtxt(tmp_path / "out" / "times.txt") - START_S == pytest.approx(TIMES[1::2], abs=1e-6)
    message = convert(made, "--frame", "rear", "--frame", "front", "--out", tmp_path / "both", code=EXIT_USAGE, python=extras_python)
    assert "no sender has all of front, rear; choose from front (10 messages), rear (10 messages)" in message


@pytest.mark.parametrize("other", [{"child": "camera"}, {"frame": "map"}])
def test_two_publishers_of_one_odometry_are_refused_or_picked(tmp_path, extras_python, other):
    ours, theirs = odometry(), odometry(x=lambda i: i + 100, **other)
    made = bag(extras_python, tmp_path, *clouds(), *[one for pair in zip(theirs, ours) for one in pair])
    for option in ("--odometry-topic", "--pose-topic", "--gnss-topic"):
        message = convert(made, option, "/odom", "--out", tmp_path / "out", code=EXIT_USAGE, python=extras_python)
        assert "/odom: has 2 senders: " in message and "odom > lidar (20 messages)" in message
    name = "lidar" if "child" in other else "odom"
    said = convert(made, "--odometry-topic", "/odom", "--frame", name, "--out", tmp_path / "out", python=extras_python)
    assert f"/odom: left out, as --frame {name} asks: " in said
    assert table(tmp_path / "out" / "odometry.tum")[:, 1].tolist() == list(range(20))


def test_poses_in_two_frames_are_refused_and_a_misspelt_frame_is_named(tmp_path, extras_python):
    poses = [["/pose", at, "pose", {"stamp": at, "x": 1.0, "frame": "utm" if i % 2 else "map"}] for i, at in enumerate(TIMES)]
    made = bag(extras_python, tmp_path, *clouds(), *poses)
    message = convert(made, "--pose-topic", "/pose", "--out", tmp_path / "out", code=EXIT_USAGE, python=extras_python)
    assert "/pose: has 2 senders: map (10 messages), utm (10 messages)" in message
    message = convert(made, "--frame", "velodyne", "--out", tmp_path / "out", code=EXIT_USAGE, python=extras_python)
    assert "--frame: no message has velodyne; the topics /points were read" in message
    said = convert(made, "--pose-topic", "/pose", "--frame", "map", "--out", tmp_path / "out", python=extras_python)
    assert "/pose: left out, as --frame map asks: utm (10 messages)" in said and "1 of 20 scans are outside" in said


def test_an_empty_name_contradicts_no_frame():
    def sender(frame, child):
        return senders.sender_of(SimpleNamespace(header=SimpleNamespace(frame_id=frame), child_frame_id=child))

    assert not sender("/odom", "base").contradicts(sender("odom", "base")) and not sender("", "base").contradicts(sender("odom", ""))
    assert sender("odom", "base").contradicts(sender("odom", "camera"))
    with pytest.raises(Fault, match=r"^a: b: has 3 senders: map \(1 messages\), odom \(3 messages\), odom > camera \(1 messages\); pick one"):
        senders.require_one("a", "b", {sender("odom", ""): 3, sender("odom", "camera"): 1, sender("map", ""): 1})


# Clocks.

def left_out(stamps, received=None):
    keep = clock.kept(stamps, np.arange(len(stamps)) / 10 if received is None else received)
    return np.flatnonzero(~keep).tolist()


def test_a_clock_rule_keeps_the_most_messages_in_order():
    good = list(np.arange(20) / 10)
    assert left_out(good) == [] and left_out([]) == [] and left_out([5]) == [] and left_out(good, received=np.zeros(20)) == []
    assert left_out(good[:3] + [4000] + good[4:]) == [3] and left_out(good[:3] + [-4000] + good[4:]) == [3]
    assert left_out([4000] + good[1:]) == [0] and left_out(good[:-1] + [4000]) == [19], "in order, but alone off the trend"
    assert left_out([-4000] + good[1:]) == [0] and left_out(good[:-1] + [-4000]) == [19]
    assert left_out(good[:10] + [t + 4000 for t in good[10:]]) == [], "a clock that was set ahead"
    assert left_out(good[:3] + [t - 1 for t in good[3:]]) == [0, 1, 2], "set back early: the shorter part"
    assert left_out(good[:17] + [t - 1 for t in good[17:]]) == [17, 18, 19], "and late"
    assert left_out(good[:10] + [t - 50 for t in good[10:]]) == list(range(10)), "of two equal parts the later stays"
    assert left_out(good[:10] + [t - 0.25 for t in good[10:]]) == [8, 9], "the later where both overlap"
    assert left_out([0, -1, 0.2, 0.3, 0.4]) == [1] and left_out([0, 0.1, 0.2, 0.3, 0.05]) == [4], "the one off the trend, of two that could go"
    assert left_out([0, 0, 1, 2, 2, 2, 3]) == [1, 4, 5], "of repeated stamps the first stays"


def test_no_other_messages_in_order_are_more_or_fit_better():
    random = np.random.default_rng(1)
    for n in random.integers(1, 9, 200):
        stamps, costs = random.integers(0, 7, n).astype(float), random.random(n)
        found = clock._longest_increasing(stamps, costs)
        others = (rest for size in range(1, n + 1) for rest in itertools.combinations(range(n), size) if (np.diff(stamps[list(rest)]) > 0).all())
        best = min(others, key=lambda rest: (-len(rest), costs[list(rest)].sum()))
        assert found == list(best), (stamps, costs)


@pytest.mark.parametrize("stamps, lost", [(TIMES[:3] + [4000.0] + TIMES[4:], [3]), (TIMES[:5] + [TIMES[4]] + TIMES[6:], [5]),
                                          (TIMES[:17] + [t - 1 for t in TIMES[17:]], [17, 18, 19])])
def test_odometry_and_scans_with_wrong_stamps_survive(tmp_path, extras_python, stamps, lost):
    kept = [i for i in range(20) if i not in lost]
    made = bag(extras_python, tmp_path, *clouds(stamps=stamps), *odometry(stamps))
    said = convert(made, "--odometry-topic", "/odom", "--out", tmp_path / "out", python=extras_python)
    for topic in ("/points", "/odom"):
        assert (f"{topic}: {len(lost)} of 20 messages were left out, whose stamps repeat or do not fit the others (a clock that was set, or wrong "
                f"stamps); the first: message {lost[0]}, {START_S + stamps[lost[0]]:.6f} s") in said
    assert table(tmp_path / "out" / "odometry.tum")[:, 1].tolist() == kept
    scans = sorted((tmp_path / "out" / "scans").iterdir())
    assert [pcd_points(file)[0, 0] for file in scans] == kept and [file.name for file in scans] == [f"{i:06d}.pcd" for i in range(len(kept))]
    assert np.loadtxt(tmp_path / "out" / "times.txt") - START_S == pytest.approx([stamps[i] for i in kept], abs=1e-6)
    assert "its clock was set" not in said


def test_true_poses_survive_one_future_stamp(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *clouds(), *odometry(TIMES[:3] + [4000.0] + TIMES[4:]))
    said = convert(made, "--pose-topic", "/odom", "--out", tmp_path / "out", python=extras_python)
    assert "outside" not in said and table(tmp_path / "out" / "poses.tum")[:, 1] == pytest.approx(range(20), abs=1e-4)


def test_a_clock_that_is_no_longer_the_scans_is_said(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *clouds(), *odometry(TIMES[:3] + [t - 1 for t in TIMES[3:]]))
    said = convert(made, "--odometry-topic", "/odom", "--out", tmp_path / "out", python=extras_python)
    assert "/odom: its clock was set, and is 1.000 s behind that of /points, by the times of the recording" in said


def test_times_since_the_sensor_was_started_name_the_remedy(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *clouds(stamps=[t + 50 - START_S for t in TIMES]), *odometry())
    message = convert(made, "--pose-topic", "/odom", "--out", tmp_path / "out", code=EXIT_BAD_INPUT, python=extras_python)
    assert "cover no scan" in message and "use --receive-time" in message
    said = convert(made, "--odometry-topic", "/odom", "--out", tmp_path / "out", python=extras_python)
    assert "/odom: its times 1600000000.000 to 1600000001.900 s cover no scan; the scans are from 50.000 to 51.900 s; if the scans' clock" in said
    said = convert(made, "--pose-topic", "/odom", "--receive-time", "--out", tmp_path / "good", python=extras_python)
    assert "cover no scan" not in said and len(table(tmp_path / "good" / "poses.tum")) == 20


# Frames.

def transforms(bad_at=(), elsewhere=(), **wrong):
    """map > base at 1 m/s and base > lidar; at some of the times a wrong one."""
    moves = [["/tf", at, "transform", {"stamp": at, "parent": "map", "child": "base", "position": [at, 0, 0], **(wrong if i in bad_at else {})}]
             for i, at in enumerate(TIMES)]
    fixed = [["/tf_static", 0, "transform", {"parent": "base", "child": "lidar", "position": [0, 0, 2]}]]
    return [*fixed, *moves, *(["/tf", at, "transform", {"stamp": at, **one}] for at in TIMES for one in elsewhere)]


ELSEWHERE = [([{"parent": "base", "child": "gps", "position": [0, 0, 0], "quaternion": [0, 0, 0, 0]}], "20 transforms of gps are invalid"),
             ([{"parent": "base", "child": "imu", "position": [0, NAN, 0]}], "20 transforms of imu are invalid"),
             ([{"parent": "base", "child": "camera", "position": [0, 0, 0]}, {"parent": "mast", "child": "camera", "position": [0, 0, 0]}],
              "camera has two parents, base and mast"),
             ([{"parent": "earth", "child": "map", "position": [0, 0, 0]}, {"parent": "world", "child": "map", "position": [0, 0, 0]}],
              "map has two parents, earth and world")]


@pytest.mark.parametrize("elsewhere, name", ELSEWHERE)
def test_wrong_transforms_of_other_frames_are_ignored(tmp_path, extras_python, elsewhere, name):
    made = bag(extras_python, tmp_path, *clouds(), *transforms(elsewhere=elsewhere))
    said = convert(made, "--pose-tf", "map", "--out", tmp_path / "out", python=extras_python)
    assert f"tf: ignored, since nothing needs these frames: {name}" in said
    assert table(tmp_path / "out" / "poses.tum")[:, 1:4] == pytest.approx(np.array([[t, 0, 2] for t in TIMES]), abs=1e-5)


def test_wrong_transforms_on_the_way_are_left_out_or_refused(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *clouds(), *transforms(bad_at=(4, 5), quaternion=[0, 0, 0, 0]))
    said = convert(made, "--pose-tf", "map", "--out", tmp_path / "out", python=extras_python)
    assert "tf: 2 transforms of base were left out, which are invalid" in said
    assert table(tmp_path / "out" / "poses.tum")[:, 1] == pytest.approx(TIMES, abs=1e-5)
    for number, (more, reason) in enumerate([
            (transforms(bad_at=range(20), position=[NAN, 0, 0]), "all 20 transforms of base are invalid: not finite, or not a unit quaternion"),
            (transforms(elsewhere=[{"parent": "odom", "child": "base", "position": [0, 0, 0]}]), "frame base has two parents, map and odom")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        made = bag(extras_python, folder, *clouds(), *more)
        assert reason in convert(made, "--pose-tf", "map", "--out", tmp_path / "bad", code=EXIT_BAD_INPUT, python=extras_python)


# Messages that cannot be read.

@pytest.mark.parametrize("kind, reason", [("cut", "20 bytes do not hold 1 rows of 4 points"), ("torn", "cannot be read as sensor_msgs/msg/PointCloud2"),
                                          ("wide", "a point of 4294967295 bytes"), ("junk", "no field x among none")])
def test_one_cloud_that_cannot_be_read_is_left_out_and_only_such_clouds_are_refused(tmp_path, extras_python, kind, reason):
    messages = clouds()
    messages[7][2] = kind
    said = convert(bag(extras_python, tmp_path, *messages), "--out", tmp_path / "out", python=extras_python)
    assert f"/points: 1 of 20 messages were left out, which cannot be read; the first: {tmp_path}/bag: /points message 7: " in said
    assert reason in said and "19 scans" in said
    assert [pcd_points(file)[0, 0] for file in sorted((tmp_path / "out" / "scans").iterdir())] == [i for i in range(20) if i != 7]
    (tmp_path / "bad").mkdir()
    made = bag(extras_python, tmp_path / "bad", *[[topic, at, kind, given] for topic, at, _, given in messages])
    message = convert(made, "--out", tmp_path / "other", code=EXIT_BAD_INPUT, python=extras_python)
    assert "/points message 0: " in message and reason in message


def test_one_pose_that_is_not_finite_is_left_out(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *clouds(), *odometry(x=lambda i: NAN if i == 4 else i))
    said = convert(made, "--odometry-topic", "/odom", "--out", tmp_path / "out", python=extras_python)
    assert "/odom: 1 of 20 messages were left out, which cannot be read; the first: " in said and "/odom message 4: position [nan, 0.0, 0.0]" in said
    assert table(tmp_path / "out" / "odometry.tum")[:, 1].tolist() == [i for i in range(20) if i != 4]


def test_a_topic_without_the_messages_that_it_counts_is_not_chosen(tmp_path, extras_python):
    made = bag(extras_python, tmp_path, *clouds(), *[["/other", at, "cloud", {"stamp": at}] for at in TIMES])
    removed = ("import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
               "c.execute(\"delete from messages where topic_id = (select id from topics where name = '/other')\"); c.commit()")
    subprocess.run([extras_python, "-c", removed, next(made.glob("*.db3"))], check=True)
    said = convert(made, "--out", tmp_path / "out", python=extras_python)
    assert "topic /points, the only" in said and "20 scans" in said
    message = convert(made, "--topic", "/other", "--out", tmp_path / "none", code=EXIT_BAD_INPUT, python=extras_python)
    assert "/other: contains no cloud with points" in message


def test_empty_first_clouds_do_not_decide_which_topic_is_taken(tmp_path, extras_python):
    few = [["/few", at, "cloud", {"stamp": at, "x": 7}] for at in TIMES[:2]]
    empty = [["/points", -0.1 * i, "nothing", {"stamp": -0.1 * i}] for i in range(1, 31)]
    made = bag(extras_python, tmp_path, *empty[::-1], *clouds(), *few)
    assert "topic /points, the largest" in convert(made, "--out", tmp_path / "out", python=extras_python)


# Names.

def test_text_of_a_file_is_printed_without_control_characters(tmp_path, extras_python):
    assert printable("a\x1b[31m\x07 é\u202e\udcff\n") == "a\\x1b[31m\\x07 é\\u202e\\udcff\\n"
    evil = "l\x1b[31m" + TURN_LEFT
    messages = clouds(frame=evil) + odometry(child="base")
    for message in messages[:20]:
        message[0] = "/p\x1b[31m" + TURN_LEFT
    made = bag(extras_python, tmp_path, *messages)
    said = convert(made, "--odometry-topic", "/odom", "--out", tmp_path / "out", python=extras_python)
    assert "topic /p\\x1b[31m\\u202e, the only" in said and "taken as those of l\\x1b[31m\\u202e" in said
    said += convert(made, "--odometry-topic", "/p\x1b[31m" + TURN_LEFT, "--out", tmp_path / "no", code=EXIT_BAD_INPUT, python=extras_python)
    said += convert(made, "--every", "\x1b[31m", "--out", tmp_path / "no", code=EXIT_USAGE, python=extras_python)
    assert "\x1b" not in said and TURN_LEFT not in said
