"""Run folders made to break the report: each ends in one sentence that names the file, and in the documented
exit code; nothing is written outside the folder, nothing is waited for."""

import needs  # noqa: F401  first: it skips

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import ndt_report as ndt_report_package
import pytest
from folder_edits import change_line, edit_json, rename_everywhere
from ndt_report.read.files import file_name, leads_out, write_file
from synthetic_run import SyntheticRun

DEEP = "[" * 100_000 + "]" * 100_000
SKEWED = [1.0, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
MIRRORED = [-1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
LOWER = [1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5, 1]
FILES = ["plan.json", "environment.json", "implementations.json", "datasets.json", "columns.json"]
FILES += ["results.jsonl"]
TOO_DEEP = "lists and objects are nested deeper than 32 levels"


@pytest.fixture
def folder(tmp_path):
    run = SyntheticRun(cuda=False).tracking("town", frames=4, block=2).picture("town")
    (run.write(tmp_path / "run") / "columns.json").write_text(COLUMNS)
    return tmp_path / "run"


def columns_text():
    from ndt_report.read.columns import REQUIRED

    return json.dumps([column._asdict() for column in REQUIRED])


COLUMNS = columns_text()


def sentence(answer) -> str:
    """The one line of a refusal."""
    code, out, err = answer
    assert code == 2 and out == "" and err.startswith("ndt-bench: ")
    assert err.count("\n") == 1 and err.endswith("\n")
    assert err[:-1].isprintable() and "please report it" not in err and "Traceback" not in err
    return err


def refused(ndt_report, folder) -> str:
    said = sentence(ndt_report("report", folder))
    assert sentence(ndt_report("compare", folder, folder)) == said
    return said


def with_raw_value(text, key, raw):
    """A JSON object's text with the raw text as the key's value."""
    value = json.loads(text)
    value[key] = "@@"
    return json.dumps(value).replace('"@@"', raw)


@pytest.mark.parametrize(
    "key, raw, said",
    [
        ("pose", json.dumps(SKEWED), "pose is not a rigid motion"),
        ("pose", json.dumps(MIRRORED), "pose is not a rigid motion"),
        ("truth", json.dumps(LOWER), "truth is not a rigid motion"),
        ("guess", json.dumps([0] * 16), "guess is not a rigid motion"),
        ("pose", json.dumps([1e308] * 16), "pose is not 16 finite numbers"),
        ("points", "9" * 5000, "a number has too many digits"),
        ("points", "9" * 4000, "points is not a whole number"),
        ("score", "9" * 4000, "score is not a finite number"),
        ("score", "1e400", "score is not a finite number"),
        ("score", "NaN", "score is not a finite number"),
        ("score", "-Infinity", "score is not a finite number"),
        ("score", DEEP, "lists and objects are nested deeper than 32 levels"),
        ("iterations", "-1", "iterations is not a whole number"),
        ("align_us", "[0]", "align_us holds a time that is not above 0"),
        ("align_us", "[-5.5]", "align_us holds a time that is not above 0"),
        ("job", "77", "there is no job 77 in plan.json"),
        ("job", "-1", "job is not a whole number"),
        ("stop", json.dumps("x" * 70_000), "stop is not text of at most 65536 characters"),
        ("frame", "{}", "frame is not text"),
        ("dataset", "[]", "dataset is not text"),
        ("implementation", '"\\u001b[2J"', r"implementation '\x1b[2J' is not in implementations.json"),
        ("timing", '"\\ud800"', r"timing is '\ud800', not one of"),
    ],
    ids=itertools.count(),
)
def test_a_crafted_value_of_a_row_is_one_sentence(folder, ndt_report, key, raw, said):
    lines = (folder / "results.jsonl").read_text().split("\n")
    lines[2] = with_raw_value(lines[2], key, raw)
    (folder / "results.jsonl").write_text("\n".join(lines))
    assert f"results.jsonl: line 3: {said}" in refused(ndt_report, folder)


@pytest.mark.parametrize(
    "name, key, raw, said",
    [
        ("environment.json", "cuda", "[]", "cuda is not an object"),
        ("environment.json", "cuda", '{"devices": [3]}', "cuda is not an object"),
        ("environment.json", "cuda", '{"devices": [{"name": null}]}', "cuda is not an object"),
        ("environment.json", "commit", "7", "commit is not text"),
        ("environment.json", "command_line", "[]", "command_line is not text"),
        ("environment.json", "cores", '"two"', "cores is not a whole number"),
        ("environment.json", "run_id", "null", "run_id is null"),
        ("environment.json", "variables", DEEP, "lists and objects are nested deeper than 32 levels"),
        ("environment.json", "variables", "[" * 40 + "]" * 40, TOO_DEEP),
        ("environment.json", "cores", "9" * 5000, "a number has too many digits"),
        ("plan.json", "left_out", '["a"]', "left_out is not a list of objects with the texts what and why"),
        ("plan.json", "left_out", '{"what": "a"}', "left_out is not a list of objects"),
        ("plan.json", "left_out", '[{"what": "a", "why": 3}]', "left_out is not a list of objects"),
        ("plan.json", "preset", "{}", "preset is not text"),
        ("plan.json", "jobs", "{}", "jobs is not a list"),
        ("plan.json", "jobs", "[[]]", "job 1: job is missing"),
        ("plan.json", "jobs", '[{"job": 1, "row_count": 1e3}]', "job 1: row_count is missing"),
        ("plan.json", "jobs", '[{"job": 1, "row_count": 1, "shared_rows": -1}]', "job 1: shared_rows is missing or not a whole"),
        ("plan.json", "run_id", '"another"', "run_id is 'another', that of environment.json is '20261121T13"),
    ],
    ids=itertools.count(),
)
def test_a_crafted_value_of_plan_or_environment_is_one_sentence(folder, ndt_report, name, key, raw, said):
    path = folder / name
    path.write_text(with_raw_value(path.read_text(), key, raw))
    assert f"{name}: {said}" in refused(ndt_report, folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("what", ["FIFO", "device", "folder", "not UTF-8", "empty", "a broken link"])
def test_what_is_no_file_of_a_run_answers_at_once(folder, ndt_report, name, what):
    path = folder / name
    path.unlink()
    {
        "FIFO": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "folder": path.mkdir,
        "not UTF-8": lambda: path.write_bytes(b'{"a": "\xff"}\n'),
        "empty": lambda: path.write_text(""),
        "a broken link": lambda: path.symlink_to("nowhere"),
    }[what]()
    said = refused(ndt_report, folder)
    assert str(path) in said
    words = {"FIFO": "not a regular file", "device": "not a regular file", "folder": "a folder, not a file"}
    assert words.get(what, {"not UTF-8": "not UTF-8", "a broken link": "missing"}.get(what, "")) in said


@pytest.mark.parametrize("what", ["FIFO", "device", "folder"])
def test_a_picture_that_is_no_file_answers_at_once(folder, ndt_report, what):
    path = folder / "clouds" / "map.pcd"
    path.unlink()
    {
        "FIFO": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "folder": path.mkdir,
    }[what]()
    words = {"FIFO": "map.pcd: not a regular file", "folder": "map.pcd: a folder, not a file"}
    assert words.get(what, "map is outside the run's folder") in sentence(ndt_report("report", folder))


def test_a_file_that_is_too_large_is_not_read(folder, ndt_report, monkeypatch):
    monkeypatch.setattr("ndt_report.read.json_files.MOST_JSON_BYTES", 50)
    assert "json: " in (said := refused(ndt_report, folder)) and "at most 50 are read" in said


def test_a_line_that_is_too_long_is_not_read(folder, ndt_report, monkeypatch):
    monkeypatch.setattr("ndt_report.read.rows.MOST_LINE_BYTES", 50)
    assert "results.jsonl: line 1: longer than 50 bytes" in refused(ndt_report, folder)


# --- places outside the folder ---


@pytest.mark.parametrize(
    "name", ["/etc/hostname", "../secret.pcd", "clouds/../../secret.pcd", "clouds/link.pcd"]
)
def test_a_picture_outside_the_folder_is_refused(folder, ndt_report, name):
    (folder / "clouds" / "map.pcd").rename(folder.parent / "secret.pcd")
    (folder / "clouds" / "link.pcd").symlink_to(folder.parent / "secret.pcd")
    rename_everywhere(folder, "clouds/map.pcd", name)
    said = refused(ndt_report, folder)
    assert "datasets.json: dataset 'town', picture: map is outside the run's folder" in said


@pytest.mark.parametrize("name", ["../../escaped", "/tmp/escaped", "a/../../../escaped", "..", ".", "x" * 5000])
def test_no_name_in_a_row_becomes_a_place_outside(tmp_path, ndt_report, name):
    run = SyntheticRun(cuda=False).tracking("town", frames=5, block=5).basin("town_basin", side=3)
    folder = run.write(tmp_path / "deep" / "er" / "run")
    for word in ("persistent_cpu", "town"):
        rename_everywhere(folder, word, name)
    before = {path for path in tmp_path.rglob("*")}
    assert ndt_report("report", folder)[0] == 0
    new = set(tmp_path.rglob("*")) - before
    assert all(path.parent in (folder, folder / "figures", folder / "trajectories") for path in new)
    assert len(list((folder / "trajectories").iterdir())) == 3
    assert not os.path.lexists("/tmp/escaped__town.tum")


@pytest.mark.parametrize("name", ["report.html", "summary.csv", "figures/pareto.csv"])
def test_a_link_is_replaced_and_not_followed(folder, ndt_report, name):
    outside = folder.parent / "outside"
    outside.write_text("mine")
    (folder / "figures").mkdir()
    for path in (folder / name, folder / (name + ".part")):
        path.symlink_to(outside)
    assert ndt_report("report", folder)[0] == 0
    assert outside.read_text() == "mine"
    assert not (folder / name).is_symlink() and (folder / name).stat().st_size
    assert not os.path.lexists(folder / (name + ".part"))


@pytest.mark.parametrize("name", ["figures", "trajectories"])
def test_a_folder_that_is_a_link_is_refused(folder, ndt_report, name):
    (folder.parent / "outside").mkdir()
    (folder / name).symlink_to(folder.parent / "outside")
    said = sentence(ndt_report("report", folder))
    assert f"{folder / name}: a link or a file, where the report needs a folder" in said
    assert list((folder.parent / "outside").iterdir()) == []


def test_different_names_have_different_files():
    names = ["a/b", "a_b", "a b", "..", ".", "", "a" * 300, "a" * 301, "-x", "é"]
    files = [file_name(name, ".csv") for name in names]
    assert len(set(files)) == len(names) and file_name("scan_in_map_town", ".csv") == "scan_in_map_town.csv"
    assert all(len(name) < 130 and name.isascii() and "/" not in name for name in files)
    assert all(name[0] not in ".-" for name in files)


def test_what_leads_out_of_a_folder(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "out").symlink_to("..")
    (tmp_path / "run" / "loop").symlink_to("loop")
    assert not leads_out(tmp_path / "run", "clouds/map.pcd") and not leads_out(tmp_path / "run", "a/../b")
    for name in ("..", "../running", "/", "out/x", "a/../../x"):
        assert leads_out(tmp_path / "run", name), name


# --- what cannot be written, terminals, spreadsheets ---


def test_a_full_disk_names_the_file_and_keeps_the_old_one(folder, ndt_report, monkeypatch):
    (folder / "summary.csv").write_text("old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ndt_report.read.files.os.replace", full)
    said = sentence(ndt_report("report", folder))
    assert f"{folder / 'figures' / 'pareto.csv'}: No space left on device; check that it can be written" in said
    assert (folder / "summary.csv").read_text() == "old" and list((folder / "figures").iterdir()) == []


def command(folder, stdout, **environment):
    package = Path(ndt_report_package.__file__).parents[1]
    words = [sys.executable, "-m", "ndt_report", "report", folder]
    environment = os.environ | {"PYTHONPATH": str(package)} | environment
    return subprocess.run(words, stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment, check=False)


def test_a_full_standard_output_is_a_sentence(folder):
    with open("/dev/full", "w") as full:
        done = command(folder, full)
    assert done.returncode == 2 and (folder / "report.html").is_file()
    assert done.stderr == (
        "ndt-bench: standard output: No space left on device; check that it can be written\n"
    )


def test_a_terminal_that_knows_ascii_only_shows_escapes(folder):
    rename_everywhere(folder, "persistent_cpu", "点群")
    done = command(folder, subprocess.PIPE, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, "") and r"\u70b9\u7fa4" in done.stdout


def test_a_folder_in_a_files_place_is_named(folder, ndt_report):
    (folder / "report.html").mkdir()
    assert f"{folder / 'report.html'}: Is a directory" in sentence(ndt_report("report", folder))


def test_too_little_memory_is_a_sentence(folder, ndt_report, monkeypatch):
    def out_of_memory(*_):
        raise MemoryError

    monkeypatch.setattr("ndt_report.read.load.read_rows", out_of_memory)
    assert f"{folder}: there is too little memory for so large a run" in sentence(ndt_report("report", folder))


def test_an_error_that_nobody_foresaw_is_a_sentence_too(folder, ndt_report, monkeypatch):
    monkeypatch.setattr("ndt_report.read.load.read_rows", lambda *_: 1 / 0)
    code, out, err = ndt_report("report", folder)
    assert code == 2 and out == "" and err.count("\n") == 1
    assert f"{folder}: these measurements need what the report cannot do (ZeroDivisionError at load.py:" in err


def test_nothing_reaches_a_terminal_that_it_would_obey(folder, ndt_report):
    odd = "\x1b]0;owned\x07\nIT IS FINE\u202e"
    edit_json(folder / "plan.json", lambda plan: plan["left_out"].append({"what": odd, "why": odd}))
    rename_everywhere(folder, "persistent_cpu", odd)
    for command in (["report", folder], ["compare", folder, folder], ["compare", folder, folder, "--json"]):
        code, out, err = ndt_report(*command)
        assert code == 0 and err == "" and r"\x1b]0;owned\x07\nIT IS FINE\u202e" in out.replace("\\\\", "\\")
        assert all(line.isprintable() for line in out.split("\n"))
    for answer in (ndt_report("report", folder / odd), ndt_report("compare", folder / odd, folder)):
        assert r"\x1b]0;owned\x07\nIT IS FINE\u202e: no results.jsonl in it" in sentence(answer)
    moved = folder.rename(folder.parent / "a\x1b[31m")
    assert ndt_report("report", moved)[1].splitlines()[-1].endswith(r"a\x1b[31m/report.html")


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1+1", "-1", "@SUM(A1)"])
def test_no_text_of_a_csv_file_is_a_formula(folder, ndt_report, name):
    for word in ("persistent_cpu", "town", "scans/000003.bin", "noise0"):
        rename_everywhere(folder, word, name)
    assert ndt_report("report", folder)[0] == 0
    files = [folder / "summary.csv", *(folder / "figures").iterdir()]
    lines = [line for path in files for line in path.read_text().splitlines()]
    cells = [cell.strip('"') for line in lines for cell in line.split(",")]
    assert "'" + name in cells and name not in cells


def test_a_write_replaces_a_file_whole(tmp_path):
    write_file(tmp_path, "a.txt", "one")
    write_file(tmp_path, "a.txt", "two")
    assert (tmp_path / "a.txt").read_text() == "two" and [p.name for p in tmp_path.iterdir()] == ["a.txt"]


# --- rows of two runs ---


def another_run(tmp_path):
    run = SyntheticRun(cuda=False, seed=2)
    run.names = ["pcl_ndt"]
    folder = run.tracking("town", frames=4, block=2).write(tmp_path / "other")
    for path in [*folder.glob("*.json"), folder / "results.jsonl"]:
        path.write_text(path.read_text().replace("20261121T134819Z", "20261122T000000Z"))
    return folder


def test_rows_of_two_runs_in_one_file_give_no_verdict(folder, tmp_path, ndt_report):
    other = (another_run(tmp_path) / "results.jsonl").read_text().replace('"noise0"', '"noise1"')
    with open(folder / "results.jsonl", "a") as file:
        file.write(other)
    said = refused(ndt_report, folder)
    assert "results.jsonl: line 21: run_id is '20261122T000000Z', that of environment.json is" in said
    assert "two runs were written into one folder: give each its own --out" in said


@pytest.mark.parametrize(
    "key, value", [("dataset", "moon"), ("implementation", "gicp"), ("variant", "x"), ("threads", 9)]
)
def test_a_row_that_is_not_of_its_job_gives_no_verdict(folder, ndt_report, key, value):
    row = json.loads((folder / "results.jsonl").read_text().split("\n")[2])

    def plan_it(plan):
        job = next(job for job in plan["jobs"] if job["job"] == row["job"])
        job.update({name: row[name] for name in ("dataset", "implementation", "variant", "threads")} | {key: value})

    edit_json(folder / "plan.json", plan_it)
    said = refused(ndt_report, folder)
    assert "results.jsonl: line 3: " in said or "results.jsonl: line 4: " in said or "line 1: " in said
    assert f"another {key} than job {row['job']} in plan.json; two runs were written into one folder" in said


@pytest.mark.parametrize("path", ["my_site/", "../sites/a", "site.toml"])
def test_a_job_may_name_its_dataset_by_a_path(folder, ndt_report, path):
    """As `run --dataset my_site/` plans it: the rows have the name that stands in its dataset.toml."""
    edit_json(folder / "plan.json", lambda plan: [job.update(dataset=path) for job in plan["jobs"]])
    code, _, said = ndt_report("report", folder)
    assert code == 0, said


def test_a_repeated_measurement_is_named_with_both_lines(folder, ndt_report):
    change_line(folder, 4, lambda entry: entry.update(frame="scans/000000.bin"))
    assert "results.jsonl: line 4: the measurement of line" in refused(ndt_report, folder)
