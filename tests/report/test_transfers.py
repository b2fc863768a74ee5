"""Transfers: what belongs to an alignment and what to an iteration, and which budgets it keeps."""

import needs  # noqa: F401  first: it skips


import numpy as np
import pandas as pd
import pytest
from ndt_report.figures.style import Looks
from ndt_report.figures.transfers import draw
from ndt_report.read.load import load_run
from ndt_report.page.html import render
from ndt_report.sections.report import make_report
from ndt_report.sections.transfers import count, per_iteration
from ndt_report.judge.transfers import COUNTS, STUDY, iteration_fit, meetings_table, transfers_table, without_counts, zero_transfer_table
from synthetic_entries import traffic
from synthetic_run import SyntheticRun
from toy import CUDA, OWN, REFERENCE, failed, implementations, judged, measurement

STAGED, GRAPH = "multikernel_cuda", "multikernel_graph_cuda"


def counted(name, iterations, points=1000, **changes):
    counts = {key: float(value) for key, value in traffic(name, points, iterations).items()}
    place = {"frame": f"{points}/{iterations}", "iterations": float(iterations), "points": float(points)}
    return measurement(name, true_x=0, **place | counts | changes)


def table(measurements):
    known = implementations(*dict.fromkeys(r["implementation"] for r in measurements))
    return transfers_table(judged(measurements), known).set_index(["implementation", "variant"])


def staged(**changes):
    return [
        counted(STAGED, i, n, **changes) for n, i in ((1000, 4), (1000, 6), (9000, 5), (9000, 8), (9000, 20))
    ]


def test_what_grows_with_iterations_is_told_from_what_grows_with_points():
    line = table(staged()).loc[(STAGED, "autoware")]
    assert line.bytes_per_iteration == pytest.approx(4) and line.bytes_off_the_line < 1e-9
    assert line.launches_per_iteration == pytest.approx(
        14
    ) and line.synchronisations_per_iteration == pytest.approx(1)
    assert line.final_download_bytes == pytest.approx(344) and line.download_bytes_max == 344 + 80
    assert (line.upload_bytes_p50, line.upload_bytes_max, line.uploads_max) == (
        108064,
        108064,
        2,
    ) and line.n == 5
    assert (line.iterations_min, line.iterations_max, line.peak_device_bytes_max) == (4, 20, 5_108_000)


def test_where_iterations_do_not_vary_no_slope_is_made_up():
    line = table([counted(STAGED, 5, 1000), counted(STAGED, 8, 9000)]).loc[(STAGED, "autoware")]
    assert np.isnan([line.bytes_per_iteration, line.launches_per_iteration, line.final_download_bytes]).all()
    assert per_iteration(line, "bytes") == "–" and "bytes" not in line.held and line.broken == ""
    assert iteration_fit(judged([counted(STAGED, 5)]), ["launches"]) is None


def test_a_search_that_ends_without_a_step_is_a_round_and_no_broken_budget():
    measurements = [counted(STAGED, i) for i in (3, 6)]
    measurements.append(counted(STAGED, 4, **{k: float(v) for k, v in traffic(STAGED, 1000, 5).items()}))
    line = table(measurements).loc[(STAGED, "autoware")]
    assert line.bytes_per_iteration != pytest.approx(4) and line.bytes_per_round == pytest.approx(4)
    assert line.final_download_bytes == pytest.approx(344) and line.broken == ""


def test_counts_on_no_line_are_called_about():
    measurements = [
        counted(STAGED, i, launches=float(n), variant="more_thuente") for i, n in ((3, 30), (4, 52), (5, 50))
    ]
    line = table(measurements).loc[(STAGED, "more_thuente")]
    assert per_iteration(line, "launches") == "about 10" and per_iteration(line, "bytes") == "4"


def test_variants_have_lines_of_their_own_and_failures_none():
    measurements = [
        counted(GRAPH, 5),
        counted(GRAPH, 5, variant="batched"),
        measurement(OWN, true_x=0),
        measurement(REFERENCE, true_x=0),
    ]
    got = table(measurements + [failed(CUDA)])
    assert list(got.index) == [(GRAPH, "autoware"), (GRAPH, "batched")]
    assert transfers_table(judged([measurement(OWN, true_x=0)]), implementations()).empty


@pytest.mark.parametrize(
    "name, changes, broken",
    [
        (STAGED, {}, ""),
        (STAGED, {"download_bytes": 401.0}, "bytes of the final download: 401, at most 400 allowed"),
        (STAGED, {"allocations": 2.0}, "allocations after the first alignment: 2, at most 0 allowed"),
        (GRAPH, {}, ""),
        (GRAPH, {"launches": 2.0}, "launches: 2, at most 1 allowed"),
        (
            GRAPH,
            {"launches": 2.0, "synchronisations": 3.0},
            "launches: 2, at most 1 allowed; waits: 3, at most 1 allowed",
        ),
        ("persistent_cuda", {}, ""),
        ("persistent_cluster_cuda", {"launches": 30.0}, "launches: 30, at most 1 allowed"),
        ("somebody_elses_cuda", {"launches": 30.0}, ""),
    ],
)
def test_budgets_are_held_against_the_counts(name, changes, broken):
    line = table([counted(name, i, **changes) for i in (3, 4, 9)]).loc[(name, "autoware")]
    assert line.broken == broken
    assert broken or (line.held != "") == (name != "somebody_elses_cuda")


def test_a_run_without_budgets_has_no_promise():
    known = implementations(STAGED).drop(columns="budget").assign(budget=None)
    line = transfers_table(judged([counted(STAGED, i, allocations=9.0) for i in (3, 5)]), known).iloc[0]
    assert (line.broken, line.held) == ("", "")


def test_bytes_in_the_loop_break_the_budget_of_a_graph():
    measurements = [counted(GRAPH, i, download_bytes=344.0 + 4 * i) for i in (3, 4, 9)]
    assert table(measurements).broken[(GRAPH, "autoware")] == "bytes in an iteration: 4, at most 0 allowed"
    assert (
        "bytes in an iteration: none" in table([counted(GRAPH, i) for i in (3, 9)]).held[(GRAPH, "autoware")]
    )


def test_a_count_shows_its_largest_where_it_differs():
    line = {"uploads_p50": 2.0, "uploads_max": 2.0, "launches_p50": 71.0, "launches_max": 421.0}
    assert count(line, "uploads") == "2" and count(line, "launches") == "71 / 421"
    assert count({"downloads_p50": np.nan, "downloads_max": np.nan}, "downloads") == "–"


def test_every_implementation_without_counts_says_why():
    known = implementations(REFERENCE, OWN, STAGED, GRAPH, CUDA, "persistent_cluster_cuda")
    known.loc["persistent_cluster_cuda", ["available", "reason"]] = [
        False,
        "compute capability 9.0 is needed",
    ]
    measurements = judged([measurement(REFERENCE), measurement(OWN), counted(STAGED, 3), failed(CUDA)])
    assert without_counts(measurements, known) == [
        (REFERENCE, "no device"),
        (OWN, "no device"),
        (GRAPH, "not in this run"),
        (CUDA, "all its measurements failed"),
        ("persistent_cluster_cuda", "compute capability 9.0 is needed"),
    ]
    assert (CUDA, "not counted") in without_counts(judged([measurement(CUDA)]), known)


def test_a_run_from_before_the_counts_of_copies_has_a_table_too():
    unknown = {
        name: np.nan
        for name in COUNTS
        if name in ("uploads", "downloads", "allocations", "peak_device_bytes")
    }
    got = transfers_table(judged([counted(CUDA, i, **unknown) for i in (3, 5)]), implementations())
    assert np.isnan(got.uploads_p50[0]) and got.launches_p50[0] == 1 and "allocations" not in got.held[0]
    assert isinstance(got, pd.DataFrame) and got.broken[0] == ""


def test_what_zero_transfer_buys_is_the_difference_of_pairs_in_as_many_iterations():
    def by(name, iterations, ms, moved):
        counts = {"upload_bytes": 12064.0, "download_bytes": 400 + moved * iterations}
        return counted(name, iterations, ms=(ms,), synchronisations=1.0 + 3 * iterations, **counts)

    rows = [by(STAGED, i, 0.1 * i, 4) for i in (4, 6)] + [by(STUDY, i, 0.3 * i, 124_000) for i in (4, 6)]
    rows.append(counted(STUDY, 9))  # no pair: other iterations
    (row,) = zero_transfer_table(judged(rows[:4])).itertuples()
    assert (row.dataset, row.variant, row.n, row.points) == ("toy", "autoware", 2, 1000)
    assert row.bytes_per_iteration_zero == pytest.approx(4)
    assert row.bytes_per_iteration_study == pytest.approx(124_000)
    assert row.waits_per_iteration_study == pytest.approx(3)
    assert row.times == pytest.approx(3) and row.more_us == pytest.approx(200)
    assert (row.ms_zero, row.ms_study) == (pytest.approx(0.5), pytest.approx(1.5))
    assert list(zero_transfer_table(judged(rows)).n) == [2]
    assert zero_transfer_table(judged(staged())).empty


def test_meetings_grow_with_iterations_or_not_and_are_missing_where_they_are_not_known():
    grid = [counted(CUDA, i, exchanges=i + 3.0, barriers=0.0) for i in (4, 6, 9)]
    unknown = counted(GRAPH, 5, exchanges=np.nan, barriers=np.nan)
    (row,) = meetings_table(judged(grid + [unknown])).itertuples()
    assert (row.implementation, row.n, row.exchanges_p50, row.exchanges_max) == (CUDA, 3, 9, 12)
    assert row.exchanges_per_iteration == pytest.approx(1) and row.barriers_per_iteration == pytest.approx(0)
    assert meetings_table(judged(staged())).empty, "nothing is known"


def test_the_figure_says_what_moves_and_draws_nothing_as_a_zero():
    known = implementations(STAGED, GRAPH)
    drawing = draw(transfers_table(judged(staged() + [counted(GRAPH, i) for i in (4, 6)]), known), Looks(known))
    assert drawing.finding == f"Bytes that move in an iteration: {STAGED} 4 and {GRAPH} 0."
    texts = [[text.get_text() for text in ax.texts] for ax in drawing.figure.axes]
    assert texts == [["108,064", "12,064"], ["368", "344"], ["4", "0"]]
    alone = draw(transfers_table(judged([counted(GRAPH, 4)]), known), Looks(known))
    assert "unknown" in alone.finding and alone.figure.axes[2].texts[0].get_text() == "–"
    assert draw(transfers_table(judged([measurement(OWN, true_x=0)]), known), Looks(known)) is None


def test_the_page_shows_both_where_a_run_has_them(tmp_path):
    run = SyntheticRun()
    run.names = [REFERENCE, STAGED, STUDY, CUDA]
    run.tracking("town", frames=8)
    for row in run.measurements:
        known = row["implementation"] == CUDA
        row |= {"exchanges": row["iterations"] + 3 if known else None, "barriers": 0 if known else None}
    report = make_report(load_run(run.write(tmp_path / "run")))
    page = render(report)
    assert "<h3>What zero transfer buys</h3>" in page and "<h3>Inside the kernels</h3>" in page
    assert list(report.tables["meetings"].implementation) == [CUDA] and len(report.tables["zero_transfer"]) == 1
    plain = render(make_report(load_run(SyntheticRun().tracking("town").write(tmp_path / "plain"))))
    assert "zero transfer" not in plain and "Inside the kernels" not in plain
