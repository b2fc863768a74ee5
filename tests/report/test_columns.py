"""A run folder says which columns its measurements have, which implementation is the oracle, and what each
may do."""

import needs  # noqa: F401  first: it skips

import json
import re
from pathlib import Path

import pytest
from folder_edits import change_line, refused
from ndt_report.read.columns import REQUIRED, NOT_OF_PEERS
from ndt_report.judge.equivalence import equivalence_table
from ndt_report.read.kinds import BUDGET_KEYS
from ndt_report.read.load import load_run
from ndt_report.judge.reference import add_reference_errors
from synthetic_run import SyntheticRun


@pytest.fixture
def folder(tmp_path):
    return SyntheticRun().tracking("town", frames=4, block=2).write(tmp_path / "run")


def with_columns(folder, change):
    """Gives the run a columns.json: today's columns after change(list of objects)."""
    entries = [c._asdict() for c in REQUIRED]
    change(entries)
    (folder / "columns.json").write_text(json.dumps(entries, indent=1))


def of(entries, name):
    return next(entry for entry in entries if entry["name"] == name)


def test_a_run_with_its_own_columns_may_have_more_than_the_report_knows(folder):
    new = {
        "name": "energy_j",
        "unit": "J",
        "kind": "number",
        "null": "may be null",
        "meaning": "of an alignment",
    }
    with_columns(folder, lambda entries: entries.insert(5, new))
    assert "line 1: key 'energy_j' is missing" in refused(folder)
    for line in range(1, 25):
        change_line(folder, line, lambda entry: entry.update(energy_j=0.5 if line < 24 else None))
    measurements = load_run(folder).measurements
    assert (
        measurements.energy_j.max() == 0.5
        and measurements.energy_j.isna().sum() == 1
        and len(measurements.columns) == len(REQUIRED) + 1
    )
    change_line(folder, 2, lambda entry: entry.update(energy_j="much"))
    assert "line 2: energy_j is not a finite number" in refused(folder)


def without_ndt_counts(folder, peer):
    """The folder as if `peer` were from outside: without scores and the counts of NDT."""

    def change(entries):
        for entry in entries:
            if entry["name"] in NOT_OF_PEERS:
                entry["null"] = "may be null"

    with_columns(folder, change)
    lacks = NOT_OF_PEERS + ("score", "transform_probability", "nvtl", "newton_fallbacks", "trace")
    for line, text in enumerate((folder / "results.jsonl").read_text().splitlines(), 1):
        if json.loads(text)["implementation"] == peer:
            change_line(folder, line, lambda entry: entry.update(dict.fromkeys(lacks)))


def test_a_peer_without_counts_and_scores_is_reported_with_dashes(folder, ndt_report):
    without_ndt_counts(folder, "pcl_ndt")
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


def test_nested_columns_are_checked_with_a_runs_own_columns_too(folder):
    with_columns(folder, lambda entries: None)
    assert len(load_run(folder).measurements) == 24
    change_line(folder, 4, lambda entry: entry.update(search={"name": "x"}))
    assert "line 4: search: key 'strategy' is missing" in refused(folder)


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda e: e.clear(), "columns.json: column 'run_id' is missing"),
        (lambda e: e.remove(of(e, "job")), "columns.json: column 'job' is missing"),
        (lambda e: e.append(e[0]), "columns.json: entry 47: duplicate column 'run_id'"),
        (
            lambda e: e[0].pop("unit"),
            "columns.json: entry 1: not an object of name, unit, kind, null, meaning",
        ),
        (lambda e: e[2].update(colour="red"), "columns.json: entry 3: not an object of name"),
        (lambda e: e[0].update(meaning=None), "columns.json: entry 1: meaning is not text"),
        (lambda e: e[0].update(kind="float"), "columns.json: entry 1: kind is 'float', not one of text, int"),
        (lambda e: e[0].update(null="seldom"), "columns.json: entry 1: null is 'seldom', not one of never; "),
        (lambda e: e[0].update(kind="int"), "columns.json: column 'run_id': kind is 'int', expected 'text'"),
        (lambda e: of(e, "align_us").update(unit="ms"), "columns.json: column 'align_us': unit is 'ms', expected 'us'"),
        (
            lambda e: e[0].update(null="may be null"),
            "columns.json: column 'run_id': null is 'may be null', expected 'never'",
        ),
    ],
)
def test_columns_that_the_report_cannot_read_are_refused(folder, change, said):
    with_columns(folder, change)
    assert said in refused(folder)


def test_the_required_columns_are_those_of_a_written_line():
    names = [c.name for c in REQUIRED]
    line = (Path(__file__).parent / "line_before_columns.json").read_text()  # of a run of commit 5af50bb
    assert sorted(names) == sorted(json.loads(line))


def test_the_oracle_is_the_implementation_that_says_so_else_the_first(folder):
    path = folder / "implementations.json"
    entries = json.loads(path.read_text())
    for entry in entries:
        entry.pop("oracle", None)
    path.write_text(json.dumps(entries))
    assert load_run(folder).oracle == entries[0]["name"]
    entries[1]["oracle"] = True
    path.write_text(json.dumps(entries))
    assert load_run(folder).oracle == entries[1]["name"]


@pytest.mark.parametrize(
    "budget, said",
    [
        (None, ""),
        (dict.fromkeys(BUDGET_KEYS), ""),
        (dict.fromkeys(BUDGET_KEYS, 1.5), ""),
        ({}, "entry 1: budget is not an object of numbers or null launches, waits, "),
        (dict.fromkeys(BUDGET_KEYS) | {"joules": 1}, "entry 1: budget is not"),
        (dict.fromkeys(BUDGET_KEYS) | {"waits": -1}, "entry 1: budget is not"),
        (dict.fromkeys(BUDGET_KEYS) | {"waits": "few"}, "entry 1: budget is not"),
    ],
)
def test_a_budget_is_an_object_with_all_its_keys(folder, budget, said):
    path = folder / "implementations.json"
    entries = json.loads(path.read_text())
    entries[0]["budget"] = budget
    path.write_text(json.dumps(entries))
    assert load_run(folder).implementations.budget.iloc[0] == budget if not said else said in refused(folder)
