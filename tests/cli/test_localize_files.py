"""localize: the scans and options it takes or refuses, and the files it leaves, replaces or does not touch."""

import argparse
import fcntl
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_USAGE, refusal
from localizations import Folder, check_diagnostics, folder_of, localize, start_in


def test_a_killed_run_leaves_files_that_can_be_read(town, tmp_path):
    words = [BENCH, "localize", "--scans", town, "--out", tmp_path, "--implementation", "cpu_pclomp_ref", "--init", "search",
             "--guess", "500,500,0,0,0,0", "--recovery-particles", "1000"]
    with subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        lines = tmp_path / "diagnostics.jsonl"
        until = time.monotonic() + 150
        while time.monotonic() < until and not (lines.exists() and "\n" in lines.read_text()):
            time.sleep(0.005)
        assert process.poll() is None, "it ended before it was killed"
        process.send_signal(signal.SIGKILL)
    got = Folder(tmp_path)
    assert got.diagnostics
    for record in got.diagnostics:
        check_diagnostics(record)
    assert 0 <= len(got.tum) - len(got.diagnostics) <= 1


@pytest.mark.parametrize("args, message", [
    (["--guess", "0,0,0,0,0,0"], "--guess requires --init search"),
    (["--init", "0,0,0"], "--init"),
    (["--init", "search", "--sigma", "1,2"], "--sigma: 2 numbers; give 5"),
    (["--init", "search", "--recovery-particles", "0"], "recovery-particles = 0: a search needs one or more"),
    (["--rate", "0"], "--rate = 0"),
    (["--real-time", "--speed", "0"], "--speed = 0: must be above 0"),
    (["--speed", "2"], "--speed requires --real-time"),
    (["--rate", "2"], "--rate is unused: the scans of town_small have times; remove it"),
    (["--rate", "2", "--stamps", "t.txt"], "--rate and --stamps exclude each other: both set the times of the scans; remove one"),
    (["--sigma", "1,1,1,1,1"], "--sigma requires --init search"),
    (["--odometry", "o.tum", "--prediction", "constant_velocity"], "--odometry requires --prediction odometry, not constant_velocity; remove one of the two"),
    (["--reg-x", "1", "--reg-y", "2"], "--reg-x and --reg-y are invalid for localize: they hold one place for all scans"),
    (["--jump", "0"], "option jump = 0: must be in (0, 1000000]"),
    (["--prediction", "psychic"], "unknown --prediction 'psychic'"),
    (["--spread-bound", "0.1"], "--spread-offset, --spread-bound and --spread-reject require --spread-neighbours N above 0"),
    (["--spread-neighbours", "4", "--spread-reject", "0.1"], "option spread-reject = 0.1: must not be below spread-bound, 0.2"),
    (["--no-ground-height", "nan"], "option no-ground-height"),
    (["--covariance", "both"], "unknown --covariance 'both'"),
])
def test_wrong_options_are_named(town, tmp_path, args, message):
    assert message in refusal("localize", "--scans", town, "--out", tmp_path / "out", *args, code=EXIT_USAGE)


def test_odometry_is_asked_for_where_there_is_none(town, tmp_path):
    message = refusal("localize", "--scans", town / "scans", "--map", town / "map.pcd", "--init", "0,0,0,0,0,0", "--out", tmp_path,
                      "--prediction", "odometry", code=EXIT_USAGE)
    assert "give --odometry" in message


def test_unusable_input_is_named(town, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    base = ["localize", "--map", town / "map.pcd", "--init", "0,0,0,0,0,0", "--out", tmp_path / "out"]
    assert "contains no cloud (.pcd, .ply, .bin, .xyz, .npy, .csv)" in refusal(*base, "--scans", empty, code=EXIT_BAD_INPUT)
    stamps = tmp_path / "times.txt"
    for text, message in [("1\n2\n", "2 times for 8 scans"), ("1\n1\n", "line 2: time 1 does not come after 1"),
                          ("1\nx\n", "line 2")]:
        stamps.write_text(text)
        assert message in refusal(*base, "--scans", town / "scans", "--stamps", stamps, code=EXIT_BAD_INPUT)
    assert "drive.mcap: there is no such file" in refusal("localize", "--scans", "drive.mcap", "--out", tmp_path / "o", code=EXIT_USAGE)
    assert "unknown dataset 'nowhere'" in refusal("localize", "--scans", "nowhere", "--out", tmp_path / "o", code=EXIT_USAGE)


@pytest.mark.parametrize("name, message", [
    ("rec_0.db3.zstd", "is a compressed ROS bag; give the same arguments to ./run localize, which reads bags, or unpack it (.zstd: zstd -d)"),
    ("rec.bag.bz2", "is a compressed ROS bag"),
    ("notes", "is a file, not a folder of clouds, a ROS bag or a dataset"),
    ("notes.zstd", "is a file, not"),
    ("scan.pcd", "is one cloud, not a folder of clouds, a ROS bag or a dataset"),
])
def test_a_file_that_is_no_recording_is_named(town, tmp_path, monkeypatch, name, message):
    (tmp_path / name).write_bytes(b"not read")
    monkeypatch.chdir(tmp_path)
    for scans in (name, tmp_path / name):
        said = refusal("localize", "--scans", scans, "--map", town / "map.pcd", "--init", "0,0,0,0,0,0", "--out", "o", code=EXIT_USAGE)
        assert f"--scans: {scans} {message}" in said


def test_a_file_named_as_a_dataset_does_not_hide_it(town, tmp_path, monkeypatch):
    (tmp_path / "town_small").write_bytes(b"not read")
    monkeypatch.chdir(tmp_path)
    localize("town_small", tmp_path / "o")


def test_options_that_only_run_has_name_it(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "datasets")
    parser = pytest.importorskip("ndt_localize.cli", reason="skipped for want of numpy").parser()
    own = set(re.findall(r"--[a-z-]+", subprocess.run([BENCH, "localize", "--help"], capture_output=True, text=True, check=True).stdout))
    of_run = [name for action in parser._actions for name in action.option_strings
              if name.startswith("--") and name not in own and action.help is not argparse.SUPPRESS]
    assert "--mcap" in of_run and len(of_run) > 15
    for name in of_run:
        message = refusal("localize", "--scans", "a", "--out", "o", name, "b", code=EXIT_USAGE)
        assert f"localize has no option {name}; ./run localize has it: give it the same arguments" in message


FILES = ["poses.tum", "poses_kitti.txt", "frames.csv", "diagnostics.jsonl", "iterations.jsonl"]


@pytest.mark.parametrize("name", FILES)
def test_files_of_something_else_are_not_replaced(town, tmp_path, name):
    (tmp_path / name).write_text("mine")
    if name == "diagnostics.jsonl":
        (tmp_path / "dataset.toml").write_text("")
    message = refusal("localize", "--scans", town, "--out", tmp_path, "--implementation", "persistent_cpu", code=EXIT_BAD_INPUT)
    assert f"{name}: it exists, and its folder is " in message and "nothing was written; give another --out" in message
    assert ("a dataset" if name == "diagnostics.jsonl" else "not of a localisation") in message
    assert (tmp_path / name).read_text() == "mine" and not any((tmp_path / other).exists() for other in FILES if other != name)


def test_a_datasets_truth_is_not_replaced(town, tmp_path):
    dataset = tmp_path / "dataset"
    shutil.copytree(town, dataset)
    shutil.move(dataset / "truth.tum", dataset / "poses.tum")
    description = dataset / "dataset.toml"
    description.write_text(description.read_text().replace("truth.tum", "poses.tum"))
    truth = (dataset / "poses.tum").read_text()
    (dataset / "diagnostics.jsonl").write_text("")
    assert "poses.tum: it exists" in refusal("localize", "--scans", dataset, "--out", dataset, "--implementation",
                                             "persistent_cpu", code=EXIT_BAD_INPUT)
    assert (dataset / "poses.tum").read_text() == truth


def test_an_earlier_localisation_is_replaced_whole_or_not_at_all(town, tmp_path):
    first, _ = localize(town, tmp_path)
    again, _ = localize(town, tmp_path)
    assert first.without_times() == again.without_times()
    (tmp_path / "frames.csv").unlink()
    (tmp_path / "frames.csv").mkdir()
    message = refusal("localize", "--scans", town, "--out", tmp_path, "--implementation", "persistent_cpu", code=EXIT_BAD_INPUT)
    assert "frames.csv: it is a folder" in message
    assert len((tmp_path / "poses.tum").read_text().splitlines()) == 9, "the first file is still there"


def names_of(folder):
    return [d["scan"] for d in folder.diagnostics]


@pytest.mark.parametrize("names, expected", [
    (["8.pcd", "9.pcd", "10.pcd", "100.pcd"], ["8", "9", "10", "100"]),
    (["07.pcd", "8.pcd", "009.pcd", "10.pcd"], ["07", "8", "009", "10"]),
    (["0.pcd", "00000000000000000000001.pcd", "18446744073709551616.pcd", "18446744073709551617.pcd"],
     ["0", "00000000000000000000001", "18446744073709551616", "18446744073709551617"]),
    (["a10.pcd", "a9.pcd", "b1.pcd"], ["a9", "a10", "b1"]),
    (["1.pcd", "10.pcd", "2x.pcd"], ["1", "2x", "10"]),
])
def test_numbers_in_the_names_of_scans_count(town, tmp_path, names, expected):
    scans = folder_of(town, tmp_path / "scans", names)
    odometry = ["--odometry", town / "odometry.tum", "--rate", 2]
    got, _ = localize(scans, tmp_path / "out", *start_in(town), *odometry)
    assert names_of(got) == expected


def test_an_ending_may_be_in_capitals(town, tmp_path):
    scans = folder_of(town, tmp_path / "scans", ["0.PCD"])
    (scans / "times.txt").write_text("0\n")
    got, _ = localize(scans, tmp_path / "out", *start_in(town))
    assert names_of(got) == ["0"]


@pytest.mark.parametrize("name", [b"caf\xe9.pcd", b"two\nlines.pcd", b"bell\x07.pcd"])
def test_a_name_that_cannot_be_printed_is_refused_before_anything_is_written(town, tmp_path, name):
    scans = folder_of(town, tmp_path / "scans", ["000.pcd"])
    shutil.copy(scans / "000.pcd", os.path.join(os.fsencode(scans), name))
    message = refusal("localize", "--scans", scans, "--out", tmp_path / "out", *start_in(town), code=EXIT_BAD_INPUT)
    assert "cannot name a frame; rename the file" in message and "\\x" in message
    assert not (tmp_path / "out").exists()


def test_of_two_localisations_one_has_the_folder(town, tmp_path):
    out = tmp_path / "out"
    first, done = localize(town, out)
    assert "is replaced" not in done.stderr
    again, done = localize(town, out)
    assert f"the localisation in {out} is replaced" in done.stderr and again.tum == first.tum
    with open(out / "localize.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        message = refusal("localize", "--scans", town, "--out", out, code=EXIT_BAD_INPUT)
    assert "another process writes to it" in message
    assert localize(town, tmp_path / "b")[0].tum == first.tum
