"""The folder of sweeps on the path, and ndt-bench behind a script that notes every call."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SWEEPS = ROOT / "sweeps"
BENCH = os.environ["NDT_BENCH"]
sys.path.insert(0, str(SWEEPS))


class NotedBench:
    """Passes every call on; `calls` has its words, where it ran (setsid's number) and its variables."""

    def __init__(self, folder):
        self.program, self.notes = folder / "ndt-bench", folder / "calls"
        self.notes.mkdir()
        self.program.write_text(f"#!/bin/bash\nexport NDT_SHARE={ROOT}\n"
                                f'{{ echo "$*"; ps -o sid= $$; env; }} >{self.notes}/$(date +%s%N)_$$\nexec {BENCH} "$@"\n')
        self.program.chmod(0o755)

    def calls(self):
        """(words, setsid's number, variables) of each, in order."""
        texts = [file.read_text().splitlines() for file in sorted(self.notes.iterdir())]
        return [(lines[0], int(lines[1]), {line.partition("=")[0] for line in lines[2:]}) for lines in texts]

    def words(self, start):
        return [words for words, _, _ in self.calls() if words.startswith(start)]


@pytest.fixture
def noted_bench(tmp_path):
    folder = tmp_path / "noted"
    folder.mkdir()
    return NotedBench(folder)
