"""Scaling, basin, detection, convergence and trajectories, on frames whose answer is known."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pandas as pd
import pytest
from ndt_report.basin import basin_cells, basin_sizes
from ndt_report.convergence import convergence_curves, stopping_table, trace_points
from ndt_report.detection import auc, detection_table, judged_poses, mark_wrong, roc
from ndt_report.grids import on_grids, split_grids
from ndt_report.load import load_run
from ndt_report.scaling import family, fit_line, scaling_datasets, scaling_fits, scaling_points, thread_points
from ndt_report.summary import judged_rows
from ndt_report.trajectories import trajectories, trajectory_errors, tum_text, write_tum
from synthetic_run import SyntheticRun, pose_of
from toy import OWN, REFERENCE, datasets, failed, judged, row

# --- scaling ---


def test_a_line_is_found_exactly():
    assert fit_line([1000, 4000, 16000], [30.7, 32.8, 41.2]) == pytest.approx((30.0, 0.0007, 0.0), abs=1e-9)


def test_the_fit_counts_relative_residuals():
    constant, slope, worst = fit_line([1, 10, 100, 1000], [2.0, 20, 200, 2200])
    assert slope == pytest.approx(2.0, rel=0.06) and 0.03 < worst < 0.09


def sized(sizes, microseconds, threads=(1,), dataset="yard_{}"):
    return [
        row(
            REFERENCE,
            dataset=dataset.format(n),
            points=float(n),
            evaluations=2.0,
            ms=[2e-3 * microseconds(n) / t],
            true_x=0,
            threads=t,
        )
        for n in sizes
        for t in threads
    ]


def test_scaling_recovers_constant_and_slope_of_a_family():
    rows = judged(sized([1000, 4000, 16000], lambda n: 30 + 0.7 * n))
    points = scaling_points(rows)
    assert set(points.variable) == {"points"} and set(points.family) == {"yard"}
    fit = scaling_fits(points).iloc[0]
    assert (fit.constant, fit.slope) == pytest.approx((30, 0.7), rel=1e-6)
    assert scaling_datasets(rows) == {"yard_1000", "yard_4000", "yard_16000"}


def test_two_sizes_or_sizes_too_near_are_no_family():
    assert scaling_points(judged(sized([1000, 4000], lambda n: n))).empty
    assert scaling_points(judged(sized([1000, 1100, 1200], lambda n: n))).empty


def test_names_of_one_family():
    assert family("courtyard_4000") == family("courtyard_16000") == family("courtyard_5k") == "courtyard"
    assert family("courtyard_tiles_4") == "courtyard_tiles" and family("town") == "town"


def test_threads_are_compared_with_one():
    points = thread_points(judged(sized([1000], lambda n: n, threads=(1, 2, 4))))
    assert list(points.speed_up) == pytest.approx([1, 2, 4])
    assert thread_points(judged(sized([1000], lambda n: n, threads=(1, 2)))).empty


# --- basin ---


def grid(radius, implementation=REFERENCE):
    steps = (-1.0, 0.0, 1.0)
    return [
        row(
            implementation,
            true_x=0,
            x=0.0 if np.hypot(x, y) <= radius else 9.0,
            guess_name=f"{x}{y}{yaw}",
            guess_offset={"x_m": x, "y_m": y, "z_m": 0.0, "yaw_deg": yaw},
        )
        for x in steps
        for y in steps
        for yaw in (0.0, 20.0)
    ]


def test_basin_cells_are_the_share_of_successes_per_offset():
    cells = basin_cells(judged(grid(1.1)))
    plane = cells[cells.plane == "x-y"].pivot_table(index="up", columns="across", values="success_share").to_numpy()
    assert (plane == [[0, 1, 0], [1, 1, 1], [0, 1, 0]]).all()
    assert "yaw-x" not in set(cells.plane)  # two yaws times three x are too few
    sizes = basin_sizes(cells).iloc[0]
    assert sizes.always_share == pytest.approx(5 / 9) and sizes.nearest_failure_m == pytest.approx(np.sqrt(2))


def test_lines_of_another_planes_grid_are_no_part_of_a_plane():
    fine = [(x, y, 0.0) for x in (-1.0, -0.5, 0.0, 0.5, 1.0) for y in (-1.0, 0.0, 1.0)]
    coarse = [(x, 0.0, yaw) for x in (-1.0, 0.0, 1.0) for yaw in (-20.0, 0.0, 20.0)]
    rows = [
        row(REFERENCE, true_x=0, guess_name=f"{i}", guess_offset={"x_m": x, "y_m": y, "z_m": 0.0, "yaw_deg": yaw})
        for i, (x, y, yaw) in enumerate(sorted({*fine, *coarse}))
    ]
    cells = basin_cells(judged(rows))
    assert len(cells[cells.plane == "x-y"]) == 15
    assert sorted(cells[cells.plane == "yaw-x"].up.unique()) == [-1.0, 0.0, 1.0]  # not the finer steps, which have no yaw


def test_a_dataset_with_a_grid_and_other_guesses_becomes_two(tmp_path):
    made = SyntheticRun(cuda=False).tracking("town", frames=4).basin("town").basin("yard").picture("town")
    run = split_grids(load_run(made.write(tmp_path / "run")))
    assert list(run.datasets.index) == ["town", "yard", "town_grid"] and run.datasets.picture["town_grid"] is None
    assert (
        run.rows[run.rows.dataset == "town"].guess_offset.isna().all()
        and run.rows[run.rows.dataset == "town_grid"].guess_offset.notna().all()
    )
    assert (run.rows.dataset == "town").sum() == 4 * 5 and set(basin_cells(judged_rows(run)).dataset) == {
        "town_grid",
        "yard",
    }


def test_one_offset_given_by_hand_is_no_grid():
    rows = judged(
        [
            row(REFERENCE, true_x=0, frame=f"f{i}", guess_offset={"x_m": 0.3, "y_m": -0.2, "z_m": 0.0, "yaw_deg": 2.0})
            for i in range(12)
        ]
    )
    assert not on_grids(rows).any()


def test_guesses_without_offset_make_no_basin():
    assert basin_cells(judged([row(REFERENCE, true_x=0)])).empty


# --- detection ---


def test_auc_of_a_hand_computed_case():
    # Wrong 1, 3, 3; right 2, 3, 5. Pairs with the wrong one below: 1<2, 1<3, 1<5, 3<5, 3<5; ties 3=3 twice, half each: 6 of 9.
    score, wrong = [1, 3, 3, 2, 3, 5], [True, True, True, False, False, False]
    assert auc(score, wrong) == pytest.approx(6 / 9)
    assert auc([1, 2, 8, 9], [True, True, False, False]) == 1 and auc([8, 9, 1, 2], [True, True, False, False]) == 0


def test_roc_steps_through_every_threshold_and_its_area_is_the_auc():
    score, wrong = np.array([1, 3, 3, 2, 3, 5]), np.array([True, True, True, False, False, False])
    curve = roc(score, wrong)
    assert list(curve.found) == pytest.approx([0, 1 / 3, 1 / 3, 1, 1])
    assert list(curve.rejected_right) == pytest.approx([0, 0, 1 / 3, 2 / 3, 1])
    assert np.trapz(curve.found, curve.rejected_right) == pytest.approx(auc(score, wrong))


def test_autowares_threshold_is_held_against_final_poses():
    rows = judged(
        [row(REFERENCE, 0.0 if i < 10 else 5.0, true_x=0, frame=f"f{i}", nvtl=3.0 if i < 9 else 2.0) for i in range(15)]
    )
    poses = judged_poses(rows, trace_points(rows).assign(wrong=False))
    table = detection_table(poses).set_index("score")
    assert (table.wrong["nvtl"], table.right["nvtl"], table.found["nvtl"]) == (5, 10, 1.0)
    assert table.rejected_right["nvtl"] == pytest.approx(0.1) and set(poses.pose) == {"final"}


def trace(errors):
    n = len(errors)
    return {
        "score": [1000.0 * (4 - e) for e in errors],
        "nvtl": [4.0 - e for e in errors],
        "step_m": [0.0] + [0.1] * (n - 1),
        "translation_error_m": list(errors),
        "rotation_error_deg": [0.0] * n,
    }


def test_where_all_poses_are_right_those_on_the_way_are_judged():
    rows = judged([row(REFERENCE, 0.0, true_x=0, frame=f"f{i}", trace=trace([1.0, 0.5, 0.1])) for i in range(5)])
    points = mark_wrong(trace_points(rows), datasets())
    table = detection_table(judged_poses(rows, points)).set_index("score")
    assert (
        set(table.pose) == {"on the way"}
        and (table.wrong["nvtl"], table.right["nvtl"]) == (10, 5)
        and table.auc["nvtl"] == 1
    )


def test_without_wrong_poses_nothing_is_said():
    rows = judged([row(REFERENCE, 0.0, true_x=0, frame=f"f{i}") for i in range(9)])
    assert judged_poses(rows, trace_points(rows).assign(wrong=False)).empty


# --- convergence ---


def test_traces_become_rows_and_a_stopped_alignment_keeps_its_last_value():
    rows = judged(
        [
            row(REFERENCE, true_x=0, trace=trace([1.0, 0.2])),
            row(REFERENCE, true_x=0, frame="f1", trace=trace([2.0, 1.0, 0.5, 0.4])),
        ]
    )
    points = trace_points(rows)
    assert len(points) == 6 and list(points.iteration) == [0, 1, 0, 1, 2, 3]
    curve = convergence_curves(points, "translation_error_m")
    assert list(curve["median"]) == pytest.approx([1.5, 0.6, 0.35, 0.3]) and set(curve.n) == {2}


def test_no_traces_are_no_curves():
    points = trace_points(judged([row(REFERENCE)]))
    assert points.empty and convergence_curves(points, "nvtl").empty


def test_the_stopping_table_shows_who_stops_early():
    rows = judged(
        [
            row(REFERENCE, trace=trace([1.0, 0.2, 0.1, 0.1, 0.1, 0.1])),
            row(OWN, iterations=2.0, trace=trace([1.0, 0.2, 0.1])),
        ]
    )
    table = stopping_table(rows, trace_points(rows)).set_index("implementation")
    assert (
        table.iterations_p50[OWN] == 2
        and table.fewer_than_ref_share[OWN] == 1
        and np.isnan(table.fewer_than_ref_share[REFERENCE])
    )
    assert table.last_step_mm_p50[OWN] == pytest.approx(100)


# --- trajectories ---


def drive(offset=0.0, n=6, **columns):
    return [row(REFERENCE, i + offset, true_x=float(i), frame=f"scans/{10 * i:06d}.bin", **columns) for i in range(n)]


def test_a_trajectory_keeps_frames_in_order_and_leaves_failures_out():
    rows = drive(0.1)
    rows[3] = failed(REFERENCE, true_x=3.0, frame=rows[3]["frame"])
    rows.reverse()
    (t,) = trajectories(judged(rows), datasets())
    assert list(t.poses[:, 0, 3]) == pytest.approx([0.1, 1.1, 2.1, 4.1, 5.1]) and t.failed == 1
    errors = trajectory_errors([t]).iloc[0]
    assert errors.ate_rmse_m == pytest.approx(0.1) and errors.rpe_translation_rmse_m == pytest.approx(0, abs=1e-12)
    assert np.isnan(errors.kitti_translation_percent)  # shorter than 100 m


def test_a_long_drive_has_kittis_error_too():
    rows = [r | {"pose": pose_of(1.02 * i, 0, 0, 0)} for i, r in enumerate(drive(n=150))]
    errors = trajectory_errors(trajectories(judged(rows), datasets())).iloc[0]
    assert errors.kitti_translation_percent == pytest.approx(
        2.02, abs=0.03
    )  # 2 % of the 101 m after which 100 m are passed


def test_a_sequence_is_chained_and_a_missing_step_is_its_guess():
    step = pose_of(1, 0, 0, 0)
    rows = [row(REFERENCE, 1.0, true_x=1.0, frame=f"f{i}", guess=step) for i in range(6)]
    rows[2] = failed(REFERENCE, true_x=1.0, frame="f2", guess=pose_of(1.5, 0, 0, 0))
    (t,) = trajectories(judged(rows, kind="sequence"), datasets(kind="sequence"))
    assert list(t.poses[:, 0, 3]) == pytest.approx([0, 1, 2, 3.5, 4.5, 5.5, 6.5]) and list(t.truth[:, 0, 3]) == list(
        range(7)
    )


def test_pairs_grids_and_short_runs_are_no_trajectories():
    assert trajectories(judged(drive(), kind="pair"), datasets(kind="pair")) == []
    assert trajectories(judged(drive(n=4)), datasets()) == []
    assert trajectories(judged(drive(guess_offset={"x_m": 1.0, "y_m": 0.0, "z_m": 0.0, "yaw_deg": 0.0})), datasets()) == []


def test_tum_files_hold_frame_number_position_and_quaternion(tmp_path):
    (t,) = trajectories(judged(drive(0.25)), datasets())
    lines = tum_text(t).splitlines()
    assert lines[1] == "10 1.25 0 0 0 0 0 1" and len(lines) == 6
    write_tum(tmp_path / "trajectories", [t])
    assert (tmp_path / "trajectories" / f"{REFERENCE}__toy.tum").read_text().splitlines() == lines


def test_frames_without_rising_numbers_are_counted():
    rows = [r | {"frame": name} for r, name in zip(drive(), "edcbaf")]
    (t,) = trajectories(judged(rows), datasets())
    assert [line.split()[0] for line in tum_text(t).splitlines()] == ["0", "1", "2", "3", "4", "5"]


def test_metrics_take_empty_frames():
    empty = judged([failed(REFERENCE)])
    for frame in (scaling_points(empty), thread_points(empty), basin_cells(empty), trace_points(empty)):
        assert isinstance(frame, pd.DataFrame) and frame.empty
