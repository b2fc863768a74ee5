"""run: the measurements it writes, what it leaves out, and that a process that dies costs one of them."""

import json
import os
import random
import re
import signal
import subprocess
import time

import pytest
from conftest import BENCH, EXIT_JOBS_FAILED, IMPLEMENTATIONS, LISTED, OWN_IMPLEMENTATIONS, bench, refusal, rows_in


def words_for(names):
    return [word for name in names for word in ("--implementation", name)]


# A peer is slow beside our own measurements: it is measured in one test only.
OWN = words_for(OWN_IMPLEMENTATIONS)
ON_CPU = [entry["name"] for entry in LISTED if entry["name"] in OWN_IMPLEMENTATIONS and entry["runs_on"].startswith("CPU")]
MEASURED = [entry["name"] for entry in LISTED if entry["available"] and entry["for_use"]]  # where none is named
KILLS = 100 if os.environ.get("NDT_SOAK") else 4
# One alignment in place of thirty.
QUICK = ["--samples", 1]

TIMINGS = {"run_id", "make_us", "build_us", "first_align_us", "rebuild_us", "align_us", "align_after_idle_us", "timing",
           "calibration_us", "peak_rss_bytes"}


def without_timings(folder):
    return sorted(json.dumps({k: v for k, v in m.items() if k not in TIMINGS}) for m in rows_in(folder))


def preset(folder, text):
    file = folder / "mine.toml"
    file.write_text("description = 'd'\n[timing]\ncap_s = 0.02\nidle_samples = 1\n" + text)
    return file


def test_memory_is_of_the_job_alone(tmp_path):
    file = preset(tmp_path, "[[study]]\ndatasets = ['courtyard_tiles_13', 'courtyard']\nframes = 1\nthreads = [1]\n")
    bench("run", "--preset", file, "--implementation", "persistent_cpu", *QUICK, "--out", tmp_path / "run")
    peak = {m["dataset"]: m["peak_rss_bytes"] for m in rows_in(tmp_path / "run")}
    assert 1 << 20 < peak["courtyard"] < peak["courtyard_tiles_13"] / 3, "the process that planned has held both maps"


def test_every_measurement_is_a_line(tmp_path):
    out = bench("run", "--dataset", "courtyard", *OWN, *QUICK, "--threads", 1, "--threads", 2, "--out", tmp_path / "run").stdout
    measurements = rows_in(tmp_path / "run")
    known = json.loads((tmp_path / "run" / "implementations.json").read_text())
    columns = json.loads((tmp_path / "run" / "columns.json").read_text())
    assert all(list(m) == [column["name"] for column in columns] for m in measurements)
    thread_counts = sum(1 if entry["one_thread"] else 2 for entry in known if entry["name"] in OWN_IMPLEMENTATIONS)
    assert len(OWN_IMPLEMENTATIONS) >= 2 and len(measurements) == thread_counts * 8  # guesses
    assert len({tuple(m[k] for k in ("implementation", "threads", "guess_name")) for m in measurements}) == len(measurements)
    poses = {}
    for m in measurements:
        assert m["stop"] == "converged" and m["error"] is None and m["variant"] == "autoware"
        assert all(us > 0 for us in m["align_us"] + m["align_after_idle_us"] + [m["build_us"], m["calibration_us"]])
        assert m["timing"] in ("settled", "wall_cap") and len(m["align_us"]) >= 1
        assert m["evaluations"] == m["iterations"] + 1 == len(m["trace"]["score"])
        assert len(m["guess"]) == len(m["pose"]) == len(m["truth"]) == 16
        assert m["translation_error_m"] < 0.05 and m["rotation_error_deg"] < 0.5
        assert m["trace"]["translation_error_m"][-1] == m["translation_error_m"]
        poses.setdefault((m["implementation"], m["guess_name"]), m["pose"])
        assert poses[m["implementation"], m["guess_name"]] == m["pose"], "the same bits for any number of threads"
    run = tmp_path / "run"
    assert f"{len(measurements)} measurements in {run / 'results.jsonl'}\nnext: ndt-bench report {run}\n" == out


def test_the_load_is_measured_if_it_is_asked_for(tmp_path):
    words = ["--dataset", "courtyard_200", "--implementation", "persistent_cpu", "--threads", 1, *QUICK]
    bench("run", *words, "--load-s", 0.1, "--out", tmp_path / "loaded")
    bench("run", *words, "--out", tmp_path / "plain")
    loaded, plain = rows_in(tmp_path / "loaded"), rows_in(tmp_path / "plain")
    assert all(0 < row["cpu_percent"] < 200 and row["gpu_percent"] is row["gpu_energy_mj"] is None for row in loaded)
    assert all(row["cpu_percent"] is None for row in plain) and len(plain) == len(loaded) > 0
    assert json.loads((tmp_path / "loaded" / "plan.json").read_text())["timing"]["load_s"] == 0.1


def test_the_run_says_where_and_on_what_it_ran(tmp_path):
    run = tmp_path / "run"
    bench("run", "--dataset", "courtyard", *OWN, *QUICK, "--threads", 1, "--out", run)
    environment = json.loads((run / "environment.json").read_text())
    for key in ["run_id", "date_utc", "commit", "command_line", "compiler", "flags", "build_type", "cpu_model", "cores",
                "os", "versions"]:
        assert environment[key], key
    assert environment["versions"]["eigen"].count(".") == 2 and {"pcl", "cuda_toolkit"} <= set(environment["versions"])
    cuda = environment["cuda"]
    assert list(cuda) == ["unavailable", "driver", "driver_release", "runtime", "devices"]
    assert (cuda["unavailable"] is None) <= bool(cuda["devices"])
    for device in cuda["devices"]:
        assert device["name"] and re.fullmatch(r"\d+\.\d", device["compute_capability"])
        assert device["multiprocessors"] > 0 and device["memory_bytes"] > 2**30
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", environment["date_utc"])
    assert re.fullmatch(r"[0-9a-f]{40}(-dirty)?|unknown", environment["commit"])
    assert environment["command_line"].endswith(f"--out {run}")
    assert {r["run_id"] for r in rows_in(run)} == {environment["run_id"]}
    (dataset,) = json.loads((run / "datasets.json").read_text())
    assert dataset["name"] == "courtyard" and dataset["truth_exact"] and dataset["map_points"] == 30000
    assert re.fullmatch(r"fnv1a64:[0-9a-f]{16}", dataset["fingerprint"])
    for cloud in (dataset["picture"]["map"], dataset["picture"]["scan"]):
        assert (run / cloud).read_bytes().startswith(b"# .PCD")
    entries = json.loads((run / "implementations.json").read_text())
    assert [r["name"] for r in entries if r["available"]] == IMPLEMENTATIONS
    assert all("epsilon" in r["stop_rule"] for r in entries)
    plan = json.loads((run / "plan.json").read_text())
    assert plan["preset"] == "smoke" and len({job["job"] for job in plan["jobs"]}) == len(plan["jobs"])


def test_the_picture_is_of_a_frame_that_every_study_has(tmp_path):
    town, run = tmp_path / "town", tmp_path / "run"
    bench("generate", "town", "--scale", "small", "--out", town)
    study = """
[[study]]
datasets = ["{town}"]
frames = {frames}
threads = [1]
seeds = 1
sigma = [1, 1, 0.1, 0.01, 0.01]
searches = [{{ name = "{frames}", strategy = "sequential", particles = 2, startup = 2, implementations = ["persistent_cpu"] }}]
"""
    studies = [study.format(town=town, frames=frames) for frames in (4, 1)]
    (tmp_path / "preset.toml").write_text('description = "two studies"' + "".join(studies))
    bench("run", "--preset", tmp_path / "preset.toml", *QUICK, "--out", run)
    (dataset,) = json.loads((run / "datasets.json").read_text())
    assert dataset["frames"] == 4
    assert {r["frame"] for r in rows_in(run) if r["search"]["name"] == "1"} == {dataset["picture"]["frame"]}


def test_the_default_folder_is_named_by_the_time(tmp_path):
    bench("run", "--dataset", "courtyard", "--implementation", "persistent_cpu", *QUICK, "--threads", 1, cwd=tmp_path)
    (folder,) = (tmp_path / "bench-results").iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}Z", folder.name)
    assert len(rows_in(folder)) == 8


def test_options_and_selections_apply(tmp_path):
    bench("run", "--dataset", "courtyard_far", "--implementation", "persistent_cpu", "--threads", 2, "--threads", 2,
          *QUICK, "--resolution", 1.5, "--max-iterations", 3, "--out", tmp_path / "run")
    measurements = rows_in(tmp_path / "run")
    assert len(measurements) == 8
    for m in measurements:
        assert (m["dataset"], m["implementation"], m["threads"]) == ("courtyard_far", "persistent_cpu", 2)
        assert m["resolution_m"] == 1.5 and m["iterations"] <= 3
        assert abs(m["pose"][3] - 81377) < 1


def test_a_preset_of_ones_own_with_variants_and_a_grid(tmp_path):
    file = preset(tmp_path, "[[study]]\ndatasets = ['courtyard']\nthreads = [1]\ntimed = false\n"
                            "variants = [{ name = 'a' }, { name = 'b', line_search = 'batched', step = 1.0 }]\n"
                            "grids = [{ x_m = [0, 0.5], yaw_deg = [0, 5, 10] }]\n")
    bench("run", "--preset", file, *OWN, "--out", tmp_path / "run")
    measurements = rows_in(tmp_path / "run")
    assert len(measurements) == len(OWN_IMPLEMENTATIONS) * 2 * 6  # implementations, variants, guesses
    assert {m["variant"] for m in measurements} == {"a", "b"}
    for m in measurements:
        assert m["timing"] == "single" and len(m["align_us"]) == 1 and m["trace"] is None
        offset = m["guess_offset"]
        assert abs(m["guess"][3] - offset["x_m"]) < 1e-12 and offset["yaw_deg"] in (0, 5, 10)


def test_batches_are_measured_beside_single_alignments_and_the_too_long_are_skipped(tmp_path):
    file = preset(tmp_path, "[limits]\ncall_s = 5\n[[study]]\ndatasets = ['courtyard_200']\nthreads = [1]\nposes = [1, 3, 90000]\n"
                            "variants = [{ name = 'twenty', max_iterations = 20, epsilon = 1e-300 }]\ngrids = [{ x_m = [0.3] }]\n")
    done = bench("run", "--preset", file, *words_for(ON_CPU), *QUICK, "--out", tmp_path / "run")
    assert "left out: cpu_pclomp_ref in batches: it takes one pose at a time" in done.stderr and "failed" not in done.stdout
    measurements = rows_in(tmp_path / "run")
    takers = {r["implementation"] for r in measurements if r["poses"] > 1}
    assert "cpu_pclomp_ref" not in takers and "persistent_cpu" in takers
    assert len(measurements) == len(ON_CPU) + 2 * len(takers)
    for m in measurements:
        if m["poses"] == 90000:
            assert m["error_kind"] == "skipped" and m["error"].startswith("skipped: 90000 poses, at ")
        else:
            assert m["iterations"] == 20 * m["poses"] and m["evaluations"] == 21 * m["poses"]
    bench("run", "--resume", tmp_path / "run")
    assert rows_in(tmp_path / "run") == measurements, "what was skipped stays so"


def test_a_variants_regularisation_pulls_and_a_study_has_its_own_timing(tmp_path):
    file = preset(tmp_path, "[[study]]\ndatasets = ['courtyard']\nthreads = [1]\ngrids = [{ x_m = [0.3] }]\n"
                            "variants = [{ name = 'plain' }, { name = 'true', reg_at_truth = true },\n"
                            "            { name = 'far', reg_x = 500.0, reg_y = 0.0 }]\n"
                            "[study.timing]\nsamples = 7\nspread = 10\ncap_s = 60\nidle_samples = 0\n")
    bench("run", "--preset", file, "--implementation", "persistent_cpu", "--out", tmp_path / "run")
    measurements = {r["variant"]: r for r in rows_in(tmp_path / "run")}
    assert all(len(r["align_us"]) == 7 and r["align_after_idle_us"] == [] for r in measurements.values())
    assert len({r["pose"][3] for r in measurements.values()}) == 3
    assert measurements["far"]["pose"][3] > measurements["plain"]["pose"][3] + 0.01


def test_failed_measurements_are_lines_with_their_error_and_exit_4(tmp_path):
    done = bench("run", "--dataset", "courtyard", "--threads", 1, *QUICK, "--resolution", 0.01, "--out", tmp_path / "run",
                 code=EXIT_JOBS_FAILED)
    measurements = rows_in(tmp_path / "run")
    assert {r["implementation"] for r in measurements} == set(MEASURED)
    for m in measurements:  # a peer may refuse so small voxels for a reason of its own
        assert m["error"].startswith("set_map: ") and m["pose"] is None and m["error_kind"] == "exception"
        assert "no valid voxel" in m["error"] or m["implementation"] not in OWN_IMPLEMENTATIONS
    assert f"{len(measurements)} measurements in" in done.stdout and f"{len(measurements)} of them failed" in done.stdout


def test_every_implementation_is_measured_by_default_and_one_thread_is_measured_once(tmp_path):
    bench("run", "--dataset", "courtyard", "--threads", 2, "--threads", 1, *QUICK, "--max-iterations", 2, "--out",
          tmp_path / "run")
    measurements = rows_in(tmp_path / "run")
    assert {r["implementation"] for r in measurements} == set(MEASURED)
    peers = [r for r in measurements if r["implementation"] not in OWN_IMPLEMENTATIONS]
    assert len(peers) == 8 * (len(IMPLEMENTATIONS) - len(OWN_IMPLEMENTATIONS))
    for m in peers:
        assert m["threads"] == 1 and m["stop"] in ("max_iterations", "converged") and 1 <= m["iterations"] <= 2
        assert m["evaluations"] > m["iterations"]


def test_what_an_implementation_does_not_offer_is_left_out_with_its_reason(tmp_path):
    if "pcl_ndt" not in IMPLEMENTATIONS:
        pytest.skip("pcl_ndt is not in this build")
    done = bench("run", "--dataset", "courtyard", "--threads", 1, *QUICK, "--neighbours", "direct7", "--out", tmp_path / "run")
    assert "left out: pcl_ndt with autoware: " in done.stderr and "neighbours" in done.stderr
    assert {r["implementation"] for r in rows_in(tmp_path / "run")} == set(OWN_IMPLEMENTATIONS)


def test_a_hang_and_too_much_memory_cost_their_measurements_and_say_why(tmp_path):
    tight = "[limits]\nmeasurement_s = 0.1\n[[study]]\ndatasets = ['courtyard']\nthreads = [1]\n"
    file = preset(tmp_path, tight)  # five thousand points and a second of samples are too much for 0.1 s
    file.write_text(file.read_text().replace("cap_s = 0.02", "cap_s = 3600\nspread = 0").replace("'courtyard'", "'courtyard_5k'"))
    bench("run", "--preset", file, "--implementation", "cpu_pclomp_ref", "--out", tmp_path / "slow", code=EXIT_JOBS_FAILED)
    measurements = rows_in(tmp_path / "slow")
    assert len(measurements) == 8 and {r["error_kind"] for r in measurements} == {"timeout"}
    assert measurements[0]["error"] == "ended: no result within 0.1 s"

    file = preset(tmp_path, "[limits]\nmemory_mib = 64\n[[study]]\ndatasets = ['courtyard_tiles_9']\nthreads = [1]\n")
    bench("run", "--preset", file, "--implementation", "persistent_cpu", "--out", tmp_path / "large", code=EXIT_JOBS_FAILED)
    measurements = rows_in(tmp_path / "large")
    assert len(measurements) == 8 and {r["error_kind"] for r in measurements} == {"memory"}
    assert measurements[0]["error"] == "ended: it used more than 64 MiB"


def children_of(pid):
    try:
        return [int(p) for p in open(f"/proc/{pid}/task/{pid}/children").read().split()]
    except OSError:
        return []


def test_killed_processes_cost_no_measurement_after_resume(tmp_path):
    file = preset(tmp_path, "[[study]]\ndatasets = ['courtyard']\nthreads = [1]\nmeasurements_per_job = 3\n")
    arguments = ["run", "--preset", file, *OWN]
    began = time.monotonic()
    bench(*arguments, "--out", tmp_path / "whole")
    whole_s = time.monotonic() - began
    draw = random.Random(1)
    for attempt in range(KILLS):
        run = tmp_path / f"killed_{attempt}"
        runner = subprocess.Popen([BENCH, *map(str, arguments), "--out", str(run)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.05, 0.9) * whole_s)
        victims = children_of(runner.pid) if attempt % 2 == 0 else [runner.pid]
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        code = runner.wait()
        assert code in (0, EXIT_JOBS_FAILED, -signal.SIGKILL)
        if code == EXIT_JOBS_FAILED:
            killed = [r for r in rows_in(run) if r["error"]]
            assert len(killed) == 1 and killed[0]["error_kind"] == "crash" and "signal 9 (KILL)" in killed[0]["error"]
        if not (run / "plan.json").exists():  # it was killed before the run had begun
            continue
        deadline = time.monotonic() + 30
        while True:  # the measuring process of a killed runner dies with it, but not in no time
            done = subprocess.run([BENCH, "run", "--resume", str(run)], capture_output=True, text=True)
            if done.returncode == 0 or time.monotonic() > deadline:
                break
        assert done.returncode == 0, done.stderr
        assert without_timings(run) == without_timings(tmp_path / "whole")


def test_a_finished_run_is_resumed_with_nothing_to_do(tmp_path):
    run = tmp_path / "run"
    bench("run", "--dataset", "courtyard", "--implementation", "persistent_cpu", *QUICK, "--threads", 1, "--out", run)
    before = (run / "results.jsonl").read_text()
    assert "8 measurements in" in bench("run", "--resume", run).stdout
    assert (run / "results.jsonl").read_text() == before
    assert "contains a run already" in refusal("run", "--dataset", "courtyard", "--out", run, code=2)
    assert "there is no such file" in refusal("run", "--resume", tmp_path / "none", code=2)
    for other in (["--preset", "basin"], ["--threads", 1], ["--step", 1]):  # the plan is made
        assert "excludes" in refusal("run", "--resume", run, *other, code=1)


def test_a_run_says_how_much_it_will_align_before_the_first(tmp_path):
    file = preset(tmp_path, "[[study]]\ndatasets = ['courtyard']\nthreads = [1]\nposes = [1, 4]\ngrids = [{ x_m = [0, 1] }]\n")
    said = bench("run", "--preset", file, "--implementation", "persistent_cpu", *QUICK, "--out", tmp_path / "run").stderr
    assert said.startswith("ndt-bench: planned: measurements 4, alignments 10, jobs 1; repeating them for their timing takes up to 1 s\n")


def test_a_million_alignments_need_consent(tmp_path):
    million = "[[study]]\ndatasets = ['courtyard_200']\nthreads = [1]\ntimed = false\nposes = [100000]\ngrids = [{ x_m = [0, %s] }]\n"
    file = preset(tmp_path, million % ", ".join(str(k) for k in range(1, 11)))
    asked = ["run", "--preset", file, "--implementation", "persistent_cpu", "--out", tmp_path / "run"]
    said = refusal(*asked, code=1)
    assert "planned: measurements 11, alignments 1100000, jobs 2\n" in said
    assert "1100000 alignments are planned, and more than 1000000 need consent; add --yes, or plan fewer" in said
    assert not (tmp_path / "run").exists()
    file.write_text(file.read_text().replace("timed = false", "timed = false\nvariants = [{ name = 'one', max_iterations = 1 }]"))
    with subprocess.Popen([BENCH, *map(str, asked), "--yes"], stderr=subprocess.PIPE, text=True) as begun:
        assert any("measurements go to" in line for line in begun.stderr), "it begins"
        begun.kill()


def test_lists_whose_product_is_too_long_are_refused_at_once(tmp_path):
    numbers = ", ".join(f"{k / 10}" for k in range(1000))
    file = preset(tmp_path, "[[study]]\ndatasets = ['courtyard']\nthreads = [1]\n"
                            f"grids = [{{ x_m = [{numbers}], y_m = [{numbers}], z_m = [{numbers}], yaw_deg = [{numbers}] }}]\n")
    said = refusal("run", "--preset", file, *OWN, "--out", tmp_path / "run", code=2)
    assert "the limit of a run is 4194304; shorten its lists" in said and not (tmp_path / "run").exists()


def test_two_variants_of_one_name_are_refused(tmp_path):
    file = preset(tmp_path, "[[study]]\ndatasets = ['courtyard']\n"
                            "variants = [{ name = 'a', max_iterations = 1 }, { name = 'a', max_iterations = 30 }]\n")
    said = refusal("run", "--preset", file, "--out", tmp_path / "run", code=2)
    assert "has two variants named 'a' with different options; give each a name of its own" in said


def test_real_clouds_without_their_folder_are_bad_input(tmp_path):
    assert "dataset kitti00 is not available: NDT_DATASETS is not set" in refusal("run", "--dataset", "kitti00", "--out", tmp_path / "out", code=2)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option,value", [("--threads", "-1"), ("--threads", "300"), ("--samples", "0"), ("--step", "0"),
                                          ("--implementation", "gpu"), ("--dataset", "courtyrad"), ("--preset", "smok")])
def test_bad_values_are_refused_before_anything_is_written(tmp_path, option, value):
    refusal("run", option, value, "--out", tmp_path / "out", code=1)
    assert not (tmp_path / "out").exists()


def test_a_caller_that_sleeps_between_alignments_is_measured_beside_one_that_does_not(tmp_path):
    file = preset(tmp_path, "[[study]]\ndatasets = ['courtyard']\nthreads = [1]\nrates_hz = [0, 50]\nannounced_ms = [0, 2]\n"
                  "[study.timing]\nsamples = 5\nspread = 10\ncap_s = 60\nidle_samples = 1\n")
    bench("run", "--preset", file, "--implementation", "persistent_cpu", "--out", tmp_path / "run")
    measurements = rows_in(tmp_path / "run")
    assert sorted((m["guess_name"], m["rate_hz"] or 0, m["announced_ms"] or 0) for m in measurements) == [
        (f"guess{k}", *call) for k in range(8) for call in ((0, 0), (50, 0), (50, 2))]
    assert all(len(m["align_us"]) == 5 and bool(m["align_after_idle_us"]) == (m["rate_hz"] is None) for m in measurements)
    assert len({tuple(m["pose"]) for m in measurements}) == 8, "whenever it is called"
    out = bench("report", tmp_path / "run").stdout
    assert re.search(r"^After idle, courtyard: persistent_cpu, 1 threads, p50 ms: [\d.]+ back to back, [\d.]+ at 50 Hz, "
                     r"[\d.]+ announced$", out, re.M)
    bench("run", "--resume", tmp_path / "run")
    assert len(rows_in(tmp_path / "run")) == 24, "a rate is part of what is measured"
