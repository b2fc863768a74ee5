"""The tests that tests/gpu/sanitize names are in the programs of this build."""

import os
import re
import subprocess
from pathlib import Path

from stand_ins import write_program

TOOL = Path(__file__).parent / "sanitize"

# Says how many tests it would run; none if one of the names has none.
LISTER = """#!{python}
import subprocess, sys
program, names = sys.argv[-2], sys.argv[-1].removeprefix("--gtest_filter=").partition("-")[0]

def count(name):
    listed = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=" + name], capture_output=True, text=True, check=True).stdout
    return sum(line.startswith("  ") for line in listed.splitlines())

counts = [count(name) for name in names.split(":")]
print("[  PASSED  ]", sum(counts) if all(counts) else 0, "tests.")
"""


def sanitize(build):
    write_program(build / "tools/compute-sanitizer", LISTER)
    path = f"{build / 'tools'}:{os.environ['PATH']}"
    return subprocess.run([TOOL, build], capture_output=True, text=True, env=dict(os.environ, PATH=path, SANITIZE_JOBS="2"))


def test_every_case_names_a_test(tmp_path):
    (tmp_path / "bin").symlink_to(Path(os.environ["NDT_BUILD"]) / "bin")
    done = sanitize(tmp_path)
    assert done.returncode == 0 and len(done.stdout.splitlines()) > 40, done.stdout + done.stderr


def test_a_case_that_names_none_fails(tmp_path):
    for name in set(re.findall(r"\w+_test\b", TOOL.read_text())):
        write_program(tmp_path / "bin/tests" / name, "#!{python}\nprint('Suite.')\n")
    done = sanitize(tmp_path)
    assert done.returncode != 0 and "none was named so" in done.stdout
