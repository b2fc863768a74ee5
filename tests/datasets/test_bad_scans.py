"""Scans that cannot be used beside others that can."""

import pytest
from conftest import EXIT_BAD_INPUT, convert, description, np, write_cloud, write_tum
from test_folder import SHIFT, corner, scans_in

NAMES = [f"scan_{2 * i + 7}.pcd" for i in range(5)]


def cut_off(scans, *names):
    for name in names:
        (scans / name).write_bytes((scans / name).read_bytes()[:-1])


@pytest.mark.parametrize("spoil, what", [
    (lambda file: file.write_bytes(file.read_bytes()[:-1]), "the file is cut off"),
    (lambda file: file.write_bytes(b"no cloud"), "header"),
    (lambda file: write_cloud(file, corner() * 1e10 + 1e9), "all its 1728 points are 1e+07 m away or farther"),
])
@pytest.mark.parametrize("place", [1, 4])
def test_one_bad_scan_is_left_out_with_its_stamp_and_pose(tmp_path, spoil, what, place):
    scans, poses, odometry = scans_in(tmp_path / "in"), write_tum(tmp_path / "poses", SHIFT, start=10), write_tum(tmp_path / "odometry", SHIFT)
    spoil(scans / NAMES[place])
    said = convert(scans, "--poses", poses, "--odometry", odometry, "--out", tmp_path / "out")
    assert f"1 unusable scan left out: scan {place}: {scans / NAMES[place]}: " in said and what in said and "4 scans (1 left out)" in said
    left = [i for i in range(5) if i != place]
    assert np.loadtxt(tmp_path / "out" / "poses.tum")[:, :3].tolist() == [[10 + i, *SHIFT[i][:2]] for i in left]
    assert np.loadtxt(tmp_path / "out" / "odometry.tum")[:, 0].tolist() == left
    assert sorted(p.name for p in (tmp_path / "out" / "scans").iterdir()) == [f"{i:06d}.pcd" for i in range(4)]
    for number, i in enumerate(left):
        assert (tmp_path / "out" / "scans" / f"{number:06d}.pcd").read_bytes() == (scans / NAMES[i]).read_bytes()
    assert description(tmp_path / "out")["description"] == "4 scans of in"


def test_a_bad_first_scan_or_more_than_half_are_refused(tmp_path):
    half, most, first = (scans_in(tmp_path / name, SHIFT[:4]) for name in ("half", "most", "first"))
    cut_off(half, *NAMES[1:3])
    cut_off(most, *NAMES[1:4])
    cut_off(first, NAMES[0])
    assert f"2 unusable scans left out: scan 1 (and 1 more): {half / NAMES[1]}: " in convert(half, "--out", tmp_path / "out")
    for scans, name in ((most, NAMES[1]), (first, NAMES[0])):
        assert f"ndt_convert: {scans / name}: " in convert(scans, "--out", tmp_path / "no", code=EXIT_BAD_INPUT)
    assert not (tmp_path / "no").exists()


def test_a_bad_scan_that_is_not_taken_is_not_looked_at(tmp_path):
    scans = scans_in(tmp_path / "in")
    cut_off(scans, NAMES[1])
    assert "left out" not in convert(scans, "--every", 2, "--out", tmp_path / "out")


def test_a_frozen_sensor_is_said_and_kept(tmp_path):
    scans = scans_in(tmp_path / "in", SHIFT[:2] + [SHIFT[2]] * 3 + SHIFT[3:4])
    said = convert(scans, "--out", tmp_path / "out")
    assert f"3 scans in a row hold the same points, from scan 2 ({scans / NAMES[2]}) on: a frozen sensor? they were kept" in said and "6 scans," in said
    twice = scans_in(tmp_path / "twice", [SHIFT[0]] * 2 + [SHIFT[1]] * 2)
    assert "in a row" not in convert(twice, "--out", tmp_path / "two")
