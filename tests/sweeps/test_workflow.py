"""The workflow as a whole: on this machine, killed and gone on with, and as jobs that Slurm's commands start elsewhere."""

import csv
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import BENCH, ROOT, SWEEPS

SNAKEMAKE = os.environ.get("NDT_SNAKEMAKE")
if not SNAKEMAKE:
    pytest.skip("skipped for want of Snakemake: NDT_SNAKEMAKE is not set (./run test and ./run sweep install it)", allow_module_level=True)
for module in ("numpy", "pandas", "matplotlib", "jinja2"):
    pytest.importorskip(module, reason=f"skipped for want of {module}")

QUICK = """
shards: 3
datasets: [courtyard_200]
towns: {{seeds: [3]}}
implementations: [persistent_cpu]
options: {{neighbours: [radius, direct7]}}
guesses: {{guesses: 2, xy_m: 0.2}}
frames: 2
bench: {bench}
"""
# A second for each of three shards.
SLOW_PRESET = """description = 'd'
[timing]
samples = 1000
spread = 0
cap_s = 0.12
idle_samples = 0
[[study]]
datasets = ['courtyard_200', 'courtyard_300', 'courtyard_400']
threads = [1]
"""
SLOW = "shards: 3\npreset: slow.toml\nimplementations: [persistent_cpu]\nbench: {bench}\n"
MEASUREMENT = ("dataset", "implementation", "variant", "threads", "frame", "guess_name")

# Slurm's commands, as far as the profile uses them: a job is a process apart (setsid) that has two variables.
SBATCH = """#!/bin/bash
set -e
id=$(( $(ls {jobs} | wc -l) + 1 ))
echo "$@" >{jobs}/$id
script=${{@: -1}}
env -i PATH=/usr/bin:/bin HOME="$HOME" setsid bash -c 'bash "$0" >/dev/null 2>&1 && echo COMPLETED >"$1" || echo FAILED >"$1"' \\
    "$script" {states}/$id </dev/null >/dev/null 2>&1 &
echo $id
"""
SACCT = '#!/bin/bash\nid=${{1#--jobs=}}\ncat {states}/$id 2>/dev/null || echo RUNNING\n'


def command(folder, *more):
    return [SNAKEMAKE, "--snakefile", SWEEPS / "Snakefile", "--configfile", folder / "sweep.yaml", "--directory", folder / "out",
            "--config", f"started_in={folder}", *more]


def snakemake(folder, *more, code=0, env=None):
    done = subprocess.run(command(folder, *more), capture_output=True, text=True, env=os.environ | {"NDT_SWEEPS": str(SWEEPS)} | (env or {}))
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def poses(folder):
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    return {tuple(row[key] for key in MEASUREMENT): row["pose"] for row in rows}


def whole(folder):
    """Runs the whole plan at once."""
    subprocess.run([BENCH, "run", "--plan", folder / "out/plan.json", "--out", folder / "whole"], check=True, capture_output=True,
                   cwd=folder / "out", env=os.environ | {"NDT_SHARE": str(ROOT)})
    return poses(folder / "whole")


def expected_rows():
    """The rows of expected.csv: what sweeps/config.yaml gives for persistent_cpu."""
    with open(Path(__file__).parent / "expected.csv", newline="") as stream:
        return list(csv.reader(stream))[1:]


def as_expected(row):
    setting = dict(part.split("=") for part in row["variant"].split())
    return [row["dataset"], setting["neighbours"], setting["resolution"], f"{row['successes']} of {row['measurements']}",
            f"{float(row['iterations_p50']):g}", f"{float(row['translation_error_mm_p50']):.1f}",
            f"{float(row['translation_vs_ref_mm_max']):.2f}"]


def test_the_example_has_its_numbers_and_is_not_done_twice(tmp_path, noted_bench):
    (tmp_path / "sweep.yaml").write_text((SWEEPS / "config.yaml").read_text() + f"bench: {noted_bench.program}\n")
    snakemake(tmp_path)
    merged = tmp_path / "out/merged"
    assert len(poses(merged)) == 360 and "neighbours=direct7" in (merged / "report.html").read_text()
    with open(merged / "summary.csv", newline="") as stream:
        rows = [as_expected(row) for row in csv.DictReader(stream) if row["implementation"] == "persistent_cpu"]
    assert rows == expected_rows()
    assert len(noted_bench.words("run --plan")) == 4 and len(noted_bench.words("merge")) == 1
    before = len(noted_bench.calls())
    assert "Nothing to be done" in snakemake(tmp_path)
    assert len(noted_bench.calls()) == before


def test_a_killed_sweep_goes_on_and_runs_no_finished_shard_again(tmp_path, noted_bench):
    (tmp_path / "slow.toml").write_text(SLOW_PRESET)
    (tmp_path / "sweep.yaml").write_text(SLOW.format(bench=noted_bench.program))
    process = subprocess.Popen(command(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    shards = tmp_path / "out/shards"

    def lines(shard):
        file = shards / shard.name.removesuffix(".done") / "results.jsonl"
        return file.read_text().splitlines() if file.exists() else []

    def begun_beside_a_finished_one():
        finished = set(shards.glob("*.done"))
        return finished and [shard for shard in shards.glob("?-of-3") if shard.with_name(shard.name + ".done") not in finished and len(lines(shard)) > 1]

    deadline = time.monotonic() + 200
    while not begun_beside_a_finished_one():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    finished, (begun,) = [done.name.removesuffix(".done") for done in shards.glob("*.done")], begun_beside_a_finished_one()
    assert len(finished) < 3, "times count, so shards run one after the other"
    kept, before = lines(begun), len(noted_bench.calls())

    snakemake(tmp_path)
    after = [words for words, _, _ in noted_bench.calls()[before:]]
    assert not [words for words in after for name in finished if words.startswith("run") and f"shards/{name}" in words]
    assert f"run --resume shards/{begun.name}" in after
    assert lines(begun)[:len(kept)] == kept
    assert len(poses(tmp_path / "out/merged")) == 3 * 8


def test_by_the_profile_of_slurm_every_shard_is_a_job_and_all_are_the_run_they_share(tmp_path, noted_bench):
    (tmp_path / "sweep.yaml").write_text(QUICK.format(bench=noted_bench.program))
    places = {"jobs": tmp_path / "jobs", "states": tmp_path / "states"}
    (tmp_path / "bin").mkdir()
    for place in places.values():
        place.mkdir()
    for name, text in (("sbatch", SBATCH), ("sacct", SACCT), ("scancel", "#!/bin/bash\n")):
        (tmp_path / "bin" / name).write_text(text.format(**places))
        (tmp_path / "bin" / name).chmod(0o755)
    snakemake(tmp_path, "--profile", SWEEPS / "profiles/slurm", "--seconds-between-status-checks", "1",
              env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "ONLY_HERE": "1"})
    found = poses(tmp_path / "out/merged")
    assert found == whole(tmp_path) and len(found) == 2 * 2 * (1 + 2), "guesses, variants, and frames"
    assert {key[0] for key in found} == {"courtyard_200", "town_small_seed3"} and (tmp_path / "out/merged/report.html").exists()
    asked = [file.read_text() for file in places["jobs"].iterdir()]
    assert sum("--job-name=ndt-shard --cpus-per-task=1 --mem=8000 --time=240" in words for words in asked) == 3
    shards = [(sid, variables) for words, sid, variables in noted_bench.calls() if words.startswith("run --plan")]
    assert len({sid for sid, _ in shards}) == 3 and not [1 for _, variables in shards if "ONLY_HERE" in variables]


def test_a_file_that_cannot_be_meant_is_refused_before_anything_runs(tmp_path, noted_bench):
    (tmp_path / "sweep.yaml").write_text(QUICK.format(bench=noted_bench.program).replace("frames: 2", "frame: 2"))
    assert "the sweep's file: frame: there is no such key" in snakemake(tmp_path, code=1)
    assert noted_bench.calls() == []
