"""align, evaluate, voxels and export: what they print, and that it is right."""

import array
import json
import math
import struct

import pytest
from conftest import Clouds, EXIT_BAD_INPUT, EXIT_JOBS_FAILED, EXIT_NO_DEVICE, EXIT_USAGE, IMPLEMENTATIONS, LISTED, OWN_IMPLEMENTATIONS, bench, refusal

GUESS = "0.3,-0.2,0.05,0.01,-0.01,0.03"

ALIGN_KEYS = {
    "implementation": str, "stop": str, "iterations": int, "evaluations": int, "correspondences": int,
    "oscillation_count": int, "pose_xyz_m": 3, "pose_rpy_rad": 3, "matrix": 16, "score": float,
    "transform_probability": float, "nvtl": float, "hessian": 36, "read_us": float, "build_us": float, "align_us": 1,
    "condition_number": float, "surface_condition_number": float, "push_sigmas": float, "weak_direction": 6, "laplace_covariance_m2": 4,
    "laplace_covariance_floored_m2": 4, "newton_fallbacks": int, "dropped_points": int,
    "derivative_rpy_rad": 3}
VERDICT_KEYS = {"verdict": str, "doubt": type(None), "covariance": 36, "reliable_nvtl": float, "reliable_matched": float, "overlap": float,
                "matched": float, "spread_m": float, "spread_deg": float}
EVALUATE_KEYS = {
    "implementation": str, "score": float, "transform_probability": float, "nvtl": float, "gradient": 6, "hessian": 36,
    "correspondences": int, "points_with_voxels": int, "dropped_points": int, "derivative_rpy_rad": 3}


def answer(command, clouds, *args):
    """The one JSON object on stdout."""
    done = bench(command, *clouds.args, *args, "--json")
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def check_shape(result, keys):
    assert list(result) == list(keys)
    for key, kind in keys.items():
        if isinstance(kind, int):
            assert len(result[key]) == kind and all(isinstance(v, (int, float)) for v in result[key]), key
        else:
            assert isinstance(result[key], kind), key


def rotation(roll, pitch, yaw):
    """Rx(roll) Ry(pitch) Rz(yaw), row by row."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a), math.cos(a)) for a in (roll, pitch, yaw))
    return [cp * cy, -cp * sy, sp, cr * sy + sr * sp * cy, cr * cy - sr * sp * sy, -sr * cp,
            sr * sy - cr * sp * cy, sr * cy + cr * sp * sy, cr * cp]


def shown(numbers):
    return ",".join(repr(n) for n in numbers)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_align_json_has_exactly_the_documented_keys(courtyard, implementation):
    result = answer("align", courtyard, "--guess", GUESS, "--implementation", implementation)
    fallbacks = int if implementation in OWN_IMPLEMENTATIONS else type(None)  # PCL does not tell
    verdict = VERDICT_KEYS if implementation in OWN_IMPLEMENTATIONS else dict.fromkeys(VERDICT_KEYS, type(None)) | {"verdict": str, "doubt": str, "covariance": 36}
    check_shape(result, ALIGN_KEYS | {"newton_fallbacks": fallbacks} | verdict)
    assert result["implementation"] == implementation and result["stop"] == "converged"
    assert all(abs(v) < 0.05 for v in result["pose_xyz_m"]) and all(abs(v) < 0.01 for v in result["pose_rpy_rad"])
    assert result["read_us"] > 0 and result["build_us"] > 0 and result["align_us"][0] > 0


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_evaluate_json_has_exactly_the_documented_keys(courtyard, implementation):
    result = answer("evaluate", courtyard, "--pose", GUESS, "--implementation", implementation)
    check_shape(result, EVALUATE_KEYS)
    assert 0 < result["points_with_voxels"] <= 3000 < result["correspondences"]


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_voxels_json_has_exactly_the_documented_keys(courtyard, implementation):
    table = json.loads(bench("voxels", "--map", courtyard.map, "--implementation", implementation, "--json").stdout)
    assert list(table) == ["implementation", "resolution_m", "voxels"]
    assert table["resolution_m"] == 2.0 and len(table["voxels"]) == 1200
    shape = {"key": 3, "points": int, "centroid_m": 3, "mean_m": 3, "covariance_m2": 6, "inverse_covariance": 6}
    for voxel in table["voxels"]:
        check_shape(voxel, shape)
        assert voxel["points"] >= 6
        assert [math.floor(c / 2.0) for c in voxel["mean_m"]] == voxel["key"]
    keys = [tuple(reversed(v["key"])) for v in table["voxels"]]
    assert keys == sorted(keys)


def test_trace_lists_the_guess_and_every_iteration(courtyard):
    result = answer("align", courtyard, "--guess", GUESS, "--trace")
    check_shape(result, ALIGN_KEYS | {"trace": list} | VERDICT_KEYS)
    assert len(result["trace"]) == result["iterations"] + 1
    for point in result["trace"]:
        check_shape(point, {"matrix": 16, "score": float, "transform_probability": float, "nvtl": float, "step_m": float})
    assert result["trace"][0]["step_m"] == 0
    assert result["trace"][-1]["matrix"] == result["matrix"]


def test_a_trace_over_levels_has_level_and_radius(courtyard):
    command = ["--implementation", "cpu_pclomp_ref", "--guess", GUESS, "--profile", "pyramid", "--levels", "6,2.5,1"]
    trace = answer("align", courtyard, *command, "--trace")["trace"]
    levels = [point["level"] for point in trace]
    assert levels == sorted(levels) and set(levels) == {0, 1, 2}
    assert all(point["radius_m"] > 0 for point in trace)
    text = bench("align", *courtyard.args, *command, "--trace").stdout
    assert "level" in text and "radius" in text


def test_a_trace_ends_in_the_windows_of_a_finish(courtyard):
    command = ["--implementation", "persistent_cpu", "--guess", GUESS, "--profile", "pyramid", "--finish", "windows", "--trace"]
    result = answer("align", courtyard, *command)
    trace, finish = result["trace"], result["finish"]
    assert len(trace) == result["iterations"] + 1 and [point["level"] == 2 for point in trace] == [False] * result["iterations"] + [True]
    assert trace[-1]["score"] == pytest.approx(finish["score"], rel=1e-6) and trace[-1]["radius_m"] == 0.2
    assert math.dist(trace[-1]["matrix"][3:12:4], result["pose_xyz_m"]) <= 1.0001 * finish["step_m"] < 0.1
    text = bench("align", *courtyard.args, *command).stdout
    last = next(line for line in text.splitlines() if line.split()[:1] == [str(result["iterations"])])
    assert last.split()[-2:] == ["windows", "0.200000"]


def test_the_pose_is_given_alike_as_matrix_and_as_angles(courtyard):
    result = answer("align", courtyard, "--guess", GUESS)
    matrix = result["matrix"]
    assert [matrix[3], matrix[7], matrix[11]] == result["pose_xyz_m"] and matrix[12:] == [0, 0, 0, 1]
    expected = rotation(*result["pose_rpy_rad"])
    assert all(abs(matrix[4 * i + j] - expected[3 * i + j]) < 1e-12 for i in range(3) for j in range(3))
    assert abs(result["pose_rpy_rad"][1]) <= math.pi / 2 and 0 <= result["derivative_rpy_rad"][0] <= math.pi


def test_every_form_of_a_guess_means_the_same(courtyard):
    r = rotation(0.01, -0.01, 0.03)
    matrix = [*r[0:3], 0.3, *r[3:6], -0.2, *r[6:9], 0.05, 0, 0, 0, 1]
    expected = answer("align", courtyard, "--guess", GUESS)["pose_xyz_m"]
    blanks = GUESS.replace(",", " ")
    for form in [[blanks], blanks.split(), [shown(matrix)], [repr(n) for n in matrix]]:
        got = answer("align", courtyard, "--guess", *form)["pose_xyz_m"]
        assert all(abs(a - b) < 1e-6 for a, b in zip(got, expected)), form


def test_no_guess_is_the_identity_and_is_said(courtyard):
    expected = answer("align", courtyard, "--guess", "0,0,0,0,0,0")
    assert answer("align", courtyard)["matrix"] == expected["matrix"]
    said = "ndt-bench: no --guess: the scan is taken to be at the map's origin (identity)\n"
    fixed = [*courtyard.args, "--implementation", "persistent_cpu"]
    assert bench("align", *fixed, "--json").stderr == said
    assert bench("diff", *fixed, "--implementation", "cpu_pclomp_ref").stderr.count(said) == 1
    assert bench("align", *fixed, "--guess-ros", "0,0,0,0,0,0").stderr == ""


def test_result_and_evaluation_at_its_pose_agree(courtyard):
    result = answer("align", courtyard, "--guess", GUESS)
    again = answer("evaluate", courtyard, "--pose", shown(result["matrix"]))
    for key in ["score", "transform_probability", "nvtl"]:
        assert again[key] == pytest.approx(result[key], rel=1e-6)
    assert again["correspondences"] == pytest.approx(result["correspondences"], abs=3)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_repeats_are_timed_one_by_one_and_equal_bit_for_bit(courtyard, implementation):
    result = answer("align", courtyard, "--guess", GUESS, "--repeat", 5, "--implementation", implementation)
    assert len(result["align_us"]) == 5
    once = answer("align", courtyard, "--guess", GUESS, "--implementation", implementation)
    for key in set(ALIGN_KEYS) - {"read_us", "build_us", "align_us"}:
        assert result[key] == once[key], key


def test_a_peer_refuses_what_its_library_has_not_and_notes_how_it_differs(courtyard):
    (pcl,) = [entry for entry in LISTED if entry["name"] == "pcl_ndt"]
    assert pcl["peer"] and "epsilon" in pcl["note"]
    command = ["align", *courtyard.args, "--implementation", "pcl_ndt", "--guess", GUESS]
    if not pcl["available"]:
        assert pcl["unavailable_reason"].startswith("built without PCL: ")
        assert pcl["unavailable_reason"] in refusal(*command, code=EXIT_NO_DEVICE)
        return
    assert pcl["note"] in bench(*command, "--max-iterations", 2).stdout
    for option, value in [("--line-search", "batched"), ("--neighbours", "direct7"), ("--step-ratios", "golden_ratio"),
                          ("--reg-scale", "0.5")]:
        message = refusal(*command, option, value, code=EXIT_USAGE)
        assert f"option {option[2:]} = {value}: pcl_ndt" in message
    assert "option newton-step = damped: pcl_ndt" in refusal(*command, "--newton-step", "damped", code=EXIT_USAGE)
    for profile in ["textbook", "pyramid"]:
        assert "option step-control = trust_region: pcl_ndt" in refusal(*command, "--profile", profile, code=EXIT_USAGE)
    assert "option reg-x = 5: pcl_ndt" in refusal(*command, "--reg-x", 5, "--reg-y", 0, code=EXIT_USAGE)
    for extra in [["--line-search", "more_thuente"], ["--covariance-start", "zero"]]:
        plain, named = (answer("align", courtyard, *command[5:], *e, "--max-iterations", 2) for e in ([], extra))
        assert plain["matrix"] == named["matrix"], extra


def test_the_number_of_threads_changes_no_bit(courtyard):
    one, two = (answer("align", courtyard, "--guess", GUESS, "--threads", n) for n in (1, 2))
    assert one["matrix"] == two["matrix"] and one["hessian"] == two["hessian"]


@pytest.mark.parametrize("options, doubt", [
    ([], None),
    (["--profile", "pyramid"], None),
    (["--max-iterations", 1], "it ended as max_iterations"),
    (["--resolution", 1], None),
    (["--neighbours", "direct7"], None),
    (["--map-voxel-leaf", 1], "no NVTL threshold is known for this map, "),
])
def test_the_verdict_says_what_is_doubtful(courtyard, options, doubt):
    found = answer("align", courtyard, "--guess", GUESS, *options)
    line = next(l for l in bench("align", *courtyard.args, "--guess", GUESS, *options).stdout.splitlines() if l.startswith("verdict"))
    if doubt is None:
        assert found["verdict"] == "ok" and found["doubt"] is None and line.split() == ["verdict", "ok"]
    else:
        assert found["verdict"] == "doubtful" and doubt in found["doubt"] and line.endswith("doubtful: " + found["doubt"])


def test_a_wrong_optimum_is_doubtful_by_its_nvtl(courtyard):
    found = answer("align", courtyard, "--guess", "2,-3,0,0,0,3.1", "--profile", "pyramid", "--resolution", 1.5)
    assert found["stop"] == "converged" and found["verdict"] == "doubtful"
    assert f"NVTL {found['nvtl']:.4f} is not above {found['reliable_nvtl']:.4g}" in found["doubt"]


def test_points_that_the_map_does_not_have_make_a_pose_doubtful(courtyard, tmp_path):
    scan = bytearray(courtyard.scan.read_bytes())
    points = scan.index(b"DATA binary\n") + len(b"DATA binary\n")
    stride = (len(scan) - points) // 3000
    for k in range(900):  # into the air above the yard, where NVTL does not see them
        scan[points + stride * 3 * k:points + stride * 3 * k + 12] = struct.pack("<3f", k % 30 / 10 - 1.5, k // 30 / 10 - 1.5, 5.5)
    (tmp_path / "scan.pcd").write_bytes(scan)
    cluttered = Clouds(courtyard.map, tmp_path / "scan.pcd")
    for profile in ("autoware", "pyramid"):
        found = answer("align", cluttered, "--guess", GUESS, "--profile", profile)
        assert found["stop"] == "converged" and found["nvtl"] > found["reliable_nvtl"] and math.hypot(*found["pose_xyz_m"]) < 0.1
        assert found["verdict"] == "doubtful" and found["matched"] < found["reliable_matched"] < 0.85
        assert found["doubt"] == (f"{100 * found['matched']:.1f} % of the scan's points match the map, not more than {100 * found['reliable_matched']:.3g} %; "
                                  "it may be of another place")


def test_a_second_look_is_told_and_changes_no_pose(courtyard):
    found = answer("align", courtyard, "--guess", GUESS, "--trace")
    assert found["spread_m"] < 0.02 and found["spread_deg"] < 0.5 and 0.9 < found["matched"] <= found["overlap"] <= 1
    text = bench("align", *courtyard.args, "--guess", GUESS).stdout
    assert f"beside it        alignments from 0.5 m away end within {found['spread_m']:.3f} m; {100 * found['matched']:.1f} % of the points match" in text
    stopped = answer("align", courtyard, "--guess", GUESS, "--max-iterations", 1)
    assert stopped["spread_m"] is None and stopped["matched"] is None, "there is nothing to look beside"


def test_what_is_required_and_not_so_exits_with_4(courtyard):
    args = ["align", *courtyard.args, "--guess", GUESS]
    bench(*args, "--require", "converged,reliable")
    done = bench(*args, "--require", "converged,reliable", "--max-iterations", 1, code=EXIT_JOBS_FAILED)
    assert "--require converged is not met: it ended as max_iterations" in done.stderr and "stop  " in done.stdout
    done = bench(*args, "--require", "converged,reliable", "--map-voxel-leaf", 1, "--json", code=EXIT_JOBS_FAILED)
    assert "--require reliable is not met: no NVTL threshold" in done.stderr and json.loads(done.stdout)["reliable_nvtl"] is None
    assert "did you mean 'reliable'" in refusal(*args, "--require", "reliabel", code=EXIT_USAGE)


def test_an_angle_beyond_a_full_turn_is_warned_of(courtyard):
    for command, flag in (("align", "--guess"), ("evaluate", "--pose")):
        said = bench(command, *courtyard.args, flag, "0,0,0,0,0,90", "--implementation", "persistent_cpu").stderr
        assert said == (f"ndt-bench: warning: {flag}: yaw 90 is taken for radians, which is 116.6 degrees; degrees? "
                        "Then give 1.5708\n")
        assert bench(command, *courtyard.args, flag, "0,0,0,0,0,6.28", "--implementation", "persistent_cpu").stderr == ""


def test_a_guess_of_ros_has_a_quaternion_or_angles_of_fixed_axes(courtyard):
    args = ["align", *courtyard.args, "--implementation", "persistent_cpu", "--threads", 1, "--json"]
    here = json.loads(bench(*args, "--guess", "0.3,-0.2,0.1,0,0,0.05").stdout)["matrix"]
    half = 0.025
    for ros in (f"0.3,-0.2,0.1,0,0,{math.sin(half)},{math.cos(half)}", "0.3 -0.2 0.1 0 0 0.05"):
        assert json.loads(bench(*args, "--guess-ros", ros).stdout)["matrix"] == pytest.approx(here, abs=1e-6)
    assert "the quaternion qx,qy,qz,qw has length 2" in refusal(*args, "--guess-ros", "0,0,0,0,0,0,2", code=EXIT_USAGE)
    assert "a quaternion of ROS goes with --guess-ros" in refusal(*args, "--guess", "0,0,0,0,0,0,1", code=EXIT_USAGE)
    assert "excludes" in refusal(*args, "--guess", "0,0,0,0,0,0", "--guess-ros", "0,0,0,0,0,0,1", code=EXIT_USAGE)
    assert "--guess-ros: yaw 90 is taken for radians" in bench(*args, "--guess-ros", "0,0,0,0,0,90").stderr
    at = bench("evaluate", *courtyard.args, "--pose-ros", "0,0,0,0,0,0,1", "--json").stdout
    assert json.loads(at)["score"] == json.loads(bench("evaluate", *courtyard.args, "--pose", "0,0,0,0,0,0", "--json").stdout)["score"]


def test_bin_files_of_any_width_are_read_as_asked_for_and_never_scrambled(courtyard, tmp_path):
    def points(pcd):
        return list(struct.iter_unpack("<3f", pcd.read_bytes().partition(b"DATA binary\n")[2]))

    def written(fields, name="scan.bin"):
        rows = [(*p, *[(k * 7 + n) % 11 / 11 for n in range(fields - 3)]) for k, p in enumerate(points(courtyard.scan))]
        file = tmp_path / name
        file.write_bytes(b"".join(struct.pack(f"<{fields}f", *row) for row in rows))
        return file

    args = ["align", "--map", courtyard.map, "--guess", "0.3,-0.2,0.1,0,0,0.05", "--implementation", "persistent_cpu", "--threads", 1, "--json"]
    expected = json.loads(bench(*args, "--scan", courtyard.scan).stdout)["matrix"]
    for fields in (3, 5, 6):
        scan = written(fields)
        assert f"looks like records of {fields} float32" in refusal(*args, "--scan", scan, code=EXIT_BAD_INPUT)
        assert json.loads(bench(*args, "--scan", scan, "--bin-fields", fields).stdout)["matrix"] == expected
    assert "looks like records of 5 float32; they would be read as 4" in refusal(
        *args, "--scan", written(5), "--bin-fields", 4, code=EXIT_BAD_INPUT)
    refusal(*args, "--scan", written(5), "--bin-fields", 7, code=EXIT_USAGE)
    folder = tmp_path / "scans"
    folder.mkdir()
    written(5, "scans/0.bin")
    localize = ["localize", "--map", courtyard.map, "--init", "0,0,0,0,0,0", "--out", tmp_path / "out"]
    bench(*localize, "--scans", folder, "--bin-fields", 5)
    written(5, "map.bin"), written(5, "a.bin")
    (tmp_path / "dataset.toml").write_text("format = 1\nname = 'own'\ndescription = 'd'\nkind = 'scan_to_map'\nbin_fields = 5\nmap = 'map.bin'\n"
                                           "scans = ['a.bin']\n")
    own = ["localize", "--scans", tmp_path, "--init", "0,0,0,0,0,0", "--out", tmp_path / "of_dataset"]
    bench(*own)
    assert "bin_fields in its dataset.toml" in refusal(*own, "--bin-fields", 5, code=EXIT_USAGE)
    two = ["--implementation", "cpu_pclomp_ref", "--implementation", "persistent_cpu"]
    assert "excludes" in refusal("diff", *two, "--dataset", "courtyard", "--bin-fields", 5, code=EXIT_USAGE)
    bench("map", "merge", written(5, "map.bin"), "--bin-fields", 5, "--out", tmp_path / "map.pcd")
    assert points(tmp_path / "map.pcd") == points(courtyard.scan)


def in_millimetres(pcd, out):
    data = pcd.read_bytes()
    at = data.index(b"DATA binary\n") + 12
    numbers = array.array("f", data[at:])
    out.write_bytes(data[:at] + array.array("f", [1000 * x for x in numbers]).tobytes())
    return out


def test_clouds_in_millimetres_are_warned_of(courtyard, tmp_path):
    scan = in_millimetres(courtyard.scan, tmp_path / "scan.pcd")
    said = bench("align", "--map", courtyard.map, "--scan", scan, "--implementation", "persistent_cpu").stderr
    assert "the extent of the middle half of the scan is " in said and "millimetres?" in said
    map_file = in_millimetres(courtyard.map, tmp_path / "map.pcd")
    said = bench("align", "--map", map_file, "--scan", courtyard.scan, "--implementation", "persistent_cpu", "--resolution", 1000,
                 ).stderr
    assert "the extent of the map is " in said and "millimetres?" in said
    scans = tmp_path / "scans"
    scans.mkdir()
    scan.rename(scans / "0.pcd")
    said = bench("localize", "--scans", scans, "--map", map_file, "--init", "0,0,0,0,0,0", "--out", tmp_path / "out", code=EXIT_BAD_INPUT).stderr
    assert said.count("millimetres?") == 2


def test_a_dense_scan_says_how_to_thin_it(courtyard, tmp_path):
    dense = tmp_path / "dense.pcd"
    bench("map", "merge", courtyard.map.parent, "--out", dense)  # both clouds of the folder
    args = ["align", "--map", courtyard.map, "--scan", dense, "--implementation", "persistent_cpu"]
    note = "the scan has 33000 points; --scan-voxel-leaf 1 thins it"
    assert note in bench(*args).stderr
    for few in ([*args, "--scan-voxel-leaf", 1], ["align", *courtyard.args]):
        assert "--scan-voxel-leaf 1 thins it" not in bench(*few).stderr


def test_auto_says_on_stderr_what_it_took(courtyard):
    fastest = json.loads(bench("list", "--json").stdout)["auto"]
    note = f"ndt-bench: auto took {fastest}"
    for args in [[], ["--implementation", "auto"]]:
        done = bench("align", *courtyard.args, *args, "--json")
        assert note in done.stderr and json.loads(done.stdout)["implementation"] == fastest
    assert bench("align", *courtyard.args, "--guess", "0,0,0,0,0,0", "--implementation", "persistent_cpu").stderr == ""


def test_options_reach_the_aligner(courtyard):
    assert answer("align", courtyard, "--guess", GUESS, "--max-iterations", 2)["stop"] == "max_iterations"
    assert answer("evaluate", courtyard, "--pose", GUESS, "--resolution", 1)["correspondences"] < 9000
    plain, pulled = (answer("evaluate", courtyard, "--pose", GUESS, *extra)
                     for extra in ([], ["--reg-x", 5, "--reg-y", 0, "--reg-scale", 0.01]))
    assert plain["gradient"][0] != pulled["gradient"][0]


def test_numerical_outcomes_are_results_not_failures(courtyard):
    far = answer("align", courtyard, "--guess", "9000,0,0,0,0,0")
    assert far["stop"] == "no_overlap" and far["pose_xyz_m"] == [9000, 0, 0] and far["iterations"] == 0
    text = bench("align", *courtyard.args, "--guess", "9000,0,0,0,0,0").stdout
    assert "no_overlap" in text and "check --guess" in text


def test_align_text_has_units_and_times(courtyard):
    text = bench("align", *courtyard.args, "--guess", GUESS, "--repeat", 3, "--trace", "--implementation", "persistent_cpu").stdout
    for part in ["persistent_cpu", "30000 points", "converged after", " m\n", "rad", "deg", "NVTL", "ms (median of 3"]:
        assert part in text, part
    assert "iteration" in text
    text = bench("align", *courtyard.args, "--guess", GUESS, "--max-iterations", 1).stdout
    assert "max_iterations" in text and "raise --max-iterations" in text


def test_evaluate_text_has_gradient_and_hessian(courtyard):
    text = bench("evaluate", *courtyard.args, "--pose", GUESS).stdout
    for part in ["score", "gradient", "H yaw", "per m and per rad"]:
        assert part in text, part


def test_voxels_text_has_count_extent_and_distribution(courtyard):
    text = bench("voxels", "--map", courtyard.map).stdout
    for part in ["1200 of 2 m", "x -32.0 to 32.0 m", "points per voxel 6 least", "first 10"]:
        assert part in text, part


def test_exported_files_are_the_built_in_clouds(courtyard, tmp_path):
    """`align` on the files finds the poses that `run` finds for the dataset in memory."""
    bench("run", "--dataset", "courtyard", "--samples", 1, "--threads", 1, "--out", tmp_path)
    measurements = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    for m in [r for r in measurements if r["frame"] in ("guess1", "guess5")]:
        got = answer("align", courtyard, "--guess", shown(m["guess"]), "--implementation", m["implementation"])
        assert got["matrix"] == m["matrix"] and got["score"] == m["score"]


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_point_scores_explain_the_likelihood(courtyard, tmp_path, implementation):
    file = tmp_path / "scores.csv"
    args = ["--pose", GUESS, "--implementation", implementation, "--scan-max-range", 25]
    plain = answer("evaluate", courtyard, *args)
    result = answer("evaluate", courtyard, *args, "--point-scores", file)
    assert result == plain
    lines = file.read_text().splitlines()
    points = [line.split(",") for line in lines[1:]]
    assert lines[0] == "index,x_m,y_m,z_m,score"
    assert [int(p[0]) for p in points] == list(range(result["scan_preparation"]["filters"][-1]["left_points"]))
    assert all(math.hypot(*map(float, p[1:4])) <= 25 for p in points)
    scores = [float(p[4]) for p in points if float(p[4]) > 0]
    assert len(scores) == result["points_with_voxels"]
    assert sum(scores) / len(scores) == pytest.approx(result["nvtl"], rel=1e-5)
    text = bench("evaluate", *courtyard.args, *args, "--point-scores", file).stdout
    assert f"point scores     {len(points)} in {file}\n" in text
    bench("evaluate", *courtyard.args, *args, "--point-scores", tmp_path / "none" / "scores.csv", code=EXIT_BAD_INPUT)
