"""ndt-bench as a subprocess, and the courtyard and the small town as files."""

import json
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.register_assert_rewrite("localizations")

BENCH = os.environ["NDT_BENCH"]

EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_JOBS_FAILED, EXIT_NO_DEVICE = 0, 1, 2, 4, 5


class Clouds(NamedTuple):
    map: Path
    scan: Path

    @property
    def args(self):
        return ["--map", self.map, "--scan", self.scan]


def bench(*args, code=EXIT_OK, env=None, cwd=None):
    """Runs ndt-bench and checks how it ends; failures show both streams."""
    environment = {k: v for k, v in os.environ.items() if k not in ("NDT_GOLDEN_DIR", "NDT_DATASETS")} | (env or {})
    done = subprocess.run([BENCH, *map(str, args)], capture_output=True, text=True, env=environment, cwd=cwd)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def refusal(*args, code):
    """The message of a run that must fail, on stderr alone and under the program's name."""
    done = bench(*args, code=code)
    assert done.stdout == ""
    # A town that is made on first use reports how far it is.
    lines = [line for line in done.stderr.splitlines() if " auto took " not in line and " driving through the town" not in line]
    assert lines and lines[0].startswith("ndt-bench: "), done.stderr
    return "\n".join(lines)


LISTED = json.loads(bench("list", "--json").stdout)["implementations"]
IMPLEMENTATIONS = [entry["name"] for entry in LISTED if entry["available"]]
# Held to the oracle's numbers; a peer is another algorithm.
OWN_IMPLEMENTATIONS = [entry["name"] for entry in LISTED if entry["available"] and not entry["peer"]]


def rows_in(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def tum(file):
    return [[float(word) for word in line.split()] for line in file.read_text().splitlines() if line[0] != "#"]


@pytest.fixture(scope="session")
def courtyard(tmp_path_factory):
    folder = tmp_path_factory.mktemp("courtyard")
    bench("export", "--dataset", "courtyard", "--out", folder)
    return Clouds(folder / "map.pcd", folder / "scan.pcd")


@pytest.fixture(scope="session")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town") / "town"
    bench("generate", "town", "--scale", "small", "--out", folder)
    return folder
