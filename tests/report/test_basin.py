"""Basin of convergence and grids of guesses, on frames whose answer is known."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pytest
from ndt_report.judge.basin import band_rows, basin_bands, basin_cells, basin_sizes
from ndt_report.judge.grids import on_grids, split_by_guess
from ndt_report.read.load import load_run
from ndt_report.judge.summary import judged_measurements
from synthetic_run import SyntheticRun
from toy import REFERENCE, judged, measurement


def grid(radius, implementation=REFERENCE):
    steps = (-1.0, 0.0, 1.0)
    return [
        measurement(
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
    plane = (
        cells[cells.plane == "x-y"]
        .pivot_table(index="up", columns="across", values="success_share")
        .to_numpy()
    )
    assert (plane == [[0, 1, 0], [1, 1, 1], [0, 1, 0]]).all()
    assert "yaw-x" not in set(cells.plane)  # two yaws times three x are too few
    sizes = basin_sizes(cells).iloc[0]
    assert sizes.always_share == pytest.approx(5 / 9) and sizes.nearest_failure_m == pytest.approx(np.sqrt(2))


def test_bands_of_distance_and_yaw_count_every_guess_once():
    off = [(x, y, 0.0) for x in (-3.0, -1.0, 0.0, 1.0, 3.0) for y in (-3.0, -1.0, 0.0, 1.0, 3.0)]
    turned = [(x, 0.0, yaw) for x in (-1.0, 0.0, 1.0) for yaw in (-30.0, -10.0, 0.0, 10.0, 20.0)]
    measurements = [
        measurement(
            REFERENCE,
            true_x=0,
            x=0.0 if np.hypot(x, y) < 1.2 and yaw < 20 else 9.0,
            guess_name=f"{i}",
            guess_offset={"x_m": x, "y_m": y, "z_m": 0.0, "yaw_deg": yaw},
        )
        for i, (x, y, yaw) in enumerate(sorted({*off, *turned}))
    ]
    bands = basin_bands(basin_cells(judged(measurements)))
    found = {(b.plane, b.above): (b.n, b.to, round(b.success_share, 6)) for b in bands.itertuples()}
    assert found == {
        ("x-y", 0): (5, 1, 1),  # the middle and the four at 1 m
        ("x-y", 1): (4, np.sqrt(2), 0),
        ("x-y", 2): (4, 3, 0),  # exactly 3 m is of the band that ends there
        ("x-y", 3): (12, np.hypot(3, 3), 0),
        ("yaw-x", 0): (6, 10, 1),  # -10 and 10 degrees; without yaw is of x-y alone
        ("yaw-x", 10): (3, 20, 0),
        ("yaw-x", 20): (3, 30, 1),  # -30
    }
    shifts, yaws = band_rows(bands)
    assert shifts["bands"] == ["0 to 1", "1 to 1.41", "2 to 3", "3 to 4.24"] and yaws["bands"] == ["0 to 10", "10 to 20", "20 to 30"]
    assert [cell.n for cell in shifts["rows"][0][1]] == [5, 4, 4, 12] and "yaw" in yaws["of"]


def test_variants_have_basins_of_their_own():
    wide = [m | {"variant": "pyramid"} for m in grid(2)]
    cells = basin_cells(judged(grid(1.1) + wide))
    shares = cells.groupby("implementation").success_share.mean()
    assert list(shares.index) == [REFERENCE, f"{REFERENCE}, pyramid"]
    assert shares[f"{REFERENCE}, pyramid"] == 1 > shares[REFERENCE]


def test_lines_of_another_planes_grid_are_no_part_of_a_plane():
    fine = [(x, y, 0.0) for x in (-1.0, -0.5, 0.0, 0.5, 1.0) for y in (-1.0, 0.0, 1.0)]
    coarse = [(x, 0.0, yaw) for x in (-1.0, 0.0, 1.0) for yaw in (-20.0, 0.0, 20.0)]
    measurements = [
        measurement(
            REFERENCE,
            true_x=0,
            guess_name=f"{i}",
            guess_offset={"x_m": x, "y_m": y, "z_m": 0.0, "yaw_deg": yaw},
        )
        for i, (x, y, yaw) in enumerate(sorted({*fine, *coarse}))
    ]
    cells = basin_cells(judged(measurements))
    assert len(cells[cells.plane == "x-y"]) == 15
    assert sorted(cells[cells.plane == "yaw-x"].up.unique()) == [
        -1.0,
        0.0,
        1.0,
    ]  # not the finer steps, which have no yaw


def test_a_dataset_with_scattered_guesses_becomes_one_for_each_scatter(tmp_path):
    made = SyntheticRun(cuda=False).tracking("town", frames=4)
    names = ["noise0", "xy0.1_z0.05_tilt0.2_yaw0.5_7", "xy2_z0.2_tilt1_yaw12_0", "xy2_z0.2_tilt1_yaw12_11"]
    run = load_run(made.write(tmp_path / "run"))
    run.measurements["guess_name"] = [names[k % 4] for k in range(len(run.measurements))]
    split = split_by_guess(run)
    assert list(split.datasets.index) == ["town", "town_xy0.1_yaw0.5", "town_xy2_yaw12"]
    assert split.datasets.description["town_xy2_yaw12"].endswith("guesses scattered by xy2_yaw12 (m, deg)")
    counts = split.measurements.dataset.value_counts()
    assert counts["town_xy2_yaw12"] == 2 * counts["town"] == 2 * counts["town_xy0.1_yaw0.5"]


def test_what_a_dataset_lacks_is_none_of_its_scatters_too(tmp_path):
    made = SyntheticRun(cuda=False).tracking("town", frames=4).tracking("lane", frames=4, has_truth=False)
    run = load_run(made.write(tmp_path / "run"))
    run.measurements["guess_name"] = [("noise0", "xy2_z0.2_tilt1_yaw12_0")[k % 2] for k in range(len(run.measurements))]
    datasets = split_by_guess(run).datasets
    assert datasets.truth_quality["town_xy2_yaw12"] == datasets.truth_quality["town"]
    assert datasets.truth_quality["lane"] is None and datasets.truth_quality["lane_xy2_yaw12"] is None


def test_a_dataset_with_a_grid_and_other_guesses_becomes_two(tmp_path):
    made = SyntheticRun(cuda=False).tracking("town", frames=4).basin("town").basin("yard").picture("town")
    run = split_by_guess(load_run(made.write(tmp_path / "run")))
    assert (
        list(run.datasets.index) == ["town", "yard", "town_grid"]
        and run.datasets.picture["town_grid"] is None
    )
    assert (
        run.measurements[run.measurements.dataset == "town"].guess_offset.isna().all()
        and run.measurements[run.measurements.dataset == "town_grid"].guess_offset.notna().all()
    )
    assert (run.measurements.dataset == "town").sum() == 4 * 5 and set(
        basin_cells(judged_measurements(run)).dataset
    ) == {
        "town_grid",
        "yard",
    }


def test_one_offset_given_by_hand_is_no_grid():
    measurements = judged(
        [
            measurement(
                REFERENCE,
                true_x=0,
                frame=f"f{i}",
                guess_offset={"x_m": 0.3, "y_m": -0.2, "z_m": 0.0, "yaw_deg": 2.0},
            )
            for i in range(12)
        ]
    )
    assert not on_grids(measurements).any()


def test_guesses_without_offset_make_no_basin():
    cells = basin_cells(judged([measurement(REFERENCE, true_x=0)]))
    assert cells.empty and basin_bands(cells).empty and band_rows(basin_bands(cells)) == []
