"""Folders of scans to dataset folders."""

import errno
import math
import os
import sys

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, convert, description, np, pcd_points, write_cloud, write_tum

SHIFT = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 1, 0.125), (4, 1, 0)]


def corner(step=0.25):
    """A floor and two walls around the sensor, seen from a place of the map."""
    a = np.arange(-3, 3, step)
    x, y = (v.ravel() for v in np.meshgrid(a, a))
    return np.concatenate([np.column_stack([x, y, 0 * x - 1]), np.column_stack([x, 0 * x + 3, y]), np.column_stack([0 * x + 3, x, y])])


def scans_in(folder, positions=SHIFT, suffix=".pcd", encoding="binary"):
    """Scans of one corner from several places, named so that letters and numbers sort them differently."""
    folder.mkdir()
    for i, position in enumerate(positions):
        write_cloud(folder / f"scan_{2 * i + 7}{suffix}", corner() - position, encoding)
    return folder


def test_superscript_digits_in_names_are_letters(tmp_path):
    scans = scans_in(tmp_path / "in")
    (scans / "scan_7.pcd").rename(scans / "²1.pcd")
    assert "5 scans" in convert(scans, "--out", tmp_path / "out", python=sys.executable)


@pytest.mark.parametrize("suffix", [".pcd", ".ply", ".bin"])
def test_scans_are_copied_unchanged_in_the_order_of_their_numbers(tmp_path, suffix):
    scans = scans_in(tmp_path / "in", suffix=suffix)
    (scans / "notes.txt").write_text("not a scan")
    said = convert(scans, "--out", tmp_path / "My Drive 2", python=sys.executable)
    out = tmp_path / "My Drive 2"
    assert "in the order of the numbers in their names" in said and "5 scans" in said  # scan_11 sorts before scan_7
    assert sorted(p.name for p in (out / "scans").iterdir()) == [f"{i:06d}{suffix}" for i in range(5)]
    for i in range(5):
        assert (out / "scans" / f"{i:06d}{suffix}").samefile(scans / f"scan_{2 * i + 7}{suffix}")
    assert description(out) == {
        "format": 1, "name": "my_drive_2", "description": "5 scans of in", "kind": "sequence", "scans": [f"scans/*{suffix}"],
        "frames": {"first": 1, "step": 1}, "guess": {"kind": "identity"},
        "provenance": {"licence": "your own data", "source": str(scans), "obtain": "converted from files of your own with ndt_convert"}}
    assert sorted(p.name for p in out.iterdir()) == ["dataset.toml", "scans"] and sorted(os.listdir(tmp_path)) == ["My Drive 2", "in"]


def test_scans_are_copied_where_the_disk_differs(tmp_path, monkeypatch):
    def no_link(*_):
        raise OSError(errno.EXDEV, "Invalid cross-device link")
    monkeypatch.setattr(os, "link", no_link)
    scans = scans_in(tmp_path / "in")
    convert(scans, "--out", tmp_path / "out")
    copy, original = tmp_path / "out/scans/000000.pcd", scans / "scan_7.pcd"
    assert copy.read_bytes() == original.read_bytes() and not copy.samefile(original)


@pytest.mark.parametrize("suffix", [".xyz", ".csv", ".npy"])
def test_text_and_arrays_become_pcd_without_loss(tmp_path, suffix):
    scans = tmp_path / "in"
    scans.mkdir()
    points = corner() + 0.1
    for i in range(2):
        if suffix == ".npy":
            np.save(scans / f"{i}.npy", points)
        else:
            np.savetxt(scans / f"{i}{suffix}", points, fmt="%.17g", delimiter="," if suffix == ".csv" else " ")
    (scans / "notes.txt").write_text("1 2 3")
    convert(scans, "--out", tmp_path / "out")
    assert description(tmp_path / "out")["scans"] == ["scans/*.pcd"]
    assert np.array_equal(pcd_points(tmp_path / "out/scans/000001.pcd"), points)


def in_the_map(folder, poses):
    """Scans of one corner, which was moved along, in the map's frame; and their poses as TUM."""
    folder.mkdir()
    for i, (x, yaw) in enumerate(poses):
        turn = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
        write_cloud(folder / f"{i}.pcd", corner() @ turn.T + (x, 0, 0))
    rows = [f"{i} {x} 0 0 0 0 {math.sin(yaw / 2)} {math.cos(yaw / 2)}\n" for i, (x, yaw) in enumerate(poses)]
    (folder.parent / "poses.tum").write_text("".join(rows))
    return folder, "--poses", folder.parent / "poses.tum"


def test_points_in_the_map_are_moved_back_by_their_poses(tmp_path):
    given = in_the_map(tmp_path / "in", [(10 * i, 0.3 * i) for i in range(6)])
    said = convert(*given, "--out", tmp_path / "out")
    assert "the points of the scans are in the map's frame" in said
    for i in range(6):
        assert np.abs(pcd_points(tmp_path / f"out/scans/{i:06d}.pcd") - corner()).max() < 1e-5
    assert "map's frame" not in convert(*given, "--points-in", "scanner", "--out", tmp_path / "as_they_are")
    assert (tmp_path / "as_they_are/scans/000003.pcd").samefile(tmp_path / "in/3.pcd")


def test_the_frame_of_points_is_not_guessed_from_a_short_way(tmp_path):
    given = in_the_map(tmp_path / "in", [(0.5 * i, 0.1 * i) for i in range(6)])
    assert "map's frame" not in convert(*given, "--out", tmp_path / "out")
    convert(*given, "--points-in", "map", "--out", tmp_path / "moved")
    assert np.abs(pcd_points(tmp_path / "moved/scans/000005.pcd") - corner()).max() < 1e-5
    assert "requires the poses" in convert(given[0], "--points-in", "map", "--out", tmp_path / "none", code=EXIT_USAGE)


def test_thinned_scans_have_the_mean_of_each_cube(tmp_path):
    scans = scans_in(tmp_path / "in", positions=[(0, 0, 0)] * 2, suffix=".bin")
    convert(scans, "--thin", 1, "--out", tmp_path / "out")
    assert 'scan_density = "1 m"' in (tmp_path / "out/dataset.toml").read_text()
    found = pcd_points(tmp_path / "out/scans/000000.pcd")
    cells = {}
    for point in corner().astype(np.float32).astype(float):
        cells.setdefault(tuple(np.floor(point)), []).append(point)
    expected = {cell: np.mean(points, axis=0) for cell, points in cells.items()}
    assert len(found) == len(expected) < len(corner()) / 8
    assert all(np.abs(point - expected[tuple(np.floor(point))]).max() < 1e-5 for point in found.astype(float))


def bin_of(file, fields):
    """A scan in records of so many values: intensities and the like in [0, 1) behind x y z."""
    points = corner(0.1)
    more = np.random.default_rng(1).random((len(points), fields - 3))
    file.write_bytes(np.column_stack([points, more]).astype("<f4").tobytes())


@pytest.mark.parametrize("fields", [3, 5, 6])
def test_bin_files_of_another_width_are_read_as_asked_for_and_never_scrambled(tmp_path, fields):
    scans = tmp_path / "in"
    scans.mkdir()
    for i in range(4):
        bin_of(scans / f"{i}.bin", fields)
    poses = write_tum(tmp_path / "poses.txt", [(0, 0, 0)] * 4)
    words = [scans, "--poses", poses, "--build-map", "even", "--map-voxel", 0.05, "--out", tmp_path / "out"]
    assert f"looks like records of {fields} float32" in convert(*words, code=EXIT_BAD_INPUT)
    other = 4 if fields == 3 else 3
    assert "looks like records of" in convert(*words, "--bin-fields", other, code=EXIT_BAD_INPUT)
    convert(*words, "--bin-fields", fields)
    assert description(tmp_path / "out")["bin_fields"] == fields
    assert np.abs(pcd_points(tmp_path / "out" / "map.pcd")).max() < 3.2


def test_bin_fields_without_bin_files_are_a_mistake(tmp_path):
    assert "requires .bin files, and there are no such files" in convert(scans_in(tmp_path / "in"), "--out", tmp_path / "out", "--bin-fields", 5, code=EXIT_USAGE)


def test_poses_become_the_truth_and_every_nth_scan_keeps_its_own(tmp_path):
    scans, poses = scans_in(tmp_path / "in"), write_tum(tmp_path / "poses.txt", SHIFT, start=10)
    convert(scans, "--poses", poses, "--every", 2, "--max-scans", 2, "--out", tmp_path / "out", "--truth-quality", "a \"good\" one\n",
            "--truth-accuracy", 0.02, "--description", "Straße", "--resolution", 1.5, "--scan-voxel", 0.5, "--scan-max-range", 80)
    table = description(tmp_path / "out")
    assert table["truth"] == {"file": "poses.tum", "format": "tum", "quality": "a \"good\" one\n", "exact": False, "accuracy_m": 0.02}
    assert table["preparation"] == {"scan": {"max_range_m": 80.0, "voxel_leaf_m": 0.5}} and table["resolution_m"] == 1.5
    assert table["description"] == "Straße" and table["guess"]["kind"] == "noise" and table["guess"]["seed"] == 1
    rows = np.loadtxt(tmp_path / "out" / "poses.tum")
    assert rows.tolist() == [[10, 0, 0, 0, 0, 0, 0, 1], [12, 2, 0, 0, 0, 0, 0, 1]]
    assert (tmp_path / "out" / "scans" / "000001.pcd").read_bytes() == (scans / "scan_11.pcd").read_bytes()


def test_kitti_poses_of_the_camera_become_poses_of_the_lidar(tmp_path):
    scans = scans_in(tmp_path / "in", SHIFT[:3], ".bin")
    # The camera looks along the lidar's x: camera (x, y, z) = lidar (-y, -z, x) + offset. It drives 1 m along its z.
    (tmp_path / "calib.txt").write_text("P0: 1 0 0 0 0 1 0 0 0 0 1 0\nTr: 0 -1 0 0.1 0 0 -1 -0.2 1 0 0 -0.3\n")
    (tmp_path / "00.txt").write_text("".join(f"1 0 0 0 0 1 0 0 0 0 1 {i}\n" for i in range(3)))
    (tmp_path / "times.txt").write_text("0.0\n0.1\n0.2\n")
    convert(scans, "--poses", tmp_path / "00.txt", "--calib", tmp_path / "calib.txt", "--stamps", tmp_path / "times.txt", "--out",
            tmp_path / "out")
    rows = np.loadtxt(tmp_path / "out" / "poses.tum")
    assert rows == pytest.approx(np.array([[i / 10, i, 0, 0, 0, 0, 0, 1] for i in range(3)]), abs=1e-12)


def test_poses_of_a_body_are_moved_to_the_sensor(tmp_path):
    scans = scans_in(tmp_path / "in", SHIFT[:2])
    half = math.sqrt(0.5)
    (tmp_path / "poses.tum").write_text(f"0 0 0 0 0 0 {half} {half}\n1 5 0 0 0 0 {half} {half}\n")  # turned left
    (tmp_path / "mount.txt").write_text("1 0 0 0.5\n0 1 0 0\n0 0 1 2\n0 0 0 1\n")
    convert(scans, "--poses", tmp_path / "poses.tum", "--body-from-scan", tmp_path / "mount.txt", "--out", tmp_path / "out")
    assert np.loadtxt(tmp_path / "out" / "poses.tum") == pytest.approx(
        np.array([[0, 0, 0.5, 2, 0, 0, half, half], [1, 5, 0.5, 2, 0, 0, half, half]]), abs=1e-12)


def test_poses_at_other_times_are_interpolated_and_scans_outside_are_left_out(tmp_path):
    scans = scans_in(tmp_path / "in")
    (tmp_path / "times.txt").write_text("\n".join(map(str, [99.9, 100.25, 101.0, 101.5, 104.5])))
    half = math.sqrt(0.5)
    (tmp_path / "poses.tum").write_text(f"0 0 0 0 0 0 0 1\n1 4 2 0 0 0 {half} {half}\n2 4 2 0 0 0 {half} {half}\n6 0 0 0 0 0 0 1\n")
    said = convert(scans, "--poses", tmp_path / "poses.tum", "--stamps", tmp_path / "times.txt", "--time-offset", 100,
                   "--longest-gap", 1, "--out", tmp_path / "out")
    assert "2 of 5 scans are outside" in said  # before the start, and in a gap of 4 s
    eighth = math.radians(90 * 0.25 / 2)
    assert np.loadtxt(tmp_path / "out" / "poses.tum") == pytest.approx(np.array([
        [100.25, 1, 0.5, 0, 0, 0, math.sin(eighth), math.cos(eighth)], [101, 4, 2, 0, 0, 0, half, half],
        [101.5, 4, 2, 0, 0, 0, half, half]]), abs=1e-12)
    assert (tmp_path / "out" / "scans" / "000000.pcd").read_bytes() == (scans / "scan_9.pcd").read_bytes()
    assert len(list((tmp_path / "out" / "scans").iterdir())) == 3


@pytest.mark.parametrize("suffix, encoding", [(".pcd", "binary"), (".pcd", "ascii"), (".pcd", "lzf"), (".ply", "binary"), (".ply", "ascii"),
                                              (".ply", "big"), (".bin", "binary")])
def test_a_map_is_built_of_the_even_scans_and_the_odd_ones_are_queries(tmp_path, suffix, encoding):
    scans, poses = scans_in(tmp_path / "in", suffix=suffix, encoding=encoding), write_tum(tmp_path / "poses.tum", SHIFT)
    said = convert(scans, "--poses", poses, "--build-map", "even", "--map-voxel", 0.5, "--out", tmp_path / "out")
    table = description(tmp_path / "out")
    assert table["kind"] == "scan_to_map" and table["map"] == "map.pcd" and table["frames"] == {"first": 1, "step": 2}
    points = pcd_points(tmp_path / "out" / "map.pcd")
    assert f"map of 3 scans: {len(points)} points" in said and "2 other scans" in said
    # Every scan shows the same corner, so the map is the corner with its 2 x 2 points a cell averaged.
    cells = np.floor(corner().astype(np.float32) / 0.5)
    expected = [corner()[(cells == cell).all(axis=1)].mean(axis=0) for cell in np.unique(cells[:, ::-1], axis=0)[:, ::-1]]
    assert points.dtype == np.dtype("<f4") and points == pytest.approx(np.array(expected), abs=1e-6)


def test_which_scans_make_the_map(tmp_path):
    scans, poses = scans_in(tmp_path / "in"), write_tum(tmp_path / "poses.tum", SHIFT)

    def frames_and_map(*args):
        out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        said = convert(scans, "--poses", poses, "--out", out, *args)
        return description(out)["frames"], int(said.split("map of ")[1].split()[0])

    assert frames_and_map("--build-map", "first-2") == ({"first": 2, "step": 1}, 2)
    assert frames_and_map("--build-map", "all-but-queries", "--queries", "1:2") == ({"first": 1, "step": 2}, 3)
    assert frames_and_map("--build-map", "all-but-queries", "--queries", "0:3:1") == ({"first": 0, "step": 3, "count": 1}, 4)
    assert frames_and_map("--build-map", "even", "--queries", "0:1") == ({"first": 0, "step": 1}, 3)
    assert frames_and_map("--build-map", "first-2", "--queries", "3") == ({"first": 3, "step": 1}, 2)


def test_queries_that_are_in_the_map_are_counted(tmp_path):
    words = [scans_in(tmp_path / "in"), "--poses", write_tum(tmp_path / "poses.tum", SHIFT), "--build-map", "even"]
    said = convert(*words, "--queries", "0:1", "--out", tmp_path / "all")
    assert "; 2 other scans are to be aligned, and 3 that are in the map (even): their errors come out too small\n" in said
    assert "; 1 other scans are to be aligned\n" in convert(*words, "--queries", "1:4", "--out", tmp_path / "one")


def test_the_map_has_no_points_near_the_sensor_and_none_that_are_not_finite(tmp_path):
    (tmp_path / "in").mkdir()
    write_cloud(tmp_path / "in" / "0.pcd", [[1, 0, 0], [math.nan, 0, 0], [5, 0, 0], [0, math.inf, 9]])
    write_cloud(tmp_path / "in" / "1.pcd", [[9, 0, 0]])
    poses = write_tum(tmp_path / "poses.tum", [(100, 0, 0), (100, 0, 0)])
    convert(tmp_path / "in", "--poses", poses, "--build-map", "even", "--map-min-range", 2, "--out", tmp_path / "out")
    assert pcd_points(tmp_path / "out" / "map.pcd").tolist() == [[105, 0, 0]]


def test_a_map_far_from_its_origin_is_stored_as_double(tmp_path):
    scans = scans_in(tmp_path / "in")
    poses = write_tum(tmp_path / "poses.tum", [(x + 4.5e5, y + 5.4e6, z) for x, y, z in SHIFT])
    convert(scans, "--poses", poses, "--build-map", "even", "--map-voxel", 0.01, "--out", tmp_path / "out")
    points = pcd_points(tmp_path / "out" / "map.pcd")
    assert points.dtype == np.dtype("<f8")
    expected = corner() + [4.5e5, 5.4e6, 0]
    assert points[np.lexsort(points.T)] == pytest.approx(expected[np.lexsort(expected.T)], abs=1e-9)


def test_a_map_given_is_copied_and_no_scan_even_beside_them(tmp_path):
    scans, poses = scans_in(tmp_path / "in"), write_tum(tmp_path / "poses.tum", SHIFT)
    site = write_cloud(scans / "site.ply", corner(), "ascii")
    convert(scans, "--poses", poses, "--map", site, "--queries", 2, "--out", tmp_path / "out")
    table = description(tmp_path / "out")
    assert table["kind"] == "scan_to_map" and table["map"] == "map.ply" and table["frames"] == {"first": 2, "step": 1}
    assert (tmp_path / "out" / "map.ply").read_bytes() == site.read_bytes()
    assert len(list((tmp_path / "out" / "scans").iterdir())) == 5


def test_a_pair_is_a_map_and_one_scan(tmp_path):
    scans = scans_in(tmp_path / "in", SHIFT[:1])
    target = write_cloud(tmp_path / "target.pcd", corner())
    convert(scans, "--kind", "pair", "--map", target, "--out", tmp_path / "out")
    assert description(tmp_path / "out")["kind"] == "pair" and "frames" not in description(tmp_path / "out")


def test_what_makes_a_dataset_slow_or_without_errors_is_told(tmp_path):
    scans = tmp_path / "in"
    scans.mkdir()
    for i, shift in enumerate(SHIFT):
        write_cloud(scans / f"{i}.bin", corner(0.05) - shift)
    unknown, dense = "no true poses: every guess is the scan before", f"scans have {len(corner(0.05))} points (median); --scan-voxel 1"
    said = convert(scans, "--out", tmp_path / "out", python=sys.executable)
    assert unknown in said and dense in said
    poses = write_tum(tmp_path / "poses.tum", SHIFT)
    said = convert(scans, "--out", tmp_path / "other", "--poses", poses, "--scan-voxel", 1, python=sys.executable)
    assert unknown not in said and dense not in said


def test_odometry_gives_the_guesses(tmp_path):
    scans, odometry = scans_in(tmp_path / "in"), write_tum(tmp_path / "odometry", SHIFT)
    convert(scans, "--odometry", odometry, "--out", tmp_path / "out")
    assert description(tmp_path / "out")["guess"] == {"kind": "odometry", "file": "odometry.tum"}
    assert np.loadtxt(tmp_path / "out" / "odometry.tum")[:, 1:4].tolist() == [list(map(float, p)) for p in SHIFT]


def test_an_empty_folder_is_taken_and_a_full_one_never_touched(tmp_path):
    scans = scans_in(tmp_path / "in")
    (tmp_path / "empty").mkdir()
    convert(scans, "--out", tmp_path / "empty")
    before = sorted((p, p.stat().st_mtime_ns) for p in (tmp_path / "empty").rglob("*"))
    assert "exists and is not empty; give a new folder" in convert(scans, "--out", tmp_path / "empty", code=EXIT_BAD_INPUT)
    assert "is a file" in convert(scans, "--out", scans / "scan_7.pcd", code=EXIT_BAD_INPUT)
    assert before == sorted((p, p.stat().st_mtime_ns) for p in (tmp_path / "empty").rglob("*"))


def test_nothing_is_left_where_a_conversion_fails(tmp_path):
    scans = scans_in(tmp_path / "in")
    (scans / "scan_7.pcd").write_bytes((scans / "scan_7.pcd").read_bytes()[:-1])
    (tmp_path / "target").mkdir()
    message = convert(scans, "--out", tmp_path / "target" / "out", code=EXIT_BAD_INPUT)
    assert "scan_7.pcd: " in message and "declared, which is 27648, but 27647 bytes follow" in message and "cut off" in message
    assert list((tmp_path / "target").iterdir()) == []


def test_scans_that_cannot_be_right_are_named(tmp_path):
    good = write_cloud(tmp_path / "good.pcd", corner()).read_bytes()
    ply = write_cloud(tmp_path / "good.ply", corner()).read_bytes()
    for number, (name, data, text) in enumerate([  # in the library's words: its readers are tested for themselves
        ("0.bin", b"x" * 17, "1 bytes after the last whole record of 16"),
        ("0.pcd", b"", "is empty; export the cloud again"),
        ("0.pcd", good.replace(b"TYPE U U F F F", b"TYPE U U I F F"), "TYPE coordinate 'x' is I 4, not F 4 or F 8"),
        ("0.ply", ply[:-1], "bytes are left for them"),
    ]):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / name).write_bytes(data)
        write_cloud(folder / ("1" + name[1:]), corner())
        poses = write_tum(tmp_path / "poses.tum", SHIFT[:2])
        message = convert(folder, "--poses", poses, "--build-map", "even", "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
        assert f"{folder / name}: " in message and text in message, message
    assert not (tmp_path / "out").exists()


def test_poses_that_cannot_be_used_are_named(tmp_path):
    scans = scans_in(tmp_path / "in")
    for name, text, message in [
        ("short.tum", "0 0 0 0 0 0 0 1\n", "1 poses for 5 scans; give one pose a scan"),
        ("short.kitti", "1 0 0 0 0 1 0 0 0 0 1 0\n", "1 poses for 5 scans"),
        ("empty", "# nothing\n\n", "contains no poses"),
        ("columns", "1 2 3\n", "line 1: 3 columns; give TUM"),
        ("mixed", "0 0 0 0 0 0 0 1\n1 0 0 0 0 0 1\n", "line 2: 7 values instead of 8"),
        ("word", "0 0 0 0 0 0 zero 1\n", "line 1: 'zero' is not a finite number"),
        ("nan", "0 nan 0 0 0 0 0 1\n", "line 1: 'nan' is not a finite number"),
        ("norm", "# q\n0 0 0 0 0 0 1 1\n", "line 2: quaternion qx qy qz qw has length 1.41421, not 1"),
        ("order", "1 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n", "line 2: time 1.0 does not come after 1.0"),
        ("rigid", "1 0 0 0 0 2 0 0 0 0 1 0\n", "line 1: the matrix is not a rigid motion"),
        ("mirror", "1 0 0 0 0 1 0 0 0 0 -1 0\n", "line 1: the matrix is not a rigid motion"),
    ]:
        (tmp_path / name).write_text(text)
        said = convert(scans, "--poses", tmp_path / name, "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
        assert f"{tmp_path / name}: " in said and message in said, said
    assert "No such file" in convert(scans, "--poses", tmp_path / "none", "--out", tmp_path / "out", code=EXIT_BAD_INPUT)

    poses, kitti = write_tum(tmp_path / "poses.tum", SHIFT), tmp_path / "kitti"
    kitti.write_text("1 0 0 0 0 1 0 0 0 0 1 0\n" * 5)
    (tmp_path / "times").write_text("\n".join(map(str, range(50, 55))))
    for args, message in [
        (["--poses", poses, "--stamps", tmp_path / "times"], "cover no scan; the scans are from 50.000 to 54.000 s; shift them with --time-offset"),
        (["--stamps", poses], "line 2: 8 values instead of 1"),
        (["--poses", kitti, "--calib", poses], "has no line Tr"),
        (["--poses", poses, "--body-from-scan", kitti], "line 1: 12 values instead of 4"),
        (["--odometry", tmp_path / "short.tum"], "1 poses for 5 scans"),
    ]:
        assert message in convert(scans, *args, "--out", tmp_path / "out", code=EXIT_BAD_INPUT), args
    (tmp_path / "times").write_text("1\n2\n")
    assert "2 times for 5 scans" in convert(scans, "--stamps", tmp_path / "times", "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
    (tmp_path / "times").write_text("1\n2\n3\n2.5\n4\n")
    assert "the times do not increase" in convert(scans, "--stamps", tmp_path / "times", "--out", tmp_path / "out", code=EXIT_BAD_INPUT)


def test_inputs_that_hold_no_scans_are_answered_with_what_to_give(tmp_path):
    scans = scans_in(tmp_path / "drive")
    out = ["--out", tmp_path / "out"]
    assert f"contains no scans (.pcd, .ply, .bin, .xyz, .npy or .csv); give the folder that holds the scans, such as {scans}" in convert(
        tmp_path, *out, code=EXIT_BAD_INPUT)
    write_cloud(scans / "x.bin", corner())
    assert "scans of several formats: 1 .bin, 5 .pcd" in convert(scans, *out, code=EXIT_BAD_INPUT)
    assert "none: was not found; check the path" in convert(tmp_path / "none", *out, code=EXIT_BAD_INPUT)
    assert "is not a folder and not a bag" in convert(scans / "x.bin", *out, code=EXIT_BAD_INPUT)


def test_what_is_asked_for_wrongly_is_a_usage_error(tmp_path):
    scans, poses = scans_in(tmp_path / "in"), write_tum(tmp_path / "poses.tum", SHIFT)
    site = write_cloud(tmp_path / "site.pcd", corner())
    for args, message in [
        (["--name", "Größe"], "--name: 'Größe'; give a-z, 0-9 and _"),
        (["--every", 0], "--every: '0' is not a whole number of 1 or more"),
        (["--map-voxel", -1], "--map-voxel: '-1' is not a number above 0"),
        (["--map-voxel", "nan"], "'nan' is not a number above 0"),
        (["--build-map", "odd"], "unknown 'odd', expected even, first-N or all-but-queries"),
        (["--queries", "1-2"], "'1-2' is not FIRST, FIRST:STEP or FIRST:STEP:COUNT"),
        (["--kind", "map"], "--kind: invalid choice: 'map'"),
        (["--kind", "scan_to_map"], "a scan_to_map has a map; give --map or --build-map"),
        (["--kind", "sequence", "--map", site], "a sequence has no map; leave out --map"),
        (["--kind", "pair", "--map", site], "a pair is one scan and a map, not 5 scans; give --max-scans 1"),
        (["--map", site, "--build-map", "even"], "--map and --build-map exclude each other"),
        (["--build-map", "even"], "only be built from scans with poses; give --poses"),
        (["--poses", poses, "--build-map", "first-5"], "makes the map of 5 of 5 scans; leave scans"),
        (["--poses", poses, "--build-map", "all-but-queries"], "all-but-queries needs --queries"),
        (["--poses", poses, "--build-map", "even", "--queries", 5], "--queries begins with scan 5 of 5"),
        (["--queries", 5], "--queries begins with scan 5 of 5"),
        (["--queries", "0:2"], "--queries begins with scan 0, which has no scan before it; give 1 or more"),
        (["--max-scans", 1], "a sequence needs at least 2 scans, found 1; give more scans"),
        (["--guess", "noise"], "--guess noise is made around the true poses"),
        (["--guess", "odometry"], "--guess odometry and --odometry FILE go together"),
        (["--calib", poses], "--calib: requires KITTI poses"),
        (["--poses", poses, "--poses-format", "tum", "--calib", poses], "--calib: requires KITTI poses"),
        (["--topic", "/points"], "is a folder of scans, not a bag"),
        (["--bogus"], "unrecognized arguments: --bogus"),
    ]:
        assert message in convert(scans, *args, "--out", tmp_path / "out", code=EXIT_USAGE), args
    assert "required: --out" in convert(scans, code=EXIT_USAGE)
    bad_map = tmp_path / "site.obj"
    assert "unknown point cloud format '.obj'" in convert(scans, "--map", bad_map, "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
    assert not (tmp_path / "out").exists()


def test_help_names_every_option_and_the_exit_codes():
    text = convert("--help", python=sys.executable)
    for option in ["--poses", "--build-map", "--topic", "--queries", "verify all", "exit codes: 0 ok, 1 usage, 2 bad input"]:
        assert option in text


def test_a_real_folder_gives_the_map_that_the_catalogue_describes(tmp_path, datasets):
    """The command of datasets/catalogue/kitti00.toml."""
    folder = datasets / "kitti00"
    convert(folder / "scans", "--poses", folder / "poses_scanmatch.tum", "--build-map", "even", "--map-voxel", 0.2,
            "--map-min-range", 3, "--out", tmp_path / "out")
    made, given = (pcd_points(file) for file in (tmp_path / "out" / "map.pcd", folder / "map_even_020.pcd"))
    made, given = (p.astype(float)[np.lexsort(np.floor(p.astype(float) / 0.2).T)] for p in (made, given))
    assert made.shape == given.shape and np.abs(made - given).max() < 1e-5
    truth, again = (np.loadtxt(file) for file in (folder / "poses_scanmatch.tum", tmp_path / "out" / "poses.tum"))
    assert np.abs(truth[:, 1:] - again[:, 1:]).max() < 1e-9
