"""Units of stamps, stamps that are repeated, and the order of scans by their names."""

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, convert, np, write_cloud, write_tum
from ndt_convert import stamps
from test_folder import SHIFT, corner, scans_in

EPOCH = 1_700_000_000


def steps(step, start=0.0, count=14):
    return start + step * np.arange(count)


@pytest.mark.parametrize("unit, times", [
    ("s", steps(0.1, EPOCH)), ("ms", steps(100, EPOCH * 1e3)), ("us", steps(1e5, EPOCH * 1e6)), ("ns", steps(1e8, EPOCH * 1e9)),
    ("s", steps(0.1)), ("ms", steps(100)), ("us", steps(1e5)), ("ns", steps(1e8)),
    ("s", steps(1)),  # numbers of frames
    ("s", steps(50)),  # seconds as likely as milliseconds: the larger unit
    ("ms", steps(50, EPOCH * 1e3)),  # too large for seconds
    ("s", steps(0.0011, EPOCH)), (None, steps(0.0009)), (None, steps(-0.1, EPOCH)), (None, steps(0.0, EPOCH)),
    ("s", np.r_[steps(0.1), steps(0.1, 1e4)]),  # a pause does not move the median
    ("s", steps(75.5, EPOCH)), ("ms", steps(100.25, EPOCH * 1e3)),  # keyframes, and milliseconds with fractions
    ("s", np.array([EPOCH])), ("ms", np.array([EPOCH * 1e3])), ("us", np.array([EPOCH * 1e6])), ("ns", np.array([EPOCH * 1e9])),
    ("s", np.array([12.5])), (None, np.array([1e21])),
])
def test_the_unit_of_times_is_known_by_their_median_step(unit, times):
    assert stamps.unit_of(times) == unit


def stamps_file(file, times):
    file.write_text("".join(f"{round(time)}\n" for time in times))
    return file


@pytest.mark.parametrize("unit, parts", [("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_stamps_become_seconds_and_the_factor_is_said(tmp_path, unit, parts):
    file = stamps_file(tmp_path / "stamps", [EPOCH * parts + i * parts // 10 for i in range(5)])
    said = convert(scans_in(tmp_path / "in"), "--stamps", file, "--out", tmp_path / "out")
    assert f"{file}: its times are taken as {unit} and multiplied by {1 / parts:g} to get seconds" in said
    assert np.loadtxt(tmp_path / "out" / "times.txt") == pytest.approx(EPOCH + np.arange(5) / 10, abs=1e-6)


def test_seconds_are_left_as_they_are_without_a_word(tmp_path):
    (tmp_path / "stamps").write_text("1700000000.1\n1700000000.2\n1700000000.3\n1700000000.4\n1700000000.5\n")
    said = convert(scans_in(tmp_path / "in"), "--stamps", tmp_path / "stamps", "--out", tmp_path / "out")
    assert "taken as" not in said
    assert (tmp_path / "out" / "times.txt").read_text() == (tmp_path / "stamps").read_text()


def test_a_unit_that_is_given_decides(tmp_path):
    scans, file = scans_in(tmp_path / "in"), stamps_file(tmp_path / "stamps", range(0, 250, 50))
    assert "taken as" not in convert(scans, "--stamps", file, "--out", tmp_path / "s")
    assert "taken as ms" in convert(scans, "--stamps", file, "--stamp-unit", "ms", "--out", tmp_path / "ms")
    assert np.loadtxt(tmp_path / "ms" / "times.txt").tolist() == [0, 0.05, 0.1, 0.15, 0.2]
    file = stamps_file(tmp_path / "stamps", range(0, 500, 100))
    convert(scans, "--stamps", file, "--stamp-unit", "s", "--out", tmp_path / "slow")
    assert np.loadtxt(tmp_path / "slow" / "times.txt").tolist() == [0, 100, 200, 300, 400]
    assert "requires --stamps or --poses" in convert(scans, "--stamp-unit", "s", "--out", tmp_path / "no", code=EXIT_USAGE)


def test_stamps_of_no_unit_are_refused_with_the_nearest(tmp_path):
    (tmp_path / "stamps").write_text("0.0000\n0.0001\n0.0002\n0.0003\n0.0004\n")
    said = convert(scans_in(tmp_path / "in"), "--stamps", tmp_path / "stamps", "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
    assert "the median step 0.0001, fit no unit: in seconds the step is 0.001 to 60 s; the nearest unit is s" in said
    assert "--stamp-unit" in said


def test_poses_are_converted_by_themselves(tmp_path):
    """Stamps of the scans in seconds, poses in nanoseconds; and poses whose times are the stamps."""
    scans = scans_in(tmp_path / "in")
    poses = write_tum(tmp_path / "poses.tum", SHIFT, start=EPOCH * 10**9, step=10**8)
    (tmp_path / "stamps").write_text("".join(f"{EPOCH + i / 10 + 0.05}\n" for i in range(5)))
    said = convert(scans, "--poses", poses, "--stamps", tmp_path / "stamps", "--out", tmp_path / "out")
    assert f"{poses}: its times are taken as ns" in said and "1 of 5 scans are outside" in said
    assert np.loadtxt(tmp_path / "out" / "poses.tum")[:, 1] == pytest.approx([0.5, 1.5, 2.5, 3.5], abs=1e-4)
    convert(scans, "--poses", poses, "--time-offset", 5, "--out", tmp_path / "own")
    assert np.loadtxt(tmp_path / "own" / "poses.tum")[:, 0] == pytest.approx(EPOCH + 5 + np.arange(5) / 10, abs=1e-6)
    said = convert(scans, "--poses", write_tum(tmp_path / "fast.tum", SHIFT, step=1e-4), "--out", tmp_path / "fast")
    assert "its times fit no unit and are taken as seconds" in said
    convert(scans, "--odometry", poses, "--out", tmp_path / "odometry")
    assert np.loadtxt(tmp_path / "odometry" / "odometry.tum")[:, 0] == pytest.approx(EPOCH + np.arange(5) / 10, abs=1e-6)


def test_a_scan_with_the_stamp_of_the_one_before_is_left_out_with_its_pose(tmp_path):
    scans, poses, odometry = scans_in(tmp_path / "in"), tmp_path / "poses.txt", write_tum(tmp_path / "odometry", SHIFT)
    poses.write_text("".join(f"1 0 0 {i} 0 1 0 0 0 0 1 0\n" for i in range(5)))
    (tmp_path / "stamps").write_text("1\n2\n2\n3\n3\n")
    said = convert(scans, "--poses", poses, "--stamps", tmp_path / "stamps", "--odometry", odometry, "--out", tmp_path / "out")
    assert f"2 of 5 scans have the time of the scan before and were left out: {scans / 'scan_11.pcd'}, and 1 more" in said
    assert "3 scans (2 left out)" in said
    assert np.loadtxt(tmp_path / "out" / "poses.tum")[:, :2].tolist() == [[1, 0], [2, 1], [3, 3]]
    assert np.loadtxt(tmp_path / "out" / "odometry.tum")[:, 0].tolist() == [0, 1, 3]
    for number, name in enumerate(["scan_7", "scan_9", "scan_13"]):
        assert (tmp_path / "out" / "scans" / f"{number:06d}.pcd").read_bytes() == (scans / f"{name}.pcd").read_bytes()


# --- the order of scans ---

NAMES = [f"scan_{2 * i + 7}.pcd" for i in range(5)]


def test_orders_that_differ_are_named_where_a_file_has_a_row_for_each_scan(tmp_path):
    scans = scans_in(tmp_path / "in")  # scan_11 and scan_13 before scan_7 by letter
    poses = write_tum(tmp_path / "poses", SHIFT)
    (tmp_path / "stamps").write_text("1\n2\n3\n4\n5\n")
    said = convert(scans, "--poses", poses, "--stamps", tmp_path / "stamps", "--time-offset", 1, "--out", tmp_path / "times")
    assert f"order of the numbers in their names: scan_7.pcd before scan_11.pcd, and so are the rows of {tmp_path / 'stamps'}; --order name" in said
    said = convert(scans, "--poses", poses, "--out", tmp_path / "number")
    assert f"scan_7.pcd before scan_11.pcd, and so are the rows of {poses}; --order name takes the other" in said
    said = convert(scans, "--poses", poses, "--order", "name", "--out", tmp_path / "name")
    assert f"order of the letters in their names: scan_11.pcd before scan_7.pcd, and so are the rows of {poses}; --order number" in said
    for folder, names in (("number", NAMES), ("name", sorted(NAMES))):
        for i, name in enumerate(names):
            assert (tmp_path / folder / "scans" / f"{i:06d}.pcd").read_bytes() == (scans / name).read_bytes()
        assert np.loadtxt(tmp_path / folder / "poses.tum")[:, 1].tolist() == [x for x, _, _ in SHIFT]
    same = tmp_path / "same"
    same.mkdir()
    for i in range(3):
        write_cloud(same / f"{i:03d}.pcd", corner())
    assert "order of" not in convert(same, "--out", tmp_path / "agree")
