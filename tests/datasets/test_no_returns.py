"""The rule of no-return points, on clouds made by formulas, so that a test in C++ can make the same ones; and what convert does by it."""

import os
import subprocess
import sys

import pytest
from conftest import EXIT_BAD_INPUT, ROOT, convert, np, pcd_points, write_cloud, write_tum
from ndt_convert.library import CAUSES, no_returns

N = 2000
FLT_MAX = np.finfo(np.float32).max
INDEX = np.arange(N)


def directions(n=N):
    """Unit vectors all around, evenly: a Fibonacci lattice from the zenith down."""
    i = np.arange(n)
    z = 1 - (2 * i + 1) / n
    radius, angle = np.sqrt(1 - z * z), 2.399963229728653 * i
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])


def street():
    """(points, mask of the sky): ground 2 m below, walls at |x| = 10 and |y| = 7 that end 6 m above; the sky is at 120 m."""
    d = directions()
    wall = 1 / np.maximum(np.abs(d[:, 0]) / 10, np.abs(d[:, 1]) / 7)
    ranges = np.minimum(wall, np.where(d[:, 2] < 0, 2 / np.maximum(-d[:, 2], 1e-9), np.inf))
    sky = ranges * d[:, 2] > 6
    return d * np.where(sky, 120, ranges)[:, None], sky


def closed_street():
    """The street with a roof 6 m above."""
    points, sky = street()
    return np.where(sky[:, None], points * (6 / np.where(sky, points[:, 2], 1))[:, None], points)


def with_share(percent, value):
    """The closed street; so many of each hundred points are the value."""
    points = closed_street()
    points[INDEX * 37 % 100 < percent] = value
    return points


def at_range(percent, range_m):
    """The closed street; so many of each hundred points are at the range."""
    return np.where((INDEX * 37 % 100 < percent)[:, None], directions() * range_m, closed_street())


def copies(n):
    """The closed street with n points at 1 2 3."""
    return np.concatenate([closed_street()[n:], np.full((n, 3), (1, 2, 3))])


def noisy_sphere():
    """A tank of 30 m with a bell-shaped noise of 2 cm."""
    noise = sum(INDEX * step % 1 for step in (0.6180339887, 0.4142135624, 0.7320508076, 0.2360679775)) - 2
    return directions() * (30 + 0.035 * noise)[:, None]


def uneven_sphere(noise_m):
    """A tank of 30 m with noise that is as often large as small."""
    return directions() * (30 + 2 * noise_m * (INDEX * 0.6180339887 % 1 - 0.5))[:, None]


def dome():
    """A dome of 20 m around the scanner, over ground 1.5 m below."""
    d = directions()
    return d * np.minimum(20, np.where(d[:, 2] < 0, 1.5 / np.maximum(-d[:, 2], 1e-9), 20))[:, None]


def sky_above_land():
    """Ground 1.5 m below, seen up to 100 m, and a sky at 120 m."""
    d = directions()
    ground = 1.5 / np.maximum(-d[:, 2], 1e-9)
    return d * np.where(ground <= 100, ground, 120)[:, None]


def nines():
    """10 x (9999, 9999, 9999), 10 x (-99999, -99999, -99999), and 10 x (9999, 9999, 0), which is no sentinel."""
    points = closed_street()
    points[:10], points[10:20], points[20:30] = 9999, -99999, (9999, 9999, 0)
    return points


def every_cause():
    """100 zeros, 100 x (FLT_MAX, 0, 0), 100 x (1, 2, 3), and 100 points at 120 m."""
    points = closed_street()
    points[:100], points[100:200], points[200:300] = 0, (FLT_MAX, 0, 0), (1, 2, 3)
    points[INDEX[300:2000:17]] = directions()[300:2000:17] * 120
    return points


def with_nan():
    """2000 points of which 200 are not finite, and 19 of the 1800 others at 1 2 3: more than 1 % of these."""
    points = copies(19)
    points[:200, 1] = np.nan
    return points


# name: (cloud, number of no returns by cause)
CASES = {
    "a street under a roof": (closed_street(), {}),
    "5 % zeros": (with_share(5, 0), {"zero": 100}),
    "41 % zeros": (with_share(41, 0), {"zero": 820}),
    "60 % zeros with signs": (with_share(60, -0.0), {"zero": 1200}),
    "one zero": (np.concatenate([closed_street(), [(0, 0, -0.0)]]), {"zero": 1}),
    "FLT_MAX": (with_share(10, FLT_MAX), {"sentinel": 200}),
    "1e7 m in one coordinate": (with_share(10, (0, -1e7, 1)), {"sentinel": 200}),
    "below 1e7 m": (np.concatenate([closed_street(), [(9.9e6, 1, 1)]]), {}),
    "9999": (nines(), {"sentinel": 20}),
    "21 identical of 2000": (copies(21), {"identical": 21}),
    "20 identical of 2000": (copies(20), {}),
    "5 % at the maximum range": (at_range(5, 120), {"max_range": 100}),
    "60 % at the maximum range": (at_range(60, 120), {"max_range": 1200}),
    "1 % at the maximum range": (at_range(1, 120), {}),
    "sky above houses": (street()[0], {"max_range": int(street()[1].sum())}),
    "sphere": (directions() * 30, {}),
    "sphere with noise": (noisy_sphere(), {}),
    "sphere with even noise of 5 mm": (uneven_sphere(0.005), {}),
    "sphere with even noise of 2 cm": (uneven_sphere(0.02), {}),
    "sphere with 5 % zeros": (np.where((INDEX % 20 == 0)[:, None], 0, directions() * 30), {"zero": 100}),
    "dome over ground": (dome(), {}),
    "sky above open land": (sky_above_land(), {"max_range": 1015}),
    "every point twice": (np.repeat(closed_street(), 2, axis=0), {}),
    "every cause": (every_cause(), {"zero": 100, "sentinel": 100, "identical": 100, "max_range": 100}),
    "points that are not finite": (with_nan(), {"identical": 19}),
    "4 identical of 4": (np.full((4, 3), 1.5), {}),
    "5 identical of 8": (np.concatenate([np.full((5, 3), 1.5), [(3, 0, 0), (0, 2, 0), (0, 0, 1)]]), {"identical": 5}),
    "no point": (np.empty((0, 3)), {}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["<f4", "<f8"])
def test_no_returns_are_counted_by_cause(name, kind):
    points, expected = CASES[name]
    counts = np.bincount(no_returns(points.astype(kind)), minlength=5)
    assert dict(zip(CAUSES, counts[1:].tolist())) == {cause: expected.get(cause, 0) for cause in CAUSES}
    assert counts.sum() == len(points)


def test_the_points_that_are_dropped_are_the_ones():
    points, sky = street()
    assert ((no_returns(points.astype("<f4")) == 4) == sky).all() and 100 < sky.sum() < 1000
    marked = INDEX * 37 % 100 < 41
    assert ((no_returns(with_share(41, 0).astype("<f4")) == 1) == marked).all()


def test_a_rotated_and_shuffled_cloud_has_the_same_causes():
    shuffled = np.random.default_rng(1).permutation(N)
    for points in (street()[0], dome(), noisy_sphere()):
        turned = points[shuffled][:, [1, 2, 0]].astype("<f4")
        assert (no_returns(turned) == no_returns(points.astype("<f4"))[shuffled]).all()


def scans_of(folder, clouds, suffix=".pcd", encoding="binary"):
    folder.mkdir()
    for i, points in enumerate(clouds):
        write_cloud(folder / f"{i}{suffix}", points, encoding)
    return folder


@pytest.mark.parametrize("suffix, encoding", [(".pcd", "binary"), (".pcd", "ascii"), (".pcd", "lzf"), (".ply", "big"), (".ply", "ascii"), (".bin", "")])
def test_a_scan_loses_its_no_returns_and_a_clean_one_not_a_byte(tmp_path, suffix, encoding):
    mixed = with_share(41, 0)
    scans = scans_of(tmp_path / "in", [closed_street(), mixed], suffix, encoding)
    said = convert(scans, "--out", tmp_path / "out")
    assert "left out 20 % of the points as no returns: 820 zero; --keep-no-returns keeps them" in said
    first, second = (tmp_path / "out" / "scans" / f"{i:06d}{suffix}" for i in range(2))
    assert first.read_bytes() == (scans / f"0{suffix}").read_bytes()
    expected = mixed[mixed.any(axis=1)].astype("<f4")
    if suffix == ".bin":
        assert np.fromfile(second, "<f4").reshape(-1, 4).tolist() == np.column_stack([expected, np.zeros(len(expected))]).tolist()
    elif suffix == ".ply":
        head, _, data = second.read_bytes().partition(b"end_header\n")
        assert f"element vertex {len(expected)}\nproperty float x\n".encode() in head and data == expected.tobytes()
    else:
        assert pcd_points(second).tobytes() == expected.tobytes()
    convert(scans, "--keep-no-returns", "--out", tmp_path / "kept")
    assert (tmp_path / "kept" / "scans" / f"000001{suffix}").read_bytes() == (scans / f"1{suffix}").read_bytes()


def test_bin_files_of_five_values_keep_all_of_a_point(tmp_path):
    records = np.column_stack([with_share(41, 0), INDEX % 7, INDEX % 50]).astype("<f4")
    (tmp_path / "in").mkdir()
    for name in "01":
        records.tofile(tmp_path / "in" / f"{name}.bin")
    convert(tmp_path / "in", "--bin-fields", 5, "--out", tmp_path / "out")
    assert np.fromfile(tmp_path / "out" / "scans" / "000001.bin", "<f4").tolist() == records[records[:, :3].any(axis=1)].ravel().tolist()


def test_a_map_keeps_what_a_scan_loses(tmp_path):
    site = write_cloud(tmp_path / "site.pcd", with_share(41, 0))
    scans = scans_of(tmp_path / "in", [with_share(41, 0)])
    convert(scans, "--map", site, "--out", tmp_path / "out")
    assert (tmp_path / "out" / "map.pcd").read_bytes() == site.read_bytes()
    poses = write_tum(tmp_path / "poses.tum", [(0, 0, 0)] * 2)
    said = convert(scans_of(tmp_path / "two", [with_share(41, 0)] * 2), "--poses", poses, "--build-map", "even", "--map-voxel", 0.01, "--out",
                   tmp_path / "built")
    assert "left out 41 % of the points" in said and np.linalg.norm(pcd_points(tmp_path / "built" / "map.pcd"), axis=1).min() > 1


def test_scans_without_a_return_are_left_out_with_their_poses(tmp_path):
    street, none = closed_street(), np.zeros((50, 3))
    scans = scans_of(tmp_path / "in", [none, street, street, none, street])
    poses = write_tum(tmp_path / "poses.tum", [(x, 0, 0) for x in range(5)])
    said = convert(scans, "--poses", poses, "--out", tmp_path / "out")
    assert f"2 unusable scans left out: scan 0 (and 1 more): {scans / '0.pcd'}: all its 50 points are no returns" in said and "3 scans (2 left out)" in said
    assert np.loadtxt(tmp_path / "out" / "poses.tum")[:, 1].tolist() == [1, 2, 4]
    assert "5 scans," in convert(scans, "--keep-no-returns", "--out", tmp_path / "kept")
    all_none = scans_of(tmp_path / "none", [none, none])
    assert "0.pcd: all its 50 points are no returns" in convert(all_none, "--out", tmp_path / "no", code=EXIT_BAD_INPUT)


def test_a_cloud_whose_memory_is_far_from_the_interpreters_is_read(tmp_path):
    """36 MB: glibc maps that much by itself, so that the pointer does not fit 32 bits."""
    np.save(tmp_path / "zeros.npy", np.zeros((3000000, 3), np.float32))
    code = "import sys; from ndt_convert.library import no_returns, read_points; print(no_returns(read_points(sys.argv[1])).sum())"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "zeros.npy"], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3000000\n", "")
