"""The programs away from where they were built: in a moved project, installed, and alone."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_OK, OWN_IMPLEMENTATIONS

ROOT = Path(__file__).resolve().parent.parent.parent
SHORT = """description = 'one measurement of the courtyard'
[timing]
cap_s = 0.02
idle_samples = 1
[[study]]
datasets = ['courtyard']
threads = [1]
"""


def answer(program, *args, share=None, code=EXIT_OK):
    environment = {k: v for k, v in os.environ.items() if k not in ("NDT_GOLDEN_DIR", "NDT_DATASETS", "NDT_SHARE")}
    if share:
        environment["NDT_SHARE"] = str(share)
    done = subprocess.run([program, *map(str, args)], capture_output=True, text=True, env=environment, cwd="/")
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stderr if code else done.stdout


def project_files(folder):
    """Copies the files that the programs read, and adds a preset that the project does not have."""
    for part in ("harness/presets", "datasets/catalogue", "reports/ndt_report"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "harness/presets/short.toml").write_text(SHORT)
    return folder


def program(folder, original=BENCH):
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy2(original, folder))


def presets(bench, **share):
    listing = json.loads(answer(bench, "list", "--json", **share))
    assert any(dataset["name"] == "kitti00" for dataset in listing["datasets"])
    return [preset["name"] for preset in listing["presets"]]


def test_a_moved_build_measures_and_reports(tmp_path):
    moved = project_files(tmp_path / "moved")
    bench = program(moved / "build/release/bin")
    assert presets(bench)[0] == "smoke" and "short" in presets(bench)
    answer(bench, "run", "--preset", "short", "--implementation", OWN_IMPLEMENTATIONS[0], "--out", tmp_path / "run")
    assert (tmp_path / "run/results.jsonl").read_text().count("\n") > 0
    for module in ("pandas", "matplotlib", "jinja2"):
        pytest.importorskip(module, reason=f"skipped for want of {module} (Debian: python3-{module})")
    answer(bench, "report", tmp_path / "run")
    assert (tmp_path / "run/report.html").exists()
    assert f"\nproject files    {moved}\n" in answer(bench, "doctor")


def test_a_moved_microbench_lists_its_parts(tmp_path):
    original = os.environ.get("NDT_MICROBENCH")
    if not original:
        pytest.skip("skipped for want of Google Benchmark (Debian: libbenchmark-dev)")
    assert f"align/{OWN_IMPLEMENTATIONS[0]}/5000" in answer(program(tmp_path, original), "--benchmark_list_tests")


def test_an_installed_program_finds_its_files_below_its_prefix(tmp_path):
    project_files(tmp_path / "share/ndt")
    assert "short" in presets(program(tmp_path / "bin"))


def test_a_program_alone_needs_ndt_share(tmp_path):
    bench = program(tmp_path / "a/b/c")
    assert "short" in presets(bench, share=project_files(tmp_path / "files"))
    tried = f"was not found: tried {tmp_path} (around the build), {tmp_path}/a/b/share/ndt (installed) and NDT_SHARE, "
    for command in (["run", "--preset", "short", "--out", tmp_path / "run"], ["list"]):
        said = answer(bench, *command, code=EXIT_BAD_INPUT)
        assert said.startswith("ndt-bench: ") and tried in said
        assert said.endswith("which is not set; set NDT_SHARE to a folder of the project\n")
    said = answer(bench, "report", tmp_path, share=tmp_path / "wrong", code=EXIT_BAD_INPUT)
    assert "reports/ndt_report was not found" in said and f"{tmp_path}/wrong (NDT_SHARE)" in said
    assert "\nproject files    missing: harness/presets was not found" in answer(bench, "doctor")
