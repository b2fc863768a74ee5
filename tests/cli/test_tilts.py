"""Whole-map searches for a scanner that is mounted upside down, and in a map that is not level."""

import json
import math
import struct

import pytest
from conftest import EXIT_USAGE, bench, refusal
from localizations import localize, start_in

TILT = 80 * math.pi / 180  # a smaller one is found without --up in the courtyard, which is small
MOUNTED = 37 * math.pi / 180
ANYWHERE = ["--prior", "map", "--json"]


def upside_down(point):
    """A scanner that looks the same way, rolled by pi."""
    x, y, z = point
    return x, -y, -z


def tilted(point, tilt=TILT):
    """The map of a scanner whose front points down."""
    x, y, z = point
    return math.cos(tilt) * x - math.sin(tilt) * z, y, math.sin(tilt) * x + math.cos(tilt) * z


def mounted(point):
    return tilted(point, MOUNTED)


UP = ",".join(map(str, tilted((0, 0, 1))))


def points_of(file):
    """The first three float32 of each record of a binary PCD file."""
    head, body = file.read_bytes().split(b"DATA binary\n", 1)
    sizes = next(line for line in head.decode().splitlines() if line.startswith("SIZE")).split()[1:]
    record = sum(map(int, sizes))
    return [struct.unpack_from("<3f", body, at) for at in range(0, len(body) - record + 1, record)]


def changed(source, file, change):
    """The points of a PCD file, each changed, in another."""
    points = [change(point) for point in points_of(source)]
    file.write_bytes(f"VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {len(points)}\nHEIGHT 1\n"
                     f"POINTS {len(points)}\nDATA binary\n".encode() + b"".join(struct.pack("<3f", *point) for point in points))
    return file


def rolled(source, file):
    """The poses of a TUM file, of the scanner upside down."""
    rows = [line.split() for line in source.read_text().splitlines() if line[0] != "#"]
    turned = [(*row[:4], row[7], row[6], -float(row[5]), -float(row[4])) for row in rows]
    file.write_text("".join(" ".join(map(str, row)) + "\n" for row in turned))
    return file


def found_in(map, scan, *args):
    return json.loads(bench("initial-pose", "--map", map, "--scan", scan, *ANYWHERE, *args).stdout)


@pytest.fixture(scope="module")
def hanging(courtyard, tmp_path_factory):
    return changed(courtyard.scan, tmp_path_factory.mktemp("hanging") / "scan.pcd", upside_down)


@pytest.fixture(scope="module")
def tilted_map(courtyard, tmp_path_factory):
    return changed(courtyard.map, tmp_path_factory.mktemp("tilted") / "map.pcd", tilted)


def test_a_scanner_upside_down_is_found_and_said(courtyard, hanging):
    found = found_in(courtyard.map, hanging)
    assert found["reliable"] and found["anywhere"]["mounting"] == "upside_down"
    assert math.dist(found["best"]["pose_xyz_m"], (0, 0, 0)) < 0.1
    assert abs(abs(found["best"]["pose_rpy_rad"][0]) - math.pi) < 0.01
    text = bench("initial-pose", "--map", courtyard.map, "--scan", hanging, "--prior", "map").stdout
    assert "\nmounting         upside down: the search for a level scanner found no reliable pose\n" in text
    told = found_in(courtyard.map, hanging, "--guess", "0,0,0,3.14159265,0,0")
    assert told["reliable"] and told["anywhere"]["mounting"] == "level", "by --guess: one search"
    assert math.dist(told["best"]["pose_xyz_m"], found["best"]["pose_xyz_m"]) < 0.01


def test_a_level_scanner_is_searched_once(courtyard):
    found = found_in(courtyard.map, courtyard.scan)
    assert found["reliable"] and found["anywhere"]["mounting"] == "level"
    assert "mounting" not in bench("initial-pose", *courtyard.args, "--prior", "map").stdout


def test_a_heading_is_kept_to_upside_down(courtyard, hanging):
    found = found_in(courtyard.map, hanging, "--guess", "0,0,0,0,0,0", "--sigma-yaw", 0.1)
    assert found["reliable"] and found["anywhere"]["mounting"] == "upside_down"


def test_a_map_that_is_not_level_is_searched_with_its_up(courtyard, tilted_map):
    missed = found_in(tilted_map, courtyard.scan)
    assert not missed["reliable"] and missed["anywhere"]["mounting"] == "neither"
    said = bench("initial-pose", "--map", tilted_map, "--scan", courtyard.scan, "--prior", "map").stdout
    assert "for a tilted map give its up direction by --up, for a tilted scanner its roll and pitch by --guess" in said
    found = found_in(tilted_map, courtyard.scan, "--up", UP)
    assert found["reliable"] and found["anywhere"]["mounting"] == "level"
    assert math.dist(found["best"]["pose_xyz_m"], (0, 0, 0)) < 0.1
    roll, pitch, yaw = found["best"]["pose_rpy_rad"]
    assert math.dist((roll, pitch, yaw), (0, -TILT, 0)) < 0.02


def test_both_at_once(tilted_map, hanging):
    found = found_in(tilted_map, hanging, "--up", UP)
    assert found["reliable"] and found["anywhere"]["mounting"] == "upside_down"
    assert math.dist(found["best"]["pose_xyz_m"], (0, 0, 0)) < 0.1


@pytest.mark.parametrize("up", ["0,0,2", "0 0 1"])
def test_a_map_that_is_level_is_searched_as_without_up(courtyard, up):
    usual, given = (found_in(courtyard.map, courtyard.scan, *more) for more in ([], ["--up", *up.split()]))
    assert usual["particles"] == given["particles"] and usual["anywhere"]["places"] == given["anywhere"]["places"]


def test_what_is_no_direction_is_refused(courtyard):
    def refused(*args):
        return refusal("initial-pose", *courtyard.args, *args, code=EXIT_USAGE)
    for up in ("0,0,0", "1,2", "0,0,1,0"):
        assert f"--up: '{up}' is no direction; give three numbers x,y,z" in refused("--prior", "map", "--up", up)
    assert "--up requires --method anywhere" in refused("--guess", "0,0,0,0,0,0", "--sigma", "1,1,1,0,0", "--up", "0,0,1")
    assert "--up requires --prior map, not box" in refused("--box", "-1,-1,-1,1,1,1", "--up", "0,0,1")


def test_localize_starts_upside_down_and_in_a_tilted_map(town, tmp_path):
    *_, leaf, size = start_in(town)
    for folder, change in (("hanging", upside_down), ("level", lambda point: point)):
        (tmp_path / folder).mkdir()
        for scan in sorted((town / "scans").iterdir()):
            changed(scan, tmp_path / folder / scan.name, change)
    given = ["--init", "search", "--rate", 2, leaf, size, "--odometry"]
    odometry = town / "odometry.tum"
    got, done = localize(tmp_path / "hanging", tmp_path / "a", "--map", town / "map.pcd", *given,
                         rolled(odometry, tmp_path / "odometry.tum"))
    assert "localize: the scanner is mounted upside down, the first scan is at " in done.stderr
    assert {frame["verdict"] for frame in got.frames} == {"ok"}
    usual, _ = localize(tmp_path / "level", tmp_path / "b", "--map", town / "map.pcd", *given, odometry)
    for one, other in zip(got.tum, usual.tum):
        assert math.dist([float(x) for x in one[1:4]], [float(x) for x in other[1:4]]) < 0.05
    turned = changed(town / "map.pcd", tmp_path / "map.pcd", mounted)
    up = ",".join(map(str, mounted((0, 0, 1))))
    got, done = localize(tmp_path / "level", tmp_path / "c", "--map", turned, "--up", up, *given, odometry)
    for one, other in zip(got.tum, usual.tum):
        assert math.dist([float(x) for x in one[1:4]], mounted([float(x) for x in other[1:4]])) < 0.05
    assert "--up requires a search in the whole map" in refusal(
        "localize", "--scans", town, "--out", tmp_path / "e", "--up", "0,0,1", code=EXIT_USAGE)
