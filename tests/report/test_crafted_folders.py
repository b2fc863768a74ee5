"""Run folders made to break the report: nothing is written outside the folder, and every failure is one sentence."""

import needs  # noqa: F401  first: it skips

import os
import subprocess
import sys
from pathlib import Path

import ndt_report as ndt_report_package
import pytest
from folder_edits import edit_json, rename_everywhere, sentence
from ndt_report.read.files import file_name, leads_out, write_file
from synthetic_run import SyntheticRun

pytestmark = pytest.mark.usefixtures("no_pdf")


@pytest.fixture
def folder(tmp_path):
    return SyntheticRun(cuda=False).tracking("town", frames=4, block=2).picture("town").write(tmp_path / "run")


# --- places outside the folder ---


@pytest.mark.parametrize("name", ["../../escaped", "/tmp/escaped", "..", "x" * 5000])
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
    files = [folder / "summary.csv", *(folder / "figures").glob("*.csv")]
    lines = [line for path in files for line in path.read_text().splitlines()]
    cells = [cell.strip('"') for line in lines for cell in line.split(",")]
    assert "'" + name in cells and name not in cells


def test_a_write_replaces_a_file_whole(tmp_path):
    write_file(tmp_path, "a.txt", "one")
    write_file(tmp_path, "a.txt", "two")
    assert (tmp_path / "a.txt").read_text() == "two" and [p.name for p in tmp_path.iterdir()] == ["a.txt"]
