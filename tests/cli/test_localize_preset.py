"""./run localize --preset: a list of localisations, made one after the other."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_JOBS_FAILED, EXIT_OK, EXIT_USAGE, bench
from test_localize_bags import extras_python  # noqa: F401  # a fixture is found by its name

ROOT = Path(__file__).resolve().parent.parent.parent
PRESETS = sorted((ROOT / "datasets/ndt_localize/presets").glob("*.toml"))
UNLISTED = {"handheld_walk_a", "kitti_raw_0005_a", "pandaset_002", "pandaset_002_gt"}  # recordings with a dataset.toml of their own
sys.path.insert(0, str(ROOT / "datasets"))
preset = pytest.importorskip("ndt_localize.preset", reason="skipped for want of numpy")


def localize(*args, code=EXIT_OK, program=BENCH):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("NDT_DATASETS", None)
    words = [sys.executable, "-m", "ndt_localize", "--bench", program, *args]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=environment)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def written(folder, town, *entries):
    file = folder / "list.toml"
    runs = [f'[[run]]\nname = "{name}"\nscans = "{scans or town}"\n{more}\n' for name, scans, more in entries]
    file.write_text('description = "three"\nimplementations = ["cpu_pclomp_ref", "persistent_cpu"]\n' + "".join(runs))
    return file


def test_a_list_is_made_and_what_is_there_is_not_made_again(town, tmp_path):
    options = 'options = { prediction = "none", covariance = "laplace", covariance-floor = 0, debug-iterations = true }'
    file = written(tmp_path, town, ("small", "", options), ("bad", "", 'implementations = ["auto"]\noptions = { colour = 3 }'),
                   ("real", "kitti00", ""), ("unlisted", "pandaset_002", 'implementations = ["auto"]'))
    out = tmp_path / "new" / "out"
    done = localize("--preset", file, "--out", out, "--threads", 1, code=EXIT_JOBS_FAILED)
    assert sorted(entry.name for entry in out.glob("*") if entry.name[0] != ".") == ["small-cpu_pclomp_ref", "small-persistent_cpu"]
    assert "6 runs: 2 made, 0 there before, 3 left out, 1 failed\n" in done.stdout
    assert "left out, 1: pandaset_002: neither a dataset of ndt-bench list nor a folder" in done.stdout
    assert "left out, 2: kitti00: NDT_DATASETS is not set\n" in done.stdout and "\nFAILED: bad\n" in done.stdout
    assert "scans 8 of" in done.stdout and "closed-loop ATE" in done.stdout and "--colour" in done.stderr
    record = json.loads((out / "small-persistent_cpu" / "localization.json").read_text())
    assert record["implementation"] == "persistent_cpu" and record["align"]["threads"] == 1
    assert record["localizer"]["prediction"] == "none" and record["localizer"]["covariance_floor"] == 0
    assert (out / "small-persistent_cpu" / "iterations.jsonl").exists()
    assert "closed-loop ATE" in (out / "small-persistent_cpu" / "output.txt").read_text()
    before = (out / "small-persistent_cpu" / "frames.csv").stat().st_mtime_ns
    done = localize("--preset", file, "--out", out, "--only", "small*")
    assert "2 runs: 0 made, 2 there before, 0 left out, 0 failed\n" in done.stdout
    assert (out / "small-persistent_cpu" / "frames.csv").stat().st_mtime_ns == before
    (out / "small-persistent_cpu").rename(out / ".small-persistent_cpu.part")  # as if it had been killed
    done = localize("--preset", file, "--out", out, "--only", "small-p*", "--only=small-c*")
    assert "2 runs: 1 made, 1 there before" in done.stdout and not (out / ".small-persistent_cpu.part").exists()


def test_entries_have_variants_and_methods_which_add_options(town, tmp_path):
    file = tmp_path / "list.toml"
    file.write_text(f"""
options = {{ prediction = "none", threads = 1 }}
implementations = ["fast", "auto"]
[methods]
fast = {{ implementation = "persistent_cpu", profile = "autoware", least-score = 2.3 }}
[variants]
"map_0.5" = {{ map-voxel-leaf = 0.5, every = 2 }}
[[run]]
name = "town"
scans = "{town}"
variants = ["", "map_0.5"]
options = {{ every = 4, prediction = "odometry" }}
""")
    runs = {run.name: run for run in preset.read(file)}
    assert list(runs) == ["town-fast", "town", "town-map_0.5-fast", "town-map_0.5"]
    assert [run.record["number"] for run in runs.values()] == [1, 2, 3, 4]
    assert runs["town"].words == ["--prediction=odometry", "--threads=1", "--every=4"] and runs["town"].implementation == "auto"
    assert runs["town-map_0.5-fast"].words == ["--prediction=odometry", "--threads=1", "--every=2", "--map-voxel-leaf=0.5",
                                               "--profile=autoware", "--least-score=2.3"]
    localize("--preset", file, "--out", tmp_path / "out", "--only", "town-map_0.5-fast")
    made = tmp_path / "out" / "town-map_0.5-fast"
    assert json.loads((made / "preset.json").read_text()) == {"number": 3, "run": "town", "variant": "map_0.5", "method": "fast"}
    record = json.loads((made / "localization.json").read_text())
    assert record["align"]["profile"] == "autoware" and record["implementation"] == "persistent_cpu" and record["scan_count"] == 4


def test_a_run_that_ends_lost_is_a_result(town, tmp_path):
    away = 'implementations = ["auto"]\noptions = { init = [900, 900, 0, 0, 0, 0], lost-after = 1, recovery-particles = 0 }'
    done = localize("--preset", written(tmp_path, town, ("away", "", away)), "--out", tmp_path / "out")
    assert "ended lost; scans 8 of" in done.stdout and (tmp_path / "out" / "away" / "frames.csv").exists()


@pytest.mark.parametrize("text, said", [
    ("[[run]\n", "Expected ']]' at the end of an array declaration"),
    ('description = "x"\n', "run: no run is listed; give [[run]]"),
    ('[[run]]\nname = "a"\n', "run a: scans is missing"),
    ('[[run]]\nname = "../a"\nscans = "town"\n', "run 1: name is missing, or cannot name a folder"),
    ('[[run]]\nname = "a"\nscans = "town"\nimplementation = "auto"\n', "run 1: it has a key other than name, scans"),
    ('[[run]]\nname = "a"\nscans = "town"\noptions = { out = "x" }\n', "run a: out is not an option of a run"),
    ('[[run]]\nname = "a"\nscans = "town"\noptions = { jump = [true] }\n', "run a: jump is not a number, text"),
    ('[[run]]\nname = "a"\nscans = "town"\nvariants = ["b"]\n', "run a: the variant b is not in [variants]"),
    ('variants = {b = 1}\n[[run]]\nname = "a"\nscans = "town"\n', "variants: it is not a table of options by name"),
    ('[methods]\n"a/b" = {}\n[[run]]\nname = "a"\nscans = "town"\nimplementations = ["a/b"]\n', "run a: a-a/b cannot name a folder"),
    ('[methods]\nb = {implementation = 1}\n[[run]]\nname = "a"\nscans = "town"\nimplementations = ["b"]\n', "implementation is not a name"),
    ('[[run]]\nname = "a"\nscans = "town"\n[[run]]\nname = "a"\nscans = "town"\n', "run: the name a is not unique"),
])
def test_a_list_with_a_mistake_is_refused_before_the_first_run(tmp_path, text, said):
    file = tmp_path / "list.toml"
    file.write_text(text)
    done = localize("--preset", file, "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
    assert f"ndt_localize: {file}: " in done.stderr and said in done.stderr and not (tmp_path / "out").exists()


@pytest.mark.parametrize("args, said", [
    (["--preset", "everything", "--out", "x"], "unknown preset 'everything'; give drives, frame, localization, node or a TOML file"),
    (["--preset", "localization"], "--out is missing"),
    (["--preset", "localization", "--out", "x", "--only", "moon*"], "no run is named moon*; these are: town_drive-persistent_cuda "),
    (["--preset", "localization", "--out", "x", "--scans", "town", "--mcap", "y"], "--scans, --mcap: cannot be used with --preset"),
    (["--scans", "town", "--out", "x", "--only", "a"], "--only: requires --preset"),
])
def test_what_makes_no_sense_is_refused(args, said):
    assert said in localize(*args, code=EXIT_USAGE).stderr


def test_a_peer_that_is_not_built_is_left_out():
    run = next(run for file in PRESETS for run in preset.read(file) if run.implementation.startswith("exec:autoware_ndt:"))
    assert "no such peer" in preset.missing(run, {"town_drive": None})
    assert preset.missing(run, {"town_drive": None, "exec:autoware_ndt": None}) is None


@pytest.mark.parametrize("file", PRESETS, ids=lambda file: file.stem)
def test_the_published_lists_name_what_there_is(tmp_path, file, monkeypatch):
    monkeypatch.delenv("NDT_DATASETS", raising=False)
    runs, listing = preset.read(file), json.loads(bench("list", "--json").stdout)
    known = {kind: {one["name"] for one in listing[kind]} for kind in ("implementations", "peers", "datasets")}
    assert {preset.drawn_from(run.scans) for run in runs if "$NDT_DATASETS" not in run.scans} - UNLISTED <= known["datasets"]
    ours = {one["name"] for one in listing["implementations"] if one["for_use"] and not one["peer"]}
    named = {run.implementation for run in runs if not run.implementation.startswith("exec:autoware_ndt:")} - {"auto"}  # needs a checkout
    assert named <= known["peers"] if file.stem == "drives" else named <= ours if file.stem == "frame" else named == ours
    assert tomllib.loads(file.read_text())["description"]
    for words in {tuple(run.words) for run in runs}:  # options are checked before the scans are looked for
        said = bench("localize", "--scans", "no_such_scans", "--out", tmp_path / "out", *words, code=EXIT_USAGE).stderr
        assert "no_such_scans" in said, words


def test_a_run_that_breaks_off_with_the_exit_code_of_a_lost_one_is_not_taken_for_made(town, tmp_path):
    stub = tmp_path / "stub"
    stub.write_text(f'#!/bin/sh\nif [ "$1" = list ]; then exec "{BENCH}" "$@"; fi\necho "ndt-bench: out of memory" >&2\nexit 4\n')
    stub.chmod(0o755)
    file = written(tmp_path, town, ("broken", "", 'implementations = ["persistent_cpu"]'))
    done = localize("--preset", file, "--out", tmp_path / "out", code=EXIT_JOBS_FAILED, program=stub)
    assert "failed with exit code 4" in done.stdout and "FAILED: broken" in done.stdout and "ended lost" not in done.stdout
    assert not (tmp_path / "out" / "broken").exists()


def test_a_preset_may_record_and_cut_the_map(town, tmp_path, extras_python):  # noqa: F811
    file = tmp_path / "list.toml"
    file.write_text('implementations = ["persistent_cpu", "cpu_pclomp_ref"]\n[[run]]\nname = "a"\nscans = "$PRESET/drive"\ntiles = 10\n'
                    'options = { odometry = "$PRESET/drive/odometry.tum", map-radius = 50, lidar-radius = 30, mcap = true }\n'
                    '[[run]]\nname = "b"\nscans = "$NDT_DATASETS/moon"\n[[run]]\nname = "c"\nscans = "$PRESET/moon"\n'
                    '[[run]]\nname = "d"\nscans = "$PRESET"\ntiles = 10\nimplementations = ["auto"]\n')
    (tmp_path / "drive").symlink_to(town)
    environment = {key: value for key, value in os.environ.items() if key != "NDT_DATASETS"}
    environment |= {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [extras_python, "-m", "ndt_localize", "--bench", BENCH, "--preset", file, "--out", tmp_path / "out"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=environment)
    assert done.returncode == EXIT_JOBS_FAILED, done.stdout + done.stderr
    assert "7 runs: 2 made, 0 there before, 4 left out, 1 failed" in done.stdout
    assert "its map was not cut into tiles" in done.stdout and "FAILED: d" in done.stdout
    assert "left out, 2: NDT_DATASETS is not set" in done.stdout and "moon: neither a dataset of ndt-bench list nor a folder" in done.stdout
    for name in ("a-persistent_cpu", "a-cpu_pclomp_ref"):
        assert (tmp_path / "out" / name / "localization.mcap").stat().st_size > 1000
        assert json.loads((tmp_path / "out" / name / "localization.json").read_text())["map_following"]["map_radius"] == 50
    assert len(list((tmp_path / "out" / ".tiles").iterdir())) == 1
