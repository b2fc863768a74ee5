"""localize: what it tells of every scan, in its row, its diagnostics, its iterations and its particles."""

import json
import math
import statistics

import pytest
from conftest import EXIT_JOBS_FAILED, bench
from localizations import FLAG, LIST, NULL, NUMBER, TEXT, WHOLE, check, check_diagnostics, folder_of, localize, start_in


def number(row, column):
    return float(row[column])


def test_the_spread_of_the_neighbours_is_told_and_judged(town, tmp_path):
    plain, _ = localize(town, tmp_path / "plain")
    assert {f["spread_m"] for f in plain.frames} == {""} and {d["spread_m"] for d in plain.diagnostics} == {None}
    got, done = localize(town, tmp_path / "out", "--spread-neighbours", 4)
    for frame, record in zip(got.frames, got.diagnostics):
        check_diagnostics(record)
        assert record["spread_m"] == number(frame, "spread_m") and record["spread_deg"] == number(frame, "spread_deg")
        assert (frame["reason"] == "spread") == (record["spread_m"] > 0.2)
        assert number(frame, "neighbours_ms") > 0
    assert got.tum == plain.tum, "a look beside the result changes nothing but the verdict"
    doubted, _ = localize(town, tmp_path / "strict", "--spread-neighbours", 4, "--spread-bound", 1e-9)
    assert {(f["verdict"], f["reason"], f["source"]) for f in doubted.frames} == {("doubtful", "spread", "aligned")}
    assert doubted.tum == plain.tum, "doubtful poses are used"
    lost, done = localize(town, tmp_path / "lost", "--spread-neighbours", 4, "--spread-bound", 1e-9, "--spread-reject", 1e-9,
                          "--recovery-particles", 0, code=EXIT_JOBS_FAILED)
    assert "lost at frame 4" in done.stderr and {f["reason"] for f in lost.frames} == {"spread"}
    assert all(number(f, "aligned_error_m") < 0.1 for f in lost.frames[:3]), "of the result that was rejected"


def test_the_step_of_a_finish_is_told(town, tmp_path):
    plain, _ = localize(town, tmp_path / "plain", "--profile", "pyramid")
    for key in ("finish_step_m", "finish_score"):
        assert {f[key] for f in plain.frames} == {""} and {d[key] for d in plain.diagnostics} == {None}
    got, _ = localize(town, tmp_path / "out", "--profile", "pyramid", "--finish", "windows", "--covariance", "multi_ndt")
    for frame, record in zip(got.frames, got.diagnostics, strict=True):
        check_diagnostics(record)
        assert record["finish_step_m"] == number(frame, "finish_step_m") < 0.1
        assert record["finish_score"] == number(frame, "finish_score") > 0
        assert frame["verdict"] == "ok" and number(frame, "aligned_error_m") < 0.02
    assert max(number(f, "finish_step_m") for f in got.frames) > 0


def test_the_score_without_ground(town, tmp_path):
    got, _ = localize(town, tmp_path, "--no-ground-height", -0.5)
    for frame, record in zip(got.frames, got.diagnostics):
        check_diagnostics(record)
        assert record["no_ground_points_nearest_voxel_transformation_likelihood"] == number(frame, "no_ground_nvtl") > 0
        assert record["no_ground_points_transform_probability"] == number(frame, "no_ground_transform_probability") > 0
        assert number(frame, "no_ground_nvtl") != number(frame, "nvtl") and number(frame, "no_ground_ms") > 0


def test_every_detector_and_error_is_in_the_row(town, tmp_path):
    got, _ = localize(town, tmp_path, "--covariance", "multi_ndt")
    truth = [line.split() for line in (town / "truth.tum").read_text().splitlines() if line[0] != "#"]
    for frame, record, true in zip(got.frames, got.diagnostics, truth):
        assert int(frame["oscillations"]) == record["local_optimal_solution_oscillation_num"]
        assert number(frame, "nvtl_before") == record["nearest_voxel_transformation_likelihood_before"]
        assert number(frame, "condition_number") == record["condition_number"] > 1
        assert number(frame, "surface_condition_number") == record["surface_condition_number"] > 1
        assert number(frame, "push_sigmas") == record["push_sigmas"] > 4
        entries = ["variance_x_m2", "covariance_xy_m2", None, None, None, None, None, "variance_y_m2"]
        for k, column in enumerate(entries):
            assert column is None or number(frame, column) == record["covariance"][k]
        for k, column in enumerate(["variance_z_m2", "variance_roll_rad2", "variance_pitch_rad2", "variance_yaw_rad2"], 2):
            assert number(frame, column) == record["covariance"][7 * k]
        assert frame["covariance_by"] == "multi_ndt" and frame["search_attempt"] == frame["search_found"] == ""
        off = [number(frame, f"error_{axis}_m") for axis in "xyz"]
        assert off == pytest.approx([number(frame, f"{axis}_m") - float(t) for axis, t in zip("xyz", true[1:4])], abs=1e-12)
        ways = [number(frame, f"error_{way}_m") for way in ("along", "across", "up")]
        assert math.hypot(*off) == pytest.approx(number(frame, "error_m")) == pytest.approx(math.hypot(*ways))
        yaw = 2 * math.atan2(float(true[6]), float(true[7]))  # the town is level, nearly
        assert ways[0] == pytest.approx(math.cos(yaw) * off[0] + math.sin(yaw) * off[1], abs=0.1 * number(frame, "error_m"))
        assert abs(number(frame, "error_yaw_deg")) <= number(frame, "error_deg") + 1e-9
        assert number(frame, "aligned_error_m") == number(frame, "error_m"), "every pose here is aligned"


def test_the_stages_of_a_scan_add_up(town, tmp_path):
    got, done = localize(town, tmp_path, "--covariance", "multi_ndt_score", "--scan-voxel-leaf", 1)
    stages = ["prediction_ms", "before_ms", "align_ms", "covariance_ms", "verdict_ms"]
    between = []  # the stages; a scan may lose its core there, so not every one tells
    for frame in got.frames:
        total = sum(number(frame, stage) for stage in stages)
        assert all(number(frame, stage) >= 0 for stage in stages), "the prediction may take less than a tick of the clock"
        assert number(frame, "align_ms") > 0 and number(frame, "covariance_ms") > 0
        assert {frame[f"{stage}_ms"] for stage in ("neighbours", "no_ground", "search")} == {""}
        between.append(number(frame, "execution_ms") - total)
        whole = number(frame, "filter_ms") + number(frame, "execution_ms") + number(frame, "diagnostics_ms")
        assert number(frame, "filter_ms") > 0 and whole == pytest.approx(number(frame, "frame_ms"), abs=1e-3)
    assert min(between) > -0.01 and statistics.median(between) < 0.05
    for stage in ("filter", "prediction", "before", "align", "covariance", "verdict", "diagnostics"):
        assert f"\n  {stage} " in done.stdout
    assert "\n  search " not in done.stdout and "\nwith the rest    " in done.stdout


ITERATION = {"frame": [WHOLE], "scan": [TEXT], "iteration": [WHOLE], "level": [WHOLE], "pose": [LIST], "score": [NUMBER],
             "transform_probability": [NUMBER], "nvtl": [NUMBER], "pairs": [WHOLE], "gradient": [LIST], "hessian": [LIST],
             "step": [LIST, NULL], "alpha": [NUMBER, NULL], "reversed": [FLAG, NULL], "pose_after": [LIST, NULL]}


@pytest.mark.parametrize("profile", ["autoware", "pyramid"])
def test_every_iteration_is_told_on_request(town, tmp_path, profile):
    plain, _ = localize(town, tmp_path / "plain", "--profile", profile)
    got, done = localize(town, tmp_path / "out", "--profile", profile, "--debug-iterations")
    assert got.tum == plain.tum and "diagnostics.jsonl, iterations.jsonl" in done.stdout
    assert not (tmp_path / "plain" / "iterations.jsonl").exists()
    lines = [json.loads(line) for line in (tmp_path / "out" / "iterations.jsonl").read_text().splitlines()]
    schema = ITERATION | ({"radius_m": [NUMBER]} if profile == "pyramid" else {})
    for frame in got.frames:
        mine = [line for line in lines if line["scan"] == frame["scan"]]
        assert [line["iteration"] for line in mine] == list(range(int(frame["iterations"]) + 1))
        for line, after in zip(mine, [*mine[1:], None]):
            check(line, schema)
            assert len(line["gradient"]) == 6 and len(line["hessian"]) == 36 and line["pairs"] > 0
            assert (line["step"] is None) == (line["alpha"] is None) == (after is None)
            if after:
                assert line["pose_after"] == after["pose"]
        assert {line["level"] for line in mine} == ({0, 1} if profile == "pyramid" else {0})
        last = mine[-1]
        assert last["nvtl"] == pytest.approx(number(frame, "nvtl"), rel=1e-6)
    again, _ = localize(town, tmp_path / "out", "--profile", profile)
    assert not (tmp_path / "out" / "iterations.jsonl").exists(), "what an earlier run told is no more true"


def test_the_windows_of_a_finish_are_an_iteration_without_derivatives(town, tmp_path):
    got, _ = localize(town, tmp_path, "--profile", "pyramid", "--finish", "windows", "--debug-iterations")
    lines = [json.loads(line) for line in (tmp_path / "iterations.jsonl").read_text().splitlines()]
    for frame in got.frames:
        mine = [line for line in lines if line["scan"] == frame["scan"]]
        assert [line["iteration"] for line in mine] == list(range(int(frame["iterations"]) + 1))
        assert [line["level"] == 2 for line in mine] == [line["pairs"] is None for line in mine]
        last = mine[-1]
        assert last["level"] == 2 and last["gradient"] is last["hessian"] is None and last["radius_m"] == 0.2
        assert last["score"] == pytest.approx(number(frame, "finish_score"), rel=1e-6)


def test_a_search_hands_on_the_finish_of_its_particles(town, tmp_path):
    got, _ = localize(town, tmp_path, "--profile", "pyramid", "--finish", "windows", "--init", "search", "--recovery-particles", 20,
                      "--debug-particles")
    assert got.frames[0]["source"] == "searched" and number(got.frames[1], "finish_step_m") < 0.1
    first = json.loads((tmp_path / "particles.jsonl").read_text().splitlines()[0])
    converged = [p for p in first["particles"] if p["stop"] == "converged"]
    assert converged and all(p["finish"]["step_m"] >= 0 and p["finish"]["score"] > 0 for p in converged)


PARTICLE = {"guess_xyz_m": [LIST], "guess_rpy_rad": [LIST], "pose_xyz_m": [LIST], "pose_rpy_rad": [LIST], "nvtl": [NUMBER, NULL],
            "transform_probability": [NUMBER, NULL], "stop": [TEXT], "iterations": [WHOLE], "guided": [FLAG], "role": [TEXT]}


def test_every_particle_of_a_search_is_told_on_request(town, tmp_path):
    begin = ["--init", "search", "--recovery-particles", 20]
    plain, _ = localize(town, tmp_path / "plain", *begin)
    assert plain.frames[0]["source"] == "searched" and not (tmp_path / "plain" / "particles.jsonl").exists()
    got, done = localize(town, tmp_path / "out", *begin, "--debug-particles")
    assert got.tum == plain.tum and "diagnostics.jsonl, particles.jsonl" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "out" / "particles.jsonl").read_text().splitlines()]
    searched = [d for d in got.diagnostics if d["recovery"]]
    assert [(line["frame"], line["scan"], line["attempt"]) for line in lines] == [
        (d["frame"], d["scan"], d["recovery"]["attempt"]) for d in searched] and searched
    for line, record in zip(lines, searched):
        assert len(line["particles"]) == record["recovery"]["particles"] >= 20
        for particle in line["particles"]:
            check(particle, PARTICLE)
        best = max(line["particles"], key=lambda particle: particle["nvtl"])
        assert best["nvtl"] == record["recovery"]["nvtl"] and best["pose_xyz_m"] == record["pose_xyz_m"]
    localize(town, tmp_path / "out")
    assert not (tmp_path / "out" / "particles.jsonl").exists(), "what an earlier run told is no more true"


@pytest.mark.parametrize("profile, level, alone", [("autoware", 0, ["--profile", "autoware"]),
                                                   ("pyramid", 0, ["--profile", "textbook", "--resolution", 5]),
                                                   ("pyramid", 1, ["--profile", "textbook"])])
def test_an_iterations_derivatives_are_those_of_evaluate(town, tmp_path, profile, level, alone):
    scan = folder_of(town, tmp_path / "scans", ["0.pcd"]) / "0.pcd"
    localize(tmp_path / "scans", tmp_path / "out", *start_in(town), "--profile", profile, "--debug-iterations")
    lines = [json.loads(line) for line in (tmp_path / "out" / "iterations.jsonl").read_text().splitlines()]
    line = next(line for line in lines if line["level"] == level and line["step"] is not None)
    pose = ",".join(repr(x) for x in line["pose"])
    told = json.loads(bench("evaluate", "--map", town / "map.pcd", "--scan", scan, "--scan-voxel-leaf", 1, f"--pose={pose}",
                            "--implementation", "persistent_cpu", "--json", *alone).stdout)
    assert line["pairs"] == told["correspondences"]
    assert line["score"] == pytest.approx(told["score"], rel=1e-6) and line["nvtl"] == pytest.approx(told["nvtl"], rel=1e-6)
    assert line["gradient"] == pytest.approx(told["gradient"], rel=1e-4, abs=1e-4 * max(map(abs, told["gradient"])))
    assert line["hessian"] == pytest.approx(told["hessian"], rel=1e-4, abs=1e-4 * max(map(abs, told["hessian"])))
