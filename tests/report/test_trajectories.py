"""Trajectories of a run, on frames whose answer is known."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pandas as pd
import pytest
from ndt_report.judge.basin import basin_cells
from ndt_report.judge.convergence import trace_points
from ndt_report.judge.scaling import scaling_points, thread_points
from ndt_report.judge.trajectories import trajectories, trajectory_errors, tum_text, write_tum
from synthetic_entries import pose_of
from toy import REFERENCE, datasets, failed, judged, measurement


def drive(offset=0.0, n=6, **columns):
    return [
        measurement(REFERENCE, i + offset, true_x=float(i), frame=f"scans/{10 * i:06d}.bin", **columns)
        for i in range(n)
    ]


def test_a_trajectory_keeps_frames_in_order_and_leaves_failures_out():
    measurements = drive(0.1)
    measurements[3] = failed(REFERENCE, true_x=3.0, frame=measurements[3]["frame"])
    measurements.reverse()
    (t,) = trajectories(judged(measurements), datasets())
    assert list(t.poses[:, 0, 3]) == pytest.approx([0.1, 1.1, 2.1, 4.1, 5.1]) and t.failed == 1
    errors = trajectory_errors([t]).iloc[0]
    assert errors.ate_rmse_m == pytest.approx(0.1) and errors.rpe_translation_rmse_m == pytest.approx(
        0, abs=1e-12
    )
    assert np.isnan(errors.kitti_translation_percent)  # shorter than 100 m


def test_a_long_drive_has_kittis_error_too():
    measurements = [r | {"pose": pose_of(1.02 * i, 0, 0, 0)} for i, r in enumerate(drive(n=150))]
    errors = trajectory_errors(trajectories(judged(measurements), datasets())).iloc[0]
    assert errors.kitti_translation_percent == pytest.approx(
        2.02, abs=0.03
    )  # 2 % of the 101 m after which 100 m are passed


def test_a_sequence_is_chained_and_a_missing_step_is_its_guess():
    step = pose_of(1, 0, 0, 0)
    measurements = [measurement(REFERENCE, 1.0, true_x=1.0, frame=f"f{i}", guess=step) for i in range(6)]
    measurements[2] = failed(REFERENCE, true_x=1.0, frame="f2", guess=pose_of(1.5, 0, 0, 0))
    (t,) = trajectories(judged(measurements, kind="sequence"), datasets(kind="sequence"))
    assert list(t.poses[:, 0, 3]) == pytest.approx([0, 1, 2, 3.5, 4.5, 5.5, 6.5]) and list(
        t.truth[:, 0, 3]
    ) == list(range(7))


def test_pairs_grids_and_short_runs_are_no_trajectories():
    assert trajectories(judged(drive(), kind="pair"), datasets(kind="pair")) == []
    assert trajectories(judged(drive(n=4)), datasets()) == []
    assert (
        trajectories(
            judged(drive(guess_offset={"x_m": 1.0, "y_m": 0.0, "z_m": 0.0, "yaw_deg": 0.0})), datasets()
        )
        == []
    )


def test_tum_files_hold_frame_number_position_and_quaternion(tmp_path):
    (t,) = trajectories(judged(drive(0.25)), datasets())
    lines = tum_text(t).splitlines()
    assert lines[1] == "10 1.25 0 0 0 0 0 1" and len(lines) == 6
    write_tum(tmp_path, [t])
    assert (tmp_path / "trajectories" / f"{REFERENCE}__toy.tum").read_text().splitlines() == lines


def test_frames_without_rising_numbers_are_counted():
    measurements = [r | {"frame": name} for r, name in zip(drive(), "edcbaf")]
    (t,) = trajectories(judged(measurements), datasets())
    assert [line.split()[0] for line in tum_text(t).splitlines()] == ["0", "1", "2", "3", "4", "5"]


def test_metrics_take_empty_frames():
    empty = judged([failed(REFERENCE)])
    for frame in (scaling_points(empty), thread_points(empty), basin_cells(empty), trace_points(empty)):
        assert isinstance(frame, pd.DataFrame) and frame.empty
