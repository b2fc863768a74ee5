"""The lines that redo a run, and the parts of a run that several processes shared."""

import needs  # noqa: F401  first: it skips

import json
import shlex

import pytest
from ndt_report.page.pack import main as pack
from ndt_report.read.environment import redo
from ndt_report.read.load import load_run
from synthetic_run import SyntheticRun

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def run_in(folder, **environment):
    run = SyntheticRun(cuda=False).tracking("town", frames=6, block=2).write(folder)
    file = run / "environment.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | environment))
    return load_run(run)


def words(text):
    return [shlex.split(line, comments=True) for line in text.splitlines()]


def test_only_a_program_in_a_checkout_is_checked_out_and_built(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for n, program in enumerate(("/opt/ndt-bench", "ndt-bench", "/src/build/release/bin/ndt-bench", "../ndt-bench")):
        lines = redo(run_in(tmp_path / f"r{n}", commit=COMMIT + "-dirty", command_line=f"{program} run"))
        first, *commands = lines.splitlines()
        assert first == f"# built from commit {COMMIT}      # had local changes"
        assert [words(line)[0][0] for line in commands] == [program] * 3 and "git" not in lines


def test_a_commit_that_is_none_is_no_line_for_a_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for n, commit in enumerate(("abc; rm -rf ~", COMMIT + "\nrm -rf ~", "$(rm)" + COMMIT, "abcdef", "", "unknown", "-dirty")):
        for program in ("build/release/bin/ndt-bench", "/opt/ndt-bench"):
            lines = redo(run_in(tmp_path / f"r{n}", commit=commit, command_line=f"{program} run"))
            assert [line[0] for line in words(lines)] == [program] * 3, lines


def test_a_run_is_redone_from_its_plan_into_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = run_in(
        tmp_path / "my run", commit=COMMIT, command_line="build/release/bin/ndt-bench run --out 'my run'"
    )
    assert words(redo(run)) == [
        ["git", "checkout", COMMIT],
        [*"cmake --preset release && cmake --build build/release --target ndt-bench".split()],
        ["build/release/bin/ndt-bench", "run", "--plan", "my run/plan.json", "--out", "my run-again"],
        ["build/release/bin/ndt-bench", "report", "my run-again"],
        ["build/release/bin/ndt-bench", "compare", "my run", "my run-again"],
    ]


def test_the_plan_of_a_published_run_is_unpacked_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_in(tmp_path / "all/part", commit=COMMIT, command_line="ndt-bench run")
    assert pack(["all"]) == 0
    assert words(redo(load_run("all/part")))[1:3] == [
        ["tar", "-xf", "all/rows.tar.xz", "part/plan.json"], ["ndt-bench", "run", "--plan", "part/plan.json", "--out", "all/part-again"]]


@pytest.mark.parametrize("line", ["", "ndt-bench 'unclosed"])
def test_the_program_has_its_name_where_the_command_is_not_known(tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    run = run_in(tmp_path / "r", commit="", command_line=line)
    assert words(redo(run))[0] == ["ndt-bench", "run", "--plan", "r/plan.json", "--out", "r-again"]


def test_a_name_that_looks_like_an_option_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "./-r-again" in redo(run_in(tmp_path / "-r"))


def test_a_part_of_a_run_is_finished_with_its_own_jobs(tmp_path):
    folder = SyntheticRun(cuda=False).tracking("town", frames=6, block=2).write(tmp_path / "run")
    file = folder / "plan.json"
    plan = json.loads(file.read_text())
    there = [job["job"] for job in plan["jobs"]]
    plan["jobs"].append({"job": max(there) + 1, "row_count": 5})
    file.write_text(json.dumps(plan))
    assert any("did not finish" in note for note in load_run(folder).notes)
    file.write_text(json.dumps(plan | {"shard": {"parts": [1], "of": 2, "jobs": there}}))
    assert load_run(folder).notes == ["This is part 1 of 2 of a run: ndt-bench merge joins them."]
