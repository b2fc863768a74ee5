"""Batches: what a pose costs, what single calls would have taken, and that no batch is taken for an
alignment."""

import needs  # noqa: F401  first: it skips

import json

import pandas as pd
import pytest
from ndt_report.judge.batches import batch_table
from ndt_report.compare import comparison
from ndt_report.figures.batches import draw
from ndt_report.read.load import load_run
from ndt_report.sections.report import make_report
from ndt_report.figures.style import Looks
from synthetic_run import SyntheticRun
from toy import CUDA, OWN, failed, implementations, measurement


def batch(poses, ms, implementation=CUDA, **columns):
    return measurement(
        implementation, ms=ms, poses=poses, iterations=20.0 * poses, variant="iterations20", **columns
    )


def test_a_pose_iteration_is_the_calls_time_over_all_iterations_of_all_poses():
    table = batch_table(pd.DataFrame([batch(1, [2.0]), batch(50, [9.0, 10.0, 40.0])])).set_index("poses")
    assert table.batch_ms_p50[50] == 10 and table.pose_iteration_us[50] == pytest.approx(10_000 / 1000)
    assert table.pose_iterations_per_s[50] == pytest.approx(100_000)
    assert table.speed_up[50] == pytest.approx(50 * 2 / 10) and table.speed_up[1] == 1


def test_several_scans_are_one_line_of_medians():
    measurements = [
        batch(p, [ms * p], frame=f, launches=3.0)
        for p in (1, 10)
        for f, ms in (("f0", 1.0), ("f1", 2.0), ("f2", 6.0))
    ]
    table = batch_table(pd.DataFrame(measurements)).set_index("poses")
    assert list(table.n) == [3, 3] and table.batch_ms_p50[10] == 20 and table.speed_up[10] == 1
    assert list(table.launches) == [3, 3]


def test_what_was_skipped_says_why_and_has_no_numbers():
    skipped = failed(OWN, poses=500, variant="iterations20", error_kind="skipped") | {
        "error": "skipped: too long"
    }
    table = batch_table(pd.DataFrame([batch(1, [2.0], OWN), batch(10, [20.0], OWN), skipped]))
    last = table.iloc[-1]
    assert (
        last.why_not == "skipped: too long"
        and last.n == 0
        and pd.isna(last.batch_ms_p50)
        and last.points == 1000
    )


def test_panels_name_the_variant_where_there_are_several():
    def titles(measurements):
        drawing = draw(batch_table(pd.DataFrame(measurements)), Looks(implementations()))
        return [ax.get_title(loc="left") for ax in drawing.figure.axes]

    one = [batch(1, [2.0]), batch(10, [4.0])]
    other = [row | {"variant": "throughput"} for row in one]
    (alone,) = titles(one)
    assert alone.endswith(": 1,000 points") and "iterations20" not in alone
    assert ["iterations20" in title for title in titles(one + other)] == [True, False]
    assert ["throughput" in title for title in titles(one + other)] == [False, True]


def test_without_a_single_call_there_is_nothing_to_compare_with():
    assert batch_table(pd.DataFrame([batch(10, [2.0])])).speed_up.isna().all()


def test_alignments_alone_are_no_batches():
    assert batch_table(pd.DataFrame([measurement(), measurement(OWN)])).empty


def both(folder):
    return SyntheticRun().tracking("town", frames=6, block=2).batches().write(folder)


def test_batches_are_in_no_table_of_alignments_and_fail_nothing(tmp_path):
    report = make_report(load_run(both(tmp_path / "run")))
    assert set(report.measurements.poses) == {1} and report.table.errors.sum() == 0
    assert not any("failed with an error" in caution for caution in report.verdict.cautions)
    assert list(report.tables["batches"].poses) == 2 * [1, 10, 100]


def test_two_runs_are_compared_batch_by_batch(tmp_path):
    runs = [load_run(both(tmp_path / name)) for name in "ab"]
    variants = set(comparison(*runs).rows.variant)
    assert variants == {"autoware", "iterations20", "iterations20, 10 poses", "iterations20, 100 poses"}


def test_a_run_of_batches_alone_has_a_page(tmp_path, ndt_report):
    run = SyntheticRun()
    folder = run.batches(poses=(1, 10)).write(tmp_path / "run")
    code, out, err = ndt_report("report", folder)
    assert (code, err) == (0, "") and out.splitlines()[-1] == str(folder / "report.html")
    lines = [
        json.loads(line) | {"poses": 7} for line in (folder / "results.jsonl").read_text().splitlines()[1::2]
    ]
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, err = ndt_report("report", folder)
    assert (code, err) == (0, "") and out.splitlines()[
        0
    ] == "No single alignment in this run: see its searches and batches."
    assert "<li>Results." in (folder / "report.html").read_text()
