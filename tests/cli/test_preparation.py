"""Filters of align, evaluate and voxels: what they leave, what they say, and what they refuse."""

import json

import pytest
from conftest import EXIT_USAGE, bench, refusal

GUESS = "0.3,-0.2,0.05,0.01,-0.01,0.03"
EVERY_SCAN_FILTER = ["--scan-min-range", 3, "--scan-max-range", 30, "--scan-crop-box", "-20,-20,-1,20,20,10",
                     "--scan-remove-box", "5,-12,-1,11,-8,3", "--scan-voxel-leaf", 1, "--scan-sample", 500]


def answer(command, clouds, *args):
    pose = ["--pose", GUESS] if command == "evaluate" else ["--guess", GUESS]
    return json.loads(bench(command, *clouds.args, *pose, *args, "--json").stdout)


def left(preparation):
    """How many points each filter left, after checking that the counts add up."""
    points = preparation["given_points"]
    for step in preparation["filters"]:
        assert list(step) == ["filter", "removed_points", "left_points"]
        points -= step["removed_points"]
        assert step["left_points"] == points
    return {step["filter"]: step["left_points"] for step in preparation["filters"]}


@pytest.mark.parametrize("command", ["align", "evaluate"])
def test_clouds_are_used_as_they_are_unless_a_filter_is_given(courtyard, command):
    result = answer(command, courtyard)
    assert "scan_preparation" not in result and "map_preparation" not in result
    pose = ["--pose", GUESS] if command == "evaluate" else ["--guess", GUESS]
    assert "filters" not in bench(command, *courtyard.args, *pose).stdout


@pytest.mark.parametrize("command", ["align", "evaluate"])
def test_every_filter_says_how_many_points_it_left(courtyard, command):
    plain = answer(command, courtyard)
    result = answer(command, courtyard, *EVERY_SCAN_FILTER, "--map-voxel-leaf", 0.5)
    assert list(result) == [*plain, "map_preparation", "scan_preparation"]
    scan, given = left(result["scan_preparation"]), result["scan_preparation"]["given_points"]
    assert list(scan) == ["finite", "range", "crop_box", "remove_box", "voxel_grid", "sample"]
    assert given == scan["finite"] == 3000
    counts = list(scan.values())[1:]
    assert all(a > b for a, b in zip(counts, counts[1:])) and counts[0] < 3000 and counts[-1] == 500
    assert list(left(result["map_preparation"])) == ["finite", "voxel_grid"]
    assert 0 < left(result["map_preparation"])["voxel_grid"] < 30000 == result["map_preparation"]["given_points"]


def test_the_text_says_the_same(courtyard):
    counts = left(answer("align", courtyard, *EVERY_SCAN_FILTER)["scan_preparation"])
    text = bench("align", *courtyard.args, "--guess", GUESS, *EVERY_SCAN_FILTER, "--map-voxel-leaf", 0.5).stdout
    assert "scan filters     of 3000 points left: " + ", ".join(f"{k} {v}" for k, v in counts.items()) + "\n" in text
    assert "map filters      of 30000 points left: finite 30000, voxel_grid " in text
    assert "map 30000 points, scan 3000 points" in text


def test_the_aligner_gets_the_filtered_scan(courtyard):
    plain, sampled = answer("evaluate", courtyard), answer("evaluate", courtyard, "--scan-sample", 600)
    assert sampled["points_with_voxels"] <= 600 < plain["points_with_voxels"]
    far = answer("align", courtyard, "--scan-min-range", 500)
    assert far["stop"] == "no_overlap" and left(far["scan_preparation"])["range"] == 0
    near = answer("align", courtyard, *EVERY_SCAN_FILTER, "--map-voxel-leaf", 0.2)  # a thinner map does not hold so few points
    assert near["stop"] == "converged" and all(abs(v) < 0.1 for v in near["pose_xyz_m"])


def test_the_same_seed_gives_the_same_result_and_another_another(courtyard):
    one, again, two = (answer("align", courtyard, "--scan-sample", 800, "--scan-seed", k) for k in (1, 1, 2))
    assert one["matrix"] == again["matrix"] != two["matrix"]
    assert answer("align", courtyard, "--scan-sample", 800)["matrix"] == one["matrix"]


def test_the_map_can_be_thinned_for_its_voxel_table(courtyard):
    table = json.loads(bench("voxels", "--map", courtyard.map, "--map-voxel-leaf", 0.5, "--json").stdout)
    points = left(table["map_preparation"])["voxel_grid"]
    assert list(table) == ["implementation", "resolution_m", "voxels", "map_preparation"]
    assert sum(v["points"] for v in table["voxels"]) <= points < 30000
    assert max(v["points"] for v in table["voxels"]) <= 4 ** 3
    text = bench("voxels", "--map", courtyard.map, "--map-voxel-leaf", 0.5).stdout
    assert f"voxel_grid {points}\n" in text and f"map              {points} points, 0 dropped" in text


def test_points_that_are_not_finite_are_dropped_and_counted(courtyard, tmp_path):
    scan = tmp_path / "scan.pcd"
    rows = ["nan 0 0", "1 inf 0", *(f"{x} {y} 0.5" for x in range(-5, 5) for y in range(-5, 5))]
    scan.write_text("VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
                    f"WIDTH {len(rows)}\nHEIGHT 1\nPOINTS {len(rows)}\nDATA ascii\n" + "\n".join(rows) + "\n")
    args = ["evaluate", "--map", courtyard.map, "--scan", scan, "--pose", GUESS, "--json"]
    assert json.loads(bench(*args).stdout)["dropped_points"] == 2
    result = json.loads(bench(*args, "--scan-max-range", 100).stdout)
    assert left(result["scan_preparation"]) == {"finite": 100, "range": 100} and result["dropped_points"] == 0


def test_filters_that_cannot_be_used_are_refused_by_name(courtyard):
    for args, text in [
        (["--scan-min-range", -1], "option scan-min-range = -1: must be in [0, 1000000]"),
        (["--scan-min-range", 5, "--scan-max-range", 4], "option scan-min-range = 5: must be in [0, 4]"),
        (["--scan-max-range", "nan"], "option scan-max-range = nan: must be in (0, 1000000]"),
        (["--scan-voxel-leaf", 0], "option scan-voxel-leaf = 0: must be in [0.001, 1000]"),
        (["--map-voxel-leaf", 1001], "option map-voxel-leaf = 1001: must be in [0.001, 1000]"),
        (["--scan-sample", 0], "option scan-sample = 0: must be in [1, 1000000000]"),
        (["--scan-sample", 5, "--scan-seed", -1], "option scan-seed = -1"),
        (["--scan-seed", 5], "--scan-seed needs --scan-sample"),
        (["--scan-crop-box", "1,2,3,4,5"], "--scan-crop-box: 5 numbers; give 6"),
        (["--scan-crop-box", "1,0,0,0,1,1"], "option scan-crop-box = 1,0,0,0,1,1: must be"),
        (["--scan-remove-box", "0,0,0,1,1,nan"], "--scan-remove-box: number 6 is 'nan'"),
        (["--scan-sample", "some"], "--scan-sample"),
    ]:
        assert text in refusal("align", *courtyard.args, *args, code=EXIT_USAGE), args
    assert "--scan-sample" in refusal("voxels", "--map", courtyard.map, "--scan-sample", 5, code=EXIT_USAGE)


def test_help_tells_the_order_of_the_filters():
    text = bench("evaluate", "--help").stdout
    names = ["--map-voxel-leaf", "--scan-min-range", "--scan-max-range", "--scan-crop-box", "--scan-remove-box",
             "--scan-voxel-leaf", "--scan-sample", "--scan-seed"]
    positions = [text.index(name + " ") for name in names]
    assert positions == sorted(positions) and "in the order they act" in text
