"""The first screen of a page: the user's own method in the headline and a line for each method. Names do not cover each other."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pytest
from ndt_report.figures.names import MARKER, placed
from ndt_report.page import html, vega
from ndt_report.page.chart import specification
from ndt_report.page.write import write_report
from ndt_report.read.load import load_run
from ndt_report.sections.report import make_report
from page_parser import Page
from synthetic_run import SyntheticRun

BOX = (640, 400)


def folder_of(path, own=()):
    run = SyntheticRun(cuda=False).tracking("town", frames=8).tracking("streets", frames=6)
    folder = run.write(path)
    file = folder / "implementations.json"
    file.write_text(file.read_text().replace('"name": "pcl_ndt"', '"own": true, "name": "pcl_ndt"') if own else file.read_text())
    return folder


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return make_report(load_run(folder_of(tmp_path_factory.mktemp("first") / "run", own=["pcl_ndt"])))


def boxes(points, sizes, places):
    middles = [(x + dx, y + dy) for (x, y), (dx, dy, _) in zip(points, places)]
    return [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for (x, y), (w, h) in zip(middles, sizes)]


def test_twenty_names_cover_neither_each_other_nor_a_point_nor_the_border():
    world = np.random.default_rng(5)
    points = [(float(x), float(y)) for x, y in np.c_[world.normal(300, 90, 20), world.normal(150, 25, 20)]]
    sizes = [(float(w), 12.0) for w in world.uniform(50, 140, 20)]
    drawn = boxes(points, sizes, placed(points, sizes, BOX))
    points = [(x - MARKER, y - MARKER, x + MARKER, y + MARKER) for x, y in points]
    for i, own in enumerate(drawn):
        assert 0 <= own[0] and own[2] <= BOX[0] and 0 <= own[1] and own[3] <= BOX[1]
        for other in [*drawn[:i], *points]:
            assert own[2] <= other[0] or other[2] <= own[0] or own[3] <= other[1] or other[3] <= own[1]


def test_a_method_that_shares_its_place_still_has_a_name():
    assert len(placed([(5, 5)] * 3, [(900, 12)] * 3, BOX)) == 3


def test_the_users_method_is_in_the_headline_and_stands_out(report, tmp_path):
    page = Page(write_report(report, tmp_path).read_text())
    (said,) = report.verdict.own
    assert said.startswith("Your pcl_ndt takes ") and " times as long as persistent_cpu; its errors are " in said
    assert said in page.text.partition("Preset ")[0]
    assert [a for a in page.of("tr") if a.get("class") == "own"]
    chart = report.first.chart
    assert chart.strong == ["pcl_ndt"] and chart.look("pcl_ndt")["marker"] == "*"
    assert set(chart.points.dataset) == {"town", "streets"}


def test_a_line_for_each_method_the_fastest_first(report):
    table = html.answer_table(report.table, report.shown)
    assert table.method.iloc[0] == "persistent_cpu" and sorted(table.method) == sorted(set(report.table.implementation))
    fastest = report.table[report.table.implementation == "persistent_cpu"].groupby("dataset").align_ms_p50.min()
    assert (table.ms_low[0], table.ms_high[0]) == (fastest.min(), fastest.max()) and table.known[0] == 14


def test_without_the_library_the_page_has_the_still_figure_and_says_how_to_get_it(report, tmp_path, monkeypatch):
    monkeypatch.setattr(html, "vega_script", lambda: "")
    text = write_report(report, tmp_path).read_text()
    page = Page(text)
    assert "pip install vl-convert-python" in page.text and 'id="chart"' not in text and 'id="still"' in text
    assert len(text) < 900_000


def test_a_python_without_the_library_is_no_error(monkeypatch, tmp_path):
    assert vega._said(str(tmp_path / "no")) == "" and vega._said("/bin/false") == ""


def test_two_runs_stand_side_by_side(tmp_path, ndt_report):
    folders = [folder_of(tmp_path / name) for name in ("before", "after")]
    code, _, err = ndt_report("report", folders[1], "--beside", folders[0], "--out", tmp_path / "page")
    text = (tmp_path / "page" / "report.html").read_text()
    assert code == 0 and err == "" and "before: Use persistent_cpu" in Page(text).text and "Beside before" in Page(text).text


def test_columns_of_a_chart_are_runs(report):
    spec = specification(report.first.chart, {"before": report.first.chart, "after": report.first.chart})
    assert spec["facet"]["column"]["sort"] == ["before", "after"] and "layer" in spec["spec"]
    assert {row["run"] for row in spec["data"]["values"]} == {"before", "after"}
