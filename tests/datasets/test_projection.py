"""Places on the earth in maps that are grids. The numbers to expect come from a series of its own here, not from pyproj."""

import json
import math
import os
import subprocess
import sys

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, ROOT, convert, np, write_cloud
from test_odd_bags import TIMES, bag, clouds, odometry

from ndt_convert import projection
from ndt_convert.faults import Fault

TOKYO, KARLSRUHE, SANTIAGO = (35.68, 139.69), (49.01, 8.43), (-33.45, -70.66)
GRIDS = {TOKYO: ("EPSG:32654", 141, 0), KARLSRUHE: ("EPSG:32632", 9, 0), SANTIAGO: ("EPSG:32719", -69, 1e7)}  # middle, false northing
COVARIANCE = [4, 0.5, 0, 0.5, 1, 0, 0, 0, 9]


def grid(place, middle, false_north, scale=0.9996):
    """Easting and northing of a transverse Mercator projection [Krueger 1912, in powers of n]."""
    n = 1 / (2 * 298.257223563 - 1)
    radius = scale * 6378137 / (1 + n) * (1 + n**2 / 4 + n**4 / 64)
    alphas = (n / 2 - 2 / 3 * n**2 + 5 / 16 * n**3, 13 / 48 * n**2 - 3 / 5 * n**3, 61 / 240 * n**3)
    sine, e = math.sin(math.radians(place[0])), 2 * math.sqrt(n) / (1 + n)
    t = math.sinh(math.atanh(sine) - e * math.atanh(e * sine))
    longitude = math.radians(place[1] - middle)
    xi, eta = math.atan2(t, math.cos(longitude)), math.atanh(math.sin(longitude) / math.hypot(1, t))
    east = eta + sum(a * math.cos(2 * j * xi) * math.sinh(2 * j * eta) for j, a in enumerate(alphas, 1))
    north = xi + sum(a * math.sin(2 * j * xi) * math.cosh(2 * j * eta) for j, a in enumerate(alphas, 1))
    return np.array([500_000 + radius * east, false_north + radius * north])


def around(origin):
    """Places up to 1.4 km from an origin."""
    return [(origin[0] + 0.01 * i / len(TIMES), origin[1] + 0.009 * i / len(TIMES)) for i in range(len(TIMES))]


def drive(python, tmp_path, origin, places=None, **given):
    fixes = [["/fix", at, "fix", {"stamp": at, "latitude": latitude, "longitude": longitude, "height": 120.0, "status": 0,
                                  "covariance": COVARIANCE, **given}] for at, (latitude, longitude) in zip(TIMES, places or around(origin))]
    return bag(python, tmp_path, *clouds(), *fixes)


def gnss(made, tmp_path, python, *args):
    """(what is said, rows of gnss.tum) of a conversion."""
    out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
    said = convert(made, "--gnss-topic", "/fix", *args, "--out", out, python=python)
    return said, np.loadtxt(out / "gnss.tum", ndmin=2)


@pytest.mark.parametrize("origin", GRIDS)
def test_a_grid_is_met_by_its_code_by_its_square_and_from_an_origin(tmp_path, extras_python, origin):
    made = drive(extras_python, tmp_path, origin)
    code, middle, false_north = GRIDS[origin]
    exact = np.array([grid(place, middle, false_north) for place in around(origin)])
    said, rows = gnss(made, tmp_path, extras_python, "--map-crs", code)
    assert f"/fix: the map is taken as WGS 84 / UTM zone {code[-2:]}{'S' if false_north else 'N'} ({code})" in said
    assert rows[:, 1:3] == pytest.approx(exact, abs=0.002) and rows[:, 3] == pytest.approx(120)
    _, rows = gnss(made, tmp_path, extras_python, "--map-crs", code, f"--map-origin={origin[0]},{origin[1]},100")
    assert rows[:, 1:3] == pytest.approx(exact - grid(origin, middle, false_north), abs=0.002) and rows[:, 3] == pytest.approx(20)
    square = {TOKYO: "54SUE", KARLSRUHE: "32umv", SANTIAGO: "19HCC"}[origin]
    said, rows = gnss(made, tmp_path, extras_python, "--map-crs", f"mgrs:{square}")
    assert rows[:, 1:3] == pytest.approx(exact % 1e5, abs=0.002) and "outside" not in said


def test_coordinates_go_on_past_the_edge_of_a_square_and_of_a_zone(tmp_path, extras_python):
    places = [(35.5, 138.001 - 0.0001 * i) for i in range(20)]  # zone 54 begins at 138
    made = drive(extras_python, tmp_path, TOKYO, places)
    exact = np.array([grid(place, 141, 0) for place in places]) - [300_000, 3_900_000]
    said, rows = gnss(made, tmp_path, extras_python, "--map-crs", "mgrs:54SUE")
    assert rows[:, 1:3] == pytest.approx(exact, abs=0.01) and (exact[:, 0] < 0).all()
    assert "20 of 20 fixes lie outside of square 54SUE" in said and "go on below 0 or above 100000 m, where Autoware begins at 0 again" in said


def test_an_origin_alone_is_a_plane_and_says_how_far_a_grid_would_be_turned(tmp_path, extras_python):
    said, rows = gnss(drive(extras_python, tmp_path, TOKYO), tmp_path, extras_python, "--map-origin", "35.68,139.69,120")
    assert "a local tangent plane at 35.68, 139.69, x east and y north; if the map is a UTM or MGRS grid, its axes are turned by 0.76 degrees" in said
    turned = np.degrees(np.arctan2(*(grid((35.681, 139.69), 141, 0) - grid(TOKYO, 141, 0))))
    assert turned == pytest.approx(0.764, abs=0.001) and projection.utm_convergence_deg(*TOKYO) == pytest.approx(-turned, abs=0.01)
    far = grid(around(TOKYO)[-1], 141, 0) - grid(TOKYO, 141, 0)
    assert np.linalg.norm(rows[-1, 1:3] - far) == pytest.approx(np.radians(turned) * np.linalg.norm(far), rel=0.1), "17 m a kilometre"
    assert rows[:, [8, 9, 10]] == pytest.approx(np.tile([4, 0.5, 1], (20, 1)), abs=0.002)


@pytest.mark.parametrize("latitude, longitude, zone", [(35.68, 139.69, 54), (0, -180, 1), (0, 180, 1), (60, 5, 32), (60, 12, 33), (50, 5, 31),
                                                       (78, 8, 31), (78, 9, 33), (78, 33, 37), (0, 179.9, 60)])
def test_zones_of_utm(latitude, longitude, zone):
    assert projection.utm_zone(latitude, longitude) == zone


@pytest.mark.parametrize("kind, scale, expected", [
    ("LocalCartesianUTM", "", "utm"), ("local_cartesian_utm", "", "utm"), ("MGRS", "", "square"), ("LocalCartesian", "", "plane"),
    ("TransverseMercator", "", 0.9996), ("transverse_mercator", "scale_factor: 1.0\n", 1.0)])
def test_autowares_file_says_how_the_map_lies(tmp_path, extras_python, kind, scale, expected):
    made = drive(extras_python, tmp_path, TOKYO)
    file = tmp_path / "map_projector_info.yaml"
    file.write_text(f"# of a map\nprojector_type: {kind}\nvertical_datum: WGS84\nmgrs_grid: 54SUE\n{scale}"
                    "map_origin:\n  latitude: 35.68 # [deg]\n  longitude: 139.69\n")
    said, rows = gnss(made, tmp_path, extras_python, "--map-projector-info", file)
    in_utm = np.array([grid(place, 141, 0) for place in around(TOKYO)])
    if expected == "utm":
        assert rows[:, 1:3] == pytest.approx(in_utm - grid(TOKYO, 141, 0), abs=0.002)
    elif expected == "square":
        assert rows[:, 1:3] == pytest.approx(in_utm % 1e5, abs=0.002)
    elif expected == "plane":
        assert "a local tangent plane at 35.68, 139.69" in said and rows[0, 1:3] == pytest.approx([0, 0], abs=1e-6)
    else:
        own = np.array([grid(place, 139.69, 0, expected) for place in around(TOKYO)])
        assert rows[:, 1:3] == pytest.approx(own - grid(TOKYO, 139.69, 0, expected), abs=0.002)


def test_heights_of_another_datum_are_said_and_files_that_cannot_be_used_are_named(tmp_path, extras_python):
    made = drive(extras_python, tmp_path, TOKYO)
    file = tmp_path / "info.yaml"
    place = "map_origin: {latitude: 35.68, longitude: 139.69, altitude: 100}\n"
    file.write_text(f"projector_type: LocalCartesianUTM\nvertical_datum: EGM2008\n{place}")
    said, rows = gnss(made, tmp_path, extras_python, "--map-projector-info", file)
    assert "heights of the map are those of EGM2008, heights of gnss.tum those of WGS 84" in said and rows[:, 3] == pytest.approx(20)
    for text, message in [("projector_type: local\n", "local has no place on the earth; give --map-origin"),
                          ("projector_type: Mercator\n", "unknown 'Mercator'; supported: Local, MGRS"),
                          ("[1, 2]\n", "has no projector_type"), ("a: [\n", "cannot be read as YAML"), ("projector_type: [1]\n", "unknown '[1]'"),
                          ("projector_type: MGRS\nmgrs_grid: 54SUI\n", "mgrs_grid: '54SUI' is not a square"),
                          ("projector_type: MGRS\nmgrs_grid: 61SUE\n", "there is no square 61SUE"),
                          ("projector_type: LocalCartesianUTM\n", "map_origin.latitude: 'None' is not a number"),
                          ("projector_type: LocalCartesianUTM\nmap_origin: {latitude: 95, longitude: 0}\n", "give degrees"),
                          (f"projector_type: TransverseMercator\nscale_factor: 0\n{place}", "scale_factor: 0")]:
        file.write_text(text)
        run = (made, "--gnss-topic", "/fix", "--map-projector-info", file, "--out", tmp_path / "no")
        code = EXIT_USAGE if "61SUE" in text else EXIT_BAD_INPUT
        assert message in convert(*run, code=code, python=extras_python), text
    file.write_text("projector_type: Local\n")
    assert "tangent plane" in gnss(made, tmp_path, extras_python, "--map-projector-info", file, "--map-origin", "35.68,139.69,0")[0]


def test_the_covariance_is_turned_with_the_axes(tmp_path, extras_python):
    made = drive(extras_python, tmp_path, TOKYO)
    said, rows = gnss(made, tmp_path, extras_python, "--map-crs", "EPSG:32654")
    text = next(tmp_path.glob("out*/gnss.tum")).read_text()
    assert text.startswith("# time_s x_m y_m z_m qx qy qz qw var_x_m2 cov_xy_m2 var_y_m2\n")
    turn = np.radians(0.7642)  # true north lies to the right of the grid's
    axes = 0.99977 * np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    expected = axes @ np.array([[4, 0.5], [0.5, 1]]) @ axes.T
    assert rows[:, [8, 9, 10]] == pytest.approx(np.tile(expected[[0, 0, 1], [0, 1, 1]], (20, 1)), abs=0.001)


def test_covariances_that_are_unknown_are_left_out(tmp_path, extras_python):
    fixes = [["/fix", at, "fix", {"stamp": at, "latitude": 35.68, "longitude": 139.69, "height": 0.0, "status": 0,
                                  "covariance": None if i == 3 else COVARIANCE}] for i, at in enumerate(TIMES)]
    known = np.zeros((6, 6))
    known[:2, :2] = [[0.5, 0.1], [0.1, 0.2]]
    poses = odometry(covariance=known.reshape(-1).tolist())
    made = bag(extras_python, tmp_path, *clouds(), *fixes, *poses)
    said, rows = gnss(made, tmp_path, extras_python, "--map-crs", "EPSG:32654")
    assert "/fix: 1 of 20 messages have no covariance, so no covariance is written" in said and rows.shape == (20, 8)
    convert(made, "--gnss-topic", "/odom", "--odometry-topic", "/odom", "--out", tmp_path / "poses", python=extras_python)
    assert np.loadtxt(tmp_path / "poses" / "gnss.tum")[:, 8:] == pytest.approx(np.tile([0.5, 0.1, 0.2], (20, 1)))
    assert np.loadtxt(tmp_path / "poses" / "odometry.tum").shape == (20, 8)


def test_fixes_that_are_no_places_are_left_out(tmp_path, extras_python):
    places = [(0, 0), (999, 0), (0, 51), *around(TOKYO)[3:]]
    said, rows = gnss(drive(extras_python, tmp_path, TOKYO, places), tmp_path, extras_python, "--map-crs", "EPSG:32654")
    assert "/fix: 2 messages without a fix were left out" in said and "/fix: 1 fixes too far from the map were left out" in said
    assert len(rows) == 17


def test_a_surveyors_map_gives_its_system(tmp_path, extras_python):
    made, site = drive(extras_python, tmp_path, TOKYO), write_cloud(tmp_path / "site.pcd", np.eye(3))
    facts = {"source": "site.las", "points": 3, "crs": "WGS 84 / UTM zone 54N", "crs_wkt": None}
    exact = np.array([grid(place, 141, 0) for place in around(TOKYO)])
    for crs in ("EPSG:32654", "WGS 84 / UTM zone 54N"):
        (tmp_path / "site.json").write_text(json.dumps(facts | {"crs": crs}))
        said, rows = gnss(made, tmp_path, extras_python, "--map", site)
        assert "/fix: the map is taken as WGS 84 / UTM zone 54N (EPSG:32654)" in said and rows[:, 1:3] == pytest.approx(exact, abs=0.002)
    assert "tangent plane" in gnss(made, tmp_path, extras_python, "--map", site, "--map-origin", "35.68,139.69,0")[0]
    (tmp_path / "site.json").write_text(json.dumps(facts | {"crs": "LOCAL grid of our town"}))
    run = (made, "--gnss-topic", "/fix", "--map", site, "--out", tmp_path / "no")
    assert f"{site}: 'LOCAL grid of our town' is not a coordinate system" in convert(*run, code=EXIT_USAGE, python=extras_python)
    for other in ("{}", "[1]", "no JSON", json.dumps(facts | {"crs": 7})):
        (tmp_path / "site.json").write_text(other)
        assert "requires the map's origin" in convert(*run, code=EXIT_USAGE, python=extras_python), other


def test_systems_that_cannot_be_used_are_named(tmp_path, extras_python):
    made = drive(extras_python, tmp_path, TOKYO)
    for crs, code, message in [("EPSG:4326", EXIT_USAGE, "WGS 84 is not a projection in metres, but has degree"), ("EPSG:2263", EXIT_USAGE, "US survey foot"),
                               ("mgrs:54SU", EXIT_USAGE, "'mgrs:54SU' is not a square of MGRS"), ("UTM", EXIT_USAGE, "'UTM' is not a coordinate system")]:
        assert message in convert(made, "--gnss-topic", "/fix", "--map-crs", crs, "--out", tmp_path / "no", code=code, python=extras_python)
    for words, message in [(["--map-crs", "EPSG:32654"], "--map-crs: requires a NavSatFix topic"),
                           (["--gnss-topic", "/fix", "--map-crs", "EPSG:32654", "--map-projector-info", "a"], "exclude each other")]:
        assert message in convert(made, *words, "--out", tmp_path / "no", code=EXIT_USAGE, python=extras_python)


@pytest.mark.parametrize("text, package", [("EPSG:32654", "pyproj"), ("mgrs:54SUE", "mgrs")])
def test_a_missing_package_is_named(monkeypatch, text, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Fault, match=f"needs the Python package {package}; python3 -m venv extras && extras/bin/pip install rosbags {package}"):
        projection.of_crs(text)


def test_tiles_of_a_surveyors_map_give_localize_their_system(tmp_path, extras_python):
    """As ndt-bench starts a program that prints its arguments and fails: the bag is converted before."""
    echo = tmp_path / "echo"
    echo.write_text('#!/bin/sh\necho "$@"\nexit 3\n')
    echo.chmod(0o755)
    rear = [["/points", at, "cloud", {"stamp": at, "frame": "rear"}] for at in TIMES]
    fixes = [["/fix", at, "fix", {"stamp": at, "latitude": 35.68, "longitude": 139.69, "height": 0.0, "status": 0}] for at in TIMES]
    made, tiles = bag(extras_python, tmp_path, *clouds(), *rear, *fixes), tmp_path / "tiles"
    tiles.mkdir()
    (tiles / "survey.json").write_text(json.dumps({"source": "site.las", "points": 3, "crs": "EPSG:32654"}))
    words = ["-m", "ndt_localize", "--bench", echo, "--scans", made, "--map", tiles, "--out", tmp_path / "out", "--gnss-topic", "/fix"]
    run = dict(capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"})
    refused = subprocess.run([extras_python, *words], **run)
    assert refused.returncode == EXIT_USAGE and "/points: has 2 senders: lidar (20 messages), rear (20 messages)" in refused.stderr
    done = subprocess.run([extras_python, *words, "--frame", "rear"], **run)
    assert done.returncode == 3, done.stderr
    assert "bag              /points: left out, as --frame rear asks: lidar (20 messages)" in done.stdout
    assert "bag              /fix: the map is taken as WGS 84 / UTM zone 54N (EPSG:32654)" in done.stdout
    first = [float(word) for word in done.stdout.split("--guess ")[1].split()[0].split(",")[:2]]
    assert first == pytest.approx(grid(TOKYO, 141, 0), abs=0.002)
