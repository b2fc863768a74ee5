"""The folder in which a reader types the commands of a page: programs, the entry script, and the reader's own recording."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown import ROOT

BENCH = os.environ["NDT_BENCH"]
PARAMETERS = ROOT / "tests/support/ndt_scan_matcher.param.yaml"
SCANS = 4  # of the recording, 10 a second
CRS = "EPSG:32632"  # of the recording's map, as docs/localise.md has it
STEPS_LEFT_OUT = ("set_up", "set_up_extras", "build_programs")  # functions of ./run: tests install and build nothing


@functools.cache
def lacks_bags():
    """Returns why no bag can be written and read here, or an empty text."""
    python = os.environ.get("NDT_EXTRAS_PYTHON")
    if not python:
        return "skipped for want of NDT_EXTRAS_PYTHON, an interpreter with tests/requirements-extras.txt"
    if subprocess.run([python, "-c", "import plotly, pyproj, rosbags"], capture_output=True).returncode:
        return f"skipped for want of plotly, pyproj or rosbags in {python}"
    return "" if os.environ.get("NDT_READERS") else "skipped for want of NDT_READERS, the library ndt_readers"


@functools.cache
def lacks_commit():
    """Returns why no run of this program can be published, or an empty text."""
    said = subprocess.run([BENCH, "doctor", "--json"], check=True, capture_output=True, text=True).stdout
    commit = json.loads(said)["ndt_bench"]["commit"] or "unknown"
    known = re.fullmatch("[0-9a-f]{40}", commit)
    return "" if known else f"skipped for want of a program built from a commit without changes; it is of {commit}"


def record(folder):
    """The reader's drive: a dataset of a few scans."""
    subprocess.run([BENCH, "generate", "town", "--scale", "kidnap", "--out", folder], check=True, capture_output=True)
    for scan in sorted((folder / "scans").iterdir())[SCANS:]:
        scan.unlink()
    for name in ("truth.tum", "odometry.tum"):
        lines = (folder / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:1 + SCANS]))  # the first is a comment
    description = (folder / "dataset.toml").read_text()
    (folder / "dataset.toml").write_text(re.sub(r"\[guess\]\n(.+\n)+", "", description))  # else its guesses are metres away


def record_bag(drive, folder):
    """Writes the drive as a rosbag2 folder."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets")}
    words = [os.environ["NDT_EXTRAS_PYTHON"], ROOT / "tests/docs/reader_bag.py", drive, folder, CRS]
    subprocess.run(words, check=True, env=environment)


def furnish(place, courtyard, drive, bag):
    """Makes the folder look as the repository's root does to a reader with these files. The bag may be None."""
    programs = place / "build/release/bin"
    programs.mkdir(parents=True)
    (programs / "ndt-bench").symlink_to(BENCH)
    _write_program(programs / "python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    _write_program(place / "run", entry_script())
    (place / "datasets").symlink_to(ROOT / "datasets")
    (place / "reports").mkdir()
    (place / "reports/ndt_report").symlink_to(ROOT / "reports/ndt_report")
    for cloud in ("map.pcd", "scan.pcd"):
        shutil.copy(courtyard / cloud, place / cloud)
    shutil.copy(PARAMETERS, place / PARAMETERS.name)
    for name, part in {"my_scans": "scans", "site.pcd": "map.pcd", "wheels.tum": "odometry.tum"}.items():
        (place / name).symlink_to(drive / part)
    poses = (drive / "truth.tum").read_text().splitlines()
    (place / "times.txt").write_text("".join(f"{pose.split()[0]}\n" for pose in poses if not pose.startswith("#")))
    if bag:
        (place / "drive").symlink_to(bag)
        for name in ("drive.mcap", "recording.mcap"):
            (place / name).symlink_to(next(bag.glob("*.mcap")))


def entry_script():
    """The text of ./run without its set-up and its builds."""
    head, mark, tail = (ROOT / "run").read_text().partition("\ncommand=${1-}\n")
    for step in STEPS_LEFT_OUT:
        assert f"\n{step}() {{" in head and mark, f"./run has changed: no {step}() before command=; see tests/docs/reader.py"
    return head + "\n" + "".join(f"{step}() {{ :; }}\n" for step in STEPS_LEFT_OUT) + mark + tail


def _write_program(file: Path, text):
    file.write_text(text)
    file.chmod(0o755)
