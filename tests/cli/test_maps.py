"""Maps in tiles: cut, merged and read by every command that takes a map, and each mistake with its message."""

import json
import re
import shutil
import struct

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, OWN_IMPLEMENTATIONS, bench, refusal

METADATA = "pointcloud_map_metadata.yaml"
GUESS = "0.3,-0.2,0.05,0.01,-0.01,0.03"
TIMES = ("read_us", "build_us", "align_us", "search_us", "stages_us")

pytestmark = pytest.mark.skipif("yaml-cpp         missing" in bench("doctor").stdout, reason="built without yaml-cpp")


def points_of(pcd):
    """The records of a binary float32 PCD file."""
    return sorted(struct.iter_unpack("<3f", pcd.read_bytes().split(b"DATA binary\n", 1)[1]))


def voxels(*args):
    return json.loads(bench("voxels", *args, "--json").stdout)


def align(map, scan, *args):
    return json.loads(bench("align", "--map", map, "--scan", scan, "--guess", GUESS, *args, "--json").stdout)


def bits(result):
    """All but times and tiles; JSON has every digit of a number."""
    return {key: value for key, value in result.items() if key not in (*TIMES, "map_tiles")}


@pytest.fixture(scope="module")
def tiles(courtyard, tmp_path_factory):
    folder = tmp_path_factory.mktemp("maps") / "tiles"
    said = bench("map", "cut", courtyard.map, "--size", 10, "--out", folder).stdout
    count = len(list(folder.glob("*.pcd")))
    assert count > 4 and f"{count} tiles of 10 m with {METADATA}, 30000 points, 0 dropped" in said
    return folder


@pytest.fixture
def copy(tiles, tmp_path):
    return shutil.copytree(tiles, tmp_path / "copy")


def test_cut_and_merge_keep_every_point(courtyard, tiles, tmp_path):
    merged = tmp_path / "merged.pcd"
    assert "30000 points of 30000 in " in bench("map", "merge", tiles, "--out", merged).stdout
    assert points_of(merged) == points_of(courtyard.map)
    again = tmp_path / "again"
    bench("map", "cut", merged, "--size", 10, "--out", again)
    assert {f.name: f.read_bytes() for f in again.iterdir()} == {f.name: f.read_bytes() for f in tiles.iterdir()}
    lines = (tiles / METADATA).read_text().splitlines()
    assert lines[:2] == ["x_resolution: 10", "y_resolution: 10"] and len(lines) == 2 + len(list(tiles.glob("*.pcd")))
    assert "tile_-10_0.pcd: [-10, 0]" in lines


@pytest.mark.parametrize("implementation", OWN_IMPLEMENTATIONS)
def test_an_alignment_with_tiles_has_the_bits_of_the_merged_cloud(courtyard, tiles, tmp_path, implementation):
    odd, merged = tmp_path / "odd", tmp_path / "merged.pcd"
    bench("map", "cut", courtyard.map, "--size", 7, "--out", odd)  # voxels have points of several tiles
    bench("map", "merge", odd, "--out", merged)
    chosen = ["--implementation", implementation]
    assert bits(align(odd, courtyard.scan, *chosen)) == bits(align(merged, courtyard.scan, *chosen))
    # No voxel of 2 m is cut by tiles of 10 m, so the map before it was cut has the same voxels.
    assert bits(align(tiles, courtyard.scan, *chosen)) == bits(align(courtyard.map, courtyard.scan, *chosen))


@pytest.mark.parametrize("size", [10, 7])
def test_every_command_takes_tiles(courtyard, tmp_path, size):
    tiles, merged = tmp_path / "tiles", tmp_path / "merged.pcd"
    bench("map", "cut", courtyard.map, "--size", size, "--out", tiles)
    bench("map", "merge", tiles, "--out", merged)
    scan = ["--scan", courtyard.scan]
    for command in [["evaluate", *scan, "--pose", GUESS], ["voxels"], ["align", *scan, "--guess", GUESS],
                    ["initial-pose", *scan, "--guess", GUESS, "--sigma", "1,1,0.1,0.01,0.01", "--particles", 20, "--startup", 20],
                    ["diff", *scan, "--guess", GUESS, "--implementation", "cpu_pclomp_ref", "--implementation", "persistent_cpu"]]:
        one, many = (bits(json.loads(bench(*command, "--map", m, "--json").stdout)) for m in (merged, tiles / METADATA))
        assert one == many, command
    assert "map_tiles" not in voxels("--map", merged)


def test_localize_takes_tiles(tmp_path):
    town = tmp_path / "town"
    bench("generate", "town", "--scale", "small", "--out", town)
    map = next(p for p in town.iterdir() if p.name.startswith("map."))
    tiles, merged = tmp_path / "tiles", tmp_path / "merged.pcd"
    bench("map", "cut", map, "--out", tiles)
    bench("map", "merge", tiles, "--out", merged)
    poses = []
    for number, given in enumerate([tiles, merged]):
        out = tmp_path / str(number)
        done = bench("localize", "--scans", town, "--map", given, "--scan-sample", 500, "--out", out, "--map-radius", "all")
        assert ("map tiles        all " in done.stderr) == (given == tiles)
        poses.append((out / "poses.tum").read_bytes())
    assert poses[0] == poses[1]


def test_only_tiles_near_the_guess_are_read(courtyard, tiles):
    of = len(list(tiles.glob("*.pcd")))
    near = align(tiles, courtyard.scan, "--map-radius", 8)["map_tiles"]
    assert near["tiles"] == of > near["read"] == 4 and 0 < near["points"] < 30000  # the origin is a corner of four
    assert near["centre_m"] == [0.3, -0.2] and near["radius_m"] == 8
    usual = align(tiles, courtyard.scan)["map_tiles"]
    assert usual["read"] == of and usual["points"] == 30000 and usual["radius_m"] == 150
    for everything in ["all", 0]:
        assert align(tiles, courtyard.scan, "--map-radius", everything)["map_tiles"] == {
            "tiles": of, "read": of, "points": 30000, "centre_m": None, "radius_m": None}
    text = bench("align", "--map", tiles, "--scan", courtyard.scan, "--map-radius", 8).stdout
    assert f"map tiles        4 of {of} within 8 m of (0, 0), {near['points']} points\n" in text
    assert f"map tiles        all {of}, 30000 points\n" in bench("voxels", "--map", tiles).stdout
    search = ["initial-pose", "--map", tiles, "--scan", courtyard.scan, "--guess", GUESS, "--sigma", "2,4,0.1,0.01,0.01",
              "--particles", 20, "--startup", 20, "--json"]
    assert json.loads(bench(*search).stdout)["map_tiles"]["radius_m"] == 162


def test_a_search_of_the_whole_map_or_a_box_reads_every_tile(courtyard, tiles):
    search = ["initial-pose", "--map", tiles, "--scan", courtyard.scan]
    of = len(list(tiles.glob("*.pcd")))
    for prior in (["--prior", "map"], ["--box", "-3,-3,-1,3,3,1"]):
        assert json.loads(bench(*search, *prior, "--json").stdout)["map_tiles"]["read"] == of
        assert "--map-radius requires --prior pose" in refusal(*search, *prior, "--map-radius", 20, code=EXIT_USAGE)


def test_a_place_without_tiles_says_how_far_they_are(courtyard, tiles):
    args = ["--map", tiles, "--scan", courtyard.scan, "--guess", "1000,0,0,0,0,0"]
    message = refusal("align", *args, code=EXIT_BAD_INPUT)
    assert "no tile is within 150 m of (1000, 0); the nearest is 9" in message


def test_a_radius_must_be_one_and_be_of_use(courtyard, tiles):
    scan = ["--scan", courtyard.scan]
    for radius in ["-1", "nan", "near", "1e7", ""]:
        message = refusal("align", "--map", tiles, *scan, f"--map-radius={radius}", code=EXIT_USAGE)
        assert "--map-radius" in message
    assert "requires a tiled map with metadata" in refusal("align", *courtyard.args, "--map-radius", 50, code=EXIT_USAGE)
    bench("align", *courtyard.args, "--map-radius", "all")


def test_a_folder_without_metadata_is_read_whole(courtyard, copy):
    (copy / METADATA).unlink()
    tiles = align(copy, courtyard.scan)["map_tiles"]
    assert tiles["tiles"] == tiles["read"] and tiles["radius_m"] is None
    assert bits(align(copy, courtyard.scan)) == bits(align(courtyard.map, courtyard.scan))


def test_describe_tells_what_a_map_is(courtyard, tiles):
    text = bench("map", "describe", tiles).stdout
    facts = json.loads(bench("map", "describe", tiles, "--json").stdout)
    count = len(list(tiles.glob("*.pcd")))
    assert facts["points"] == 30000 and facts["non_finite_points"] == 0 and facts["point_bytes"] == 360000
    assert facts["tiles"] == count and facts["tile_size_m"] == [10, 10]
    xyz = list(zip(*points_of(courtyard.map)))
    assert facts["low_m"] == [min(v) for v in xyz] and facts["high_m"] == [max(v) for v in xyz]
    assert facts["resolution_m"] == 2 and facts["voxels"] == len(voxels("--map", courtyard.map)["voxels"])
    assert facts["read_us"] > 0 and facts["build_us"] > 0 and "\nread  " in text and "\nbuild  " in text
    assert facts["voxel_map_bytes"] > 0 and facts["no_voxel_map"] is None
    assert f"tiles            {count} of 10 by 10 m\n" in text and "points           30000, of them 0 not finite" in text
    memory = facts["memory"]
    assert facts["voxel_map_bytes"] < memory["cpu_bytes"] < memory["cpu_peak_bytes"] < 4 * memory["cpu_bytes"]
    assert facts["voxel_map_bytes"] < memory["device_bytes"] < 36 * 30000 < memory["device_peak_bytes"]
    assert "\nmemory           at most CPU " in text
    assert re.search(r"\nalignments       at most CPU [\d.]+ MB; device [\d.]+ MB, and [\d.]+ MB pinned; of scans of 30000 points, 1 at once\n", text)
    batch = json.loads(bench("map", "describe", tiles, "--json", "--scan-points", 5000, "--poses", 200).stdout)["alignments"]
    assert (batch["scan_points"], batch["poses"]) == (5000, 200) and 60000 < batch["cpu_bytes"] < 1e6 < batch["device_bytes"] < 1e8
    level = {"edge_m": 2, "voxels": facts["voxels"], "voxel_map_bytes": facts["voxel_map_bytes"], "covered": facts["levels"][0]["covered"]}
    assert facts["levels"] == [level] and 0.95 < level["covered"] < 1 and f"; {100 * level['covered']:.0f} % of the points have one\n" in text
    pyramid = json.loads(bench("map", "describe", courtyard.map, "--profile", "pyramid", "--json").stdout)
    assert [level["edge_m"] for level in pyramid["levels"]] == [5, 2] and pyramid["levels"][-1] | {"covered": level["covered"]} == level
    assert pyramid["memory"]["cpu_bytes"] > memory["cpu_bytes"]
    windows = json.loads(bench("map", "describe", courtyard.map, "--profile", "windows", "--json").stdout)
    assert windows["levels"] == pyramid["levels"] and windows["voxels"] == pyramid["voxels"] < windows["windows"]["voxels"]
    assert "\nwindows          " in bench("map", "describe", courtyard.map, "--profile", "windows").stdout and pyramid["windows"] is None
    one = json.loads(bench("map", "describe", courtyard.map, "--resolution", 1, "--json").stdout)
    assert one["tiles"] == 0 and one["tile_size_m"] is None and one["voxels"] > facts["voxels"]
    thin = json.loads(bench("map", "describe", courtyard.map, "--resolution", 0.01, "--json").stdout)
    assert thin["voxels"] == 0 and "no valid voxel" in thin["no_voxel_map"]
    assert thin["levels"] == [] and thin["memory"] is None


def test_crop_keeps_what_is_in_the_box_and_reads_no_other_tile(courtyard, copy, tmp_path):
    box = (-5, 1, -1, 8, 9, 2)
    (copy / "tile_10_-20.pcd").write_text("broken")
    for source, name in [(courtyard.map, "a.pcd"), (copy, "b.pcd")]:
        bench("map", "crop", source, "--box", ",".join(map(str, box)), "--out", tmp_path / name)
    inside = [p for p in points_of(courtyard.map) if all(box[k] <= p[k] <= box[k + 3] for k in range(3))]
    assert 0 < len(inside) < 30000
    assert points_of(tmp_path / "a.pcd") == points_of(tmp_path / "b.pcd") == inside


def test_thin_is_the_filter_of_the_other_commands(courtyard, tiles, tmp_path):
    bench("map", "thin", tiles, "--leaf", 0.5, "--out", tmp_path / "thin.pcd")
    thinned = voxels("--map", tiles, "--map-voxel-leaf", 0.5)
    assert thinned.pop("map_preparation")["filters"][-1]["left_points"] == len(points_of(tmp_path / "thin.pcd"))
    thinned.pop("map_tiles")
    assert thinned == voxels("--map", tmp_path / "thin.pcd")


def test_each_mistake_in_a_map_has_its_message(courtyard, copy, tmp_path):
    metadata, good = copy / METADATA, (copy / METADATA).read_text()

    def message(code=EXIT_BAD_INPUT):
        return refusal("align", "--map", copy, "--scan", courtyard.scan, code=code)

    for text, part in [("x_resolution: [\n", "is not YAML"),
                       (good.replace("x_resolution: 10", ""), "x_resolution is missing"),
                       (good.replace("_resolution: 10", "_resolution: 12"), " overlaps "),
                       (good + "gone.pcd: [500, 500]\n", "the tile 'gone.pcd' is not there"),
                       (good + "../map.pcd: [500, 500]\n", "'../map.pcd' is outside the map's folder"),
                       (good + "a.txt: [500, 500]\n", "'a.txt' is no point cloud by its name"),
                       (good.replace("tile_0_0.pcd: [0, 0]", "tile_0_0.pcd: [100, 0]"), "points are outside its tile"),
                       (good.replace("_resolution: 10", "_resolution: 0.01"), "must be in [0.1, 1000000]")]:
        metadata.write_text(text)
        answer = message()
        assert part in answer and str(copy) in answer, text
    metadata.write_text(good)
    (copy / "tile_0_0.pcd").unlink()
    (copy / "tile_0_0.pcd").symlink_to(courtyard.map)
    assert "a link out of it is not followed" in message()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "has no point cloud and no " + METADATA in refusal("voxels", "--map", empty, code=EXIT_BAD_INPUT)


def test_mistakes_in_the_command_are_named(courtyard, tmp_path):
    out = ["--out", tmp_path / "out.pcd"]
    for args, part in [(["map"], "subcommand is required"), (["map", "mrge", courtyard.map], "unknown map command 'mrge': did you mean 'merge'?"),
                       (["map", "cut", courtyard.map, "--size", 0, *out], "option size = 0: must be in [0.1, 1000000]"),
                       (["map", "cut", courtyard.map], "--out is required"), (["map", "merge", *out], "map is required"),
                       (["map", "merge", courtyard.map, "--out", tmp_path / "out.xyz"], "--out is not a cloud file"),
                       (["map", "thin", courtyard.map, "--leaf", 0, *out], "option leaf = 0"),
                       (["map", "crop", courtyard.map, "--box", "1,2,3", *out], "--box: 3 numbers; give 6"),
                       (["map", "crop", courtyard.map, "--box", "1,0,0,0,1,1", *out], "no low above its high"),
                       (["map", "describe", courtyard.map, "--resolution", 0], "option resolution = 0")]:
        assert part in refusal(*args, code=EXIT_USAGE), args
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    assert str(tmp_path / "full") in refusal("map", "cut", courtyard.map, "--out", tmp_path / "full", code=EXIT_BAD_INPUT)
    assert not (tmp_path / "out.pcd").exists()


def test_the_tiles_of_a_dataset_are_cut_by_its_name(tmp_path):
    said = bench("map", "cut", "courtyard", "--out", tmp_path / "tiles").stdout
    assert "tiles of 20 m" in said and len(list((tmp_path / "tiles").glob("*.pcd"))) > 1
    assert "moon" in refusal("map", "cut", "moon", "--out", tmp_path / "none", code=EXIT_BAD_INPUT)
