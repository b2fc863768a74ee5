"""tests/gpu/count_instructions with a program and a profiler that stand for the real ones."""
import subprocess
import sys
from pathlib import Path

import pytest
from stand_ins import write_program

TOOL = Path(__file__).parent / "count_instructions"

BENCH = """#!{python}
import json, sys
limit = int(sys.argv[sys.argv.index("--max-iterations") + 1])
print(json.dumps({{"iterations": min(limit, {most})}}))
"""

# A map's kernel does the same at every limit; a loop's does more with each iteration.
PROFILER = """#!{python}
import sys
log, limit = sys.argv[sys.argv.index("--log-file") + 1], int(sys.argv[sys.argv.index("--max-iterations") + 1])
with open(log, "w") as out:
    out.write('==PROF== Connected\\n"ID","Kernel Name","smsp__inst_executed.sum","smsp__inst_executed_pipe_fp64.sum"\\n')
    out.write('"","","inst","inst"\\n"0","build","1,000","7"\\n')
    out.write(f'"1","grid_kernel","{{5000 + 1200 * limit:,}}","{{300 + 60 * limit}}"\\n')
"""


def run(*words, path=""):
    return subprocess.run([sys.executable, TOOL, *map(str, words)], capture_output=True, text=True,
                          env={"PATH": str(path)})


@pytest.fixture
def build(tmp_path):
    write_program(tmp_path / "build/bin/ndt-bench", BENCH, most=100)
    write_program(tmp_path / "tools/ncu", PROFILER)
    return tmp_path / "build"


def test_what_happens_once_cancels_out(build):
    done = run(build, "--map", "map.pcd", path=build.parent / "tools")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "an iteration executes, in all warps, 1200 instructions",
        "of them in double precision          60 (5.0 %)",
        "where these take 16 cycles each      960 cycles of all multiprocessors together",
    ]


def test_an_alignment_that_ends_early_is_refused(build):
    write_program(build / "bin/ndt-bench", BENCH, most=3)
    done = run(build, "--map", "map.pcd", path=build.parent / "tools")
    assert done.returncode != 0 and "ends after 3 iterations, and 6 are needed" in done.stderr


def test_what_is_missing_is_named(build):
    assert "ncu is not on PATH" in run(build, "--map", "map.pcd").stderr
    assert "build the cuda preset" in run(build.parent, "--map", "map.pcd").stderr
    assert "give the build's folder" in run().stderr
