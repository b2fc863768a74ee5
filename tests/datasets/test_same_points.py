"""Library, ndt-bench and converter read alike; same_points.py does this at length."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_library_ndt_bench_and_converter_read_the_same(tmp_path):
    programs = [os.environ.get(name) for name in ("NDT_READ_CLOUDS", "NDT_BENCH")]
    if not all(programs):
        pytest.skip("skipped for want of NDT_READ_CLOUDS and NDT_BENCH")
    script = Path(__file__).resolve().parent / "same_points.py"
    done = subprocess.run([sys.executable, script, *programs, "--count", "600", "--seed", "7"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "differences: 0" in done.stdout and "refused" in done.stdout
