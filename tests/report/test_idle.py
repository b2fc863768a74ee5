"""Alignments after idle: paired with those back to back, and in no other part of the report."""

import needs  # noqa: F401  first: it skips

import json

import numpy as np
import pandas as pd
import pytest
from ndt_report.figures.idle import draw
from ndt_report.judge.idle import idle_calls, idle_lines, idle_rows, idle_table
from ndt_report.read.load import load_run
from ndt_report.sections.report import make_report
from ndt_report.figures.style import Looks
from ndt_report.page.write import write_report
from page_parser import Page
from synthetic_run import SyntheticRun
from toy import CUDA, OWN, measurement

RATES = (10.0, 20.0)


def rows_of(*rows):
    return pd.DataFrame(rows).astype({"error": object, "search": object})


def toy(name, ms, rate_hz=np.nan, **columns):
    return measurement(name, ms=ms, rate_hz=rate_hz, error=None, **columns)


def test_times_at_a_rate_are_compared_with_those_of_the_same_measurement():
    alone = rows_of(toy(OWN, [1, 1, 1]), toy(OWN, [2, 2, 2], frame="f1"), toy(OWN, [9], frame="f2"), toy(CUDA, [5]))
    at_rates = rows_of(
        toy(OWN, [4, 4, 4], 20.0, frame="f1"), toy(OWN, [3, 3, 3], 10.0), toy(OWN, [12] * 9, 10.0, frame="f1"),
        toy(OWN, [2, 2, 8], 20.0),
    )
    table = idle_table(alone, at_rates)
    assert list(table.rate_hz) == [0, 10, 20] and set(table.n) == {2}, "f2 has no rate, nor has the GPU"
    assert list(table.align_ms_p50) == [1, 3, 4] and list(table.align_ms_p90) == [2, 12, 8]
    assert table.over_back_to_back.round(6).tolist() == [1, round((3 * 6) ** 0.5, 6), 2]
    assert idle_calls(table) == [(0, 0), (10, 0), (20, 0)]
    ((row,),) = [idle_rows(table)]
    assert row["n"] == 2 and [at["align_ms_p50"] for at in row["at"]] == [1, 3, 4]
    assert idle_lines(table) == [
        "After idle, toy: persistent_cpu, 1 threads, p50 ms: 1 back to back, 3 at 10 Hz, 4 at 20 Hz"
    ]


def test_an_announced_alignment_stands_beside_the_same_one_that_is_not():
    alone = rows_of(toy(OWN, [1, 1, 1]), toy(OWN, [1], frame="f1"))
    at_rates = rows_of(toy(OWN, [4, 4, 4], 10.0), toy(OWN, [2, 2, 2], 10.0, announced_ms=1.0), toy(OWN, [4], 10.0, frame="f1"))
    table = idle_table(alone, at_rates)
    assert idle_calls(table) == [(0, 0), (10, 0), (10, 1)] and set(table.n) == {1}, "f1 was never announced"
    assert list(table.align_ms_p50) == [1, 4, 2] and list(table.over_back_to_back.round(6)) == [1, 4, 2]
    assert idle_lines(table) == [
        "After idle, toy: persistent_cpu, 1 threads, p50 ms: 1 back to back, 4 at 10 Hz, 2 announced"
    ]
    drawing = draw(table, Looks(pd.DataFrame({"peer": False, "oracle": False, "name": [OWN]}, [OWN])))
    assert drawing.finding == f"{OWN} takes 4 ms at 10 Hz on toy, and 1 ms back to back."
    (ax,) = drawing.figure.axes
    assert [text.get_text() for text in ax.get_xticklabels()] == ["back to back", "10 Hz"]
    assert [(line.get_label(), list(np.isnan(line.get_ydata()))) for line in ax.lines] == [
        (OWN, [False, False]), (f"{OWN}, announced 1 ms before", [True, False])]
    assert [list(line.get_ydata())[1] for line in ax.lines] == [4, 2]


def test_the_figure_has_a_line_from_back_to_back_to_the_rarest_rate():
    alone = rows_of(toy(OWN, [1, 1, 1]), toy(OWN, [3, 3, 3], threads=2), toy(CUDA, [5, 5]))
    at_rates = rows_of(*(toy(OWN, [ms] * 3, rate) for ms, rate in ((2, 20.0), (4, 10.0))),
                       *(toy(OWN, [5] * 3, rate, threads=2) for rate in RATES), *(toy(CUDA, [6, 6], rate) for rate in RATES))
    drawing = draw(idle_table(alone, at_rates), Looks(pd.DataFrame({"peer": False, "oracle": False, "name": [OWN, CUDA]}, [OWN, CUDA])))
    assert drawing.finding == f"{OWN} takes 4 ms at 10 Hz on toy, and 1 ms back to back." and set(drawing.data.threads) == {1}
    (ax,) = drawing.figure.axes
    assert [text.get_text() for text in ax.get_xticklabels()] == ["back to back", "20 Hz", "10 Hz"]
    assert {line.get_label(): list(line.get_ydata()) for line in ax.lines} == {OWN: [1, 2, 4], CUDA: [5, 6, 6]}


def test_what_failed_or_stands_alone_is_not_compared():
    alone = rows_of(toy(OWN, [1]), toy(OWN, [1], frame="f1"))
    failed = rows_of(toy(OWN, [2], 10.0) | {"error": "why"})
    assert idle_table(alone, failed).empty and idle_lines(idle_table(alone, failed)) == []
    assert idle_table(alone, alone[:0]).empty
    assert idle_table(alone[:0], rows_of(toy(OWN, [2], 10.0), toy(OWN, [2], 20.0))).empty, "nothing back to back"


@pytest.fixture
def folder(tmp_path):
    """A run with every measurement of tracking at two rates too, slower by 2 and by 1.5."""
    run = SyntheticRun(cuda=False).tracking("town", frames=6, block=2)
    alone = list(run.measurements)
    for rate, slower in zip(RATES, (2, 1.5)):
        for m in alone:
            later = {"rate_hz": rate, "align_after_idle_us": [], "align_us": [us * slower for us in m["align_us"]]}
            run.measurements.append(m | later | {"job": m["job"] + int(1000 * rate)})
    for m in alone:
        m["rate_hz"] = None
    return run.write(tmp_path / "run")


def test_only_its_own_part_of_the_page_counts_them(folder, tmp_path):
    run = load_run(folder)
    assert run.finished and len(run.at_rates) == 2 * len(run.measurements) > 0
    report = make_report(run)
    plain = make_report(load_run(SyntheticRun(cuda=False).tracking("town", frames=6, block=2).write(tmp_path / "plain")))
    pd.testing.assert_frame_equal(report.table, plain.table)
    page = Page(write_report(report, folder).read_text())
    assert "back to back" in page.text and "(2x)" in page.text and "(1.5x)" in page.text
    assert "ndt-bench run --preset idle gives it" not in page.text
    written = pd.read_csv(folder / "idle.csv")
    assert set(written.rate_hz) == {0, 10, 20} and len(written) == 3 * len(idle_rows(report.tables["idle"]))
    assert "ndt-bench run --preset idle gives it" in Page(write_report(plain, tmp_path / "plain").read_text()).text
    assert not (tmp_path / "plain" / "idle.csv").exists()


def test_a_part_that_has_nothing_back_to_back_says_so(folder):
    file = folder / "results.jsonl"
    file.write_text("".join(line for line in file.read_text().splitlines(True) if json.loads(line)["rate_hz"]))
    run = load_run(folder)
    assert run.measurements.empty and len(run.at_rates)
    text = Page(write_report(make_report(run), folder).read_text()).text
    assert "Only alignments after idle in this run" in text and "see its searches and batches" not in text


def test_one_measurement_at_two_rates_is_two_but_at_one_rate_twice_is_refused(folder):
    from ndt_report.read.refusal import InputError

    lines = (folder / "results.jsonl").read_text().splitlines(True)
    (folder / "results.jsonl").write_text("".join(lines + lines[-1:]))
    with pytest.raises(InputError, match=f"line {len(lines) + 1}: the measurement of line {len(lines)} again"):
        load_run(folder)
