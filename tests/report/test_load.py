"""The loader takes a run folder as ndt-bench writes it, and refuses anything else with file, line and what to
do."""

import needs  # noqa: F401  first: it skips

import json
from pathlib import Path

import numpy as np
import pytest
from folder_edits import change_line, refused
from ndt_report.read.clouds import read_pcd
from ndt_report.read.columns import REQUIRED, LATER
from ndt_report.read.load import load_run, natural_key
from ndt_report.read.refusal import InputError
from synthetic_entries import write_pcd
from synthetic_run import SyntheticRun

PUBLISHED = Path(__file__).resolve().parents[2] / "reports"


@pytest.fixture
def folder(tmp_path):
    return SyntheticRun().tracking("town", frames=4, block=2).write(tmp_path / "run")


def test_a_run_is_loaded_with_matrices_and_lists(folder):
    run = load_run(folder)
    assert len(run.measurements) == 24 and run.finished and list(run.datasets.index) == ["town"]
    first = run.measurements.iloc[0]
    assert first.pose.shape == (4, 4) and len(first.align_us) == 30 and np.isnan(first.upload_bytes)
    assert list(run.measurements.columns) == [c.name for c in REQUIRED]


def test_measurements_are_in_report_order_whatever_order_they_were_run_in(folder):
    before = load_run(folder).measurements
    lines = (folder / "results.jsonl").read_text().splitlines()
    (folder / "results.jsonl").write_text("\n".join(reversed(lines)) + "\n")
    after = load_run(folder).measurements
    assert list(after.implementation) == list(before.implementation) and list(after.frame) == list(
        before.frame
    )
    assert list(dict.fromkeys(after.implementation))[0] == "cpu_pclomp_ref"


def test_scan_10_comes_after_scan_2():
    assert sorted(["scan_10", "scan_2", "a", "scan_2b"], key=natural_key) == [
        "a",
        "scan_2",
        "scan_2b",
        "scan_10",
    ]


def test_a_missing_folder_or_file_is_named(folder, tmp_path):
    assert "no results.jsonl in it; give the folder" in refused(tmp_path / "nowhere")
    for name in ("implementations.json", "datasets.json", "plan.json", "environment.json"):
        content = (folder / name).read_text()
        (folder / name).unlink()
        assert f"{name}: missing; run ndt-bench run again" in refused(folder)
        (folder / name).write_text(content)


def test_an_unknown_key_is_refused_with_its_line(folder):
    change_line(folder, 3, lambda entry: entry.update(colour="red"))
    assert "results.jsonl: line 3: unknown key 'colour'; make the report with the checkout" in refused(folder)


@pytest.mark.parametrize("column", [c for c in REQUIRED if c.null != LATER], ids=lambda c: c.name)
def test_every_key_must_be_there(folder, column):
    change_line(folder, 2, lambda entry: entry.pop(column.name))
    assert f"line 2: key '{column.name}' is missing" in refused(folder)


def test_a_run_from_before_a_column_is_loaded_without_it(folder):
    later = [c.name for c in REQUIRED if c.null == LATER]
    for line in range(1, 25):
        change_line(folder, line, lambda entry: [entry.pop(name) for name in later])
    measurements = load_run(folder).measurements
    assert later == ["poses", "uploads", "downloads", "allocations", "peak_device_bytes", "search"]
    assert measurements[later[1:]].isna().all(axis=None) and (measurements.poses == 1).all()
    assert (
        list(measurements.columns) == [c.name for c in REQUIRED]
        and measurements.upload_bytes.notna().any()
    )


@pytest.mark.parametrize("name", sorted({str(path.parent.relative_to(PUBLISHED)) for path in PUBLISHED.rglob("results.jsonl*")}))
def test_published_runs_stay_readable(name):
    run = load_run(PUBLISHED / name)
    assert run.finished and len(run.measurements) >= 12 and run.oracle == "cpu_pclomp_ref"


@pytest.mark.parametrize(
    "change, said",
    [
        (dict(pose=[1.0] * 15), "pose is not 16 finite numbers"),
        (dict(pose=None), "pose is null"),
        (dict(iterations=1.5), "iterations is not a whole number"),
        (dict(uploads=1.5), "uploads is not a whole number"),
        (dict(iterations=True), "iterations is not a whole number"),
        (dict(align_us=[]), "align_us is not a list of finite numbers"),
        (dict(align_us=[1.0, float("nan")]), "align_us is not a list of finite numbers"),
        (dict(stop=3), "stop is not text"),
        (dict(timing="best"), "timing is 'best', not one of settled, wall_cap, single"),
        (dict(implementation="gicp"), "implementation 'gicp' is not in implementations.json"),
        (dict(dataset="moon"), "dataset 'moon' is not in datasets.json"),
        (dict(trace={"score": [1.0]}), "trace is not an object of equally long lists"),
        (dict(guess_offset={"x_m": 1.0}), "guess_offset is not an object"),
        (dict(error="it crashed"), "error and error_kind must both be null"),
        (dict(error="it crashed", error_kind="bad luck"), "error_kind is 'bad luck'"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_line(folder, change, said):
    change_line(folder, 5, lambda entry: entry.update(change))
    assert f"results.jsonl: line 5: {said}" in refused(folder)


def test_a_broken_line_is_refused_with_its_line(folder):
    lines = (folder / "results.jsonl").read_text().splitlines()
    lines[6] = lines[6][:100]
    (folder / "results.jsonl").write_text("\n".join(lines) + "\n")
    assert "results.jsonl: line 7: not JSON" in refused(folder)


def test_a_batch_is_another_measurement_than_an_alignment_from_its_guess(folder):
    lines = (folder / "results.jsonl").read_text().splitlines()
    batch = json.dumps(json.loads(lines[3]) | {"poses": 20})
    (folder / "results.jsonl").write_text("\n".join([*lines, batch]) + "\n")
    assert sorted(load_run(folder).measurements.poses)[-2:] == [1, 20]
    (folder / "results.jsonl").write_text("\n".join([*lines, batch, batch]) + "\n")
    assert "the measurement of line 25 again" in refused(folder)


def test_a_measurement_there_twice_is_refused(folder):
    text = (folder / "results.jsonl").read_text()
    (folder / "results.jsonl").write_text(text + text.splitlines()[0] + "\n")
    assert "line 25: the measurement of line 1 again" in refused(folder)


def test_empty_results_are_refused(folder):
    (folder / "results.jsonl").write_text("")
    assert "results.jsonl: empty: no measurement in it" in refused(folder)


def test_a_run_that_was_stopped_is_loaded_and_says_so(folder):
    text = (folder / "results.jsonl").read_text()
    (folder / "results.jsonl").write_text(text[:-200])
    run = load_run(folder)
    assert len(run.measurements) == 23 and not run.finished
    assert run.notes == [
        "This run was stopped while it wrote line 24 of results.jsonl, which is left out.",
        "This run did not finish: 23 of 24 planned measurements are there.",
    ]


def test_what_two_jobs_share_is_planned_once(folder):
    plan = json.loads((folder / "plan.json").read_text())
    shared = {"job": 1000, "row_count": 7, "shared_rows": 7}
    (folder / "plan.json").write_text(json.dumps(plan | {"jobs": [*plan["jobs"], shared]}))
    assert load_run(folder).finished
    shared["shared_rows"] = 5
    (folder / "plan.json").write_text(json.dumps(plan | {"jobs": [*plan["jobs"], shared]}))
    assert load_run(folder).notes == ["This run did not finish: 24 of 26 planned measurements are there."]


@pytest.mark.parametrize(
    "name, content, said",
    [
        ("plan.json", "[]", "plan.json: not a JSON object"),
        ("plan.json", "{}", "plan.json: key 'preset' is missing"),
        ("plan.json", '{"preset": "x", "jobs": 3}', "plan.json: jobs is not a list"),
        (
            "plan.json",
            '{"preset": "x", "jobs": [{"job": 0}]}',
            "plan.json: job 1: row_count is missing or not a whole number",
        ),
        ("datasets.json", "{", "datasets.json: line 1: not JSON"),
        ("datasets.json", "[]", "datasets.json: not a list of objects, or empty"),
        ("implementations.json", "[{}]", "implementations.json: entry 1: key 'name' is missing"),
    ],
)
def test_broken_json_files_are_refused(folder, name, content, said):
    (folder / name).write_text(content)
    assert said in refused(folder)


def test_a_run_without_its_clouds_is_loaded_without_the_picture(tmp_path):
    folder = SyntheticRun().tracking("town", frames=4, block=2).picture("town").write(tmp_path / "run")
    assert load_run(folder).datasets.picture["town"]["map"] == "clouds/map.pcd"
    (folder / "clouds" / "scan.pcd").unlink()
    assert load_run(folder).datasets.picture["town"] is None


def test_a_pcd_file_is_read_and_a_broken_one_refused(tmp_path):
    points = np.array([[1, 2, 3], [4, 5, 6.5]])
    path = tmp_path / "a.pcd"
    write_pcd(path, points)
    assert (read_pcd(path) == points).all()
    content = path.read_bytes()
    path.write_bytes(content[:-24].replace(b"SIZE 4 4 4", b"SIZE 8 8 8") + (points + 1e7).astype("<f8").tobytes())
    assert (read_pcd(path) == points + 1e7).all()
    for broken, said in (
        (content[:-1], "23 bytes of points, POINTS says 24"),
        (content.replace(b"binary", b"ascii"), "DATA: 'ascii', not 'binary'"),
        (b"nothing", "line 1: the header ends here"),
        (content.replace(b"POINTS 2", b"POINTS x"), "POINTS: no number"),
        (content.replace(b"SIZE 4", b"SIZE 2"), "SIZE: .2 4 4., not .4 4 4."),
    ):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=said):
            read_pcd(path)
    with pytest.raises(InputError, match="none.pcd: missing"):
        read_pcd(tmp_path / "none.pcd")
