"""What an iteration costs, from alignments of different lengths."""

import needs  # noqa: F401  first: it skips

import pytest
from ndt_report.iteration_time import iteration_time_table
from toy import CUDA, judged, row


def aligned(iterations, us, points=1000.0, **changes):
    place = {"frame": f"{points}/{iterations}", "iterations": float(iterations), "points": points}
    return row(CUDA, true_x=0, align_us=[us] * 3, **place | changes)


def test_the_slope_is_an_iteration_and_the_rest_happens_once():
    rows = [aligned(i, 50.0 + 12.0 * i) for i in (3, 6, 20)]
    line = iteration_time_table(judged(rows)).iloc[0]
    assert (line.iteration_us, line.constant_us) == (pytest.approx(12), pytest.approx(50))
    assert line.off_the_line_us < 1e-9 and line.n == 3 and (line.iterations_min, line.iterations_max) == (3, 20)


def test_a_larger_scan_is_no_slope():
    rows = [aligned(i, 50.0 + 12.0 * i + points / 10, points) for points in (1000.0, 9000.0) for i in (4, 8)]
    assert iteration_time_table(judged(rows)).iloc[0].iteration_us == pytest.approx(12)


def test_alignments_of_nearly_the_same_length_give_no_slope():
    assert iteration_time_table(judged([aligned(5, 100.0), aligned(7, 140.0)])).empty
    assert iteration_time_table(judged([aligned(5, 100.0), aligned(9, 140.0, 9000.0)])).empty
