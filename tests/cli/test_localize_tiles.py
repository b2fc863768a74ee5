"""localize with a map in tiles that follows the vehicle."""

import csv
import json
import re
import shutil

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, bench, refusal

METADATA = "pointcloud_map_metadata.yaml"
UPDATE = ["centre_m", "radius_m", "in_force", "error", "tiles", "added", "removed", "points", "read_ms", "build_ms", "waited_ms", "swap_us"]
NEAR = ["--map-radius", 50, "--lidar-radius", 30, "--map-update-distance", 4]

pytestmark = pytest.mark.skipif("yaml-cpp         missing" in bench("doctor").stdout, reason="built without yaml-cpp")


@pytest.fixture(scope="module")
def tiles(town, tmp_path_factory):
    folder = tmp_path_factory.mktemp("follow") / "tiles"
    bench("map", "cut", town / "map.pcd", "--out", folder)
    return folder


@pytest.fixture
def copy(tiles, tmp_path):
    return shutil.copytree(tiles, tmp_path / "copy")


class Run:
    def __init__(self, scans, map, out, *args, code=0):
        self.done = bench("localize", "--scans", scans, "--map", map, "--out", out, "--implementation", "persistent_cpu", "--threads", 1,
                          *args, code=code)
        self.poses = (out / "poses.tum").read_bytes()
        with open(out / "frames.csv", newline="") as file:
            self.frames = list(csv.DictReader(file))
        self.diagnostics = [json.loads(line) for line in (out / "diagnostics.jsonl").read_text().splitlines()]
        self.updates = [d["map_update"] for d in self.diagnostics if d["map_update"]]

    def line(self, name):
        return next((line for line in self.done.stdout.splitlines() if line.startswith(name)), "")


def test_tiles_follow_the_vehicle_unless_all_are_asked_for(town, tiles, tmp_path):
    count = len(list(tiles.glob("*.pcd")))
    follows, whole = Run(town, tiles, tmp_path / "a"), Run(town, tiles, tmp_path / "b", "--map-radius", "all")
    assert f"map tiles        {count} of {count} within 150 m of (" in follows.done.stderr and "they follow the vehicle" in follows.done.stderr
    assert f"map tiles        all {count}, " in whole.done.stderr
    assert follows.poses == whole.poses, "the radius holds the whole map"
    assert f"map updates      0, {count} tiles read, {count} at once at most" in follows.line("map updates")
    assert whole.line("map updates") == "" and {f["map_tiles"] for f in whole.frames} == {""} and not whole.updates
    assert Run(town, tiles / METADATA, tmp_path / "c", "--map-radius", 0).poses == whole.poses


def test_a_small_map_follows_and_loses_no_scan(town, tiles, tmp_path):
    run, again = Run(town, tiles, tmp_path / "a", *NEAR, "--critical-ms", 1e6), Run(town, tiles, tmp_path / "b", *NEAR)
    assert {(f["verdict"], d["level"]) for f, d in zip(run.frames, run.diagnostics)} == {("ok", "OK")}
    assert all(float(f["error_m"]) < 0.1 for f in run.frames)
    assert run.poses == again.poses and [f["map_tiles"] for f in run.frames] == [f["map_tiles"] for f in again.frames]
    swapped = [u for u in run.updates if u["swap_us"] is not None]
    assert len(swapped) >= 2 and f"map updates      {len(swapped)}, " in run.line("map updates")
    read = int(run.frames[0]["map_tiles"]) + sum(u["added"] for u in swapped)
    most = max(int(f["map_tiles"]) for f in run.frames)
    assert f"{read} tiles read, {most} at once at most, " in run.line("map updates") and most < len(list(tiles.glob("*.pcd")))
    assert ", waited 0 times, swap at most " in run.line("map updates")
    tiles_before = int(run.frames[0]["map_tiles"])
    for frame, record in zip(run.frames, run.diagnostics):
        update = record["map_update"]
        assert (frame["map_waited_ms"] == "") == (update is None)
        assert (frame["map_swap_us"] == "") == (update is None or update["swap_us"] is None)
        if update:
            assert list(update) == UPDATE and update["radius_m"] == 50 and update["in_force"] and update["error"] is None
            assert update["tiles"] == int(frame["map_tiles"]) == tiles_before + update["added"] - update["removed"]
            assert update["waited_ms"] == 0
        tiles_before = int(frame["map_tiles"])


def test_filters_pictures_and_iterations_are_of_the_map_in_force(town, tiles, tmp_path):
    plain = Run(town, tiles, tmp_path / "a", *NEAR, "--map-voxel-leaf", 0.3)
    run = Run(town, tiles, tmp_path / "b", *NEAR, "--map-voxel-leaf", 0.3, "--ply", tmp_path / "ply", "--debug-iterations")
    assert run.poses == plain.poses
    names = {f.name for f in (tmp_path / "ply").iterdir()}
    assert names == {f"{frame}_{name}.ply" for frame in ("000000", "000007") for name in ("map", "scan_before", "scan_after")}
    lines = [json.loads(line) for line in (tmp_path / "b" / "iterations.jsonl").read_text().splitlines()]
    for frame in run.frames:
        last = [line for line in lines if line["scan"] == frame["scan"]][-1]
        assert last["nvtl"] == pytest.approx(float(frame["nvtl"]), rel=1e-6)
        assert last["pairs"] > 0
    record = json.loads((tmp_path / "b" / "localization.json").read_text())
    assert record["map_following"] == {"map_radius": 50, "map_update_distance": 4, "lidar_radius": 30}
    assert json.loads((tmp_path / "a" / "localization.json").read_text())["map_points"] == record["map_points"]


def test_a_search_begins_with_a_larger_map_and_searches_in_the_one_in_force(town, tiles, tmp_path):
    run = Run(town, tiles, tmp_path / "a", *NEAR, "--init", "search")
    assert run.diagnostics[0]["source"] == "searched" and {f["verdict"] for f in run.frames} == {"ok"}
    assert " within 50 m of (" in run.done.stderr, "a radius that is given is that of every map"
    usual = Run(town, tiles, tmp_path / "b", "--init", "search", "--sigma", "4,5,0.5,0.02,0.02")
    assert " within 165 m of (" in usual.done.stderr
    often = Run(town, tiles, tmp_path / "c", *NEAR, "--least-score", 1000, "--lost-after", 1, "--recovery-particles", 100)
    assert all(d["recovery"] for d in often.diagnostics) and len(often.updates) >= 2
    assert all(float(f["error_m"]) < 0.2 for f in often.frames if f["source"] == "searched")


def test_a_search_without_a_guess_is_in_all_tiles(town, tiles, tmp_path):
    base = ["localize", "--scans", town / "scans", "--map", tiles, "--out", tmp_path / "out", "--init", "search", "--rate", 2,
            "--scan-voxel-leaf", 1, "--odometry", town / "odometry.tum"]
    done = bench(*base)
    assert f"map tiles        all {len(list(tiles.glob('*.pcd')))}, " in done.stderr and "they follow" not in done.stderr
    assert "the first scan is at " in done.stderr and "8 ok, 0 doubtful" in done.stdout
    for given in (["--map-radius", 150], ["--map-update-distance", 4]):
        message = refusal(*base, *given, code=EXIT_USAGE)
        assert given[0] in message and "a search without --guess reads every tile; remove the option" in message


def test_a_tile_that_is_broken_is_warned_of_and_the_map_before_stays(town, copy, tmp_path):
    near = Run(town, copy, tmp_path / "a", *NEAR)
    first = int(near.frames[0]["map_tiles"])
    added = next(u for u in near.updates if u["added"])
    for tile in copy.glob("*.pcd"):  # those of the first map are not read again
        x, y = (float(v) for v in tile.stem.split("_")[1:])
        dx, dy = (max(low - at, 0, at - low - 20) for low, at in zip((x, y), centre_of(near)))
        if dx * dx + dy * dy > 2500:
            tile.write_text("broken")
    run = Run(town, copy, tmp_path / "b", *NEAR)
    failed = [d for d in run.diagnostics if d["map_update"] and not d["map_update"]["in_force"]]
    assert failed and failed[0]["map_update"]["centre_m"] == added["centre_m"] and failed[0]["level"] == "WARN"
    assert failed[0]["map_update"]["tiles"] == first and failed[0]["map_update"]["swap_us"] is None
    assert str(copy) in failed[0]["map_update"]["error"]
    assert any("the map was not updated to 50 m around (" in message and "stays in force" in message for message in failed[0]["messages"])
    assert f"({len(failed)} failed)" in run.line("map updates")
    assert run.diagnostics[-1]["level"] in ("WARN", "ERROR") and {f["source"] for f in run.frames} == {"aligned"}


def centre_of(run):
    place = run.done.stderr.split(" within 50 m of (")[1].split(")")[0]
    return [float(v) for v in place.split(", ")]


def test_options_must_fit_and_be_of_use(town, tiles, tmp_path):
    base = ["localize", "--scans", town, "--out", tmp_path / "out"]
    for args, message in [
            (["--map", tiles, "--map-radius", 60], "option map-radius = 60: must not be below lidar-radius + map-update-distance, 100 + 20 = 120"),
            (["--map", tiles, "--map-radius", "near"], "--map-radius 'near': give metres"),
            (["--map", tiles, "--map-update-distance", 0], "option map-update-distance = 0: must be in (0, 1000000]"),
            (["--map", tiles, "--map-radius", "all", "--lidar-radius", 20], "--lidar-radius requires tiles with metadata that follow the vehicle, but --map-radius all reads the whole map"),
            (["--map-radius", 150], "a dataset's own map is read whole; remove the option"),
            (["--map-update-distance", 20], "--map-update-distance requires tiles with metadata"),
            (["--map", town / "map.pcd", "--map-radius", 150], "map.pcd is not such a map; remove the option")]:
        assert message in refusal(*base, *args, code=EXIT_USAGE), args
    bench(*base, "--map", town / "map.pcd", "--map-radius", "all")
    far = refusal(*base[:3], "--out", tmp_path / "far", "--map", tiles, "--init", "5000,0,0,0,0,0", code=EXIT_BAD_INPUT)
    assert "no tile is within 150 m of (5000, 0)" in far and not (tmp_path / "far").exists()


def test_tiles_without_metadata_are_read_whole(town, copy, tmp_path):
    (copy / METADATA).unlink()
    run = Run(town, copy, tmp_path / "a")
    assert "map tiles        all " in run.done.stderr and run.line("map updates") == ""
    assert "is not such a map; remove the option" in refusal("localize", "--scans", town, "--map", copy, "--out", tmp_path / "b", "--map-radius", 99,
                                              "--lidar-radius", 10, code=EXIT_USAGE)


def test_in_real_time_a_map_comes_when_it_is_ready(town, tiles, tmp_path):
    run = Run(town, tiles, tmp_path / "a", *NEAR, "--real-time", "--speed", 1)
    assert {f["verdict"] for f in run.frames} == {"ok"}
    assert any(f["map_swap_us"] for f in run.frames), "a map came into force on the way"


def test_laps_have_the_bits_of_the_first_and_their_memory_is_told(town, tiles, tmp_path):
    once, laps = Run(town, tiles, tmp_path / "a", *NEAR), Run(town, tiles, tmp_path / "b", *NEAR, "--laps", 3)
    scans = len(once.frames)
    assert f"laps             3 of {scans} scans; {2 * scans} of {2 * scans} poses after the first lap have its bits" in laps.done.stdout
    lines, lines_of_one = ([line.split() for line in run.poses.splitlines()[1:]] for run in (laps, once))
    assert [line[1:] for line in lines] == 3 * [line[1:] for line in lines_of_one]
    times = [float(line[0]) for line in lines]
    assert times == sorted(set(times)) and {f["verdict"] for f in laps.frames} == {"ok"}
    assert "waited 2 times" in laps.line("map updates"), "each lap but the first waits for the map of its start"
    late = re.fullmatch(r"late scans +(\d+) of (\d+) took more .*", laps.line("late scans"))
    own = re.search(r"\n +(\d+) by the CPU time of their thread, median ([\d.]+) ms\n", laps.done.stdout)
    assert int(late[2]) == 3 * scans and float(own[2]) > 0
    table = [[float(v) for v in re.search(rf"\n  {name} +([\d. ]+)\n", laps.done.stdout)[1].split()]
             for name in ("exchange", "beside a build", "others")]
    of_work, late_ones, alone, expected, late_by_cpu, alone_by_cpu, _ = zip(*table)
    assert of_work[0] == sum(f["map_swap_us"] != "" for f in laps.frames) and sum(of_work) == 3 * scans
    assert of_work[1] > 0, "what is built beside a scan is in force from the next on"
    assert sum(late_ones) == int(late[1]) and sum(late_by_cpu) == int(own[1]) and expected[2] == alone[2]
    assert all(a <= b <= c for a, b, c in [*zip(alone, late_ones, of_work), *zip(alone_by_cpu, late_by_cpu, of_work)])
    memory = [float(v.strip(",")) for v in laps.line("memory").split()[2:5]]
    assert all(1 < v < 10000 for v in memory)
    assert "late scans " in once.done.stdout and once.line("laps") == ""


def test_laps_are_refused_where_they_make_no_sense(town, tmp_path):
    base = ["localize", "--scans", town, "--out", tmp_path / "out"]
    assert "--laps = 0: must be in [1, 10000]" in refusal(*base, "--laps", 0, code=EXIT_USAGE)
    (tmp_path / "odometry.tum").write_text("0 0 0 0 0 0 0 1\n")
    assert "--laps = 2: cannot be used with --odometry, whose times cover one lap; remove one" in refusal(*base, "--laps", 2, "--odometry", tmp_path / "odometry.tum", code=EXIT_USAGE)
