"""Maps in E57, written by pye57, as PCD."""

import json
import subprocess

import pytest
from conftest import EXIT_BAD_INPUT, convert, np, pcd_points

WRITE = """
import json, sys
import numpy as np
import pye57
out, scans, wkt = json.load(sys.stdin)
node = pye57.libe57.StringNode  # the library writes an empty coordinate system, which cannot be set again
pye57.libe57.StringNode = lambda file, text: node(file, text or wkt or "")
file = pye57.E57(out, mode="w")
pye57.libe57.StringNode = node
for points, translation in scans:
    x, y, z = np.array(points, dtype=float).reshape(-1, 3).T.copy()
    data = {"cartesianX": x, "cartesianY": y, "cartesianZ": z}
    if len(x) > 3:
        data["cartesianInvalidState"] = np.arange(len(x)) // (len(x) - 1)  # of the last point
    file.write_scan_raw(data, translation=np.array(translation))
file.close()
"""
UTM = 'PROJCS["WGS 84 / UTM zone 32N",GEOGCS["WGS 84",UNIT["degree",0.0174532925199433]],UNIT["metre",1]]'


@pytest.fixture(scope="module")
def python(extras_python):
    if subprocess.run([extras_python, "-c", "import pye57"], capture_output=True).returncode:
        pytest.skip(f"skipped for want of pye57 in {extras_python}")
    return extras_python


def write(python, file, scans, wkt=None):
    scans = [(np.asarray(points).tolist(), list(translation)) for points, translation in scans]
    done = subprocess.run([python, "-c", WRITE], input=json.dumps([str(file), scans, wkt]), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    return file


def test_scans_are_moved_by_their_poses_and_joined_and_facts_are_kept(python, tmp_path):
    random = np.random.default_rng(1)
    near, far = (random.uniform(-20, 20, (500, 3)) for _ in range(2))
    file = write(python, tmp_path / "site.E57", [(near, (0, 0, 0)), (far, (500000, 5000000, 100))], UTM)
    said = convert("map", file, "--out", tmp_path / "site.pcd", python=python)
    assert "998 points, coordinate system WGS 84 / UTM zone 32N" in said
    got = pcd_points(tmp_path / "site.pcd")
    assert got.dtype == np.float64
    assert np.abs(got - np.concatenate([near[:-1], far[:-1] + (500000, 5000000, 100)])).max() < 1e-6
    assert json.loads((tmp_path / "site.json").read_text()) == {
        "source": "site.E57", "points": 998, "points_invalid": 2, "scans": 2, "crs": "WGS 84 / UTM zone 32N", "crs_wkt": UTM}


def test_without_a_system_it_is_not_named(python, tmp_path):
    file = write(python, tmp_path / "a.e57", [([(1, 2, 3), (4, 5, 6)], (0, 0, 0))])
    assert "2 points, coordinate system not named" in convert("map", file, "--out", tmp_path / "a.pcd", python=python)
    assert pcd_points(tmp_path / "a.pcd").tolist() == [[1, 2, 3], [4, 5, 6]]


def test_broken_files_are_named(python, tmp_path):
    file = write(python, tmp_path / "a.e57", [(np.zeros((100, 3)), (0, 0, 0))])
    whole = file.read_bytes()
    for size in (0, 100, len(whole) // 2):
        file.write_bytes(whole[:size])
        assert "a.e57: cannot be read as E57 (" in convert("map", file, "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT, python=python)
        assert file.read_bytes() == whole[:size], "a file that cannot be read stays"
    none = tmp_path / "none.e57"
    assert "was not found" in convert("map", none, "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT, python=python)
    empty = write(python, tmp_path / "b.e57", [])
    assert "has no points" in convert("map", empty, "--out", tmp_path / "a.pcd", code=EXIT_BAD_INPUT, python=python)
    assert not (tmp_path / "a.pcd").exists()
