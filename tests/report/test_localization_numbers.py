"""Localisation runs: errors, stretches, NEES and detectors, on drives whose answer is known."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pandas as pd
import pytest
from ndt_report.localization.detectors import curves, detector_table, judged_alignments, reason_table, verdict_row
from ndt_report.localization.episodes import SAYS_SO, TRUTH, episodes, lost_at_the_end
from ndt_report.localization.errors import chain_errors, rotation_errors_rad
from ndt_report.localization.load import load_localizations, poses_of
from ndt_report.localization.nees import CONSISTENT, TOO_CAUTIOUS, TOO_SURE, chi_square_quantile, nees_table, with_nees
from ndt_report.localization.report import ALL_RUNS, make_localization_report
from ndt_report.localization.summary import equal_to, latencies, summary_table
from ndt_report.localization.words import MOST_SAID, cautions, sentences
from synthetic_localization import SyntheticDrive

WRONG = 0.2, 1.0


def loaded(drive, folder, **options):
    return load_localizations([drive.write(folder, **options)])[0]


def test_errors_are_of_the_truths_own_axes(tmp_path):
    drive = SyntheticDrive(frames=5, sigma_m=0.0)
    for k, row in enumerate(drive.rows):
        ahead, left = drive.truth[k][:3, 0], drive.truth[k][:3, 1]
        row["x_m"], row["y_m"], row["z_m"] = map(float, drive.truth[k][:3, 3] + 0.3 * ahead - 0.1 * left + [0, 0, 0.05])
    frames = loaded(drive, tmp_path / "a").frames
    for axis, expected in (("along", 0.3), ("across", -0.1), ("up", 0.05), ("z", 0.05)):
        assert frames[f"error_{axis}_m"].to_numpy() == pytest.approx(np.full(5, expected))
    assert frames.error_m.to_numpy() == pytest.approx(np.full(5, np.sqrt(0.1025)))


def test_the_summary_has_errors_along_and_across(tmp_path):
    drive = SyntheticDrive(frames=4, sigma_m=0.0)
    for k, ahead_m in enumerate((0.1, -0.3, 0.1, 0.1)):
        place = drive.truth[k][:3, 3] + ahead_m * drive.truth[k][:3, 0] + 0.02 * drive.truth[k][:3, 1]
        drive.rows[k]["x_m"], drive.rows[k]["y_m"], drive.rows[k]["z_m"] = map(float, place)
    run = loaded(drive, tmp_path / "a")
    errors = chain_errors(run.frames, run.poses, run.truth)
    assert errors["along_rmse_m"] == pytest.approx(np.sqrt(0.03)) and errors["along_max_m"] == pytest.approx(0.3)
    assert (errors["across_rmse_m"], errors["across_max_m"]) == pytest.approx((0.02, 0.02))


def test_poses_turn_about_x_then_y_then_z():
    frame = pd.DataFrame([{"x_m": 1, "y_m": 2, "z_m": 3, "roll_rad": 0.1, "pitch_rad": 0.2, "yaw_rad": 0.3}])
    (pose,) = poses_of(frame)

    def turn(axis, angle):
        c, s = np.cos(angle), np.sin(angle)
        out = np.eye(3)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        out[i, i] = out[j, j] = c
        out[i, j], out[j, i] = -s, s
        return out

    assert pose[:3, :3] == pytest.approx(turn(0, 0.1) @ turn(1, 0.2) @ turn(2, 0.3))
    assert list(pose[:3, 3]) == [1, 2, 3]


def test_rotation_errors_are_turns_about_the_maps_axes():
    frame = pd.DataFrame([{"x_m": 0, "y_m": 0, "z_m": 0, "roll_rad": 0, "pitch_rad": 0, "yaw_rad": a} for a in (0.3, 0.31)])
    poses = poses_of(frame)
    assert rotation_errors_rad(poses[1:], poses[:1])[0] == pytest.approx([0, 0, 0.01])
    assert rotation_errors_rad(poses[:1], poses[:1])[0] == pytest.approx([0, 0, 0])
    assert np.isnan(rotation_errors_rad(poses[:1], np.full((1, 4, 4), np.nan))).all()


def test_the_chain_has_ate_rpe_and_kitti_and_without_a_truth_file_an_ate_alone(tmp_path):
    drive = SyntheticDrive(frames=300, sigma_m=0.0)
    for row in drive.rows:
        row["x_m"] += 0.1
        row |= {"error_m": 0.1, "error_deg": 0.0}
    whole = loaded(drive, tmp_path / "a")
    errors = chain_errors(whole.frames, whole.poses, whole.truth)
    assert errors["judged"] == 300 and errors["ate_rmse_m"] == pytest.approx(0.1)
    assert errors["rpe_translation_rmse_m"] < 1e-9 and errors["kitti_translation_percent"] < 1e-9
    bare = loaded(drive, tmp_path / "b", left_out=["localization_truth.tum"])
    errors = chain_errors(bare.frames, bare.poses, bare.truth)
    assert errors["ate_rmse_m"] == pytest.approx(0.1) and np.isnan(errors["rpe_translation_rmse_m"])


def test_a_lost_stretch_ends_with_the_frame_that_is_found(tmp_path):
    frames = loaded(SyntheticDrive(frames=60).lose(20, 31), tmp_path / "a").frames
    found = episodes(frames, *WRONG)
    says, truth = (found[found.how == how].iloc[0] for how in (SAYS_SO, TRUTH))
    assert (says.first_frame, says.frames, says.searches, bool(says.over)) == (20, 11, 1, True)
    assert says.seconds == pytest.approx(1.1) and truth.largest_error_m == pytest.approx(20, abs=0.2)
    assert len(found) == 2 and lost_at_the_end(frames) is None


def test_rejections_alone_are_no_loss_and_a_loss_may_last_to_the_end(tmp_path):
    rejected = SyntheticDrive(frames=20).lose(5, 8, off_m=0.0, recovered=False)
    assert len(episodes(loaded(rejected, tmp_path / "a").frames, *WRONG)) == 0
    lost = SyntheticDrive(frames=20).lose(8, 20, recovered=False)
    frames = loaded(lost, tmp_path / "b").frames
    found = episodes(frames, *WRONG)
    assert not found.over.any() and found.seconds.isna().all() and lost_at_the_end(frames) == 12


@pytest.mark.parametrize(
    "p, freedom, expected", [(0.95, 2, 5.991), (0.975, 6, 14.449), (0.025, 6, 1.237), (0.975, 100, 129.561), (0.025, 100, 74.222)]
)
def test_chi_square_quantiles_are_those_of_tables(p, freedom, expected):
    assert chi_square_quantile(p, freedom) == pytest.approx(expected, abs=6e-4)


def test_chi_square_quantiles_of_many_frames_are_those_of_a_normal_distribution():
    n = 200_000
    assert chi_square_quantile(0.975, n) == pytest.approx(n + 1.95996 * np.sqrt(2 * n), rel=1e-5)
    with pytest.raises(ValueError):
        chi_square_quantile(0.5, 3)


@pytest.mark.parametrize("factor, finding", [(1.0, CONSISTENT), (0.1, TOO_SURE), (10.0, TOO_CAUTIOUS)])
def test_nees_tells_whether_the_covariance_is_right(tmp_path, factor, finding):
    drive = SyntheticDrive(frames=400, seed=3)
    for row in drive.rows:
        row["variance_x_m2"] *= factor
        row["variance_y_m2"] *= factor
    run = loaded(drive, tmp_path / "a")
    table = nees_table(with_nees(run.frames, run.poses, run.truth)).set_index("freedom")
    assert table.finding[2] == finding and table.frames[2] == 400
    assert table["mean"][2] == pytest.approx(2 / factor, rel=0.2)


def test_nees_of_a_whole_pose_follows_its_definition(tmp_path):
    drive = SyntheticDrive(frames=1, sigma_m=0.0)
    yaw = float(np.arctan2(drive.truth[0][1, 0], drive.truth[0][0, 0]))
    drive.rows[0] |= {"x_m": 50.0 + 0.02, "y_m": 0.02, "z_m": 0.02, "yaw_rad": yaw + 0.002, "covariance_xy_m2": 0.0002}
    run = loaded(drive, tmp_path / "a")
    frames = with_nees(run.frames, run.poses, run.truth)
    plane = np.array([0.02, 0.02]) @ np.linalg.inv([[0.0004, 0.0002], [0.0002, 0.0004]]) @ [0.02, 0.02]
    assert frames.nees_2[0] == pytest.approx(plane) and frames.nees_6[0] == pytest.approx(plane + 1 + 4)
    drive.rows[0]["covariance_xy_m2"] = 0.0005  # no covariance at all
    odd = loaded(drive, tmp_path / "b")
    assert with_nees(odd.frames, odd.poses, odd.truth).nees_2.isna().all()


def with_wrong(frames=40):
    drive = SyntheticDrive(frames=frames)
    for k in range(10):  # wrong, of which nvtl finds six and the spread all
        drive.rows[k] |= {"aligned_error_m": 1.0, "nvtl": 1.0 if k < 6 else 2.9, "spread_m": 0.5, "finish_step_m": 3.0}
    drive.rows[39] |= {"nvtl": 2.0}
    return drive


def test_detectors_miss_and_cry_wolf_at_their_own_threshold(tmp_path):
    run = loaded(with_wrong(), tmp_path / "a")
    judged = judged_alignments(run.frames, *WRONG)
    table = detector_table(judged, run.facts).set_index("column")
    nvtl, spread = table.loc["nvtl"], table.loc["spread_m"]
    assert (nvtl.threshold, nvtl.wrong, nvtl.missed, nvtl.right, nvtl.false_alarms) == (2.4, 10, 4, 30, 1)
    assert (spread.missed, spread.false_alarms, spread.auc) == (0, 0, 1.0) and 0.5 < nvtl.auc < 1
    assert np.isnan(table.loc["finish_step_m"].threshold) and table.loc["finish_step_m"].auc == 1
    assert np.isnan(table.loc["push_sigmas"].threshold) and table.loc["push_sigmas"].auc == 0.5
    assert np.isnan(table.loc["transform_probability"].threshold)  # the score asked for is NVTL
    own = curves(judged)
    spread = own[own.detector == "spread of neighbours, m"]
    assert ((spread.found == 1) & (spread.rejected_right == 0)).any()


def test_a_run_without_a_finish_has_no_row_of_its_step(tmp_path):
    for left_out in (False, True):  # empty cells, and a file of before there was the column
        drive = with_wrong()
        for row in drive.rows:
            row["finish_step_m"] = ""
        columns = [name for name in drive.rows[0] if not left_out or not name.startswith("finish_")]
        run = loaded(drive, tmp_path / str(left_out), columns=columns)
        assert run.frames.finish_step_m.isna().all() and run.frames.push_sigmas.notna().all()
        assert "finish_step_m" not in set(detector_table(judged_alignments(run.frames, *WRONG), run.facts).column)


def test_all_runs_together_count_equal_poses_once(tmp_path):
    drives = [with_wrong(), with_wrong(frames=60)]
    folders = [drives[k].write(tmp_path / name) for name, k in (("a", 0), ("twin", 0), ("b", 1))]
    report = make_localization_report(load_localizations(folders))
    own = report.detectors[report.detectors.run == ALL_RUNS].set_index("column")
    assert len(report.judged[ALL_RUNS]) == 100
    assert tuple(own.loc["nvtl", ["threshold", "wrong", "missed", "right", "false_alarms"]]) == (2.4, 20, 8, 80, 2)
    assert own.auc["spread_m"] == 1.0 and list(report.detectors.run)[0] == ALL_RUNS
    assert any("limits of their datasets" in drawing.note for drawing in report.drawings["detectors"])
    assert ALL_RUNS not in make_localization_report(load_localizations(folders[:2])).judged


def test_a_run_is_compared_with_the_first_of_its_dataset(tmp_path):
    drives = [SyntheticDrive(scans="one"), SyntheticDrive(scans="two"), SyntheticDrive(scans="two", seed=2)]
    runs = load_localizations([drive.write(tmp_path / str(k)) for k, drive in enumerate(drives)])
    table = summary_table(runs, pd.DataFrame(columns=["run", "how", "over", "seconds"]))
    assert list(table.compared_with) == [runs[0].label, runs[1].label, runs[1].label]
    assert np.isnan(table.farthest_from_first_m[1]) and 0 < table.farthest_from_first_m[2] < 0.2


def test_a_condition_number_may_be_infinite_and_0_is_no_surface(tmp_path):
    drive = with_wrong()
    for k, row in enumerate(drive.rows):
        row |= {"condition_number": "inf" if k < 10 else 30.0, "surface_condition_number": 0}
    run = loaded(drive, tmp_path / "a")
    table = detector_table(judged_alignments(run.frames, *WRONG), run.facts).set_index("column")
    assert table.auc["condition_number"] == 1.0 and "surface_condition_number" not in table.index


def test_rejected_alignments_are_judged_by_their_own_error(tmp_path):
    drive = SyntheticDrive(frames=40).lose(10, 20)
    drive.rows[12]["aligned_error_m"] = 0.01  # right, and rejected all the same
    run = loaded(drive, tmp_path / "a")
    judged = judged_alignments(run.frames, *WRONG)
    assert judged.wrong.sum() == 9 and len(judged) == 40
    reasons = reason_table(judged).set_index("reason")
    assert tuple(reasons.loc["score"]) == (10, 9) and reasons.frames["rejected, then found by a search"] == 1
    (row,) = verdict_row(run.frames, *WRONG).itertuples()
    assert (row.wrong, row.missed, row.false_alarms) == (10, 0, 0)
    bare = loaded(SyntheticDrive(frames=40).lose(10, 20), tmp_path / "b", columns=[
        "frame", "stamp_s", "verdict", "reason", "source", "x_m", "y_m", "z_m", "roll_rad", "pitch_rad", "yaw_rad", "nvtl",
    ])  # fmt: skip
    assert len(judged_alignments(bare.frames, *WRONG)) == 29  # aligned, and used


def test_the_table_counts_and_compares_runs(tmp_path):
    drives = [SyntheticDrive(), SyntheticDrive(implementation="cpu_pclomp_ref"), SyntheticDrive(seed=2, implementation="third")]
    runs = load_localizations([d.write(tmp_path / d.implementation) for d in drives])
    assert list(equal_to(runs).values()) == ["", "persistent_cpu", ""]
    stretches = pd.DataFrame(columns=["run", "how", "over", "seconds"])
    table = summary_table(runs, stretches).set_index("run")
    assert table.farthest_from_first_m["cpu_pclomp_ref"] == 0 and 0 < table.farthest_from_first_m["third"] < 0.2
    assert list(table.ok) == [40] * 3 and list(table.lost) == [0] * 3


def test_one_sentence_cautions_of_covariances_with_the_same_finding():
    rows = [["a", 2, 0.5, 1.9, 2.1, TOO_CAUTIOUS], ["b", 2, 0.6, 1.8, 2.2, TOO_CAUTIOUS], ["c", 2, 9.0, 1.9, 2.1, TOO_SURE]]
    nees = pd.DataFrame(rows, columns=["run", "freedom", "mean", "low", "high", "finding"])
    assert cautions([], nees) == [
        "a and b: the covariance of x and y is too cautious: mean NEES 0.5 to 0.6, expected 1.8 to 2.2.",
        "c: the covariance of x and y is too sure: mean NEES 9, expected 1.9 to 2.1.",
    ]


def test_many_runs_are_not_all_named(tmp_path):
    drives = [SyntheticDrive(frames=3, seed=k, implementation=f"row{k}") for k in range(MOST_SAID + 2)]
    runs = load_localizations([drive.write(tmp_path / drive.implementation) for drive in drives])
    said = sentences(summary_table(runs, pd.DataFrame(columns=["run", "how", "over", "seconds"])))
    assert len(said) == MOST_SAID + 1 and said[-1] == "The other 2 runs are in the table below."


def test_latencies_count_frames_within_the_limits():
    found = latencies(pd.Series([5.0, 10.0, 50.0, 200.0, np.nan]))
    assert (found["timed"], found["within_100_share"], found["within_10_share"]) == (4, 0.75, 0.5)
    assert found["execution_ms_max"] == 200
    assert np.isnan(latencies(pd.Series([], dtype=float))["execution_ms_p50"])
