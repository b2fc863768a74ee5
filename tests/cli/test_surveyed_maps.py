"""Maps in LAS, LAZ and E57 by the one option --map: made into tiles once, kept, and made again when the file has changed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, bench

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = os.environ.get("NDT_EXTRAS_PYTHON") or sys.executable
EAST, NORTH = 500000, 5000000
SYSTEM = 'PROJCS["WGS 84 / UTM zone 32N",GEOGCS["WGS 84",UNIT["degree",0.0174532925199433]],UNIT["metre",1]]'
GUESS = "0.3,-0.2,0.05,0.01,-0.01,0.03"
SURVEY = """
import sys
import laspy, numpy as np
pcd, out, east, north, wkt = sys.argv[1:]
points = np.frombuffer(open(pcd, "rb").read().split(b"DATA binary\\n", 1)[1], dtype="<f4").reshape(-1, 3).astype(float)
header = laspy.LasHeader(point_format=6, version="1.4")
header.scales, header.offsets = [0.001] * 3, [int(east), int(north), 0]
if wkt:
    header.vlrs.append(laspy.vlrs.known.WktCoordinateSystemVlr(wkt))
    header.global_encoding.wkt = True
cloud = laspy.LasData(header)
cloud.x, cloud.y, cloud.z = (points + (int(east), int(north), 0)).T
cloud.write(out)
"""

E57 = """
import sys
import numpy as np, pye57
pcd, out = sys.argv[1:]
points = np.frombuffer(open(pcd, "rb").read().split(b"DATA binary\\n", 1)[1], dtype="<f4").reshape(-1, 3).astype(float)
e57 = pye57.E57(out, mode="w")
e57.write_scan_raw({f"cartesian{axis}": points[:, k] for k, axis in enumerate("XYZ")})
e57.close()
"""

pytestmark = pytest.mark.skipif("yaml-cpp         missing" in bench("doctor").stdout, reason="built without yaml-cpp")


def survey(pcd, out, east=0, north=0, wkt=""):
    """A PCD of whole millimetres as LAS or LAZ, moved."""
    done = subprocess.run([PYTHON, "-c", SURVEY, *map(str, (pcd, out, east, north, wkt))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def laspy():
    if subprocess.run([PYTHON, "-c", "import laspy, lazrs"], capture_output=True).returncode != 0:
        pytest.skip("skipped for want of laspy and lazrs, as in tests/requirements-extras.txt")


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Returns the folder that caches the tiles of this test."""
    monkeypatch.setenv("NDT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache/maps_v1"


def first_scan(town):
    return min((town / "scans").iterdir())


def answer(*command):
    """Returns a command's JSON answer, less its times."""
    return {key: value for key, value in json.loads(bench(*command, "--json").stdout).items() if not key.endswith("_us")}


def poses(town, map, out, *args):
    return bench("localize", "--scans", town, "--map", map, "--scan-sample", 500, "--out", out, *args), (out / "poses.tum").read_bytes()


def test_it_has_the_bits_of_the_cloud_in_every_command(laspy, town, kept, tmp_path):
    map, tiles = survey(town / "map.pcd", tmp_path / "town.laz"), tmp_path / "tiles"
    bench("map", "cut", town / "map.pcd", "--out", tiles)
    scan = ["--scan", first_scan(town)]
    for command in [["align", *scan, "--guess", GUESS], ["evaluate", *scan, "--pose", GUESS], ["voxels"],
                    ["initial-pose", *scan, "--guess", GUESS, "--sigma", "1,1,0.1,0.01,0.01", "--particles", 20, "--startup", 20],
                    ["align", *scan, "--guess", GUESS, "--map-radius", 15],
                    ["diff", *scan, "--guess", GUESS, "--implementation", "cpu_pclomp_ref", "--implementation", "persistent_cpu"]]:
        assert answer(*command, "--map", map) == answer(*command, "--map", tiles), command
    assert len(list(kept.iterdir())) == 1, "it was made into tiles once"
    plain = survey(town / "map.pcd", tmp_path / "town.LAS")
    assert answer("voxels", "--map", plain) == answer("voxels", "--map", tiles)


def test_e57_is_a_map_too(town, kept, tmp_path):
    map, tiles = tmp_path / "town.e57", tmp_path / "tiles"
    if subprocess.run([PYTHON, "-c", "import pye57"], capture_output=True).returncode != 0:
        pytest.skip("skipped for want of pye57, as in tests/requirements-extras.txt")
    subprocess.run([PYTHON, "-c", E57, town / "map.pcd", map], check=True)
    bench("map", "cut", town / "map.pcd", "--out", tiles)
    assert answer("voxels", "--map", map) == answer("voxels", "--map", tiles)
    assert "survey           town.e57, coordinate system not named\n" in bench("map", "describe", map).stdout


def test_localize_follows_its_tiles(laspy, town, kept, tmp_path):
    map, tiles = survey(town / "map.pcd", tmp_path / "town.laz"), tmp_path / "tiles"
    bench("map", "cut", town / "map.pcd", "--out", tiles)
    near = ["--map-radius", 50, "--lidar-radius", 30, "--map-update-distance", 4]
    done, followed = poses(town, map, tmp_path / "of_laz", *near)
    assert "they follow the vehicle" in done.stderr and "map updates " in done.stdout
    assert followed == poses(town, tiles, tmp_path / "of_tiles", *near)[1]


def test_coordinates_of_a_country_stay_exact_and_the_facts_are_told(laspy, town, kept, tmp_path):
    site = survey(town / "map.pcd", tmp_path / "site.laz", EAST, NORTH, wkt=SYSTEM)
    told, local = (json.loads(bench("map", "describe", m, "--json").stdout) for m in (site, town / "map.pcd"))
    assert told["survey"]["crs"] == "WGS 84 / UTM zone 32N" and told["survey"]["scale_m"] == [0.001] * 3 and local["survey"] is None
    assert told["survey"]["source"] == "site.laz" and told["points"] == local["points"] and told["tile_size_m"] == [20, 20]
    for key in ("low_m", "high_m"):
        assert told[key] == pytest.approx([local[key][0] + EAST, local[key][1] + NORTH, local[key][2]], abs=1e-4)
    text = bench("map", "describe", site).stdout
    assert "survey           site.laz, coordinate system WGS 84 / UTM zone 32N; scale [0.001,0.001,0.001] m, offset [500000.0," in text
    x, y, z, *quaternion = [float(word) for word in (town / "truth.tum").read_text().splitlines()[1].split()[1:]]
    here, there = (answer("align", "--map", m, "--scan", first_scan(town), "--guess-ros", ",".join(map(repr, (x + east, y + north, z, *quaternion))))
                   for m, east, north in ((town / "map.pcd", 0, 0), (site, EAST, NORTH)))
    assert here["pose_xyz_m"] == pytest.approx([x, y, z], abs=0.05)
    assert there["pose_xyz_m"] == pytest.approx([here["pose_xyz_m"][0] + EAST, here["pose_xyz_m"][1] + NORTH, here["pose_xyz_m"][2]], abs=1e-3)


def test_a_changed_file_is_made_anew_even_with_its_old_time_and_size(laspy, town, kept, tmp_path):
    map = survey(town / "map.pcd", tmp_path / "site.las")
    low = json.loads(bench("map", "describe", map, "--json").stdout)["low_m"]
    assert "is made into tiles" not in bench("voxels", "--map", map).stderr
    before = map.stat()
    survey(town / "map.pcd", map, east=1)
    os.utime(map, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert map.stat().st_size == before.st_size
    done = bench("map", "describe", map, "--json")
    assert f"{map} is made into tiles, once, in {kept}/site_" in done.stderr and len(list(kept.iterdir())) == 2
    assert json.loads(done.stdout)["low_m"] == pytest.approx([low[0] + 1, low[1], low[2]], abs=1e-4)


def test_processes_at_once_leave_one_folder(laspy, town, kept, tmp_path):
    map = survey(town / "map.pcd", tmp_path / "site.laz")
    runs = [subprocess.Popen([BENCH, "map", "describe", map], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    said = [run.communicate() for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], said
    assert len(list(kept.iterdir())) == 1


def test_a_broken_file_is_told_in_the_readers_words(laspy, town, kept, tmp_path):
    map = survey(town / "map.pcd", tmp_path / "site.laz")
    map.write_bytes(map.read_bytes()[:2000])
    said = bench("voxels", "--map", map, code=EXIT_BAD_INPUT).stderr.splitlines()[-1]
    assert said.startswith(f"ndt-bench: {map}: cannot be read as LAS (") and said.endswith("export the cloud again")
    assert list(kept.iterdir()) == []


def refused(map, code=EXIT_BAD_INPUT, program=BENCH, **env):
    done = subprocess.run([program, "voxels", "--map", map], capture_output=True, text=True, env=os.environ | env)
    assert done.returncode == code and done.stdout == "", done.stderr
    return done.stderr.splitlines()[-1]


def fake_python(folder, script):
    folder.mkdir()
    (folder / "python3").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "python3").chmod(0o755)
    return folder


def test_without_the_libraries_it_says_how_to_get_them(kept, tmp_path):
    alone = tmp_path / "bin/ndt-bench"  # without build/venv-extras around it
    alone.parent.mkdir()
    shutil.copy2(BENCH, alone)
    (tmp_path / "share/datasets").mkdir(parents=True)
    (tmp_path / "share/datasets/ndt_convert").symlink_to(ROOT / "datasets/ndt_convert")
    where = {"program": alone, "NDT_SHARE": str(tmp_path / "share"), "NDT_EXTRAS_PYTHON": ""}
    map = tmp_path / "site.laz"
    map.write_bytes(b"LASF")
    none = refused(map, **where, PATH="/nowhere")
    assert f"{map}: is read with the Python packages laspy and lazrs, and no Python was found; ./run convert --help installs them" in none
    poor = fake_python(tmp_path / "poor", "exit 1")
    assert f"and {poor}/python3 has not got them; " in refused(map, **where, PATH=str(poor))
    dying = fake_python(tmp_path / "dying", 'case "$*" in *ndt_convert*) echo some words; kill -9 $$;; esac')
    assert "was not made into tiles: the converter was ended by signal 9 (KILL): some words; try " in refused(map, **where, PATH=str(dying))
    full = fake_python(tmp_path / "full", 'case "$*" in *ndt_convert*) echo "ndt_convert: the folder of --out: full; choose another"; exit 2;; esac')
    assert ": was not made into tiles: the folder of --out: full; make room, or set NDT_CACHE to a folder for " in refused(
        map, **where, PATH=str(full))


def test_what_can_be_said_before_the_work_is(kept, tmp_path):
    map = tmp_path / "site.laz"
    assert f"{map}: there is no such file; check the path" in refused(map)
    map.write_bytes(b"LASF")
    said = refused(map, NDT_CACHE="/dev/null/cache")
    assert "/dev/null/cache/maps_v1: cannot be written: Not a directory; " in said and "set NDT_CACHE to another folder" in said
