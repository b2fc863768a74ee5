"""localize: a recording followed through a map; its files, its verdicts, and what is refused."""

import csv
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import time

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_JOBS_FAILED, EXIT_USAGE, IMPLEMENTATIONS, bench, refusal

COLUMNS = ["frame", "scan", "stamp_s", "verdict", "reason", "source", "x_m", "y_m", "z_m", "roll_rad", "pitch_rad", "yaw_rad",
           "predicted_by", "stop", "iterations", "oscillations", "nvtl", "transform_probability", "nvtl_before",
           "transform_probability_before", "moved_m", "condition_number", "surface_condition_number", "push_sigmas", "spread_m",
           "spread_deg", "no_ground_nvtl", "no_ground_transform_probability", "rejected", "search_attempt", "search_found",
           "search_nvtl", "covariance_by", "variance_x_m2", "covariance_xy_m2", "variance_y_m2", "variance_z_m2",
           "variance_roll_rad2", "variance_pitch_rad2", "variance_yaw_rad2", "filter_ms", "prediction_ms", "before_ms", "align_ms",
           "neighbours_ms", "no_ground_ms", "search_ms", "covariance_ms", "verdict_ms", "execution_ms", "diagnostics_ms", "frame_ms",
           "map_tiles", "map_swap_us", "map_waited_ms", "error_m", "error_deg", "error_x_m", "error_y_m", "error_z_m", "error_along_m", "error_across_m", "error_up_m",
           "error_yaw_deg", "aligned_error_m", "aligned_error_deg"]

NULL, NUMBER, WHOLE, TEXT, FLAG, LIST = type(None), (int, float), int, str, bool, list
# Autoware's keys of scan_matching_status, then those of this project alone. In their order.
AUTOWARE = {
    "topic_time_stamp": [NUMBER], "sensor_points_size": [WHOLE], "sensor_points_delay_time_sec": [NULL],
    "sensor_points_max_distance": [NUMBER], "is_succeed_transform_sensor_points": [FLAG], "is_activated": [FLAG],
    "is_succeed_interpolate_initial_pose": [FLAG], "is_set_map_points": [FLAG], "iteration_num": [WHOLE, NULL],
    "local_optimal_solution_oscillation_num": [WHOLE, NULL], "transform_probability": [NUMBER, NULL],
    "transform_probability_before": [NUMBER, NULL], "transform_probability_diff": [NUMBER, NULL],
    "nearest_voxel_transformation_likelihood": [NUMBER, NULL], "nearest_voxel_transformation_likelihood_before": [NUMBER, NULL],
    "nearest_voxel_transformation_likelihood_diff": [NUMBER, NULL], "distance_initial_to_result": [NUMBER, NULL],
    "execution_time": [NUMBER], "skipping_publish_num": [WHOLE],
}
REAL_TIME = AUTOWARE | {"sensor_points_delay_time_sec": [NUMBER]}
SCHEMA = {"frame": [WHOLE], "scan": [TEXT], "level": [TEXT], "messages": [LIST], **AUTOWARE, "dropped_before": [WHOLE],
          "verdict": [TEXT], "reason": [TEXT], "source": [TEXT], "pose_xyz_m": [LIST], "pose_rpy_rad": [LIST],
          "covariance": [LIST, NULL], "covariance_by": [TEXT, NULL], "predicted_by": [TEXT], "predicted_xyz_m": [LIST], "predicted_rpy_rad": [LIST],
          "odometry_miss": [TEXT], "gnss_miss": [TEXT], "regularisation_xy_m": [LIST, NULL], "stop": [TEXT, NULL],
          "condition_number": [NUMBER, NULL], "surface_condition_number": [NUMBER, NULL], "push_sigmas": [NUMBER, NULL],
          "spread_m": [NUMBER, NULL], "spread_deg": [NUMBER, NULL], "no_ground_points_transform_probability": [NUMBER, NULL],
          "no_ground_points_nearest_voxel_transformation_likelihood": [NUMBER, NULL], "recovery": [dict, NULL],
          "map_update": [NULL]}
RECOVERY = {"attempt": [WHOLE], "prior_xyz_m": [LIST], "prior_sigma": [LIST], "particles": [WHOLE], "found": [FLAG],
            "reliable": [FLAG, NULL], "nvtl": [NUMBER, NULL], "stop": [TEXT], "ambiguous": [FLAG], "runner_up_ratio": [NUMBER],
            "interrupted": [TEXT, NULL], "distance_prior_to_best_m": [NUMBER], "spread_m": [NUMBER, NULL],
            "spread_deg": [NUMBER, NULL]}
LEVELS = ["OK", "WARN", "ERROR"]


def check(record, schema):
    assert list(record) == list(schema)
    for key, kinds in schema.items():
        value = record[key]
        fits = any(isinstance(value, kind) and (kind is FLAG or not isinstance(value, bool)) for kind in kinds)
        assert fits, f"{key} = {value!r}"


def check_diagnostics(record, schema=SCHEMA):
    check(record, schema)
    assert record["level"] in LEVELS and (record["level"] == "OK") == (record["messages"] == [])
    assert (record["level"] == "ERROR") == (record["verdict"] == "lost")
    assert len(record["pose_xyz_m"]) == len(record["pose_rpy_rad"]) == 3
    assert record["covariance"] is None or len(record["covariance"]) == 36
    assert (record["covariance"] is None) == (record["covariance_by"] is None) == (record["source"] == "predicted")
    if record["recovery"] is not None:
        check(record["recovery"], RECOVERY)


class Folder:
    def __init__(self, path):
        self.tum = [line.split() for line in (path / "poses.tum").read_text().splitlines() if line[0] != "#"]
        self.kitti = [line.split() for line in (path / "poses_kitti.txt").read_text().splitlines()]
        with open(path / "frames.csv", newline="") as file:
            rows = csv.DictReader(file)
            self.frames = list(rows)
            assert rows.fieldnames == COLUMNS
        self.diagnostics = [json.loads(line) for line in (path / "diagnostics.jsonl").read_text().splitlines()]

    def without_times(self):
        frames = [{k: v for k, v in f.items() if not k.endswith(("_ms", "_us"))} for f in self.frames]
        return self.tum, self.kitti, frames


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("localize") / "town"
    bench("generate", "town", "--scale", "small", "--out", folder)
    return folder


def localize(scans, out, *args, code=0):
    done = bench("localize", "--scans", scans, "--out", out, "--implementation", "persistent_cpu", *args, code=code)
    return Folder(out), done


def test_a_dataset_is_followed_from_its_own_guess_with_its_own_odometry(town, tmp_path):
    got, done = localize(town, tmp_path / "new" / "out", "--critical-ms", 1e6)
    assert len(got.tum) == len(got.kitti) == len(got.frames) == len(got.diagnostics) == 8
    assert [float(row[0]) for row in got.tum] == [0.5 * k for k in range(8)]
    for k, (frame, record) in enumerate(zip(got.frames, got.diagnostics)):
        check_diagnostics(record)
        assert (frame["verdict"], frame["source"], frame["reason"]) == ("ok", "aligned", "none")
        assert float(frame["error_m"]) < 0.1 and float(frame["error_deg"]) < 0.5
        assert record["level"] == "OK" and record["frame"] == k and record["scan"] == frame["scan"] == f"{k:06}"
        assert frame["predicted_by"] == record["predicted_by"] == ("odometry" if k else "none")
        assert [float(x) for x in got.kitti[k][3::4]] == [float(x) for x in got.tum[k][1:4]] == record["pose_xyz_m"]
    assert "scans            8 of town_small: 8 ok, 0 doubtful, 0 lost" in done.stdout
    assert "closed-loop ATE  0.0" in done.stdout and "exact: the poses the scans were cast from" in done.stdout
    assert "odometry         used for 7 of 7 scans\n" in done.stdout, "nothing leads to the first"
    assert "8/8" in done.stderr and "not judged" not in done.stderr


def test_the_same_input_gives_the_same_files(town, tmp_path):
    first, _ = localize(town, tmp_path / "a", "--covariance", "multi_ndt_score")
    again, _ = localize(town, tmp_path / "b", "--covariance", "multi_ndt_score")
    assert first.without_times() == again.without_times()
    assert len({f["variance_x_m2"] for f in first.frames}) > 1, "estimated, not fixed"
    assert {d["covariance_by"] for d in first.diagnostics} == {"multi_ndt_score"}


def test_trajectory_gives_the_same_error(town, tmp_path):
    for module in ("pandas", "matplotlib", "jinja2"):
        pytest.importorskip(module, reason=f"skipped for want of {module}")
    got, done = localize(town, tmp_path)
    found = json.loads(bench("trajectory", town / "truth.tum", tmp_path / "poses.tum", "--json").stdout)
    errors = [float(f["error_m"]) for f in got.frames]
    assert found["pairs"] == 8 and math.isclose(found["ate"]["max_m"], max(errors), rel_tol=1e-9)
    assert f"closed-loop ATE  {found['ate']['rmse_m']:.4f} m RMSE" in done.stdout
    assert "ATE    " in bench("trajectory", town / "truth.tum", tmp_path / "poses.tum", "--align", "--delta", 2).stdout
    assert "--delta = 0" in refusal("trajectory", "a", "b", "--delta", 0, code=EXIT_USAGE)
    assert "not 8 finite numbers" in refusal("trajectory", town / "dataset.toml", tmp_path / "poses.tum", code=EXIT_BAD_INPUT)


def test_a_folder_of_scans_needs_a_map_and_a_start_and_tells_its_rate(town, tmp_path):
    scans, out = town / "scans", tmp_path / "out"
    start = (town / "truth.tum").read_text().splitlines()[1].split()
    assert "--map is missing" in refusal("localize", "--scans", scans, "--out", out, "--init", "0,0,0,0,0,0", code=EXIT_USAGE)
    message = refusal("localize", "--scans", scans, "--map", town / "map.pcd", "--out", out, code=EXIT_USAGE)
    assert "--init is missing" in message and "search" in message
    pose = ["--init", f"{start[1]},{start[2]},{start[3]},0,0,{2 * math.asin(float(start[6]))}"]
    args = ["--map", town / "map.pcd", *pose, "--odometry", town / "odometry.tum", "--scan-voxel-leaf", 1]
    got, done = localize(scans, out, *args, "--rate", 2)
    assert [float(row[0]) for row in got.tum] == [0.5 * k for k in range(8)]
    assert "the scans have no times; they are taken to be 2 a second" in done.stderr
    assert {f["verdict"] for f in got.frames} == {"ok"} and {f["error_m"] for f in got.frames} == {""}
    assert "closed-loop" not in done.stdout
    stamps = tmp_path / "times.txt"
    stamps.write_text("".join(f"{0.5 * k:.6e}\n" for k in range(8)))
    assert localize(scans, tmp_path / "stamped", *args, "--stamps", stamps)[0].tum == got.tum


@pytest.mark.parametrize("guess", ["", '[guess]\nkind = "identity"\n'])
def test_a_dataset_that_does_not_know_where_it_is_needs_a_start(town, tmp_path, guess):
    dataset = tmp_path / "dataset"
    shutil.copytree(town, dataset)
    tables = (dataset / "dataset.toml").read_text().split("\n[")
    kept = [table for table in tables if not table.startswith(("truth]", "guess]"))]
    assert len(kept) < len(tables)
    (dataset / "dataset.toml").write_text("\n[".join(kept) + "\n" + guess)
    message = refusal("localize", "--scans", dataset, "--out", tmp_path / "out", code=EXIT_USAGE)
    assert "--init is missing: where in the map is the first scan?" in message
    got, _ = localize(dataset, tmp_path / "out", "--init", start_in(town)[3], "--rate", 2)
    assert got.frames[0]["verdict"] == "ok"


def test_a_search_finds_the_start(town, tmp_path):
    got, done = localize(town, tmp_path, "--init", "search")
    first = got.diagnostics[0]
    check_diagnostics(first)
    assert first["source"] == "searched" and first["recovery"]["found"] and first["recovery"]["particles"] >= 200
    assert all(float(f["error_m"]) < 0.1 for f in got.frames)
    assert "searches         1, 1 found a pose" in done.stdout


def test_lost_at_the_end_is_exit_4_and_names_the_frame(town, tmp_path):
    got, done = localize(town, tmp_path, "--init", "500,500,0,0,0,0", "--recovery-particles", 0, code=EXIT_JOBS_FAILED)
    assert "lost at frame 4, and not found again by the last, 7" in done.stderr
    assert [f["verdict"] for f in got.frames] == ["doubtful"] * 4 + ["lost"] * 4
    for record in got.diagnostics:
        check_diagnostics(record)
    assert [d["level"] for d in got.diagnostics] == ["WARN"] * 4 + ["ERROR"] * 4
    assert {d["reason"] for d in got.diagnostics} == {"no_overlap"} and got.diagnostics[-1]["skipping_publish_num"] == 8


def test_a_search_far_from_the_map_is_lost_and_searches_on(town, tmp_path):
    got, _ = localize(town, tmp_path, "--init", "search", "--guess", "500,500,0,0,0,0", "--recovery-particles", 20,
                      code=EXIT_JOBS_FAILED)
    assert [d["recovery"]["attempt"] for d in got.diagnostics] == list(range(1, 9))
    sigma = [d["recovery"]["prior_sigma"][0] for d in got.diagnostics]
    assert sigma[0] == 5 and sigma == sorted(sigma) and sigma[-1] == 30


@pytest.mark.parametrize("args, unknown", [
    (["--resolution", 1], "voxels of 1 m"),
    (["--neighbours", "direct7"], "these neighbours, outlier-ratio, min-points or eigenvalue-ratio"),
    (["--score", "transform_probability"], "transform_probability with covariances that start from zero"),
])
def test_no_pose_is_ok_where_the_score_is_not_judged(town, tmp_path, args, unknown):
    got, done = localize(town, tmp_path / "out", *args)
    assert f"the score is not judged, so no pose is ok: no threshold is known for {unknown}; give --least-score" in done.stderr
    assert {(f["verdict"], f["reason"], f["source"]) for f in got.frames} == {("doubtful", "unproven", "aligned")}
    assert {d["level"] for d in got.diagnostics} == {"WARN"}
    for record in got.diagnostics:
        check_diagnostics(record)
    judged, done = localize(town, tmp_path / "judged", *args, "--least-score", 0.5)
    assert {f["verdict"] for f in judged.frames} == {"ok"} and "not judged" not in done.stderr
    assert judged.tum == got.tum, "doubtful poses are used"


def test_the_references_threshold_of_transform_probability(town, tmp_path):
    got, done = localize(town, tmp_path, "--profile", "autoware", "--score", "transform_probability")
    assert "not judged" not in done.stderr
    for frame in got.frames:
        assert (frame["reason"] == "score") == (float(frame["transform_probability"]) <= 3)


def test_gnss_is_used_where_it_is_near_in_time(town, tmp_path):
    gnss = tmp_path / "gnss.tum"
    gnss.write_text("".join((town / "truth.tum").read_text().splitlines(keepends=True)[:5]))  # four poses, to 1.5 s
    got, done = localize(town, tmp_path / "out", "--gnss", gnss)
    used = [d["regularisation_xy_m"] is not None for d in got.diagnostics]
    assert used == [d["gnss_miss"] == "none" for d in got.diagnostics] == [True] * 5 + [False] * 3
    assert [d["gnss_miss"] for d in got.diagnostics][-1] == "too_old"
    assert "GNSS             used for 5 of 8 scans (too_old 3)" in done.stdout
    for record, pulled in zip(got.diagnostics, used):
        assert (record["transform_probability_diff"] is None) == pulled, "the target is part of the score after"
        assert record["nearest_voxel_transformation_likelihood_diff"] is not None


def test_the_gnss_of_a_dataset_is_used_unless_it_is_not_wanted(town, tmp_path):
    got, done = localize(town, tmp_path / "with")
    assert "GNSS             used for 8 of 8 scans\n" in done.stdout
    assert all(d["regularisation_xy_m"] for d in got.diagnostics)
    without, done = localize(town, tmp_path / "without", "--gnss", "none")
    assert "GNSS" not in done.stdout and not any(d["regularisation_xy_m"] for d in without.diagnostics)
    assert without.tum != got.tum, "it pulls"
    named, _ = localize(town, tmp_path / "named", "--gnss", town / "gnss.tum")
    assert named.tum == got.tum


def test_what_cannot_be_pulled_leaves_the_gnss_of_a_dataset_out_and_says_so(town, tmp_path):
    if "pcl_ndt" not in IMPLEMENTATIONS:
        pytest.skip("skipped for want of pcl_ndt")
    words = ["--scans", town, "--out", tmp_path / "out", "--implementation", "pcl_ndt", "--profile", "autoware"]
    done = bench("localize", *words)
    assert "pcl_ndt has no regularisation: the GNSS of town_small is not used\n" in done.stderr and "GNSS" not in done.stdout
    message = refusal("localize", *words, "--gnss", town / "gnss.tum", code=EXIT_USAGE)
    assert "--gnss: pcl_ndt has no regularisation; drop it, or take another implementation" in message


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


def test_in_real_time_late_scans_are_dropped_and_counted(town, tmp_path):
    got, done = localize(town, tmp_path / "fast", "--real-time", "--speed", 1e6)  # all are there before the first is done
    assert [f["frame"] for f in got.frames] == ["0", "7"] and [d["dropped_before"] for d in got.diagnostics] == [0, 6]
    assert [float(row[0]) for row in got.tum] == [0, 3.5], "the times of the recording"
    for record in got.diagnostics:
        check_diagnostics(record, SCHEMA | REAL_TIME)
    assert got.diagnostics[0]["sensor_points_delay_time_sec"] < 0.1 and got.diagnostics[1]["level"] == "WARN"
    assert "6 scans before it came while another was worked on, and were dropped" in got.diagnostics[1]["messages"]
    assert "scans            2 of town_small: 2 ok, 0 doubtful, 0 lost\ndropped          6 more, which came while" in done.stdout
    assert "7/8" not in done.stderr and "8/8" in done.stderr


def test_in_real_time_a_drive_takes_as_long_as_it_took(town, tmp_path):
    begun = time.monotonic()
    got, done = localize(town, tmp_path, "--real-time", "--speed", 4)
    assert time.monotonic() - begun > 3.5 / 4
    assert len(got.frames) + sum(d["dropped_before"] for d in got.diagnostics) == 8 and got.frames[-1]["frame"] == "7"
    assert {f["verdict"] for f in got.frames} == {"ok"}
    assert {d["dropped_before"] for d in localize(town, tmp_path / "whole")[0].diagnostics} == {0}


def test_a_velocity_is_not_carried_over_a_gap(town, tmp_path):
    scans = tmp_path / "scans"
    scans.mkdir()
    for k in range(6):
        shutil.copy(town / "scans" / "000000.pcd", scans / f"{k}.pcd")
    stamps = tmp_path / "times.txt"
    stamps.write_text("0\n0.1\n0.2\n5.2\n5.3\n5.4\n")
    got, done = localize(scans, tmp_path / "out", *start_in(town), "--stamps", stamps)
    assert [f["predicted_by"] for f in got.frames] == ["none", "none", "constant_velocity", "none", "none", "constant_velocity"], \
        "and none is learnt over it"
    assert got.diagnostics[3]["predicted_xyz_m"] == got.diagnostics[2]["pose_xyz_m"], "where it was before the gap"
    assert {f["verdict"] for f in got.frames} == {"ok"} and "time" not in done.stderr


def test_times_and_gnss_of_a_dataset_without_a_truth_are_used(town, tmp_path):
    dataset = tmp_path / "dataset"
    shutil.copytree(town, dataset)
    tables = (dataset / "dataset.toml").read_text().split("\n[")
    kept = [table for table in tables if not table.startswith(("truth]", "guess]"))]
    (dataset / "dataset.toml").write_text("\n[".join(kept) + '\n[times]\nfile = "times.txt"\n')
    (dataset / "times.txt").write_text("".join(f"{0.5 * k}\n" for k in range(8)))
    shutil.move(dataset / "truth.tum", dataset / "gnss.tum")
    got, done = localize(dataset, tmp_path / "out", "--init", start_in(town)[3])
    assert [float(row[0]) for row in got.tum] == [0.5 * k for k in range(8)] and "no times" not in done.stderr
    assert "odometry         used for 7 of 7 scans\nGNSS             used for 8 of 8 scans\n" in done.stdout
    assert "closed-loop" not in done.stdout


def at_times(file, times):
    lines = [line.split() for line in file.read_text().splitlines() if line[0] != "#"]
    return "".join(" ".join([str(time), *words[1:]]) + "\n" for time, words in zip(times, lines))


def test_a_sensor_that_is_not_used_is_seen(town, tmp_path):
    scans = tmp_path / "scans"
    scans.mkdir()
    for k in range(3):
        shutil.copy(town / "scans" / "000000.pcd", scans / f"{k}.pcd")
    file = tmp_path / "late.tum"
    file.write_text(at_times(town / "truth.tum", [0.9, 1.1, 1.3]))
    for option, line in [("--odometry", "odometry         used for 0 of 2 scans (before_first 2)\n"),
                         ("--gnss", "GNSS             used for 1 of 3 scans (before_first 2)\n")]:
        _, done = localize(scans, tmp_path / "out", *start_in(town), "--rate", 2, option, file)
        assert line in done.stdout
    for times in ([10, 10.5, 11], [-9, -8.5, -8]):
        file.write_text(at_times(town / "truth.tum", times))
        for option in ("--odometry", "--gnss"):
            message = refusal("localize", "--scans", town, "--out", tmp_path / "none", option, file, code=EXIT_BAD_INPUT)
            assert f"late.tum: its times, {times[0]} to {times[2]} s, are not those of the scans, 0 to 3.5 s" in message
    assert not (tmp_path / "none").exists()


def test_a_killed_run_leaves_files_that_can_be_read(town, tmp_path):
    words = [BENCH, "localize", "--scans", town, "--out", tmp_path, "--implementation", "cpu_pclomp_ref", "--init", "search",
             "--guess", "500,500,0,0,0,0", "--recovery-particles", "1000"]
    with subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        lines = tmp_path / "diagnostics.jsonl"
        until = time.monotonic() + 150
        while time.monotonic() < until and not (lines.exists() and "\n" in lines.read_text()):
            time.sleep(0.005)
        assert process.poll() is None, "it ended before it was killed"
        process.send_signal(signal.SIGKILL)
    got = Folder(tmp_path)
    assert got.diagnostics
    for record in got.diagnostics:
        check_diagnostics(record)
    assert 0 <= len(got.tum) - len(got.diagnostics) <= 1


@pytest.mark.parametrize("args, message", [
    (["--guess", "0,0,0,0,0,0"], "--guess is the middle of a search"),
    (["--init", "0,0,0"], "--init"),
    (["--init", "search", "--sigma", "1,2"], "--sigma: 2 numbers; give 5"),
    (["--init", "search", "--recovery-particles", "0"], "recovery-particles = 0: a search needs one or more"),
    (["--rate", "0"], "--rate = 0"),
    (["--real-time", "--speed", "0"], "--speed = 0: must be above 0"),
    (["--speed", "2"], "--speed is of --real-time: give both, or drop it"),
    (["--rate", "2"], "--rate: the scans of town_small have times; drop it"),
    (["--rate", "2", "--stamps", "t.txt"], "--rate and --stamps both give the times of the scans"),
    (["--sigma", "1,1,1,1,1"], "--sigma is of a search: give --init search"),
    (["--odometry", "o.tum", "--prediction", "constant_velocity"], "--odometry is not used with --prediction constant_velocity"),
    (["--reg-x", "1", "--reg-y", "2"], "--reg-x and --reg-y are one place for every scan: give --gnss"),
    (["--jump", "0"], "option jump = 0: must be in (0, 1000000]"),
    (["--prediction", "psychic"], "unknown --prediction 'psychic'"),
    (["--spread-bound", "0.1"], "the spread is not looked at: give --spread-neighbours N"),
    (["--spread-neighbours", "4", "--spread-reject", "0.1"], "option spread-reject = 0.1: must not be below spread-bound, 0.2"),
    (["--no-ground-height", "nan"], "option no-ground-height"),
    (["--covariance", "both"], "unknown --covariance 'both'"),
])
def test_wrong_options_are_named(town, tmp_path, args, message):
    assert message in refusal("localize", "--scans", town, "--out", tmp_path / "out", *args, code=EXIT_USAGE)


def test_odometry_is_asked_for_where_there_is_none(town, tmp_path):
    message = refusal("localize", "--scans", town / "scans", "--map", town / "map.pcd", "--init", "0,0,0,0,0,0", "--out", tmp_path,
                      "--prediction", "odometry", code=EXIT_USAGE)
    assert "give --odometry" in message


def test_unusable_input_is_named(town, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    base = ["localize", "--map", town / "map.pcd", "--init", "0,0,0,0,0,0", "--out", tmp_path / "out"]
    assert "no cloud in it (.pcd, .ply, .bin)" in refusal(*base, "--scans", empty, code=EXIT_BAD_INPUT)
    stamps = tmp_path / "times.txt"
    for text, message in [("1\n2\n", "2 times for 8 scans"), ("1\n1\n", "line 2: time 1 does not come after 1"),
                          ("1\nx\n", "line 2")]:
        stamps.write_text(text)
        assert message in refusal(*base, "--scans", town / "scans", "--stamps", stamps, code=EXIT_BAD_INPUT)
    assert "unknown dataset 'nowhere'" in refusal("localize", "--scans", "nowhere", "--out", tmp_path / "o", code=EXIT_USAGE)


FILES = ["poses.tum", "poses_kitti.txt", "frames.csv", "diagnostics.jsonl", "iterations.jsonl"]


@pytest.mark.parametrize("name", FILES)
def test_files_of_something_else_are_not_replaced(town, tmp_path, name):
    (tmp_path / name).write_text("mine")
    if name == "diagnostics.jsonl":
        (tmp_path / "dataset.toml").write_text("")
    message = refusal("localize", "--scans", town, "--out", tmp_path, "--implementation", "persistent_cpu", code=EXIT_BAD_INPUT)
    assert f"{name}: it exists, and its folder is " in message and "nothing was written; give another --out" in message
    assert ("a dataset" if name == "diagnostics.jsonl" else "not of a localisation") in message
    assert (tmp_path / name).read_text() == "mine" and not any((tmp_path / other).exists() for other in FILES if other != name)


def test_a_datasets_truth_is_not_replaced(town, tmp_path):
    dataset = tmp_path / "dataset"
    shutil.copytree(town, dataset)
    shutil.move(dataset / "truth.tum", dataset / "poses.tum")
    description = dataset / "dataset.toml"
    description.write_text(description.read_text().replace("truth.tum", "poses.tum"))
    truth = (dataset / "poses.tum").read_text()
    (dataset / "diagnostics.jsonl").write_text("")
    assert "poses.tum: it exists" in refusal("localize", "--scans", dataset, "--out", dataset, "--implementation",
                                             "persistent_cpu", code=EXIT_BAD_INPUT)
    assert (dataset / "poses.tum").read_text() == truth


def test_an_earlier_localisation_is_replaced_whole_or_not_at_all(town, tmp_path):
    first, _ = localize(town, tmp_path)
    again, _ = localize(town, tmp_path)
    assert first.without_times() == again.without_times()
    (tmp_path / "frames.csv").unlink()
    (tmp_path / "frames.csv").mkdir()
    message = refusal("localize", "--scans", town, "--out", tmp_path, "--implementation", "persistent_cpu", code=EXIT_BAD_INPUT)
    assert "frames.csv: it is a folder" in message
    assert len((tmp_path / "poses.tum").read_text().splitlines()) == 9, "the first file is still there"


def folder_of(town, folder, names):
    folder.mkdir()
    for name, scan in zip(names, sorted((town / "scans").iterdir())):
        shutil.copy(scan, folder / name)
    return folder


def start_in(town):
    start = (town / "truth.tum").read_text().splitlines()[1].split()
    yaw = 2 * math.asin(float(start[6]))
    return ["--map", town / "map.pcd", "--init", f"{start[1]},{start[2]},{start[3]},0,0,{yaw}", "--scan-voxel-leaf", 1]


def names_of(folder):
    return [d["scan"] for d in folder.diagnostics]


@pytest.mark.parametrize("names, expected", [
    (["8.pcd", "9.pcd", "10.pcd", "100.pcd"], ["8", "9", "10", "100"]),
    (["07.pcd", "8.pcd", "009.pcd", "10.pcd"], ["07", "8", "009", "10"]),
    (["0.pcd", "00000000000000000000001.pcd", "18446744073709551616.pcd", "18446744073709551617.pcd"],
     ["0", "00000000000000000000001", "18446744073709551616", "18446744073709551617"]),
    (["a10.pcd", "a9.pcd", "b1.pcd"], ["a10", "a9", "b1"]),
    (["1.pcd", "10.pcd", "2x.pcd"], ["1", "10", "2x"]),
])
def test_scans_are_taken_by_number_where_all_names_are_numbers(town, tmp_path, names, expected):
    scans = folder_of(town, tmp_path / "scans", names)
    odometry = ["--odometry", town / "odometry.tum", "--rate", 2]
    got, _ = localize(scans, tmp_path / "out", *start_in(town), *odometry)
    assert names_of(got) == expected


def test_an_ending_may_be_in_capitals(town, tmp_path):
    scans = folder_of(town, tmp_path / "scans", ["0.PCD"])
    (scans / "times.txt").write_text("0\n")
    got, _ = localize(scans, tmp_path / "out", *start_in(town))
    assert names_of(got) == ["0"]


@pytest.mark.parametrize("name", [b"caf\xe9.pcd", b"two\nlines.pcd", b"bell\x07.pcd"])
def test_a_name_that_cannot_be_printed_is_refused_before_anything_is_written(town, tmp_path, name):
    scans = folder_of(town, tmp_path / "scans", ["000.pcd"])
    shutil.copy(scans / "000.pcd", os.path.join(os.fsencode(scans), name))
    message = refusal("localize", "--scans", scans, "--out", tmp_path / "out", *start_in(town), code=EXIT_BAD_INPUT)
    assert "cannot name a frame; rename the file" in message and "\\x" in message
    assert not (tmp_path / "out").exists()
