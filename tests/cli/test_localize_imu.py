"""IMU and wheels: in bags and in files, in other places and units than the scanner's, and wrong ones."""

import json

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, bench, refusal, tum
from test_localize_bags import FILTERS, ROOT, apart, extras_python, localize, ran, start_in  # noqa: F401  (fixtures)


@pytest.fixture(scope="module")
def bag(town, tmp_path_factory, extras_python):  # noqa: F811
    folder = tmp_path_factory.mktemp("imu") / "drive"
    done = ran(extras_python, ROOT / "tests/cli/drive_bag.py", town, folder, "imu")
    assert done.returncode == 0, done.stderr
    return folder


def records(out):
    return [json.loads(line) for line in (out / "diagnostics.jsonl").read_text().splitlines()]


def farthest_prediction(out):
    return max(record["distance_initial_to_result"] for record in records(out)[1:])


@pytest.mark.parametrize("words, by, bound_m", [(("--imu-topic=/imu", "--twist-topic=/wheels"), "IMU", 0.1),
                                               (("--twist-topic=/wheels",), "odometry", 0.1), (("--imu-topic=/imu",), "IMU", 8)])
def test_imu_and_wheels_of_a_bag_predict_from_their_own_places(town, bag, tmp_path, extras_python, words, by, bound_m):  # noqa: F811
    done = localize(extras_python, "--scans", bag, "--map", town / "map.pcd", "--out", tmp_path / "out", *FILTERS, "--init", start_in(town), *words)
    for topic, body in (("/imu", "imu"), ("/wheels", "base_link")):
        assert (f"{topic}: moved from {body} to lidar, as tf has it" in done.stdout) == any(topic in word for word in words)
    assert f"{by:<16} used for 7 of 7 scans\n" in done.stdout
    assert farthest_prediction(tmp_path / "out") < bound_m
    if "--twist-topic=/wheels" in words:
        assert "8 ok, 0 doubtful, 0 lost" in done.stdout
        assert apart(tum(tmp_path / "out" / "poses_base.tum"), tum(bag.parent / "truth_base.tum")) < 0.1


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drive") / "kidnap"
    bench("generate", "town", "--scale", "kidnap", "--out", folder)
    return folder


def run(drive, out, *words, code=EXIT_OK):
    return bench("localize", "--scans", drive, "--implementation", "persistent_cpu", "--out", out, "--gnss", "none", *words, code=code)


def rows(file):
    return [line.split(",") for line in file.read_text().splitlines()[1:]]


def test_an_imu_turned_and_in_units_of_gravity_gives_the_same_poses(drive, tmp_path):
    turned_rows = [[t, wy, f"-{wx}".replace("--", ""), wz, ay, f"-{ax}".replace("--", ""), az] for t, wx, wy, wz, ax, ay, az in rows(drive / "imu.csv")]
    (tmp_path / "turned.csv").write_text("".join(" ".join(row) + "\n" for row in turned_rows))
    run(drive, tmp_path / "a", "--prediction=imu")
    run(drive, tmp_path / "b", "--imu", tmp_path / "turned.csv", "--imu-from-scan=0,0,0,0,0,-1.5707963267948966")
    assert apart(tum(tmp_path / "a" / "poses.tum"), tum(tmp_path / "b" / "poses.tum")) < 1e-3
    in_g = [[*row[:4], *(repr(float(a) / 9.80665) for a in row[4:])] for row in rows(drive / "imu.csv")]
    (tmp_path / "g.csv").write_text("".join(",".join(row) + "\n" for row in in_g))
    done = run(drive, tmp_path / "c", "--imu", tmp_path / "g.csv")
    assert "g.csv: accelerations have a median of 1; they are taken for units of gravity" in done.stderr
    assert apart(tum(tmp_path / "a" / "poses.tum"), tum(tmp_path / "c" / "poses.tum")) < 1e-6


def test_the_sensors_that_are_there_choose_the_prediction(drive, tmp_path):
    for name, words, expected in (("a", (), "odometry"), ("b", ("--odometry=none",), "imu"), ("c", ("--odometry=none", "--imu=none"), "odometry"),
                                  ("d", ("--odometry=none", "--imu=none", "--twist=none"), "constant_velocity"),
                                  ("e", ("--imu", drive / "imu.csv"), "imu")):
        run(drive, tmp_path / name, *words)
        assert any(record["predicted_by"] == expected for record in records(tmp_path / name)), name


@pytest.mark.parametrize("line, what", [
    ("0 1 2 3 4 5", "6 values"), ("0,0,0,0,0,0,nan", "'nan' is not finite"),
    ("0 0 0 0 0 0 9.8\n0 0 0 0 0 0 9.8", "time 0 does not come after 0, the one before"), ("# nothing", "contains no measurements"),
    ("0 0 0 0 0.1 0 0", "the median acceleration is 0.1, expected 9.8 m/s2 or 1, gravity included")])
def test_a_wrong_imu_file_is_refused(drive, tmp_path, line, what):
    (tmp_path / "imu.csv").write_text(line + "\n")
    assert what in refusal("localize", "--scans", drive, "--out", tmp_path / "out", "--imu", tmp_path / "imu.csv", code=EXIT_BAD_INPUT)


def test_a_sensor_without_use_is_a_usage_error(drive, tmp_path):
    for words, what in ((("--prediction=imu", "--imu=none"), "--prediction imu: the scans have no IMU; give --imu"),
                        (("--imu", drive / "imu.csv", "--prediction=odometry"), "--imu requires --prediction imu, not odometry"),
                        (("--imu=none", "--imu-from-scan=0,0,0,0,0,1"), "--imu-from-scan requires an IMU"),
                        (("--imu", drive / "imu.csv", "--laps=2"), "--laps = 2: cannot be used with --imu")):
        assert what in run(drive, tmp_path / "out", *words, code=EXIT_USAGE).stderr
