"""ndt-microbench: every implementation that can run is there, and a tiny run gives numbers."""

import json
import os
import subprocess

import pytest
from conftest import EXIT_OK, EXIT_USAGE, bench

MICROBENCH = os.environ.get("NDT_MICROBENCH")
pytestmark = pytest.mark.skipif(not MICROBENCH, reason="skipped for want of Google Benchmark (Debian: libbenchmark-dev)")


def microbench(*args, code=EXIT_OK):
    done = subprocess.run([MICROBENCH, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def implementations(*, available):
    listing = json.loads(bench("list", "--json").stdout)["implementations"]
    return [entry["name"] for entry in listing if entry["available"] == available and entry["for_use"]]


def test_every_implementation_is_listed_with_all_its_parts():
    names = microbench("--benchmark_list_tests").stdout.splitlines()
    for implementation in implementations(available=True) + implementations(available=False):
        for part in ["build/{}/100000", "build/{}/1000000", "evaluate/{}/1000", "evaluate/{}/5000", "evaluate/{}/50000",
                     "align/{}/5000"]:
            assert part.format(implementation) + "/real_time" in names
    assert not any("multikernel_transfers_cuda" in name for name in names)  # not for use
    assert {"propose/100x1/real_time", "propose/100x16/real_time", "propose_drawn_ahead/100x16/real_time"} <= set(names)
    scored = [name for name in names if name.startswith("score/")]
    assert "score/persistent_cpu/5000x64/real_time" in scored
    assert "score/cpu_pclomp_ref/5000x64/real_time" not in scored  # takes one pose at a time


def test_a_tiny_run_gives_every_available_implementation_its_numbers():
    report = json.loads(microbench("--benchmark_min_time=0.01", "--benchmark_filter=evaluate/.*/1000/|align/|score/",
                                   "--benchmark_format=json", "--threads", 1).stdout)
    assert report["context"]["ndt_threads"] == "1" and report["context"]["ndt_commit"]
    assert report["context"]["ndt_profile"] == "autoware"
    found = {b["name"].removesuffix("/real_time"): b for b in report["benchmarks"]}
    for implementation in implementations(available=True):
        for name in [f"evaluate/{implementation}/1000", f"align/{implementation}/5000"]:
            result = found[name]
            assert "error_message" not in result, result
            assert result["real_time"] > 0 and result["points_per_s"] > 0
            assert result["s_per_point"] == pytest.approx(1 / result["points_per_s"], rel=1e-6)
        aligned = found[f"align/{implementation}/5000"]
        assert aligned["newton_iterations"] >= 2 and aligned["error_m"] < 0.05
    for implementation in implementations(available=False):
        assert found[f"align/{implementation}/5000"]["error_message"]
    score = found["score/persistent_cpu/5000x64"]
    assert score["points_per_s"] == pytest.approx(64 * 5000 / (score["real_time"] * 1e-6), rel=1e-3)


def test_a_profile_gives_every_part_its_options():
    report = json.loads(microbench("--benchmark_min_time=0.01", "--benchmark_filter=align/persistent_cpu/5000/", "--profile", "windows",
                                   "--benchmark_format=json").stdout)
    assert report["context"]["ndt_profile"] == "windows"
    assert report["benchmarks"][0]["error_m"] < 0.01
    assert "choose from autoware, textbook, pyramid, windows" in microbench("--profile", "fast", code=EXIT_USAGE).stderr


def test_a_map_ten_times_as_large_has_ten_times_the_voxels():
    report = json.loads(microbench("--benchmark_min_time=0.01", "--benchmark_filter=build/persistent_cpu/",
                                   "--benchmark_format=json").stdout)
    small, large = (b["voxels"] for b in report["benchmarks"])
    assert 8 * small < large < 11 * small


def test_what_it_cannot_use_is_a_usage_error():
    assert "option threads = 300: must be in [0, 256]" in microbench("--threads", 300, code=EXIT_USAGE).stderr
    assert "--thread" in microbench("--thread=2", code=EXIT_USAGE).stderr
    assert "matches no benchmark" in microbench("--benchmark_filter=nothing", code=EXIT_USAGE).stderr


def test_help_has_its_own_options_and_those_of_google_benchmark():
    text = microbench("--help").stdout
    assert "--threads" in text and "score/<implementation>/<scan points>x<poses>" in text and "--benchmark_filter" in text
