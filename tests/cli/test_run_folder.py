"""Run folders: one run each, of one process at a time and of the same clouds, whatever a folder holds."""

import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, bench, refusal, rows_in

SETTINGS = "description = 'd'\n[timing]\ncap_s = {cap_s}\nidle_samples = 0\nspread = 0\n[[study]]\ndatasets = ['{dataset}']\nthreads = [1]\n"
ROWS = 8


def preset(folder, dataset="courtyard_200", cap_s=0.01, more=""):
    file = folder / "mine.toml"
    file.write_text(SETTINGS.format(cap_s=cap_s, dataset=dataset) + more)
    return file


def begin(preset_file, *args, cwd=None):
    words = [BENCH, "run", "--preset", preset_file, "--implementation", "persistent_cpu", *args]
    return subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)


def wait_for_rows(run, count):
    deadline = time.monotonic() + 60
    while not (run / "results.jsonl").exists() or len((run / "results.jsonl").read_bytes().splitlines()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def finished(tmp_path):
    bench("run", "--preset", preset(tmp_path), "--implementation", "persistent_cpu", "--out", tmp_path / "run")
    return tmp_path / "run"


def test_of_two_runs_into_one_folder_one_is_refused_and_the_other_whole(tmp_path):
    file = preset(tmp_path)  # once: the next would be empty for a moment while a run reads it
    for attempt in range(8):
        run = tmp_path / f"run_{attempt}"
        pair = [begin(file, "--threads", threads, "--out", run) for threads in (1, 2)]
        codes = [process.communicate() and process.returncode for process in pair]
        assert sorted(codes) == [EXIT_OK, EXIT_BAD_INPUT]
        threads = codes.index(EXIT_OK) + 1
        assert {job["threads"] for job in json.loads((run / "plan.json").read_text())["jobs"]} == {threads}
        assert f"--threads {threads}" in json.loads((run / "environment.json").read_text())["command_line"]
        assert [row["threads"] for row in rows_in(run)] == [threads] * ROWS


def test_runs_of_one_second_have_folders_of_their_own(tmp_path):
    file = preset(tmp_path)  # once, as above
    several = [begin(file, cwd=tmp_path) for _ in range(4)]
    assert [process.communicate() and process.returncode for process in several] == [EXIT_OK] * 4
    folders = list((tmp_path / "bench-results").iterdir())
    assert len(folders) == 4
    for folder in folders:
        assert {row["run_id"] for row in rows_in(folder)} == {folder.name} and len(rows_in(folder)) == ROWS


def test_a_resume_is_refused_while_the_run_goes_on_and_costs_no_row(tmp_path):
    first = begin(preset(tmp_path, cap_s=0.3), "--out", tmp_path / "run")
    wait_for_rows(tmp_path / "run", 2)
    message = refusal("run", "--resume", tmp_path / "run", code=EXIT_BAD_INPUT)
    assert "another process writes to it, or merges it; wait until that has ended" in message
    first.communicate()
    assert first.returncode == EXIT_OK and len(rows_in(tmp_path / "run")) == ROWS


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on_and_leaves_no_part(tmp_path, stop):
    run = tmp_path / "run"
    file = preset(tmp_path, cap_s=0.5)
    words = [BENCH, "run", "--preset", file, "--implementation", "persistent_cpu", "--out", run]
    first = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for_rows(run, 2)
    os.killpg(first.pid, stop)  # as a terminal does: the measuring process gets it, too
    _, said = first.communicate(timeout=30)
    assert first.returncode == -stop
    kept = rows_in(run)
    assert f"interrupted: {len(kept)} measurements are in {run}/results.jsonl; go on: ndt-bench run --resume {run}\n" in said
    assert 2 <= len(kept) < ROWS and not any(row["error"] for row in kept)
    assert not list(tmp_path.rglob("*.part*"))
    bench("run", "--resume", run)
    assert rows_in(run)[:len(kept)] == kept and len(rows_in(run)) == ROWS


@pytest.mark.parametrize("command", ["run", "localize", "generate"])
def test_a_dataset_that_is_being_made_leaves_nothing_when_interrupted(tmp_path, command):
    env = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    words = {"run": [BENCH, "run", "--preset", preset(tmp_path, "town"), "--implementation", "persistent_cpu", "--out", tmp_path / "run"],
             "localize": [BENCH, "localize", "--scans", "town", "--out", tmp_path / "out"],
             "generate": [BENCH, "generate", "town", "--out", tmp_path / "town"]}[command]
    first = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    deadline = time.monotonic() + 60
    while not list(tmp_path.rglob("*.part.*")):
        assert time.monotonic() < deadline and first.poll() is None
        time.sleep(0.02)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=60)
    assert first.returncode == -signal.SIGINT
    assert not list(tmp_path.rglob("*.part*"))


@pytest.fixture(scope="module")
def own_dataset(tmp_path_factory):
    """A dataset of one's own in a folder."""
    folder = tmp_path_factory.mktemp("own") / "own"
    bench("export", "--dataset", "courtyard_200", "--out", folder)
    (folder / "scan.pcd").rename(folder / "a.pcd")
    (folder / "dataset.toml").write_text("format = 1\nname = 'own'\ndescription = 'd'\nkind = 'scan_to_map'\nmap = 'map.pcd'\n"
                                         "scans = ['a.pcd']\n")
    return folder


@pytest.mark.parametrize("scans, processes, missing", [(1, 1, "3 frames are missing"), (3, 3, "1 frame is missing"), (4, 4, None), (9, 5, None)])
def test_own_data_gets_four_processes_or_it_is_said_what_is_missing(own_dataset, tmp_path, scans, processes, missing):
    own = shutil.copytree(own_dataset, tmp_path / "own")
    names = [f"{k}.pcd" for k in range(scans)]
    for name in names:
        shutil.copy(own / "a.pcd", own / name)
    toml = (own / "dataset.toml").read_text()
    (own / "dataset.toml").write_text(toml.replace("['a.pcd']", str(names)))
    said = bench("run", "--preset", preset(tmp_path), "--dataset", own, "--implementation", "persistent_cpu", "--out", tmp_path / "run").stderr
    rows = rows_in(tmp_path / "run")
    assert len(rows) == scans and len({row["job"] for row in rows}) == processes
    if missing is None:
        assert "left out" not in said
    else:
        assert f"left out: 4 processes an implementation on dataset {own}: {missing}, a process has one at least" in said


@pytest.mark.parametrize("cloud", ["map.pcd", "a.pcd"])
def test_a_run_is_not_resumed_on_other_clouds(own_dataset, tmp_path, cloud):
    own = shutil.copytree(own_dataset, tmp_path / "own")
    bench("run", "--preset", preset(tmp_path), "--threads", 1, "--threads", 2, "--dataset", f"{own}/",
          "--implementation", "persistent_cpu", "--out", tmp_path / "run")
    run = tmp_path / "run"
    whole = (run / "results.jsonl").read_text()
    (run / "results.jsonl").write_text(whole.splitlines(keepends=True)[0])
    original, recorded = (own / cloud).read_bytes(), (run / "datasets.json").read_text()
    pictures = {file.name: file.read_bytes() for file in (run / "clouds").iterdir()}
    (own / cloud).write_bytes(original[:-1] + bytes([original[-1] ^ 1]))  # one bit of one coordinate
    message = refusal("run", "--resume", run, code=EXIT_BAD_INPUT)
    assert "the dataset own has another map or other scans than the run began with" in message
    assert (run / "results.jsonl").read_text() == whole.splitlines(keepends=True)[0]
    assert (run / "datasets.json").read_text() == recorded
    assert {file.name: file.read_bytes() for file in (run / "clouds").iterdir()} == pictures
    (own / cloud).write_bytes(original)
    bench("run", "--resume", run)
    assert len(rows_in(run)) == len(whole.splitlines()) > 1


def test_rows_that_are_not_of_the_plan_are_refused_and_repeated_ones_dropped(finished):
    text = (finished / "results.jsonl").read_text()
    lines = text.splitlines(keepends=True)
    (finished / "results.jsonl").write_text(text + lines[2])
    bench("run", "--resume", finished)
    assert (finished / "results.jsonl").read_text() == text
    for key, value, words in [("dataset", "town_small", "not in the plan: town_small"), ("guess_name", "mine", "not in the plan"),
                              ("run_id", "other", "line 9: a measurement of the run 'other'")]:
        other = json.dumps(json.loads(lines[2]) | {key: value}) + "\n"
        (finished / "results.jsonl").write_text(text + other)
        assert words in refusal("run", "--resume", finished, code=EXIT_BAD_INPUT), key
        assert (finished / "results.jsonl").read_text() == text + other


def endless(file):
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("name", ["plan.json", "environment.json", "results.jsonl", "datasets.json", "run.lock"])
@pytest.mark.parametrize("make", [os.mkfifo, endless, os.mkdir], ids=["fifo", "device", "folder"])
def test_what_is_no_file_in_a_run_folder_is_refused_at_once(finished, name, make):
    (finished / name).unlink()
    make(finished / name)
    began = time.monotonic()
    assert name in refusal("run", "--resume", finished, code=EXIT_BAD_INPUT)
    assert time.monotonic() - began < 10


def test_nothing_is_written_through_links(finished, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("mine")
    (finished / "results.jsonl").write_text("")
    for name in ["results.jsonl.part", "datasets.json.part", "columns.json.part", "implementations.json.part"]:
        (finished / name).symlink_to(outside / "file")
    for name in ["columns.json", "clouds/courtyard_200_map.pcd", "clouds/courtyard_200_scan.pcd"]:
        (finished / name).unlink()
        (finished / name).symlink_to(outside / "file")
    bench("run", "--resume", finished)
    assert len(rows_in(finished)) == ROWS
    shutil.rmtree(finished / "clouds")
    (finished / "clouds").symlink_to(outside)
    assert "clouds: cannot be written: it is a link" in refusal("run", "--resume", finished, code=EXIT_BAD_INPUT)
    assert (outside / "file").read_text() == "mine" and len(list(outside.iterdir())) == 1


def test_a_missing_description_of_the_datasets_stops_a_resumption(finished):
    (finished / "datasets.json").write_text("[]")
    assert "datasets.json: does not describe courtyard_200" in refusal("run", "--resume", finished, code=EXIT_BAD_INPUT)
    (finished / "datasets.json").unlink()
    assert "datasets.json: there is no such file" in refusal("run", "--resume", finished, code=EXIT_BAD_INPUT)


def test_control_characters_reach_no_terminal(tmp_path):
    evil = "\x1b]0;owned\x07\x9b31m\nforged line"
    studies = f"variants = [{{ name = {json.dumps(evil)} }}]\nposes = [1, 2]\n"
    out = tmp_path / f"o\x1b[2J\n{evil.strip()}"
    done = bench("run", "--preset", preset(tmp_path, more=studies), "--implementation", "persistent_cpu", "--implementation",
                 "cpu_pclomp_ref", "--out", out)
    assert "left out: " in done.stderr
    for text in (done.stdout, done.stderr):
        assert not [c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160]
        assert "\\x1B" in text and not [line for line in text.splitlines() if line.startswith("forged")]


def test_empty_values_are_refused(courtyard, tmp_path):
    for option in ["--threads", "--preset", "--out", "--resume", "--dataset", "--samples"]:
        assert f"{option}: the value is empty" in refusal("run", option, "", code=EXIT_USAGE)
    for option in ["--threads", "--device", "--resolution", "--implementation", "--reg-x"]:
        assert f"{option}: the value is empty" in refusal("align", *courtyard.args, option, "", code=EXIT_USAGE)
    assert not (tmp_path / "bench-results").exists()


def test_a_run_on_a_dataset_given_by_its_path_is_reported(own_dataset, tmp_path):
    for module in ("pandas", "matplotlib", "jinja2"):
        pytest.importorskip(module, reason=f"skipped for want of {module} (Debian: python3-{module})")
    bench("run", "--preset", preset(tmp_path), "--dataset", f"{own_dataset}/", "--implementation", "persistent_cpu", "--out",
          tmp_path / "run")
    assert {row["dataset"] for row in rows_in(tmp_path / "run")} == {"own"}
    bench("report", tmp_path / "run")
    assert (tmp_path / "run/report.html").exists()


def test_a_folder_whose_name_begins_with_a_minus_can_be_reported(tmp_path):
    for args in (["report", "--", "-missing"], ["compare", "--", "-missing", "--open"]):
        message = bench(*args, code=EXIT_BAD_INPUT, cwd=tmp_path).stderr
        assert "-missing" in message and "usage" not in message
