"""A short attack on the readers of bags, maps and results; attack.py tells how to run a long one."""

import os
import re
import subprocess

from conftest import ROOT


def test_damaged_files_are_read_or_refused(extras_python):
    words = [extras_python, ROOT / "tests/datasets/attack.py", "--count", "12", "--seed", "7"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
    rows = re.findall(r"(?m)^(\w+) +12 +(\d+) +(\d+) +0 +0 +0 ", done.stdout)
    assert done.returncode == 0 and len(rows) == 12, done.stdout + done.stderr
    assert all(int(read) + int(refused) == 12 for _, read, refused in rows) and sum(int(refused) for _, _, refused in rows) > 20
