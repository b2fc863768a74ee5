"""Cases of the attack without a folder: two writers, bombs, files that are not the converter's. They make their input."""

import fcntl
import json
import subprocess
import time

import numpy as np

from case import registrar
from trial import FAST, ROOT

CASES = []
case = registrar("q2", CASES)
BOMB_S = 60  # a bomb must end within this time
WRITE_LAS = """import sys, laspy, numpy as np
cloud = laspy.LasData(laspy.LasHeader(point_format=3, version="1.4"))
cloud.x, cloud.y, cloud.z = np.random.default_rng(1).uniform(0, 50, (3, 500))
cloud.write(sys.argv[1])
"""
READ_RESULTS = """import resource, sys
from pathlib import Path
from ndt_report.localization.load import load_localizations
from ndt_report.read.refusal import InputError
from synthetic_localization import SyntheticDrive
bomb = Path(sys.argv[1])
folder = SyntheticDrive(frames=8).write(bomb.with_name("run"), left_out=["localization.json"])
bomb.rename(folder / "rows.tar.xz")
try:
    load_localizations([folder])
except InputError as error:
    print(error)
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, "MiB")
"""


@case("the second of two writers ends with exit 2 and touches nothing; replacing a result says one line that names it", own_input=True)
def N03_two_localizations_in_one_folder(trial):
    out, drive = trial.work / "localized", trial.setup.drive()
    words = (trial.setup.bench, "localize", "--scans", drive, *FAST, "--out", out)
    first = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        writes = wait_for_lock(out / "localize.lock", first)
        second = trial.run(words)
        trial.check(writes and first.poll() is None, "the first still writes")
        trial.code(second, 2)
        trial.says(second, "another process writes to it", "why")
    finally:
        text = "".join(first.communicate(timeout=600))
    rows, scans = len((out / "frames.csv").read_text().splitlines()) - 1, len(list((drive / "scans").iterdir()))
    trial.check(first.returncode == 0 and "written to" in text and "is replaced" not in text, f"first: exit {first.returncode}")
    trial.check(rows == scans, f"{rows} rows of {scans} scans")
    again = trial.run(words)
    named = [line for line in again.text.splitlines() if "is replaced" in line]
    trial.code(again, 0)
    trial.check(len(named) == 1 and "WORK/localized" in named[0], f"says {named}")


def wait_for_lock(file, process):
    """True once the process holds the lock."""
    while process.poll() is None:
        if file.exists():
            with open(file) as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return True
        time.sleep(0.01)
    return False


@case(f"each is refused with exit 2 within {BOMB_S} s, and nothing is left", own_input=True, needs_extras=True)
def N06_bombs(trial):
    for kind, name in (("mcap", "a.mcap"), ("lying", "b.mcap"), ("e57", "c.e57")):
        file, begun = bomb(trial, kind, name), time.monotonic()
        before = set(trial.work.iterdir())
        words = ("map", file, "--out", trial.work / "map.pcd") if kind == "e57" else (file, "--out", trial.work / "out")
        ended = trial.run([trial.setup.extras, "-m", "ndt_convert", *words], seconds=BOMB_S)
        trial.code(ended, 2)
        left = set(trial.work.iterdir()) - before
        trial.check(not left, f"{kind}: {time.monotonic() - begun:.1f} s, {len(left)} files left")


@case("256 MiB of JSON in 39 kB: refused with less than 1 GiB of memory", own_input=True, needs_extras=True)
def N06_packed_json(trial):
    file, tests = bomb(trial, "json", "bomb.xz"), ROOT / "tests/report"
    ended = trial.run([trial.setup.extras, "-c", READ_RESULTS, file], PYTHONPATH=f"{ROOT / 'reports'}:{tests}")
    trial.code(ended, 0)
    trial.says(ended, r"rows.tar.xz: unpacks to more than \d+ bytes", "its bound")
    peak = int(ended.text.partition("peak ")[2].split()[0]) if "peak " in ended.text else None
    trial.check(peak is not None and peak < 1024, f"peak {peak} MiB")


def bomb(trial, kind, name):
    trial.code(trial.run([trial.setup.extras, ROOT / "tests/datasets/write_bomb.py", kind, trial.work / name]), 0)
    return trial.work / name


@case("a site.json of another program stays, exit 2; facts of an earlier map are replaced", own_input=True, needs_extras=True)
def N12_facts_of_others(trial):
    las, notes = surveyed(trial), trial.work / "site.json"
    notes.write_text('{"my": "notes"}')
    ended = to_map(trial, las, "site.pcd")
    trial.code(ended, 2)
    trial.says(ended, "site.json.*move it away", "the file and a remedy")
    trial.check(notes.read_text() == '{"my": "notes"}' and not (trial.work / "site.pcd").exists(), "nothing is written")
    notes.unlink()
    for _ in range(2):
        trial.code(to_map(trial, las, "site.pcd"), 0)
    trial.check(json.loads(notes.read_text())["points"] == 500, "facts are written")


@case("tiles of 1e-20 m are refused with the least size", own_input=True, needs_extras=True)
def N12_tiles_of_no_size(trial):
    ended = to_map(trial, surveyed(trial), "tiles", "--tiles", "1e-20")
    trial.code(ended, 1)
    trial.says(ended, "0.1 to 1e.06 m", "the least size")
    trial.check(not (trial.work / "tiles").exists(), "no tiles")


@case("poses of 1e308 m are refused with exit 2", own_input=True, needs_extras=True)
def N12_poses_far_away(trial):
    scans = trial.work / "scans"
    scans.mkdir()
    for k in range(4):
        points = np.random.default_rng(k).uniform(-20, 20, (400, 3)).astype("<f4")
        header = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 400\nHEIGHT 1\nPOINTS 400\nDATA binary\n"
        (scans / f"{k}.pcd").write_bytes(header.encode() + points.tobytes())
    (trial.work / "poses.tum").write_text("".join(f"{k} {1e308 if k else 0} 0 0 0 0 0 1\n" for k in range(4)))
    ended = trial.convert(scans, "--poses", trial.work / "poses.tum", "--build-map", "even")
    trial.code(ended, 2)
    trial.says(ended, "poses.tum: line 2: .*beyond 1e.09 m", "the line and the reach")


def surveyed(trial):
    trial.code(trial.run([trial.setup.extras, "-c", WRITE_LAS, trial.work / "in.las"]), 0)
    return trial.work / "in.las"


def to_map(trial, las, name, *more):
    return trial.run([trial.setup.extras, "-m", "ndt_convert", "map", las, "--out", trial.work / name, *more])
