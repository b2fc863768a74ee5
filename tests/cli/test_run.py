"""run: the rows it writes and the table it prints."""

import json
import re

import pytest
from conftest import EXIT_JOBS_FAILED, OWN_ROWS, ROWS, bench, refusal

# A peer is slow beside our own rows: it is measured in one test only.
OWN = [word for row in OWN_ROWS for word in ("--implementation", row)]

ROW_KEYS = [
    "run_id", "implementation", "dataset", "frame", "repeat", "threads", "resolution_m", "points", "voxels", "guess",
    "truth", "pose", "stop", "iterations", "evaluations", "correspondences", "score", "transform_probability", "nvtl",
    "build_us", "align_us", "align_after_idle_us", "translation_error_m", "rotation_error_deg", "translation_vs_ref_m",
    "rotation_vs_ref_deg", "error"]


def rows_in(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_smoke_writes_a_row_for_every_alignment(tmp_path):
    out = bench("run", "--preset", "smoke", *OWN, "--samples", 1, "--threads", 1, "--threads", 2, "--out", tmp_path).stdout
    rows = rows_in(tmp_path)
    assert len(rows) == 2 * 2 * 2 * 8  # datasets, thread counts, implementations, guesses
    for row in rows:
        assert list(row) == ROW_KEYS
        assert row["stop"] == "converged" and row["error"] is None
        assert row["align_us"] > 0 and row["align_after_idle_us"] > 0 and row["build_us"] > 0 and row["evaluations"] == row["iterations"] + 1
        assert len(row["guess"]) == len(row["pose"]) == len(row["truth"]) == 16
        assert row["translation_error_m"] < 0.05 and row["rotation_error_deg"] < 0.5
        assert (row["translation_vs_ref_m"] is None) == (row["implementation"] == "cpu_pclomp_ref")
    for row in rows:
        if row["implementation"] != "cpu_pclomp_ref":
            assert row["translation_vs_ref_m"] < 1e-3 and row["rotation_vs_ref_deg"] < 0.01
    assert f"{len(rows)} rows in {tmp_path / 'results.jsonl'}" in out


def test_implementations_take_turns_on_each_guess(tmp_path):
    bench("run", "--dataset", "courtyard", *OWN, "--threads", 1, "--samples", 16, "--out", tmp_path)
    order = [(r["repeat"], r["frame"], r["implementation"]) for r in rows_in(tmp_path)]
    frames = [f"guess{k}" for k in range(8)]
    first = [(0, f, i) for f in frames for i in ("cpu_pclomp_ref", "persistent_cpu")]
    # On a slow machine (or under a sanitizer) a row that has used up its time gets no second round, but never half of one.
    assert order[:16] == first
    second = set(i for n, _, i in order[16:] if n == 1)
    assert order[16:] == [(1, f, i) for f in frames for i in ("cpu_pclomp_ref", "persistent_cpu") if i in second]


def test_the_table_has_a_line_per_job_and_fits_a_terminal(tmp_path):
    out = bench("run", *OWN, "--samples", 1, "--threads", 1, "--out", tmp_path).stdout.splitlines()
    assert all(len(line) <= 120 for line in out[:-1])
    assert out[0].split()[:6] == ["dataset", "points", "voxels", "thr", "implementation", "n"]
    jobs = [line.split() for line in out[2:-1]]
    assert [(j[0], j[4], j[5], j[6]) for j in jobs] == [
        (d, i, "8", "100") for d in ("courtyard", "courtyard_5k") for i in ("cpu_pclomp_ref", "persistent_cpu")]


def test_the_environment_is_recorded(tmp_path):
    bench("run", "--dataset", "courtyard", *OWN, "--samples", 1, "--threads", 1, "--out", tmp_path)
    environment = json.loads((tmp_path / "environment.json").read_text())
    for key in ["run_id", "date_utc", "commit", "command_line", "compiler", "flags", "build_type", "cpu_model", "cores",
                "os", "versions"]:
        assert environment[key], key
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", environment["date_utc"])
    assert re.fullmatch(r"[0-9a-f]{40}(-dirty)?|unknown", environment["commit"])
    assert environment["command_line"].endswith(f"--out {tmp_path}")
    assert {r["run_id"] for r in rows_in(tmp_path)} == {environment["run_id"]}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["environment.json", "results.jsonl"]


def test_the_default_folder_is_named_by_the_time(tmp_path):
    bench("run", "--dataset", "courtyard", *OWN, "--samples", 1, "--threads", 1, cwd=tmp_path)
    (folder,) = (tmp_path / "bench-results").iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}Z", folder.name)
    assert len(rows_in(folder)) == 16


def test_options_and_selections_apply(tmp_path):
    bench("run", "--dataset", "courtyard_far", "--implementation", "persistent_cpu", "--threads", 2, "--threads", 2,
          "--samples", 1, "--resolution", 1.5, "--max-iterations", 3, "--out", tmp_path)
    rows = rows_in(tmp_path)
    assert len(rows) == 8
    for row in rows:
        assert (row["dataset"], row["implementation"], row["threads"]) == ("courtyard_far", "persistent_cpu", 2)
        assert row["resolution_m"] == 1.5 and row["iterations"] <= 3
        assert abs(row["pose"][3] - 81377) < 1
        assert row["translation_vs_ref_m"] is None


def test_failed_jobs_are_rows_with_their_error_and_exit_4(tmp_path):
    done = bench("run", "--dataset", "courtyard", "--threads", 1, "--samples", 1, "--resolution", 0.01, "--out", tmp_path,
                 code=EXIT_JOBS_FAILED)
    rows = rows_in(tmp_path)
    assert [r["implementation"] for r in rows] == ROWS
    for row in rows:  # a peer may refuse so small voxels for a reason of its own
        assert list(row) == ROW_KEYS and row["error"].startswith("set_map: ") and row["pose"] is None
        assert "no valid voxel" in row["error"] or row["implementation"] not in OWN_ROWS
    assert done.stderr.count("set_map: ") == len(ROWS)
    assert f"{len(ROWS)} rows in" in done.stdout


def test_every_row_is_measured_by_default_and_one_thread_is_measured_once(tmp_path):
    bench("run", "--dataset", "courtyard", "--threads", 2, "--threads", 1, "--samples", 1, "--max-iterations", 2, "--out",
          tmp_path)
    rows = rows_in(tmp_path)
    assert {r["implementation"] for r in rows} == set(ROWS)
    peers = [r for r in rows if r["implementation"] not in OWN_ROWS]
    assert len(peers) == 8 * (len(ROWS) - len(OWN_ROWS))
    for row in peers:
        assert row["threads"] == 1 and row["stop"] in ("max_iterations", "converged") and 1 <= row["iterations"] <= 2
        assert row["evaluations"] > row["iterations"] and row["translation_vs_ref_m"] is not None


def test_real_clouds_without_their_folder_are_bad_input(tmp_path):
    assert "NDT_GOLDEN_DIR is not set" in refusal("run", "--dataset", "golden", "--out", tmp_path / "out", code=2)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option,value", [("--threads", "-1"), ("--threads", "300"), ("--samples", "0"), ("--step", "0"),
                                          ("--implementation", "gpu")])
def test_bad_values_are_refused_before_anything_is_written(tmp_path, option, value):
    refusal("run", option, value, "--out", tmp_path / "out", code=1)
    assert not (tmp_path / "out").exists()
