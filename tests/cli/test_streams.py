"""Closed and full standard streams: what is said beside the answer is lost without harm, a lost answer is an error."""

import json
import subprocess

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE

QUICK_RUN = ["run", "--dataset", "courtyard_200", "--implementation", "persistent_cpu", "--threads", 1, "--samples", 1]
NO_STDERR = ["2>&-", "2>/dev/full"]
NO_STDOUT = [">&-", ">/dev/full"]


def bench_in_shell(redirections, *args, cwd=None):
    """The shell is there to close descriptors, which subprocess cannot."""
    words = ["bash", "-c", f'"$0" "$@" {redirections}', BENCH, *map(str, args)]
    return subprocess.run(words, capture_output=True, text=True, cwd=cwd)


@pytest.mark.parametrize("stderr", NO_STDERR)
def test_a_run_without_stderr_has_its_rows_and_nothing_else(tmp_path, stderr):
    done = bench_in_shell(stderr, *QUICK_RUN, "--out", tmp_path / "run")
    assert done.returncode == EXIT_OK and "8 measurements in" in done.stdout
    rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text().splitlines()]
    assert len(rows) == 8
    assert bench_in_shell(stderr, "run", "--resume", tmp_path / "run").returncode == EXIT_OK


@pytest.mark.parametrize("stderr", NO_STDERR)
def test_exit_codes_do_not_depend_on_stderr(courtyard, tmp_path, stderr):
    missing = tmp_path / "missing.pcd"
    for code, *args in [(EXIT_OK, "align", *courtyard.args), (EXIT_OK, "doctor"), (EXIT_OK, "voxels", "--map", courtyard.map),
                        (EXIT_USAGE, "align", "--nosuch"), (EXIT_USAGE, "nosuch"),
                        (EXIT_USAGE, "run", "--dataset", "nosuch", "--out", tmp_path / "out"),
                        (EXIT_BAD_INPUT, "voxels", "--map", missing), (EXIT_BAD_INPUT, "run", "--resume", missing)]:
        done = bench_in_shell(stderr, *args)
        assert done.returncode == code and (done.stdout != "") == (code == EXIT_OK), args


@pytest.mark.parametrize("stdout", NO_STDOUT)
def test_a_lost_answer_is_an_error_with_a_sentence(courtyard, tmp_path, stdout):
    for args in [("align", *courtyard.args), ("list",), ("doctor",), ("--help",), ("--version",),
                 ("align", *courtyard.args, "--json"), (*QUICK_RUN, "--out", tmp_path / "run")]:
        done = bench_in_shell(stdout, *args)
        assert done.returncode == EXIT_BAD_INPUT, args
        assert done.stderr.splitlines()[-1] == "ndt-bench: cannot write to stdout; give it a file or a pipe that can be written", args
    assert bench_in_shell(stdout + " 2>&-", "list").returncode == EXIT_BAD_INPUT


def test_no_stream_at_all_leaves_the_run_as_it_is(tmp_path):
    assert bench_in_shell("<&- >&- 2>&-", *QUICK_RUN, "--out", tmp_path / "run").returncode == EXIT_BAD_INPUT
    for file in (tmp_path / "run").glob("*.json*"):
        for text in file.read_text().splitlines() if file.suffix == ".jsonl" else [file.read_text()]:
            json.loads(text)
