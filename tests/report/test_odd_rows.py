"""A page of whatever rows a run can contain: scans without points, odd names, missing keys, a single row."""

import needs  # noqa: F401  first: it skips

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from folder_edits import edit_json, rename_everywhere
from ndt_report.judge.basin import basin_cells
from ndt_report.figures import NOT_DRAWN
from ndt_report.figures import basin as basin_figure
from ndt_report.read.load import load_run, natural_key
from ndt_report.read.printable import printable
from ndt_report.sections.report import make_report
from ndt_report.page.write import write_report
from page_parser import Page
from synthetic_entries import write_pcd
from synthetic_run import SyntheticRun

pytestmark = pytest.mark.usefixtures("no_pdf")

ODD_NAMES = {
    "formula": r"$\frac{1}{",
    "markup": "</script><b>&amp;\"'",
    "control characters": "a\x00b\x1b[31m\r\n\tc\x7f",
    "a superscript": "1²",
    "other digits": "٣٤",
    "half a surrogate pair": "\ud800x",
    "turned around": "abc\u202edef",
    "not in the font": "点群😀",
    "5,000 digits": "9" * 5000,
    "a path": "../../x",
    "an absolute path": "/tmp/x",
    "hidden": ".x",
    "a legend's comment": "_x",
    "a long name": "x" * 3000,
    "empty": "",
    "a comment's end": "--><x",
}
EVERYWHERE = ["formula", "control characters", "a superscript", "half a surrogate pair", "a path"]
EVERYWHERE += ["a long name"]


def small():
    return SyntheticRun(cuda=False).tracking("town", frames=6, block=2).picture("town")


def made(folder):
    report = make_report(load_run(folder))
    assert not [sentence for part in report.parts.values() for sentence in part.not_drawn]
    write_report(report, folder)
    return report, checked(folder)


def checked(folder):
    page = Page((folder / "report.html").read_text(encoding="utf-8"))
    assert page.wrong == [] and page.open == [] and not re.search(r"\b(nan|NaN|None|inf)\b", page.text)
    for file in (folder / "figures").glob("*.svg"):
        ElementTree.parse(file)
    for inline in re.findall(r"<svg.*?</svg>", page.source, re.S):
        ElementTree.fromstring(inline)
    return page


@pytest.mark.parametrize("points", [np.empty((0, 3)), np.full((5, 3), np.nan)], ids=["empty", "all NaN"])
def test_a_picture_of_a_scan_without_points_is_a_sentence(tmp_path, points):
    folder = small().write(tmp_path / "run")
    write_pcd(folder / "clouds" / "scan.pcd", points)
    report = make_report(load_run(folder))
    page = Page(write_report(report, folder).read_text())
    said = "The scan scans/000003.bin of town has no points, so that there is no picture of it in the map."
    assert report.parts["picture"].drawings == [] and report.parts["picture"].not_drawn == [said] and said in page.text
    assert page.wrong == [] and "picture" in {a.get("id") for _, a in page.tags}


def test_a_map_with_points_that_are_not_finite_is_drawn_without_them(tmp_path):
    folder = small().write(tmp_path / "run")
    write_pcd(folder / "clouds" / "map.pcd", [[np.nan, 0, 0], [1, np.inf, 0], [1, 2, 3]])
    assert len(made(folder)[0].parts["picture"].drawings) == 1


def test_rows_of_scans_without_points_make_a_page(tmp_path):
    run = small()
    for entry in run.measurements:
        if entry["frame"] == "scans/000000.bin":
            zero = ("points", "iterations", "evaluations", "correspondences", "score", "nvtl")
            entry.update(dict.fromkeys(zero, 0), stop="no_points", pose=entry["guess"], trace=None)
            entry["transform_probability"] = None
    made(run.write(tmp_path / "run"))


@pytest.mark.parametrize("value", [0, None])
def test_rows_without_any_point_evaluation_or_score_make_a_page(tmp_path, value):
    run = SyntheticRun(cuda=False).scaling((1000, 4000, 16000))
    for entry in run.measurements:
        entry.update(points=0, map_points=0, voxels=0, iterations=0, evaluations=0, correspondences=0)
        entry.update(score=value, nvtl=value, transform_probability=value, calibration_us=value, build_us=0)
    made(run.write(tmp_path / "run"))


def test_a_single_row_makes_a_page(tmp_path):
    run = small()
    run.measurements = run.measurements[:1]
    made(run.write(tmp_path / "run"))


def test_an_environment_without_its_facts_makes_a_page(tmp_path, ndt_report):
    folder = small().write(tmp_path / "run")
    (folder / "environment.json").write_text('{"run_id": "20261121T134819Z", "cuda": {}}')
    kept = ("preset", "jobs")
    edit_json(folder / "plan.json", lambda plan: [plan.pop(k) for k in list(plan) if k not in kept])
    _, page = made(folder)
    assert "ndt-bench run --plan " in page.text
    assert ndt_report("compare", folder, folder)[0] == 0


def test_implementations_of_all_odd_names_make_a_page(tmp_path):
    run = SyntheticRun(cuda=False).tracking("town", frames=3, block=1)
    run.names += ODD_NAMES.values()
    run.tracking("moon", frames=5, block=5)
    _, page = made(run.write(tmp_path / "run"))
    assert all(printable(name) in page.text for name in ODD_NAMES.values())


@pytest.mark.parametrize("name", [ODD_NAMES[key] for key in EVERYWHERE], ids=EVERYWHERE)
def test_odd_names_make_a_page(tmp_path, ndt_report, name):
    """Gives one odd name to an implementation, a dataset, a frame, a guess and a variant."""
    run = SyntheticRun(cuda=False).tracking("town", frames=6, block=2, variants=("autoware", "direct7"))
    folder = run.picture("town").write(tmp_path / "run")
    before = set(tmp_path.rglob("*"))
    for word in ("persistent_cpu", "town", "scans/000003.bin", "noise0", "direct7"):
        rename_everywhere(folder, word, name)
    code, out, err = ndt_report("report", folder)
    assert (code, err) == (0, "") and all(line.isprintable() for line in out.split("\n"))
    page = checked(folder)
    assert printable(name) in page.text and NOT_DRAWN not in page.text
    written = {path for path in set(tmp_path.rglob("*")) - before if path.parent.parent != folder}
    reported = ("figures", "trajectories", "report.html", "summary.csv")
    assert written == {folder / name for name in reported}
    hrefs = {a["href"] for a in page.of("a") if a["href"].startswith("figures/")}
    assert len(hrefs) == 18 and all((folder / href).is_file() for href in hrefs)


def test_natural_order_takes_any_number_of_digits():
    names = ["9" * 5000, "x²", "10", "2", "02", "1²"]
    assert sorted(names, key=natural_key) == ["x²", "1²", "2", "02", "10", "9" * 5000]


def test_what_is_not_printable_is_escaped():
    assert printable("a\x1b[0m\n\ud800\u202e\x9b é") == r"a\x1b[0m\n\ud800\u202e\x9b é"


def test_an_unexpected_failure_of_a_figure_costs_the_figure_and_not_the_page(tmp_path, monkeypatch):
    folder = small().write(tmp_path / "run")
    monkeypatch.setattr("ndt_report.figures.pareto.draw", lambda *_: 1 / 0)
    report = make_report(load_run(folder))
    page = Page(write_report(report, folder).read_text())
    assert report.parts["pareto"].drawings == [] and report.parts["latency"].drawings
    assert page.text.count("A figure of this section cannot be drawn from these measurements") == 1


def test_a_grid_of_a_single_column_is_drawn(tmp_path):
    run = load_run(SyntheticRun(cuda=False).basin(side=3).write(tmp_path / "run"))
    cells = basin_cells(make_report(run).measurements)
    column = cells[cells.across == cells.across.min()]
    assert len(column) and basin_figure.draw(column, "courtyard_basin") is not None


def test_a_trace_of_the_trust_region_is_taken(tmp_path):
    run = small()
    for entry in run.measurements:
        steps = len(entry["trace"]["step_m"])
        entry["trace"] |= {"level": [0] * steps, "radius_m": [0.1] * steps}
    report, _ = made(run.write(tmp_path / "run"))
    assert all("radius_m" in trace for trace in report.measurements.trace)
