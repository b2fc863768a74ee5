"""Misuse that fits in files and flags, on every available implementation: exit code, and the stop or the refusal."""

import json
import math
import random
import struct

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, bench, refusal

POINTS = 20_000
FAR_M = 5.4e6
NEAR_GUESS, FAR_GUESS = "0.3,0,0,0,0,0", f"{FAR_M + 0.3},0,0,0,0,0"
NAN, INF = math.nan, math.inf
GLOBAL_FLOAT32 = {"cpu_pclomp_ref"}


def implementations():
    listing = json.loads(bench("list", "--json").stdout)
    return [entry["name"] for entry in listing["implementations"] if entry["available"]]


def room(seed):
    """A floor and four walls of 20 x 15 x 4 m, 1 cm rough."""
    draw = random.Random(seed)
    walls = [((-10, -7.5), (20, 0)), ((-10, 7.5), (20, 0)), ((-10, -7.5), (0, 15)), ((10, -7.5), (0, 15))]
    points = []
    for _ in range(POINTS):
        s, t, rough = draw.random(), draw.random(), [draw.gauss(0, 0.01) for _ in range(3)]
        side = draw.choices([None, *walls], weights=[300, 80, 80, 60, 60])[0]
        if side is None:
            p = (20 * s - 10, 15 * t - 7.5, -1)
        else:
            (x, y), (dx, dy) = side
            p = (x + s * dx, y + s * dy, 4 * t - 1)
        points.append([a + b for a, b in zip(p, rough)])
    return points


def plane(seed):
    draw = random.Random(seed)
    return [[20 * draw.random() - 10, 20 * draw.random() - 10, 0] for _ in range(POINTS)]


def line(seed):
    draw = random.Random(seed)
    return [[20 * draw.random() - 10, 0, 0] for _ in range(POINTS)]


def corridor(seed):
    """Floor and two walls along x, 60 m of the map and of the scan."""
    draw = random.Random(seed)
    points = []
    for _ in range(POINTS):
        x, side = 60 * draw.random() - 30, draw.choices([-7.5, 7.5, None], weights=[4, 4, 15])[0]
        points.append([x, 15 * draw.random() - 7.5, -1] if side is None else [x, side, 4 * draw.random() - 1])
    return points


def shifted(points, x):
    return [[p[0] + x, p[1], p[2]] for p in points]


def with_nans(points):
    return [q for i, p in enumerate(points) for q in ([[NAN, 1, 2], p] if i % 9 == 0 else [p])]


def write_pcd(path, points, double=False):
    size, n = 8 if double else 4, len(points)
    header = (f"VERSION 0.7\nFIELDS x y z\nSIZE {size} {size} {size}\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {n}\nHEIGHT 1\n"
              f"VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {n}\nDATA binary\n")
    body = b"".join(struct.pack("<3d" if double else "<3f", *p) for p in points)
    path.write_bytes(header.encode() + body)
    return path


class Scenes:
    """The base scene's clouds as files, and whatever a test adds to them."""

    def __init__(self, folder):
        self.folder = folder
        self.map_points, self.scan_points = room(1), room(2)
        self.map, self.scan = self.file("map", self.map_points), self.file("scan", self.scan_points)

    def file(self, name, points, double=False):
        path = self.folder / f"{name}.pcd"
        return path if path.exists() else write_pcd(path, points, double)


@pytest.fixture(scope="session")
def scenes(tmp_path_factory):
    return Scenes(tmp_path_factory.mktemp("misuse"))


def arguments(implementation, map_file, scan_file, *flags, guess=NEAR_GUESS):
    return ["align", "--implementation", implementation, "--map", map_file, "--scan", scan_file, "--resolution", 1,
            "--guess", guess, *flags, "--json"]


def answer(implementation, map_file, scan_file, *flags, **more):
    return json.loads(bench(*arguments(implementation, map_file, scan_file, *flags, **more), code=EXIT_OK).stdout)


def refused(code, implementation, map_file, scan_file, *flags, **more):
    return refusal(*arguments(implementation, map_file, scan_file, *flags, **more), code=code)


def test_the_base_scene_converges(scenes):
    for implementation in implementations():
        result = answer(implementation, scenes.map, scenes.scan)
        assert result["stop"] == "converged", implementation
        assert math.hypot(*result["pose_xyz_m"]) < 0.02, implementation
        assert 1 <= result["surface_condition_number"] < 1000, implementation


def test_points_that_are_not_finite_and_one_far_away_change_nothing(scenes):
    dirty = scenes.file("scan_nan", with_nans(scenes.scan_points) + [[0, INF, 0]])
    nan_map = scenes.file("map_nan", with_nans(scenes.map_points) + [[-INF, 0, 0]])
    outlier = scenes.file("map_outlier", [*scenes.map_points, [1e6, 0, 0]])
    for implementation in implementations():
        expected = answer(implementation, scenes.map, scenes.scan)
        for map_file, scan_file, dropped in [(scenes.map, dirty, 2224), (nan_map, scenes.scan, 0),
                                             (outlier, scenes.scan, 0)]:
            result = answer(implementation, map_file, scan_file)
            assert result["stop"] == "converged" and result["dropped_points"] == dropped, (implementation, map_file)
            assert result["matrix"] == expected["matrix"], (implementation, map_file)


def test_scans_without_overlap_return_the_guess(scenes):
    empty, only_nan = scenes.file("empty", []), scenes.file("only_nan", [[NAN, 1, 2]] * 100)
    for implementation in implementations():
        for scan, dropped, guess in [(empty, 0, NEAR_GUESS), (only_nan, 100, NEAR_GUESS),
                                     (scenes.scan, 0, "10000,0,0,0,0,0")]:
            result = answer(implementation, scenes.map, scan, guess=guess)
            assert (result["stop"], result["iterations"], result["dropped_points"]) == ("no_overlap", 0, dropped), implementation
            assert result["pose_xyz_m"] == [float(v) for v in guess.split(",")[:3]], implementation


def test_maps_without_a_voxel_are_bad_input(scenes):
    maps = {"empty": [], "only_nan": [[NAN, 1, 2]] * 100, "sparse": [[1.5 * i, 0, 0] for i in range(100)],
            "one_point": [[1, 2, 3]]}
    for implementation in implementations():
        for name, points in maps.items():
            message = refused(EXIT_BAD_INPUT, implementation, scenes.file(name, points), scenes.scan)
            assert "no valid voxel" in message and "finite points" in message, (implementation, name)


def test_scenes_that_leave_a_direction_free_are_degenerate(scenes):
    one_point = scenes.file("one_scan_point", scenes.scan_points[7:8])
    equal = scenes.file("equal", [scenes.scan_points[7]] * POINTS)
    pairs = [(scenes.map, one_point), (equal, scenes.scan)]
    pairs += [(scenes.file(f"{f.__name__}_map", f(3)), scenes.file(f"{f.__name__}_scan", f(4))) for f in (plane, line)]
    for implementation in implementations():
        for map_file, scan_file in pairs:
            if implementation == "pcl_ndt" and map_file == equal:  # PCL's voxels have no spread to start from
                assert "no valid voxel" in refused(EXIT_BAD_INPUT, implementation, map_file, scan_file)
                continue
            assert answer(implementation, map_file, scan_file)["stop"] == "degenerate", (implementation, map_file)


def test_a_corridor_names_its_weak_direction(scenes):
    map_file, scan_file = scenes.file("corridor_map", corridor(5)), scenes.file("corridor_scan", corridor(6))
    for implementation in implementations():
        result = answer(implementation, map_file, scan_file)
        assert result["stop"] in ("converged", "degenerate"), implementation
        assert abs(result["weak_direction"][0]) > 0.9, implementation


def test_options_out_of_range_are_usage_errors_with_bounds(scenes):
    bad = {"--resolution": (["0", "-1", "nan", "1e-6", "1e9"], "[0.001, 1000]"),
           "--step": (["0", "nan", "1e6"], "(0, 100]"), "--max-iterations": (["0", "-1"], "[1, 1000]"),
           "--epsilon": (["0", "-1", "nan"], "(0, 10]"), "--outlier-ratio": (["0", "1", "-0.1"], "(0, 1)")}
    for implementation in implementations():
        for flag, (values, bounds) in bad.items():
            for value in values:
                args = [a for a in arguments(implementation, scenes.map, scenes.scan) if a not in ("--resolution", 1)]
                message = refusal(*args, f"{flag}={value}", code=EXIT_USAGE)
                assert flag.removeprefix("--") in message and bounds in message, (implementation, flag, value)


def test_guesses_that_are_not_rigid_are_usage_errors_with_the_property(scenes):
    def matrix(rotation, last="0,0,0,1"):
        a, b, c = (rotation[0:3], rotation[3:6], rotation[6:9])
        return ",".join(",".join(map(str, [*r, 0])) for r in (a, b, c)) + "," + last

    bad = {"nan,0,0,0,0,0": "nan", matrix([0] * 9, "0,0,0,0"): "last row", matrix([2, 0, 0, 0, 2, 0, 0, 0, 2]): "length 2",
           matrix([1, 0.5, 0, 0, 1, 0, 0, 0, 1]): "(shear)", matrix([1, 0, 0, 0, 1, 0, 0, 0, -1]): "(reflection)"}
    for implementation in implementations():
        for guess, word in bad.items():
            assert word in refused(EXIT_USAGE, implementation, scenes.map, scenes.scan, guess=guess), (implementation, guess)


def test_float32_coordinates_too_coarse_to_align_are_bad_input_and_double_ones_are_not(scenes):
    coarse = scenes.file("map_far_float", shifted(scenes.map_points, FAR_M))
    fine = scenes.file("map_far_double", shifted(scenes.map_points, FAR_M), double=True)
    for implementation in implementations():
        for map_file, scan_file in [(coarse, scenes.scan), (scenes.map, coarse)]:
            message = refused(EXIT_BAD_INPUT, implementation, map_file, scan_file, guess=FAR_GUESS)
            assert "precision_lost" in message and "0.5 m apart" in message and "PCD `F 8`" in message, implementation
        if implementation in GLOBAL_FLOAT32:
            message = refused(EXIT_BAD_INPUT, implementation, fine, scenes.scan, guess=FAR_GUESS)
            assert "precision_lost" in message and "double origin" in message, implementation
            continue
        result = answer(implementation, fine, scenes.scan, guess=FAR_GUESS)
        assert result["stop"] == "converged", implementation
        assert math.dist(result["pose_xyz_m"], [FAR_M, 0, 0]) < 0.02, implementation
