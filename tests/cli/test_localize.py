"""localize: a recording followed through a map, from its start to its end; its verdicts and its sensors."""

import json
import math
import re
import shutil
import time

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_JOBS_FAILED, EXIT_USAGE, IMPLEMENTATIONS, bench, refusal
from localizations import REAL_TIME, SCHEMA, check_diagnostics, localize, start_in


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
    assert "--init is required" in message and "search" in message
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
    assert "--init is required: give the first scan's pose in the map as x,y,z,roll,pitch,yaw, or search" in message
    got, _ = localize(dataset, tmp_path / "out", "--init", start_in(town)[3], "--rate", 2)
    assert got.frames[0]["verdict"] == "ok"


def test_a_search_finds_the_start(town, tmp_path):
    got, done = localize(town, tmp_path, "--init", "search")
    first = got.diagnostics[0]
    check_diagnostics(first)
    assert first["source"] == "searched" and first["recovery"]["found"] and first["recovery"]["done"] == 100
    assert all(float(f["error_m"]) < 0.1 for f in got.frames)
    assert "searches         1 on 1 scans: 1 found a pose, after 100 of 200 alignments" in done.stdout and "whole map" not in done.stderr, "near the dataset's guess"


def test_a_search_without_a_guess_is_in_the_whole_map(town, tmp_path):
    *_, words, leaf, size = start_in(town)
    given = ["--map", town / "map.pcd", leaf, size, "--rate", 2, "--odometry", town / "odometry.tum"]
    got, done = localize(town / "scans", tmp_path / "out", "--init", "search", *given)
    assert "the first scan is searched in the whole map\n" in done.stderr
    assert re.search(r"localize: the first scan is at [-0-9.,]+, reliable: NVTL [0-9.]+ is above 2.[45][0-9]*, ", done.stderr)
    assert {f["verdict"] for f in got.frames} == {"ok"}
    from_pose, _ = localize(town / "scans", tmp_path / "from_pose", "--init", words, *given)
    for found, expected in zip(got.tum, from_pose.tum):
        assert math.dist([float(x) for x in found[1:4]], [float(x) for x in expected[1:4]]) < 0.02


def test_a_scan_of_another_place_ends_the_search_of_the_whole_map_as_lost(town, courtyard, tmp_path):
    scans = tmp_path / "scans"
    scans.mkdir()
    shutil.copy(courtyard.scan, scans / "0.pcd")
    args = ["localize", "--scans", scans, "--map", town / "map.pcd", "--out", tmp_path / "out", "--init", "search",
            "--implementation", "persistent_cpu"]
    done = bench(*args, code=EXIT_JOBS_FAILED)
    assert re.search(r"localize: lost: no start was found in the whole map; give --guess or --init. The best pose is "
                     r"[-0-9.,]+, not_found: .*check that the scan is from", done.stderr)
    assert done.stdout == "" and not (tmp_path / "out").exists()
    assert "--sigma requires --guess" in refusal(*args, "--sigma", "1,1,1,1,1", code=EXIT_USAGE)


def test_lost_at_the_end_is_exit_4_and_names_the_frame(town, tmp_path):
    got, done = localize(town, tmp_path, "--init", "500,500,0,0,0,0", "--recovery-particles", 0, code=EXIT_JOBS_FAILED)
    assert "lost at frame 4, and not found again by the last, 7" in done.stderr
    assert "no scan has a pose to trust: check that scans and map are of one place" in done.stderr
    assert [f["verdict"] for f in got.frames] == ["doubtful"] * 4 + ["lost"] * 4
    assert "\ndoubtful         4: 4 no_overlap\nlost             4: 4 no_overlap\n" in done.stdout
    for record in got.diagnostics:
        check_diagnostics(record)
    assert [d["level"] for d in got.diagnostics] == ["WARN"] * 4 + ["ERROR"] * 4
    assert {d["reason"] for d in got.diagnostics} == {"no_overlap"} and got.diagnostics[-1]["skipping_publish_num"] == 8


def test_a_search_far_from_the_map_is_lost_and_searches_on(town, tmp_path):
    got, _ = localize(town, tmp_path, "--init", "search", "--guess", "500,500,0,0,0,0", "--recovery-particles", 20,
                      code=EXIT_JOBS_FAILED)
    assert [d["recovery"]["attempt"] for d in got.diagnostics] == list(range(2, 17, 2)), "two a scan"
    sigma = [d["recovery"]["prior_sigma"][0] for d in got.diagnostics]
    assert sigma[0] == 7.5 and sigma == sorted(sigma) and sigma[-1] == 30, "1.5 times the first"


def test_a_thin_map_is_told_and_judges_no_score(town, tmp_path):
    got, done = localize(town, tmp_path, "--map-voxel-leaf", 0.7, "--resolution", 1, "--min-points", 6)
    assert "warning: only 3 % of the map's points have a voxel of 1 m with enough points; a denser map" in done.stderr
    assert "no score threshold is known for this map, 3 % of whose points have a voxel of 1 m (expected 33 % or more)" in done.stderr
    assert {f["verdict"] for f in got.frames} == {"doubtful"}


def test_voxels_of_a_thin_map_have_fewer_points_then_grow_unless_they_are_given(town, tmp_path):
    *_, words, leaf, size = start_in(town)
    given = ["--rate", 2, "--odometry", town / "odometry.tum", "--init", words]

    def voxels_of(thinned, *more):
        bench("map", "thin", town / "map.pcd", "--leaf", thinned, "--out", tmp_path / f"{thinned}.pcd")
        out = tmp_path / f"{thinned}{len(more)}"
        done = bench("localize", "--scans", town / "scans", "--map", tmp_path / f"{thinned}.pcd", leaf, size, *given, *more, "--out", out)
        options = json.loads((out / "localization.json").read_text())["align"]
        found = options["resolution"], options["min_points"]
        assert (f"{found[0]:g} m with {found[1]} points or more, because the map is thin" in done.stderr) == (found != (2, 6) and len(more) < 4)
        return found

    assert voxels_of(0.3) == (2, 6)
    assert voxels_of(0.9) == (2, 4)
    assert voxels_of(1.5) == (3, 4)
    assert voxels_of(1.5, "--resolution", 2) == (2, 4)
    assert voxels_of(1.5, "--min-points", 6)[1] == 6
    assert voxels_of(1.5, "--resolution", 3, "--min-points", 6) == (3, 6)
    assert voxels_of(1.5, "--profile", "autoware") == (2, 6)
    bench("map", "thin", town / "map.pcd", "--leaf", 5, "--out", tmp_path / "bare.pcd")
    done = bench("localize", "--scans", town / "scans", "--map", tmp_path / "bare.pcd", *given, "--out", tmp_path / "bare", code=EXIT_BAD_INPUT)
    assert "give a denser map" in done.stderr


@pytest.mark.parametrize("args, unknown", [(["--score", "transform_probability"], "transform_probability with these options")])
def test_no_pose_is_ok_where_the_score_is_not_judged(town, tmp_path, args, unknown):
    got, done = localize(town, tmp_path / "out", *args)
    assert f"no score threshold is known for {unknown}, so no pose can be ok; give --least-score" in done.stderr
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


def test_the_summary_counts_the_reasons_of_doubtful_scans(town, tmp_path):
    sound, done = localize(town, tmp_path / "sound")
    assert "\ndoubtful  " not in done.stdout and "\nlost  " not in done.stdout
    scores = sorted(float(f["nvtl"]) for f in sound.frames)
    got, done = localize(town, tmp_path / "out", "--least-score", (scores[2] + scores[3]) / 2, "--jump", 1e-6)
    assert [f["reason"] for f in got.frames].count("score") == 3 and {f["verdict"] for f in got.frames} == {"doubtful"}
    assert "\ndoubtful         8: 5 jump, 3 score\n" in done.stdout


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


def test_in_real_time_late_scans_are_dropped_and_counted(town, tmp_path):
    got, done = localize(town, tmp_path / "fast", "--real-time", "--speed", 1e6)  # all are there before the first is done
    assert [f["frame"] for f in got.frames] == ["0", "7"] and [d["dropped_before"] for d in got.diagnostics] == [0, 6]
    assert [float(row[0]) for row in got.tum] == [0, 3.5], "the times of the recording"
    for record in got.diagnostics:
        check_diagnostics(record, SCHEMA | REAL_TIME)
    assert got.diagnostics[0]["sensor_points_delay_time_sec"] < 0.1 and got.diagnostics[1]["level"] == "WARN"
    assert "6 earlier scans arrived during processing and were dropped" in got.diagnostics[1]["messages"]
    assert "scans            2 of town_small: 2 ok, 0 doubtful, 0 lost\ndropped          6 more, which arrived during processing" in done.stdout
    assert "7/8" not in done.stderr and "8/8" in done.stderr


def test_in_real_time_a_drive_takes_as_long_as_it_took(town, tmp_path):
    begun = time.monotonic()
    got, done = localize(town, tmp_path, "--real-time", "--speed", 4)
    assert time.monotonic() - begun > 3.5 / 4
    assert len(got.frames) + sum(d["dropped_before"] for d in got.diagnostics) == 8 and got.frames[-1]["frame"] == "7"
    assert {f["verdict"] for f in got.frames} == {"ok"}
    assert {d["dropped_before"] for d in localize(town, tmp_path / "whole")[0].diagnostics} == {0}


def test_a_search_has_a_time_in_real_time_and_a_share_without(town, tmp_path):
    def setting(name, *args):
        localize(town, tmp_path / name, *args)
        record = json.loads((tmp_path / name / "localization.json").read_text())["localizer"]
        return record["recovery_share"], record["recovery_ms"]

    assert setting("a") == (100, None)
    assert setting("b", "--real-time", "--speed", 1e6) == (100, 1000), "on a CPU"
    assert setting("c", "--real-time", "--speed", 1e6, "--recovery-ms", 20, "--recovery-share", 7) == (7, 20)


def test_a_search_that_goes_on_says_how_far_it_is(town, tmp_path):
    got, done = localize(town, tmp_path, "--init", "search", "--guess", "500,500,0,0,0,0", "--recovery-particles", 60, "--recovery-share", 25, "--recovery-shares", 1,
                         "--recovery-growth", 1, code=EXIT_JOBS_FAILED)
    searches = [d["recovery"] for d in got.diagnostics]
    assert [(r["attempt"], r["done"]) for r in searches] == [(1, 25), (1, 50), (1, 60), (2, 25), (2, 50), (2, 60), (3, 25), (3, 50)]
    assert {r["planned"] for r in searches} == {60}
    assert "searches         3 on 8 scans: 0 found a pose; the last came to 50 of 60; " in done.stdout
    assert re.search(r"00000[0-7], lost, search [123]: (25|50) of 60", done.stderr)
    again, _ = localize(town, tmp_path / "again", "--init", "search", "--guess", "500,500,0,0,0,0", "--recovery-particles", 60, "--recovery-share", 25, "--recovery-shares", 1,
                        "--recovery-growth", 1, code=EXIT_JOBS_FAILED)
    assert [d["recovery"] for d in again.diagnostics] == searches, "the same bits"


def test_a_velocity_is_not_carried_over_a_gap(town, tmp_path):
    scans = tmp_path / "scans"
    scans.mkdir()
    for k in range(6):
        shutil.copy(town / "scans" / "000000.pcd", scans / f"{k}.pcd")
    stamps = tmp_path / "times.txt"
    stamps.write_text("0\n0.1\n0.2\n5.2\n5.3\n5.4\n")
    got, done = localize(scans, tmp_path / "out", *start_in(town), "--stamps", stamps, "--frozen-after", 0)
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
            assert f"late.tum: its times, {times[0]} to {times[2]} s, do not overlap those of the scans, 0 to 3.5 s" in message
    assert not (tmp_path / "none").exists()
