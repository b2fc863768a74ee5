"""A shard is begun, goes on where it was killed, and never goes on with what is not its own; what Slurm says of one."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import BENCH, SWEEPS

SLOW = """description = 'd'
[timing]
samples = 1000
spread = 0
cap_s = 0.1
idle_samples = 0
[[study]]
datasets = ['courtyard_200', 'courtyard_300']
threads = [1]
"""


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "p.toml").write_text(SLOW)
    subprocess.run([BENCH, "run", "--preset", tmp_path / "p.toml", "--implementation", "persistent_cpu", "--plan-only",
                    tmp_path / "plan.json"], check=True, capture_output=True)
    return tmp_path / "plan.json"


def shard(bench, plan, folder, **how):
    return subprocess.Popen([sys.executable, SWEEPS / "shard.py", bench, plan, "1/2", folder], stderr=subprocess.PIPE, text=True, **how)


def rows(folder):
    file = folder / "results.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def killed_in_the_middle(bench, plan, folder):
    process = shard(bench, plan, folder, start_new_session=True)
    deadline = time.monotonic() + 120
    while len(rows(folder)) < 2:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    with open(folder / "run.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a process that uses a GPU dies slowly, and others of its session after it
    return rows(folder)


def test_a_killed_shard_goes_on_and_keeps_what_it_had(tmp_path, noted_bench, plan):
    kept = killed_in_the_middle(noted_bench.program, plan, tmp_path / "1")
    assert 2 <= len(kept) < 8
    process = shard(noted_bench.program, plan, tmp_path / "1")
    assert process.communicate() and process.returncode == 0
    assert rows(tmp_path / "1")[:2] == kept[:2] and len(rows(tmp_path / "1")) == 8
    assert [words.split()[1:3] for words in noted_bench.words("run")] == [["--plan", str(plan)], ["--resume", str(tmp_path / "1")]]


def test_a_shard_begun_elsewhere_is_laid_aside_and_begun_again(tmp_path, plan):
    folder = tmp_path / "1"
    kept = killed_in_the_middle(BENCH, plan, folder)
    environment = json.loads((folder / "environment.json").read_text())
    (folder / "environment.json").write_text(json.dumps(environment | {"machine": "00"}))
    process = shard(BENCH, plan, folder)
    said = process.communicate()[1]
    assert process.returncode == 0 and f"what there was is in {folder}.begun-elsewhere-1" in said
    assert len(rows(folder)) == 8 and rows(tmp_path / "1.begun-elsewhere-1") == kept


def test_a_shard_begun_by_another_program_is_an_error(tmp_path, plan):
    folder = tmp_path / "1"
    kept = killed_in_the_middle(BENCH, plan, folder)
    environment = json.loads((folder / "environment.json").read_text())
    (folder / "environment.json").write_text(json.dumps(environment | {"commit": "0" * 40}))
    process = shard(BENCH, plan, folder)
    assert "the run was begun with another commit" in process.communicate()[1]
    assert process.returncode == 2 and rows(folder) == kept


def test_a_folder_of_another_plan_is_left_as_it_is(tmp_path, plan):
    folder = tmp_path / "1"
    killed_in_the_middle(BENCH, plan, folder)
    before = (folder / "results.jsonl").read_bytes()
    plan.write_text(json.dumps(json.loads(plan.read_text()) | {"seed": 7}))
    process = shard(BENCH, plan, folder)
    assert f"{folder} was measured by another plan than {plan}; give the sweep another --out" in process.communicate()[1]
    assert process.returncode == 1 and (folder / "results.jsonl").read_bytes() == before


@pytest.mark.parametrize("ends, code", [("exit 4", 0), ("exit 2", 2), ("kill -9 $$", 137)], ids=["some failed", "refused", "killed"])
def test_measurements_that_failed_are_a_result_and_all_else_fails(tmp_path, ends, code):
    bench = tmp_path / "bench"
    bench.write_text(f"#!/bin/bash\necho why >&2\n{ends}\n")
    bench.chmod(0o755)
    process = shard(bench, tmp_path / "plan.json", tmp_path / "1")
    assert process.communicate()[1] == "why\n" and process.returncode == code


@pytest.mark.parametrize("state, word", [("COMPLETED", "success"), ("CANCELLED by 0", "failed"), ("OUT_OF_MEMORY", "failed"), ("TIMEOUT", "failed"),
                                         ("NODE_FAIL", "failed"), ("PENDING", "running"), ("REQUEUED", "running"), ("", "running")])
def test_what_slurm_says_of_a_job_is_said_to_snakemake(tmp_path, state, word):
    sacct = tmp_path / "sacct"
    sacct.write_text(f'#!/bin/bash\n[[ "$*" == "--jobs=17 --allocations --noheader --parsable2 --format=State" ]] && echo "{state}"\n')
    sacct.chmod(0o755)
    done = subprocess.run([SWEEPS / "slurm-status", "17"], capture_output=True, text=True, env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (done.stdout, done.returncode) == (word + "\n", 0)
