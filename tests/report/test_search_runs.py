"""Searches for the initial pose in a run folder: what the loader accepts, the page, and the comparison of two
runs."""

import needs  # noqa: F401  first: it skips

import json
import re

import pandas as pd
import pytest
from ndt_report.compare import comparison
from ndt_report.read.load import load_run
from ndt_report.read.refusal import InputError
from ndt_report.judge.searches import search_measurements
from ndt_report.sections.report import make_report
from page_parser import Page
from synthetic_run import SyntheticRun
from synthetic_searches import add_map_picture, add_searches
from toy import best, judged, search

# --- loader ---


@pytest.fixture
def folder(tmp_path):
    return add_searches(SyntheticRun(), seeds=2, particles=20, startup=10).write(tmp_path / "run")


def change(folder, **changes):
    lines = (folder / "results.jsonl").read_text().splitlines()
    entry = json.loads(lines[2])
    entry["search"] |= changes
    for name in [k for k, v in changes.items() if v == "gone"]:
        del entry["search"][name]
    (folder / "results.jsonl").write_text("\n".join(lines[:2] + [json.dumps(entry)] + lines[3:]) + "\n")


IMPROVED = best(1, 5.0, 0.1)


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"strategy": "all"}, "strategy is 'all', not one of sequential, batched, batched_persistent"),
        ({"method": "guess"}, "method is 'guess', not one of tpe, random, grid, anywhere"),
        ({"prior": "box"}, "prior is 'box', not one of pose, map"),
        ({"coverage": "all"}, "coverage is not a finite number"),
        ({"particles": 20.5}, "particles is not a whole number"),
        ({"sigma": [1, 2, 3]}, "sigma is not 5 finite numbers"),
        ({"reliable": 1}, "reliable is not true or false"),
        ({"best_particle": None}, "best_particle is null"),
        ({"improvements": None}, "improvements is null"),
        (
            {"improvements": [IMPROVED, best(1, 6.0, 0.1)]},
            "improvements is not a list, in order of particle and us",
        ),
        (
            {"improvements": [best(0, 6.0, 0.1), IMPROVED]},
            "improvements is not a list, in order of particle and us",
        ),
        ({"improvements": [{"particle": 1}]}, "improvements is not a list"),
        ({"improvements": [IMPROVED | {"particle": 1.5}]}, "improvements is not a list"),
        ({"paths": [[1.0] * 6]}, "paths is not a list, not empty, of lists x0_m"),
        ({"runner_up_pose": [1.0]}, "runner_up_pose is not 16 finite numbers"),
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"seed": "gone"}, "key 'seed' is missing"),
    ],
)
def test_a_malformed_search_is_refused_with_its_line(folder, changes, said):
    change(folder, **changes)
    with pytest.raises(InputError, match="results.jsonl: line 3: search: " + said.replace("[", r"\[")):
        load_run(folder)


def test_what_may_be_missing_or_null_is_taken(folder):
    change(
        folder,
        runner_up_ratio=None,
        runner_up_pose=None,
        paths=None,
        improvements=[IMPROVED | {"translation_error_m": None, "us": 7}],
    )
    assert len(search_measurements(load_run(folder).measurements)) == 28
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    lines[0]["search"] = 3
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError, match="line 1: search is not an object"):
        load_run(folder)


def test_searches_of_one_guess_are_told_apart_by_name(folder):
    lines = (folder / "results.jsonl").read_text().splitlines()
    entry = json.loads(lines[0])
    other = json.dumps(entry | {"search": entry["search"] | {"name": "another"}})
    (folder / "results.jsonl").write_text("\n".join([*lines, other]) + "\n")
    assert len(load_run(folder).measurements) == 29
    (folder / "results.jsonl").write_text("\n".join([*lines, other, other]) + "\n")
    with pytest.raises(InputError, match="the measurement of line 29 again"):
        load_run(folder)


# --- page and comparison ---


def test_searches_are_in_no_table_of_alignments(tmp_path):
    run = SyntheticRun().tracking("town", frames=4, block=2).batches()
    plain = make_report(load_run(run.write(tmp_path / "plain")))
    with_searches = make_report(
        load_run(add_searches(run, "town", seeds=2, particles=20, startup=10).write(tmp_path / "both"))
    )
    assert (
        len(with_searches.measurements) == len(plain.measurements)
        and with_searches.measurements.search.isna().all()
    )
    pd.testing.assert_frame_equal(with_searches.table, plain.table)
    pd.testing.assert_frame_equal(with_searches.tables["batches"], plain.tables["batches"])
    assert with_searches.tables["searches"].n.sum() == len(with_searches.searches) == 28
    assert plain.tables["searches"].empty and plain.parts["searches"].drawings == []


def test_a_run_of_searches_alone_has_a_page(tmp_path, ndt_report):
    run = add_map_picture(add_searches(SyntheticRun(), seeds=3, particles=40, startup=20))
    folder = add_searches(run, "arcade", seeds=3, particles=40, startup=20, hard=True).write(tmp_path / "run")
    code, out, err = ndt_report("report", folder)
    lines = out.splitlines()
    assert (code, err) == (0, "") and lines[-1] == str(folder / "report.html") and len(lines) <= 24
    assert lines[0] == "No single alignment in this run: see its searches and batches." and lines[
        1
    ].startswith("Initial pose on plaza: ")
    page = Page((folder / "report.html").read_text()).text
    assert "0 alignments measured, 84 searches" in page and "No single alignment in this run" in page
    assert "Several proposals a round" in page and "falsereliable" in page
    assert {p.name for p in (folder / "figures").glob("*.csv")} == {
        "search_time.csv",
        "search_particles.csv",
        "search_paths_plaza.csv",
        "search_paths_arcade.csv",
    }
    assert len((folder / "searches.csv").read_text().splitlines()) == 29
    assert not re.search(r"\b(nan|None)\b", page)


def test_a_page_without_searches_says_so(tmp_path, ndt_report):
    folder = SyntheticRun(cuda=False).tracking("town", frames=2, block=1).write(tmp_path / "run")
    assert ndt_report("report", folder)[0] == 0
    page = Page((folder / "report.html").read_text()).text
    assert "Initial pose: ndt-bench run --preset initial_pose gives it." in page and not re.search(
        r"\d searches\.", page
    )


def test_two_runs_are_compared_search_by_search(tmp_path):
    def run(name, seed):
        made = SyntheticRun(seed=seed).tracking("town", frames=4, block=2)
        return load_run(add_searches(made, "town", seeds=6, particles=60, startup=30).write(tmp_path / name))

    found = comparison(run("a", 1), run("b", 2)).rows
    assert {v for v in found.variant} == {"autoware"} | {
        f"autoware, search {n}" for n in ("sequential", "batched", "batched_persistent q16", "random", "grid")
    }
    assert set(found.verdict) <= {"SAME", "UNCLEAR"}


def test_a_compared_search_fails_by_the_limits_of_searches():
    """Farther than its dataset allows an alignment, but near enough for a search."""
    assert judged([search(errors=(0.4, 2.0))], success_translation_m=0.2).success[0] == 1
    assert judged([search(errors=(0.6, 2.0))], success_translation_m=5.0).success[0] == 0
