"""Faults of the file system at every call of a run and of its resumption in turn: a full disk, a short write, a failing
rename or fsync, and the end of the process. Whatever comes, no row that was there is lost, none is there twice, and
the run can be finished. NDT_SOAK=1 tries every fault at every kind of call."""

import errno
import itertools
import json
import os
import shutil
import signal
import subprocess

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_OK, bench

SHIM = os.environ.get("NDT_FAILING_CALLS", "")
pytestmark = pytest.mark.skipif(not SHIM, reason="skipped for want of NDT_FAILING_CALLS: a sanitizer's build has its own calls")

SHORT = [("open", errno.ENOSPC), ("write", errno.ENOSPC), ("write", "short"), ("write", "torn"), ("fsync", errno.EIO),
         ("rename", errno.ENOSPC), ("rename", "kill"), ("mkdir", errno.EACCES)]
ERRORS = [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EMFILE, "kill"]
LONG = [*itertools.product(["open", "write", "fsync", "rename", "mkdir"], ERRORS), ("write", "short"), ("write", "torn"),
        ("write", errno.EINTR)]
SOAK = bool(os.environ.get("NDT_SOAK"))
FAULTS = LONG if SOAK else SHORT
HARMLESS, KILLED = ("short", errno.EINTR), ("kill", "torn")
ROWS = 3


def lines_in(run):
    """Whole lines of finished measurements."""
    file = run / "results.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return [line for line in lines if line.endswith("\n")]


@pytest.fixture(scope="module")
def begin(tmp_path_factory):
    file = tmp_path_factory.mktemp("preset") / "mine.toml"
    file.write_text("description = 'd'\n[[study]]\ndatasets = ['courtyard_200']\nthreads = [1]\ntimed = false\n"
                    "grids = [{ x_m = [0, 0.1, 0.2] }]\n")
    return ["run", "--preset", file, "--implementation", "persistent_cpu", "--max-iterations", 2, "--out"]


def with_fault(words, run, call, number, how):
    """How the command ended, and whether it made that many calls."""
    came = run.parent / f"{run.name}.came"
    environment = os.environ | {"LD_PRELOAD": SHIM, "NDT_FAULT_BELOW": str(run), "NDT_FAULT_FILE": str(came),
                                "NDT_FAULT": f"{call}:{number}:{how}"}
    if call == "write" and not SOAK:
        environment["NDT_FAULT_BUT"] = str(run / "clouds")  # a hundred pieces of pictures
    done = subprocess.run([BENCH, *map(str, words)], capture_output=True, text=True, env=environment)
    return done, came.exists()


def judge(done, how, run, what):
    if how in KILLED:
        assert done.returncode == -signal.SIGKILL, what
    elif how in HARMLESS:
        assert done.returncode == EXIT_OK, (what, done.stderr)
    else:
        assert done.returncode == EXIT_BAD_INPUT, (what, done.returncode, done.stderr)
        sentence = done.stderr.splitlines()[-1]
        assert sentence.startswith(f"ndt-bench: {run}") and "; " in sentence, (what, sentence)
        assert any(words in sentence for words in (os.strerror(how), "cannot be opened", "no permission")), (what, sentence)


def finish(begin, run, what):
    """Goes on as the message says, and looks at the rows."""
    there = lines_in(run)
    bench(*(["run", "--resume"] if (run / "plan.json").exists() else begin), run)
    lines = lines_in(run)
    assert len(lines) == ROWS == len({json.loads(line)["guess_name"] for line in lines}), what
    assert lines[:len(there)] == there, (what, "rows that were there stay as they are")
    assert not list(run.glob("*.part")), what


@pytest.mark.parametrize("call, how", FAULTS)
def test_a_fault_at_every_call_of_a_run(begin, tmp_path, call, how):
    for number in itertools.count(1):
        run, what = tmp_path / str(number), f"{call} {number} {how}"
        done, came = with_fault([*begin, run], run, call, number, how)
        if not came:
            assert done.returncode == EXIT_OK and number > 1, (what, done.stderr)
            return
        judge(done, how, run, what)
        finish(begin, run, what)


@pytest.fixture(scope="module")
def half(begin, tmp_path_factory):
    run = tmp_path_factory.mktemp("half") / "run"
    bench(*begin, run)
    lines = lines_in(run)
    (run / "results.jsonl").write_text("".join(lines[:2]) + lines[2][:100])
    return run


@pytest.mark.parametrize("call, how", [fault for fault in FAULTS if fault[0] != "mkdir"])  # its folders are there
def test_a_fault_at_every_call_of_a_resumption(begin, half, tmp_path, call, how):
    for number in itertools.count(1):
        run, what = shutil.copytree(half, tmp_path / str(number)), f"{call} {number} {how}"
        done, came = with_fault(["run", "--resume", run], run, call, number, how)
        assert lines_in(run)[:2] == lines_in(half), what
        if not came:
            assert done.returncode == EXIT_OK, (what, done.stderr)
            return
        judge(done, how, run, what)
        finish(begin, run, what)
