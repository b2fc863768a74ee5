"""initial-pose: the pose of a scan from a rough guess and no heading."""

import json
import math
import random
import re

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, IMPLEMENTATIONS, bench, refusal

PRIOR = ["--guess", "0.5,-0.4,0,0,0,2", "--sigma", "1,1,0.1,0.01,0.01"]
FEW = ["--particles", 40, "--startup", 30]

KEYS = ["implementation", "strategy", "method", "startup", "at_once", "proposal_candidates", "seed", "prior", "prior_xyz_m", "prior_rpy_rad",
        "prior_sigma", "prior_sigma_yaw", "anywhere", "best", "reliable", "reliable_nvtl", "reliable_matched", "runner_up",
        "runner_up_ratio", "ambiguous", "verdict", "doubts", "overlap", "matched", "spread_m", "spread_deg", "seen_through", "unmapped", "agreeing", "interrupted", "build_us", "search_us", "stages_us", "particles"]
PARTICLE = ["guess_xyz_m", "guess_rpy_rad", "pose_xyz_m", "pose_rpy_rad", "nvtl", "transform_probability", "stop", "iterations",
            "guided", "role"]


def search(clouds, *args):
    done = bench("initial-pose", *clouds.args, *PRIOR, *args, "--json")
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def proposed(found):
    return [p for p in found["particles"] if p["role"] == "proposed"]


def without_times(found):
    return {k: v for k, v in found.items() if not k.endswith("_us")}


def test_json_has_exactly_the_documented_keys(courtyard):
    found = search(courtyard, *FEW)
    assert list(found) == KEYS
    assert len(found["particles"]) >= 40 and all(list(p) == PARTICLE for p in found["particles"])
    assert list(found["best"]) == ["particle", *PARTICLE, "matrix"]
    assert [p["guided"] for p in found["particles"][:40]] == [False] * 30 + [True] * 10
    best = found["particles"][found["best"]["particle"]]
    assert best["nvtl"] == found["best"]["nvtl"]
    assert best["nvtl"] == max(p["nvtl"] for p in found["particles"] if p["role"] != "beside" and p["stop"] != "max_iterations")
    assert found["reliable"] == (found["verdict"] == "reliable") == (not found["doubts"])
    assert [p["role"] for p in found["particles"][-6:]] == ["beside"] * 6 and found["verdict"] in ("reliable", "ambiguous", "not_found")


def test_the_profile_is_the_pyramid_with_three_levels_unless_another_is_named(courtyard):
    standard = without_times(search(courtyard, *FEW))
    assert standard == without_times(search(courtyard, *FEW, "--profile", "pyramid", "--levels", "6,2.5,1"))
    for other in [["--profile", "autoware"], ["--profile", "pyramid", "--levels", "2.5,1"]]:
        assert standard["best"] != search(courtyard, *FEW, *other)["best"]
    message = refusal("initial-pose", *courtyard.args, *PRIOR, *FEW, "--line-search", "more_thuente", code=EXIT_USAGE)
    assert "step-control trust_region has no line search" in message


def test_every_particle_and_the_answer_have_their_finish(courtyard):
    finish = ["--finish", "windows"]
    found = search(courtyard, *FEW, *finish)
    assert all(list(p) == [*PARTICLE, "finish"] for p in found["particles"] if p["stop"] == "converged")
    best = found["best"]
    assert best["finish"] == found["particles"][best["particle"]]["finish"]
    assert 0 < best["finish"]["step_m"] < 0.1 and best["finish"]["score"] > 0
    plain = search(courtyard, *FEW)["best"]
    assert math.dist(best["pose_xyz_m"], (0, 0, 0)) < math.dist(plain["pose_xyz_m"], (0, 0, 0))
    text = bench("initial-pose", *courtyard.args, *PRIOR, *FEW, *finish).stdout
    assert f"\nfinish           step {1000 * best['finish']['step_m']:.3f} mm" in text


def test_the_pose_is_found_whatever_the_heading(courtyard):
    found = search(courtyard)  # 200 particles
    assert found["reliable"] and found["verdict"] == "reliable" and len(proposed(found)) == 200
    assert math.dist(found["best"]["pose_xyz_m"], (0, 0, 0)) < 0.1
    assert all(abs(a) < 0.02 for a in found["best"]["pose_rpy_rad"])
    assert found["runner_up_ratio"] is None or found["runner_up_ratio"] < 0.9


@pytest.mark.parametrize("implementation", [r for r in IMPLEMENTATIONS if r != "pcl_ndt"])
def test_every_implementation_searches_one_particle_after_the_other(courtyard, implementation):
    found = search(courtyard, "--strategy", "sequential", "--implementation", implementation, "--particles", 10, "--startup", 5)
    assert found["implementation"] == implementation and len(proposed(found)) == 10


def test_batched_finds_what_sequential_finds_on_the_same_implementation(courtyard):
    one, batch = (search(courtyard, *FEW, "--strategy", s, "--implementation", "persistent_cpu")
                  for s in ("sequential", "batched"))
    assert one["particles"] == batch["particles"] and one["best"] == batch["best"]


def test_same_seed_same_result_another_seed_another(courtyard):
    first, again, other = (without_times(search(courtyard, *FEW, "--seed", seed)) for seed in (7, 7, 8))
    assert first == again
    assert first["particles"] != other["particles"]


def test_every_seed_is_kept_whole(courtyard):
    most = 2**64 - 1
    assert search(courtyard, "--particles", 2, "--startup", 2, "--seed", most)["seed"] == most
    assert "--seed" in refusal("initial-pose", *courtyard.args, *PRIOR, "--seed", -1, code=EXIT_USAGE)


def test_random_and_grid_guide_nobody(courtyard):
    for method, count in (("random", 30), ("grid", 27)):
        found = search(courtyard, "--method", method, "--particles", 30)
        assert found["startup"] is None and len(proposed(found)) == count and not any(p["guided"] for p in found["particles"])


def test_repeats_say_where_the_time_goes(courtyard):
    args = ["--strategy", "batched_persistent", "--implementation", "persistent_cpu", "--at-once", 5]
    found = search(courtyard, *FEW, *args, "--repeat", 3)
    assert without_times(found) == without_times(search(courtyard, *FEW, *args))
    stages = found["stages_us"]
    assert list(stages) == ["startup", "guided", "finishing", "beside", "judging"]
    assert all(list(stage) == ["batches", "choose", "submit", "draw", "look", "collect", "take"] for stage in stages.values())
    continued = sum(p["role"] == "continued" for p in found["particles"])
    assert [stages[name]["batches"] for name in ("startup", "guided", "beside", "judging")] == [1, 2, 1, 0]
    assert (stages["finishing"]["batches"] > 0) == (continued > 0)
    assert all(us >= 0 for stage in stages.values() for us in stage.values()) and stages["startup"]["submit"] > 0
    text = bench("initial-pose", *courtyard.args, *PRIOR, *FEW, *args, "--repeat", 2).stdout
    assert re.search(r"search +[0-9.]+ ms \(median of 2, ", text)
    assert re.search(r"^guided +2 +[0-9]", text, re.MULTILINE) and re.search(r"^stage +batches +choose", text, re.MULTILINE)
    assert "--repeat = 0: must be 1 or more" in refusal("initial-pose", *courtyard.args, *PRIOR, "--repeat", 0, code=EXIT_USAGE)


def test_for_people_it_says_how_far_to_trust_it(courtyard):
    text = bench("initial-pose", *courtyard.args, *PRIOR, *FEW).stdout
    for line in ("implementation   persistent_c", "search           batched_persistent, method tpe: 40 particles",
                 "verdict          ", "best             particle ", "runner-up        ", "search           "):
        assert "\n" + line in text, line
    text = bench("initial-pose", *courtyard.args, *PRIOR, *FEW, "--reliable-nvtl", 100).stdout
    assert "verdict          not_found: NVTL" in text and "--particles" in text


def test_a_timeout_ends_it_with_what_it_has(courtyard):
    found = search(courtyard, "--timeout-ms", 1, "--strategy", "sequential")
    assert found["interrupted"] == "timeout" and 1 <= len(found["particles"]) < 200
    assert found["verdict"] == "not_found" and "interrupted" in found["doubts"] and found["matched"] is None
    found = search(courtyard, "--timeout-ms", 1, "--method", "random")
    assert found["interrupted"] == "timeout" and len(found["particles"]) == 200


def test_without_a_known_threshold_the_verdict_is_unknown(courtyard):
    found = search(courtyard, "--map-voxel-leaf", 1)  # 200 particles
    assert found["best"]["stop"] == "converged" and not found["ambiguous"]
    assert found["reliable"] is None and found["verdict"] == "unknown" and found["doubts"] == ["unknown_scale"]
    assert found["reliable_nvtl"] is None and found["reliable_matched"] is None
    text = bench("initial-pose", *courtyard.args, *PRIOR, "--map-voxel-leaf", 1).stdout
    assert "verdict          unknown: no threshold is known for this map, 24 % of whose points have a voxel of 2 m (expected 33 % or more); give" in text
    given = search(courtyard, "--map-voxel-leaf", 1, "--reliable-nvtl", 0.1)
    assert given["reliable"] and given["reliable_nvtl"] == 0.1
    given = search(courtyard, "--map-voxel-leaf", 1, "--reliable-matched", 0.99)
    assert given["reliable"] is False and given["verdict"] == "not_found" and given["doubts"] == ["few_matched"]


def test_voxels_of_a_metre_have_a_verdict(courtyard):
    found = search(courtyard, "--resolution", 1)
    assert found["reliable"] is not None and 1 < found["reliable_nvtl"] < 1.3 and 0.45 < found["reliable_matched"] < 0.6
    assert (found["matched"] > found["reliable_matched"]) == ("few_matched" not in found["doubts"])


def test_a_scan_from_elsewhere_is_not_reliable(courtyard):
    done = bench("initial-pose", *courtyard.args, "--guess", "500,0,0,0,0,0", "--sigma", "1,1,0,0,0", *FEW, "--json")
    found = json.loads(done.stdout)
    assert not found["reliable"] and found["best"]["stop"] == "no_overlap" and found["best"]["nvtl"] == 0
    assert found["verdict"] == "not_found" and found["doubts"][0] == "no_overlap"


def write_cloud(path, points):
    rows = "".join(f"{x:.6f} {y:.6f} {z:.6f}\n" for x, y, z in points)
    path.write_text("VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
                    f"WIDTH {len(points)}\nHEIGHT 1\nPOINTS {len(points)}\nDATA ascii\n{rows}")
    return path


def a_ball_of_noise(random):
    return [[random.gauss(0, 1) for _ in range(3)] for _ in range(3000)]


def one_wall(random):
    return [(5, random.uniform(-5, 5), random.uniform(-1, 2)) for _ in range(3000)]


def a_dome(random):
    rays = ([random.gauss(0, 1) for _ in range(3)] for _ in range(3000))
    return [(6 * x / math.hypot(x, y, z), 6 * y / math.hypot(x, y, z), 6 * abs(z) / math.hypot(x, y, z)) for x, y, z in rays]


@pytest.mark.parametrize("profile", ["autoware", "pyramid"])
@pytest.mark.parametrize("scan, options", [(a_ball_of_noise, []), (one_wall, []), (a_dome, ["--resolution", 10])])
def test_a_scan_of_something_else_is_not_reliable(courtyard, tmp_path, scan, options, profile):
    """The scans fit in many places; few or none of their particles come to rest."""
    cloud = write_cloud(tmp_path / "scan.pcd", scan(random.Random(3)))
    for seed in (0, 1, 3):
        found = json.loads(bench("initial-pose", "--map", courtyard.map, "--scan", cloud, "--guess", "0.5,-0.4,0,0,0,0",
                                 "--sigma", "2,2,0.1,0.01,0.01", "--profile", profile, "--seed", seed, *options, "--json").stdout)
        assert not found["reliable"], (seed, found["best"]["stop"], found["best"]["nvtl"], found["runner_up_ratio"])


def test_what_it_cannot_use_is_refused(courtyard, tmp_path):
    def refused(*args, code=EXIT_USAGE):
        return refusal("initial-pose", *courtyard.args, *args, code=code)

    assert "--sigma is required" in refused("--guess", "0,0,0,0,0,0")
    assert "--guess is required" in refused("--sigma", "1,1,1,1,1")
    assert "--sigma: 3 numbers; give 5" in refused("--guess", "0,0,0,0,0,0", "--sigma", "1,1,1")
    assert "sigma x = -1" in refused("--guess", "0,0,0,0,0,0", "--sigma", "-1,1,1,1,1")
    assert "--guess" in refused("--guess", "nan,0,0,0,0,0", "--sigma", "1,1,1,1,1")
    assert "did you mean 'batched'" in refused(*PRIOR, "--strategy", "batchd")
    assert "choose from tpe, random, grid, anywhere" in refused(*PRIOR, "--method", "best")
    assert "particles = 0" in refused(*PRIOR, "--particles", 0)
    assert "more than the 5 particles" in refused(*PRIOR, "--particles", 5, "--startup", 9)
    assert "guides one particle at a time" in refused(*PRIOR, "--strategy", "batched", "--at-once", 4)
    assert "aligns one pose at a time" in refused(*PRIOR, "--strategy", "batched", "--implementation", "cpu_pclomp_ref")
    empty = tmp_path / "empty.pcd"
    empty.write_text("VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 0\nHEIGHT 1\nPOINTS 0\nDATA ascii\n")
    assert "no valid voxel" in refusal("initial-pose", "--map", empty, "--scan", courtyard.scan, *PRIOR, code=EXIT_BAD_INPUT)
    found = bench("initial-pose", "--map", courtyard.map, "--scan", empty, *PRIOR, *FEW, "--json").stdout
    assert json.loads(found)["best"]["stop"] == "no_overlap"


ANYWHERE = ["box_m", "height_from_map", "sensor_height_m", "heading_within_rad", "mounting", "cell_m", "lattice_poses", "headings",
            "coverage", "on", "pyramid_bytes", "pyramid_kept", "pyramid_us", "coarse_us", "places"]


def anywhere(clouds, *args):
    return json.loads(bench("initial-pose", *clouds.args, *args, "--json").stdout)


def test_anywhere_finds_the_pose_without_a_guess(courtyard):
    found = anywhere(courtyard, "--prior", "map")
    assert list(found) == KEYS and list(found["anywhere"]) == ANYWHERE
    assert found["method"] == "anywhere" and found["prior"] == "map"
    assert found["prior_xyz_m"] is None and found["prior_sigma"] is None
    assert found["anywhere"]["coverage"] == 1 and found["interrupted"] is None
    assert math.dist(found["best"]["pose_xyz_m"], (0, 0, 0)) < 0.1 and found["reliable"]
    places = found["anywhere"]["places"]
    assert [p["xyz_m"] for p in places] == [p["guess_xyz_m"] for p in found["particles"][:len(places)]]
    assert [p["score"] for p in places] == sorted((p["score"] for p in places), reverse=True)
    assert without_times(anywhere(courtyard, "--method", "anywhere"))["particles"] == found["particles"]


def test_anywhere_takes_a_box_or_a_guess_with_a_heading(courtyard):
    box = anywhere(courtyard, "--box", "-3,-3,-1,3,3,1")
    assert box["prior"] == "box" and box["anywhere"]["box_m"] == [-3, -3, -1, 3, 3, 1]
    assert math.dist(box["best"]["pose_xyz_m"], (0, 0, 0)) < 0.1
    wide = anywhere(courtyard, *PRIOR, "--method", "anywhere")
    assert wide["prior"] == "pose" and wide["prior_sigma"] == [1, 1, 0.1, 0.01, 0.01]
    assert math.dist(wide["best"]["pose_xyz_m"], (0, 0, 0)) < 0.1
    narrow = anywhere(courtyard, *PRIOR, "--method", "anywhere", "--sigma-yaw", 0.1)  # the guess's heading is 2 rad off
    assert narrow["anywhere"]["headings"] < wide["anywhere"]["headings"]
    assert all(abs(p["rpy_rad"][2] - 2) < 0.31 for p in narrow["anywhere"]["places"])


def test_any_number_of_threads_and_either_portion_finds_the_same(courtyard):
    one = anywhere(courtyard, "--prior", "map", "--threads", 1)
    many = anywhere(courtyard, "--prior", "map", "--threads", 3, "--strategy", "sequential")
    assert one["particles"] == many["particles"] and one["anywhere"]["places"] == many["anywhere"]["places"]


def test_anywhere_within_a_millisecond_says_how_little_it_searched(courtyard):
    found = anywhere(courtyard, "--prior", "map", "--timeout-ms", 1)
    assert found["interrupted"] == "timeout" and found["anywhere"]["coverage"] < 1 and len(found["particles"]) >= 1
    assert not found["reliable"] and found["doubts"][-1] == "partly_searched"
    text = bench("initial-pose", *courtyard.args, "--prior", "map", "--timeout-ms", 1).stdout
    assert "\ninterrupted      timeout" in text and "% of them searched or excluded" in text


def test_a_prior_that_misses_and_a_map_of_one_voxel_are_answered(courtyard, tmp_path):
    missed = anywhere(courtyard, "--box", "900,900,0,950,950,2")
    assert not missed["reliable"] and missed["best"]["stop"] == "no_overlap"
    assert [p["score"] for p in missed["anywhere"]["places"]] == [0]
    said = bench("initial-pose", *courtyard.args, "--box", "900,900,0,950,950,2").stdout
    assert "no point of the scan has a voxel; check that the scan is from this map" in said and "widen --sigma" not in said
    voxel = write_cloud(tmp_path / "map.pcd", [(0.1 * i, 0.07 * (i % 4), 0.05 * (i % 3)) for i in range(12)])
    found = json.loads(bench("initial-pose", "--map", voxel, "--scan", courtyard.scan, "--prior", "map", "--json").stdout)
    assert not found["reliable"] and found["anywhere"]["coverage"] == 1


def test_particles_are_written_as_ply_or_json(courtyard, tmp_path):
    ply, file = tmp_path / "particles.ply", tmp_path / "particles.json"
    found = anywhere(courtyard, "--prior", "map", "--particles-out", ply)
    head, body = ply.read_text().split("end_header\n")
    names = [line.split()[2] for line in head.splitlines() if line.startswith("property")]
    rows = [dict(zip(names, map(float, line.split()))) for line in body.splitlines()]
    assert [[r["x"], r["y"], r["z"]] for r in rows] == [p["pose_xyz_m"] for p in found["particles"]]
    assert [r["nvtl"] for r in rows] == [p["nvtl"] for p in found["particles"]]
    assert [k for k, r in enumerate(rows) if r["best"]] == [found["best"]["particle"]]
    again = search(courtyard, *FEW, "--particles-out", file)
    assert json.loads(file.read_text()) == {"best": again["best"]["particle"], "particles": again["particles"]}
    message = refusal("initial-pose", *courtyard.args, *PRIOR, "--particles-out", tmp_path / "particles.txt", code=EXIT_USAGE)
    assert "must end in .ply or .json" in message


@pytest.mark.parametrize("method", ["tpe", "random", "grid"])
def test_a_heading_that_is_known_is_kept_to(courtyard, method):
    def began(*args):
        found = anywhere(courtyard, *PRIOR, "--method", method, "--particles", 40, *args)
        return [p for p in found["particles"] if p["role"] == "proposed"]

    turns = [abs(math.remainder(p["guess_rpy_rad"][2] - 2, math.tau)) for p in began("--sigma-yaw", 0.1)]
    assert len(turns) >= 32 and 0 < max(turns) < 0.6
    assert anywhere(courtyard, *PRIOR, "--method", method, "--particles", 40, "--sigma-yaw", 0.1)["prior_sigma_yaw"] == 0.1
    assert max(abs(math.remainder(p["guess_rpy_rad"][2] - 2, math.tau)) for p in began()) > 2


def test_priors_that_do_not_fit_are_refused(courtyard):
    def refused(*args):
        return refusal("initial-pose", *courtyard.args, *args, code=EXIT_USAGE)

    for method in ("tpe", "random", "grid"):
        assert f"--prior map requires --method anywhere; {method}" in refused("--prior", "map", "--method", method)
    assert "--box requires --method anywhere" in refused("--box", "0,0,0,1,1,1", "--method", "tpe")
    assert "--place-cell requires --method anywhere" in refused(*PRIOR, "--place-cell", 1)
    assert "choose from pose, box, map" in refused("--prior", "town")
    assert "--box is required" in refused("--prior", "box")
    assert "--box: 4 numbers; give 6" in refused("--box", "0,0,1,1")
    assert "the first corner must be below the second" in refused("--box", "1,0,0,0,1,1")
    assert "--sigma requires --prior pose, not map" in refused(*PRIOR, "--prior", "map")
    assert "--box requires --prior box, not map" in refused("--prior", "map", "--box", "0,0,0,1,1,1")
    assert "--sigma-yaw requires --guess" in refused("--prior", "map", "--sigma-yaw", 1)
    assert "sigma yaw = -1" in refused("--prior", "map", "--guess", "0,0,0,0,0,0", "--sigma-yaw", -1)
    assert "place-cell = 0" in refused("--prior", "map", "--place-cell", 0)
    assert "guides no particle" in refused("--prior", "map", "--startup", 5)
