"""Maps in LAS and LAZ, written by laspy, as PCD."""

import json
import os
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, convert, np, pcd_points

UTM = 'PROJCS["WGS 84 / UTM zone 32N",GEOGCS["WGS 84",UNIT["degree",0.0174532925199433]],UNIT["metre",1]]'


@pytest.fixture(scope="module")
def laspy(tmp_path_factory):
    """Returns this interpreter's laspy, or a copy of NDT_EXTRAS_PYTHON's, which needs only numpy."""
    if not find_spec("laspy") and os.environ.get("NDT_EXTRAS_PYTHON"):
        where = [os.environ["NDT_EXTRAS_PYTHON"], "-c", "import laspy, lazrs; print(laspy.__path__[0], lazrs.__path__[0], sep='\\n')"]
        folder = tmp_path_factory.mktemp("laspy")
        for package in subprocess.run(where, capture_output=True, text=True).stdout.split():
            (folder / Path(package).name).symlink_to(package)
        sys.path.append(str(folder))
    laspy = pytest.importorskip("laspy", reason="skipped for want of laspy, as in tests/requirements-extras.txt")
    if not laspy.LazBackend.detect_available():
        pytest.skip("skipped for want of lazrs, as in tests/requirements-extras.txt")
    return laspy


def write(laspy, file, points, wkt=None, keys=()):
    header = laspy.LasHeader(point_format=6 if wkt else 3, version="1.4")
    header.scales, header.offsets = [0.001] * 3, [500000, 5000000, 100]
    if wkt:
        header.vlrs.append(laspy.vlrs.known.WktCoordinateSystemVlr(wkt))
        header.global_encoding.wkt = True
    if keys:
        directory = laspy.vlrs.known.GeoKeyDirectoryVlr()
        directory.geo_keys = [laspy.vlrs.known.GeoKeyEntryStruct(id=key, tiff_tag_location=0, count=1, value_offset=value)
                              for key, value in keys]
        directory.geo_keys_header.number_of_keys = len(keys)
        header.vlrs.append(directory)
    cloud = laspy.LasData(header)
    cloud.x, cloud.y, cloud.z = np.asarray(points, dtype=float).T
    cloud.write(str(file))
    return file


@pytest.fixture
def points():
    random = np.random.default_rng(1)
    return np.round(random.uniform((500000, 5000000, 90), (500100, 5000050, 130), (2000, 3)), 3)


@pytest.mark.parametrize("name", ["site.las", "site.LAZ"])
def test_points_and_facts_are_kept(laspy, points, tmp_path, name):
    out = tmp_path / "site.pcd"
    said = convert("map", write(laspy, tmp_path / name, points, UTM), "--out", out)
    assert "2000 points, coordinate system WGS 84 / UTM zone 32N" in said
    got = pcd_points(out)
    assert got.dtype == np.float64 and np.abs(got - points).max() < 1e-6, "the file holds millimetres"
    facts = json.loads((tmp_path / "site.json").read_text())
    assert facts == {"source": name, "las_version": "1.4", "points": 2000, "scale_m": [0.001] * 3, "offset_m": [500000, 5000000, 100],
                     "crs": "WGS 84 / UTM zone 32N", "crs_wkt": UTM}


def tiles_of(folder):
    """{(x, y): points} by the metadata, which names every cloud of the folder; and the edge of a tile."""
    x_line, y_line, *lines = (folder / "pointcloud_map_metadata.yaml").read_text().splitlines()
    corners = {name: json.loads(corner) for name, corner in (line.split(": ") for line in lines)}
    assert set(corners) == {file.name for file in folder.glob("*.pcd")}
    size_m = float(x_line.removeprefix("x_resolution: "))
    assert y_line == f"y_resolution: {x_line.split()[1]}"
    return {tuple(corner): pcd_points(folder / name) for name, corner in corners.items()}, size_m


def test_tiles_have_every_point_in_its_order_with_its_bits(laspy, points, tmp_path):
    points[:3, :2] = [(500020, 5000040), (500019.999, 5000040), (500020, 5000039.999)]  # on a corner of four tiles, and beside it
    file, whole, out = write(laspy, tmp_path / "site.laz", points, UTM), tmp_path / "site.pcd", tmp_path / "maps/site"
    convert("map", file, "--out", whole)
    assert "2000 points in 15 tiles of 20 m, coordinate system WGS 84 / UTM zone 32N" in convert("map", file, "--out", out, "--tiles", 20)
    tiles, size_m = tiles_of(out)
    exact = pcd_points(whole)
    assert size_m == 20 and len(tiles) == 15
    for (x, y), got in tiles.items():
        inside = (exact[:, 0] >= x) & (exact[:, 0] < x + 20) & (exact[:, 1] >= y) & (exact[:, 1] < y + 20)
        assert got.dtype == np.float64 and got.tolist() == exact[inside].tolist()
    assert sum(map(len, tiles.values())) == 2000
    assert json.loads((out / "survey.json").read_text()) == json.loads((tmp_path / "site.json").read_text()) | {"points_not_finite": 0}
    assert "exists and is not empty" in convert("map", file, "--out", out, "--tiles", 20, code=EXIT_BAD_INPUT)
    assert [path.name for path in (tmp_path / "maps").iterdir()] == ["site"]


def test_too_many_tiles_become_wider(laspy, points, tmp_path, monkeypatch):
    monkeypatch.setattr("ndt_convert.tiles.MOST", 4)
    convert("map", write(laspy, tmp_path / "site.laz", points), "--out", tmp_path / "site", "--tiles", 20)
    tiles, size_m = tiles_of(tmp_path / "site")
    assert size_m == 80 and len(tiles) == 2 and sum(map(len, tiles.values())) == 2000


def test_keys_name_the_system_too_and_without_any_it_is_not_named(laspy, points, tmp_path):
    keys = [(1024, 1), (3072, 32632), (3076, 9001)]
    assert "coordinate system EPSG:32632" in convert("map", write(laspy, tmp_path / "a.laz", points, keys=keys), "--out", tmp_path / "a.pcd")
    assert "coordinate system not named" in convert("map", write(laspy, tmp_path / "b.laz", points), "--out", tmp_path / "b.pcd")


def test_what_is_not_in_metres_is_refused(laspy, points, tmp_path):
    for wkt, keys, part in [('GEOGCS["WGS 84",UNIT["degree",0.017]]', (), "degrees"), (None, [(1024, 2)], "degrees"),
                            (UTM.replace('"metre",1', '"US survey foot",0.3048006096012192'), (), "in US survey foot, not metres"),
                            ('COMPD_CS["a + b",GEOGCS["WGS 84",UNIT["degree",0.017]],VERT_CS["b",UNIT["metre",1]]]', (), "degrees"),
                            (None, [(1024, 1), (3076, 9003)], "in EPSG unit 9003, not metres"),
                            (None, [(1024, 1), (3076, 9001), (4099, 9002)], "in EPSG unit 9002, not metres")]:
        file = write(laspy, tmp_path / "a.las", points, wkt, keys)
        assert part in convert("map", file, "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT)
    assert not (tmp_path / "a.pcd").exists()


def test_broken_files_are_named(laspy, points, tmp_path):
    for name in ("a.las", "a.laz"):
        file = write(laspy, tmp_path / name, points)
        whole = file.read_bytes()
        for size in (0, 3, 100, len(whole) // 2, len(whole) - 1):
            file.write_bytes(whole[:size])
            assert name in convert("map", file, "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT), size
    assert "has no points" in convert("map", write(laspy, tmp_path / "b.las", np.empty((0, 3))), "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT)
    assert "was not found" in convert("map", tmp_path / "none.las", "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT)
    assert not (tmp_path / "a.pcd").exists()


def test_mistakes_in_the_command_are_named(tmp_path):
    assert "supported: .las, .laz, .e57" in convert("map", tmp_path / "a.xyz", "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT)
    assert "--out: 'a.ply' is no .pcd" in convert("map", tmp_path / "a.las", "--out", tmp_path / "a.ply", code=EXIT_USAGE)


@pytest.mark.parametrize("module, packages, file", [("laspy", "laspy lazrs", "a.las"), ("pye57", "pye57", "a.e57")])
def test_without_the_package_it_says_what_to_install(tmp_path, monkeypatch, module, packages, file):
    monkeypatch.setitem(sys.modules, module, None)
    assert f"pip install {packages}" in convert("map", tmp_path / file, "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT)


@pytest.mark.parametrize("version, at, form, count, records", [
    ("1.2", 100, "<I", 2**32 - 1, "4294967295 variable length records"), ("1.2", 100, "<I", 50, "50 variable length records"),
    ("1.4", 100, "<I", 2**32 - 1, "4294967295 variable length records"),
    ("1.4", 235, "<QI", (375, 2**32 - 1), "4294967295 extended variable length records"),
    ("1.4", 235, "<QI", (2**63, 1), "1 extended variable length records"),
])
def test_more_records_than_the_file_has_bytes_for_are_refused(laspy, tmp_path, version, at, form, count, records):
    cloud = laspy.LasData(laspy.LasHeader(point_format=3, version=version))
    cloud.x = cloud.y = cloud.z = np.arange(30.0)
    cloud.write(str(tmp_path / "a.las"))
    data = bytearray((tmp_path / "a.las").read_bytes())
    struct.pack_into(form, data, at, *(count if isinstance(count, tuple) else (count,)))
    (tmp_path / "a.las").write_bytes(data)
    message = convert("map", tmp_path / "a.las", "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT)
    assert f"a.las: header: {records} do not fit into the {len(data)} bytes of the file" in message


def test_only_facts_of_its_own_are_replaced(laspy, points, tmp_path):
    file, out, facts = write(laspy, tmp_path / "in.las", points), tmp_path / "site.pcd", tmp_path / "site.json"
    for other in (b'{"my": "notes"}', b"[" * 100_000, b"\xff"):
        facts.write_bytes(other)
        message = convert("map", file, "--out", out, code=EXIT_BAD_INPUT)
        assert "site.json: would be replaced by the map's facts, and does not hold such facts; move it away, or give another --out" in message
        assert facts.read_bytes() == other and not out.exists()
    facts.unlink()
    convert("map", file, "--out", out)
    convert("map", write(laspy, tmp_path / "in.las", points[:9]), "--out", out)
    assert len(pcd_points(out)) == 9 and json.loads(facts.read_text())["points"] == 9


def test_a_map_that_fails_leaves_the_earlier_one(laspy, points, tmp_path):
    file, out = write(laspy, tmp_path / "in.las", points), tmp_path / "site.pcd"
    convert("map", file, "--out", out)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path != file}
    file.write_bytes(file.read_bytes()[:-1000])
    convert("map", file, "--out", out, code=EXIT_BAD_INPUT)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path != file} == before


@pytest.mark.parametrize("size", ["1e-20", "0.09", "2e6"])
def test_tiles_of_no_size_are_refused(laspy, points, tmp_path, size):
    message = convert("map", write(laspy, tmp_path / "in.las", points), "--out", tmp_path / "out", "--tiles", size, code=EXIT_USAGE)
    assert message == f"ndt_convert: --tiles: {float(size):g} m; give an edge of 0.1 to 1e+06 m\n" and not (tmp_path / "out").exists()


def test_a_day_that_no_year_has_is_a_fault(laspy, points, tmp_path):
    file = write(laspy, tmp_path / "a.las", points)
    data = bytearray(file.read_bytes())
    struct.pack_into("<HH", data, 90, 65535, 9999)
    file.write_bytes(data)
    assert "a.las: cannot be read as LAS (" in convert("map", file, "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT)
