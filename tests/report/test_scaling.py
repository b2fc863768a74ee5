"""Times against sizes, threads and iterations, on frames whose answer is known."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pytest
from ndt_report.judge.iteration_time import by_size, feature_costs, iteration_time_table
from ndt_report.judge.scaling import family, fit_line, scaling_datasets, scaling_fits, scaling_points, thread_points
from ndt_report.figures.style import log_axis, panels
from toy import CUDA, REFERENCE, judged, measurement


def test_a_line_is_found_exactly():
    assert fit_line([1000, 4000, 16000], [30.7, 32.8, 41.2]) == pytest.approx((30.0, 0.0007, 0.0), abs=1e-9)


def test_the_fit_counts_relative_residuals():
    constant, slope, worst = fit_line([1, 10, 100, 1000], [2.0, 20, 200, 2200])
    assert slope == pytest.approx(2.0, rel=0.06) and 0.03 < worst < 0.09


def sized(sizes, microseconds, threads=(1,), dataset="yard_{}"):
    return [
        measurement(
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
    measurements = judged(sized([1000, 4000, 16000], lambda n: 30 + 0.7 * n))
    points = scaling_points(measurements)
    assert set(points.variable) == {"points"} and set(points.family) == {"yard"}
    fit = scaling_fits(points).iloc[0]
    assert (fit.constant, fit.slope) == pytest.approx((30, 0.7), rel=1e-6)
    assert scaling_datasets(measurements) == {"yard_1000", "yard_4000", "yard_16000"}


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


@pytest.mark.parametrize("sizes", [(30_000, 25_000_000), (500, 200_000), (1200, 1_009_200), (3, 50), (0.08, 0.13)])
def test_labels_of_a_logarithmic_axis_do_not_overlap(sizes):
    figure, (axes, *_) = panels(3)
    axes.plot(sizes, (1, 2))
    log_axis(axes.xaxis)
    figure.canvas.draw()
    low, high = axes.get_xlim()
    shown = sorted((tick.label1.get_window_extent() for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high),
                   key=lambda box: box.x0)
    assert len(shown) >= 2 and all(left.x1 < right.x0 for left, right in zip(shown, shown[1:]))


# --- the cost of an iteration, from alignments of different lengths ---

def aligned(iterations, us, points=1000.0, **changes):
    place = {"frame": f"{points}/{iterations}", "iterations": float(iterations), "points": points}
    return measurement(CUDA, true_x=0, align_us=[us] * 3, **place | changes)


def test_the_slope_is_an_iteration_and_the_rest_happens_once():
    measurements = [aligned(i, 50.0 + 12.0 * i) for i in (3, 6, 20)]
    line = iteration_time_table(judged(measurements)).iloc[0]
    assert (line.iteration_us, line.constant_us) == (pytest.approx(12), pytest.approx(50))
    assert (
        line.off_the_line_us < 1e-9 and line.n == 3 and (line.iterations_min, line.iterations_max) == (3, 20)
    )


def test_a_larger_scan_is_no_slope():
    measurements = [
        aligned(i, 50.0 + 12.0 * i + points / 10, points) for points in (1000.0, 9000.0) for i in (4, 8)
    ]
    assert iteration_time_table(judged(measurements)).iloc[0].iteration_us == pytest.approx(12)


def test_alignments_of_nearly_the_same_length_give_no_slope():
    assert iteration_time_table(judged([aligned(5, 100.0), aligned(7, 140.0)])).empty
    assert iteration_time_table(judged([aligned(5, 100.0), aligned(9, 140.0, 9000.0)])).empty


def test_times_that_do_not_grow_with_iterations_give_none_that_is_negative():
    line = iteration_time_table(judged([aligned(3, 100.0), aligned(6, 90.0), aligned(20, 80.0)])).iloc[0]
    assert np.isnan(line.iteration_us) and np.isnan(line.constant_us) and line.n == 3
    steep = iteration_time_table(judged([aligned(i, 12.0 * i - 20) for i in (3, 6, 20)])).iloc[0]
    assert steep.iteration_us == pytest.approx(12) and np.isnan(steep.constant_us)


def by_guess(us_per_iteration, points=5000.0, **changes):
    """Three alignments of one scan, by guess."""
    place = {"dataset": f"town_points_{points:.0f}", "frame": "f0"} | changes
    return [aligned(i, 50.0 + us_per_iteration * i, points, guess_name=f"g{i}", **place) for i in (2, 6, 16)]


def test_a_feature_costs_its_slope_over_the_plain_one_of_the_same_scan():
    measurements = by_guess(10.0) + by_guess(10.2, variant="regularised") + by_guess(26.0, variant="batched")
    measurements += by_guess(99.0, points=50000.0, variant="batched")  # without a plain row
    costs = feature_costs(iteration_time_table(judged(measurements))).set_index("variant")
    assert costs.cost.to_dict() == pytest.approx({"regularised": 1.02, "batched": 2.6})
    assert costs.cost_within.max() < 1e-6


def test_costs_stand_in_the_order_of_the_table():
    rows = [(variant, threads) for variant in ("autoware", "batched", "regularised") for threads in (1, 2)]
    measurements = [m for variant, threads in rows for m in by_guess(10.0, variant=variant, threads=threads)]
    costs = feature_costs(iteration_time_table(judged(measurements)))
    assert list(zip(costs.variant, costs.threads)) == rows[2:]


def test_a_cost_may_be_far_off_where_its_lines_are_no_lines():
    bent = by_guess(10.0, variant="regularised")
    bent[1]["align_us"] = [v + 20 for v in bent[1]["align_us"]]
    cost = feature_costs(iteration_time_table(judged(by_guess(10.0) + bent))).iloc[0]
    assert cost.cost - cost.cost_within < 1.03 < cost.cost + cost.cost_within and cost.cost_within > 0.05


def test_several_scans_say_nothing_of_a_feature():
    measurements = [
        r
        for frame in ("f0", "f1")
        for v in ("autoware", "direct7")
        for r in by_guess(10.0, frame=frame, variant=v)
    ]
    assert feature_costs(iteration_time_table(judged(measurements))).empty


def test_sizes_are_the_plain_rows_of_a_family_with_the_most_threads():
    measurements = by_guess(40.0, 50000.0) + by_guess(10.0, 1000.0) + by_guess(70.0, 50000.0, threads=2)
    measurements += by_guess(9.0, 1000.0, variant="regularised") + by_guess(5.0, 3000.0, dataset="lonely_3000")
    points = by_size(iteration_time_table(judged(measurements)))
    assert list(points.points) == [1000, 50000] and set(points.family) == {"town_points"}
    assert list(points.threads) == [1, 2] and points.voxels.iloc[0] == 1000
