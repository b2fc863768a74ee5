"""diff: where two implementations part."""

import json

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, IMPLEMENTATIONS, bench, refusal

TWO = ["--implementation", "cpu_pclomp_ref", "--implementation", "persistent_cpu"]
QUANTITIES = ["neighbours", "score", "gradient", "hessian", "step", "alpha"]
GUESS = ["--guess", "0.3,-0.2,0.1,0,0,0.05"]


def diff(*args):
    return json.loads(bench("diff", *args, "--json").stdout)


def bounds(value):
    return [word for quantity in QUANTITIES for word in ("--bound", f"{quantity}={value}")]


def test_an_implementation_does_not_part_from_itself():
    same = ["--implementation", "persistent_cpu"] * 2
    found = diff(*same, "--dataset", "courtyard", *bounds(0))
    assert found["parted"] == 0 and len(found["alignments"]) == 8
    assert all(a["parting"] is None and a["float32_steps"] is None and a["translation_m"] == 0 for a in found["alignments"])


def test_with_bounds_of_nothing_rounding_parts_them_at_the_guess():
    found = diff(*TWO, "--dataset", "courtyard", *bounds(0))
    assert found["bounds"] == dict.fromkeys(QUANTITIES, 0.0) and found["parted"] == 8
    for alignment in found["alignments"]:
        parting = alignment["parting"]
        assert parting["iteration"] == 0 and parting["quantity"] in QUANTITIES[:4]
        assert 0 < parting["difference"] == parting["difference_at_one_pose"], "the guess is one pose"
        steps = alignment["float32_steps"]
        assert steps["guesses"] == 6 and 0 <= steps["same_way"] <= steps["as_early"] <= steps["parted"] <= 6
        assert steps["step_m"] == 2.0**-23
    counted = sum(a["float32_steps"]["parted"] > 0 for a in found["alignments"])
    assert found["float32_step_parts_a_from_itself"] == counted


def test_with_the_default_bounds_they_agree_at_one_pose_and_at_the_end():
    found = diff(*TWO, "--dataset", "courtyard")
    for alignment in found["alignments"]:
        assert alignment["a"] == alignment["b"] and alignment["translation_m"] < 0.001
        if parting := alignment["parting"]:
            assert parting["difference"] > parting["bound"]
            assert parting["iteration"] > 0 and parting["difference_at_one_pose"] <= parting["bound"]
    assert diff(*TWO, "--dataset", "courtyard", *bounds(1e9))["parted"] == 0


def test_files_are_compared_from_the_guess(courtyard):
    text = bench("diff", *TWO, *courtyard.args, *GUESS, *bounds(0)).stdout
    assert text.startswith("A                cpu_pclomp_ref\nB                persistent_cpu\n")
    assert str(courtyard.scan) in text and "part             1 of 1: " in text and "float32          a step of the guess" in text
    found = diff(*TWO, *courtyard.args, *GUESS)
    (alignment,) = found["alignments"]
    aligned = json.loads(bench("align", *courtyard.args, *GUESS, *TWO[:2], "--json").stdout)
    assert alignment["guess"] == "given" and alignment["a"] == {"iterations": aligned["iterations"], "stop": aligned["stop"]}
    short = diff(*TWO, *courtyard.args, *GUESS, "--max-iterations", 2)["alignments"][0]
    assert short["a"] == short["b"] == {"iterations": 2, "stop": "max_iterations"}


def test_levels_are_compared_too():
    found = diff(*TWO, "--dataset", "courtyard", "--profile", "pyramid")
    assert len(found["alignments"]) == 8 and all(a["translation_m"] < 0.01 for a in found["alignments"])


def test_frames_of_a_dataset_are_spread():
    found = diff(*TWO, "--dataset", "town", "--frames", 2)
    assert [a["frame"] for a in found["alignments"]] == ["000000", "000033"]


@pytest.mark.skipif("pcl_ndt" not in IMPLEMENTATIONS, reason="skipped for want of PCL")
def test_another_algorithm_parts_in_its_first_evaluation():
    found = diff("--implementation", "cpu_pclomp_ref", "--implementation", "pcl_ndt", "--dataset", "courtyard")
    assert {(a["parting"]["iteration"], a["parting"]["quantity"]) for a in found["alignments"]} <= {(0, "score"), (0, "neighbours")}


def test_what_cannot_be_compared_is_refused(tmp_path, courtyard):
    for args, said in [
        (TWO[:2] + ["--dataset", "courtyard"], "diff: 1 implementations; give two, each with --implementation"),
        (TWO, "diff: nothing to align; give --map and --scan, or --dataset"),
        (TWO + ["--map", courtyard.map], "diff: nothing to align"),
        (TWO + ["--dataset", "courtyard", *courtyard.args], "--map excludes --dataset"),
        (TWO + ["--dataset", "courtyard", "--bound", "skore=1"], "choose from neighbours, score"),
        (TWO + ["--dataset", "courtyard", "--bound", "score"], "--bound 'score': give quantity=number"),
        (TWO + ["--dataset", "courtyard", "--bound", "score=-1"], "with a number of 0 or more"),
        (TWO + ["--dataset", "courtyard", "--bound", "score=nan"], "with a number of 0 or more"),
        (TWO + ["--dataset", "courtyard", "--bound", "end=1"], "--bound end: the way an alignment ends has no bound"),
        (TWO + [*courtyard.args, "--frames", 2], "--frames requires --dataset"),
        (TWO + ["--dataset", "courtyard", "--map-voxel-leaf", 1], "excludes --map-voxel-leaf"),
        (TWO + ["--dataset", "courtyard", "--scan-sample", 9, "--scan-seed", 2], "excludes --scan-s"),
        (TWO + ["--dataset", "courtyard", "--timeout-ms", 5], "diff: --timeout-ms cannot be used: alignments that end by a clock differ between runs"),
        (TWO + [*courtyard.args, "--timeout-ms", 5], "remove it, or give --max-iterations"),
    ]:
        assert said in refusal("diff", *args, code=EXIT_USAGE), said
    assert "missing.pcd" in refusal("diff", *TWO, "--map", courtyard.map, "--scan", tmp_path / "missing.pcd", code=EXIT_BAD_INPUT)
