"""The loader takes a run folder as ndt-bench writes it, of today or earlier; test_bad_folders.py has what it refuses."""

import needs  # noqa: F401  first: it skips

import json
import re
from pathlib import Path

import numpy as np
import pytest
from folder_edits import change_line, edit_json, refused, with_columns
from ndt_report.judge.equivalence import equivalence_table
from ndt_report.judge.reference import add_reference_errors
from ndt_report.read.clouds import read_pcd
from ndt_report.read.columns import LATER, MAY, NOT_OF_PEERS, REQUIRED, Column
from ndt_report.read.files import packed_files
from ndt_report.read.kinds import BUDGET_KEYS
from ndt_report.read.load import load_run, natural_key
from ndt_report.read.refusal import InputError
from ndt_report.read.rows import CALLS
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
    assert list(run.measurements.columns) == [c.name for c in REQUIRED if c.name not in CALLS]


def test_measurements_are_in_report_order_whatever_order_they_were_run_in(folder):
    before = load_run(folder).measurements
    lines = (folder / "results.jsonl").read_text().splitlines()
    (folder / "results.jsonl").write_text("\n".join(reversed(lines)) + "\n")
    after = load_run(folder).measurements
    assert list(after.implementation) == list(before.implementation) and list(after.frame) == list(before.frame)
    assert list(dict.fromkeys(after.implementation))[0] == "cpu_pclomp_ref"


def test_scan_10_comes_after_scan_2():
    assert sorted(["scan_10", "scan_2", "a", "scan_2b"], key=natural_key) == ["a", "scan_2", "scan_2b", "scan_10"]


def test_a_run_from_before_a_column_is_loaded_without_it(folder):
    later = [c.name for c in REQUIRED if c.null == LATER]
    for line in range(1, 25):
        change_line(folder, line, lambda entry: [entry.pop(name, None) for name in later])
    with_columns(folder, lambda entries: [entries.remove(entry) for entry in list(entries) if entry["name"] in later])
    measurements = load_run(folder).measurements
    kept = [name for name in later if name not in CALLS]
    assert kept[0] == "poses" and measurements[kept[1:]].isna().all(axis=None) and (measurements.poses == 1).all()
    assert set(measurements.columns) == {c.name for c in REQUIRED} - set(CALLS) and measurements.upload_bytes.notna().any()


@pytest.mark.parametrize("name", sorted(path.name for path in PUBLISHED.glob("20*")))
def test_published_runs_stay_readable(name):
    paths = [PUBLISHED / name / file for file in packed_files(PUBLISHED / name)]
    runs = [load_run(path.parent) for path in paths if path.name == "results.jsonl"]
    assert runs or name.endswith(("-localization", "-laps", "-maps", "-drives", "-frame", "-utilisation", "-gpu-tests"))
    assert all(run.finished and len(run.measurements) >= 12 and run.oracle == "cpu_pclomp_ref" for run in runs)


def test_a_batch_is_another_measurement_than_an_alignment_from_its_guess(folder):
    lines = (folder / "results.jsonl").read_text().splitlines()
    batch = json.dumps(json.loads(lines[3]) | {"poses": 20})
    (folder / "results.jsonl").write_text("\n".join([*lines, batch]) + "\n")
    assert sorted(load_run(folder).measurements.poses)[-2:] == [1, 20]
    (folder / "results.jsonl").write_text("\n".join([*lines, batch, batch]) + "\n")
    assert "the measurement of line 25 again" in refused(folder)


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


@pytest.mark.parametrize("path", ["my_site/", "../sites/a", "site.toml"])
def test_a_job_may_name_its_dataset_by_a_path(folder, path):
    """As `run --dataset my_site/` plans it: the rows have the name that stands in its dataset.toml."""
    edit_json(folder / "plan.json", lambda plan: [job.update(dataset=path) for job in plan["jobs"]])
    assert len(load_run(folder).measurements) == 24


def test_a_run_with_its_own_columns_may_have_more_than_the_report_knows(folder):
    with_columns(folder, more=[Column("energy_j", "J", "number", MAY, "of an alignment")])
    assert "line 1: key 'energy_j' is missing" in refused(folder)
    for line in range(1, 25):
        change_line(folder, line, lambda entry: entry.update(energy_j=0.5 if line < 24 else None))
    measurements = load_run(folder).measurements
    assert measurements.energy_j.max() == 0.5 and measurements.energy_j.isna().sum() == 1
    assert len(measurements.columns) == len(REQUIRED) - len(CALLS) + 1
    change_line(folder, 2, lambda entry: entry.update(energy_j="much"))
    assert "line 2: energy_j is not a finite number" in refused(folder)


def test_a_peer_without_counts_and_scores_is_reported_with_dashes(folder, ndt_report):
    with_columns(folder, lambda entries: [entry.update(null=MAY) for entry in entries if entry["name"] in NOT_OF_PEERS])
    lacks = NOT_OF_PEERS + ("score", "transform_probability", "nvtl", "newton_fallbacks", "trace")
    for line, text in enumerate((folder / "results.jsonl").read_text().splitlines(), 1):
        if json.loads(text)["implementation"] == "pcl_ndt":
            change_line(folder, line, lambda entry: entry.update(dict.fromkeys(lacks)))
    run = load_run(folder)
    peer = run.measurements.query("implementation == 'pcl_ndt'")
    assert len(peer) and peer.iterations.isna().all() and peer.nvtl.isna().all()
    table = equivalence_table(add_reference_errors(run.measurements, run.oracle)).set_index("implementation")
    shares = table[["same_iterations_share", "same_correspondences_share"]].isna().all(axis=1)
    assert shares["pcl_ndt"] and shares.sum() == 1
    code, _, said = ndt_report("report", folder)
    assert code == 0, said
    page = (folder / "report.html").read_text()
    assert "pcl_ndt" in page and not re.search(r">\s*(nan|None|NaN)\s*%?\s*<", page)


def test_the_oracle_is_the_implementation_that_says_so_else_the_first(folder):
    path = folder / "implementations.json"
    edit_json(path, lambda entries: [entry.pop("oracle") for entry in entries])
    names = [entry["name"] for entry in json.loads(path.read_text())]
    assert load_run(folder).oracle == names[0]
    edit_json(path, lambda entries: entries[1].update(oracle=True))
    assert load_run(folder).oracle == names[1]


@pytest.mark.parametrize("budget", [None, dict.fromkeys(BUDGET_KEYS), dict.fromkeys(BUDGET_KEYS, 1.5)])
def test_a_budget_is_null_or_has_all_its_keys(folder, budget):
    edit_json(folder / "implementations.json", lambda entries: entries[0].update(budget=budget))
    assert load_run(folder).implementations.budget.iloc[0] == budget


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
