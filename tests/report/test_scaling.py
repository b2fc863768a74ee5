"""Scaling, on frames whose answer is known."""

import needs  # noqa: F401  first: it skips

import pytest
from ndt_report.judge.scaling import family, fit_line, scaling_datasets, scaling_fits, scaling_points, thread_points
from ndt_report.figures.style import log_axis, panels
from toy import REFERENCE, judged, measurement


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
