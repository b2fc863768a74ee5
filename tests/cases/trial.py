"""One case: its commands, the files they wrote, and the checks of both."""

import csv
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
FAST = ("--implementation", "persistent_cpu", "--threads", "1")
WRONG_M, WRONG_DEG = 0.2, 1.0


@dataclass
class Setup:
    """The things that all cases share; `drive` is a generated town, made when the first case asks for it."""
    cases: Path
    bench: str
    extras: str | None
    work: Path

    def drive(self):
        folder = self.work / "drv"
        if not folder.exists():
            subprocess.run([self.bench, "generate", "town", "--scale", "drive", "--out", folder], check=True, capture_output=True)
        return folder


@dataclass
class Ended:
    code: int | None
    text: str


@dataclass
class Trial:
    """A running case. `check` collects what was seen; a case passes if every check holds."""
    setup: Setup
    name: str
    seen: list = field(default_factory=list)
    failed: bool = False

    def __post_init__(self):
        self.folder = self.setup.cases / self.name
        self.work = Path(tempfile.mkdtemp(prefix=f"{self.name}_", dir=self.setup.work))

    def check(self, holds, seen):
        self.failed |= not holds
        self.seen.append(seen if holds else f"NOT: {seen}")
        return holds

    def run(self, command, seconds=180, **more_environment):
        """Runs a command in the case's folder. A traceback and a hang fail every case."""
        environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"} | more_environment
        where = self.folder if self.folder.is_dir() else self.work
        try:
            done = subprocess.run([str(word) for word in command], cwd=where, env=environment, capture_output=True, text=True,
                                  errors="replace", timeout=seconds)
        except subprocess.TimeoutExpired:
            self.check(False, f"ended within {seconds} s")
            return Ended(None, "")
        ended = Ended(done.returncode, self.without_paths(done.stdout + done.stderr))
        if "Traceback" in ended.text:
            self.check(False, "no traceback")
        return ended

    def without_paths(self, text):
        """Hides the names of folders, which hold the very words that a message must have."""
        for path, short in ((self.work, "WORK"), (self.folder, "CASE"), (self.setup.cases, "CASES"), (self.name, "CASE")):
            text = text.replace(str(path), short)
        return text

    def bench(self, command, *words):
        return self.run([self.setup.bench, command, "--implementation", "persistent_cpu", *words])

    def localize(self, *words, out="localized"):
        shutil.rmtree(self.work / out, ignore_errors=True)
        return self.bench("localize", "--threads", "1", *words, "--out", self.work / out)

    def convert(self, *words, out="converted"):
        shutil.rmtree(self.work / out, ignore_errors=True)
        return self.run([self.setup.extras, "-m", "ndt_convert", *words, "--out", self.work / out])

    def script(self, name):
        """Runs run.py or run.sh of the case, with the variables that it reads."""
        interpreter = self.setup.extras if name.endswith(".py") else "bash"
        return self.run([interpreter, self.folder / name], seconds=600, BENCH=str(self.setup.bench), ROOT=str(ROOT),
                        PY=self.setup.extras, W=str(self.setup.work), TMPDIR=str(self.work))

    # --- checks ---

    def code(self, ended, *expected):
        return self.check(ended.code in expected, f"exit {ended.code}" + ("" if ended.code in expected else f" {last_line(ended.text)}"))

    def says(self, ended, pattern, meaning):
        found = re.search(pattern, ended.text, re.IGNORECASE)
        return self.check(bool(found), f"says {meaning}" + (f" ('{shown_line(ended.text, found)}')" if found else ""))

    def scans(self, *expected, out="converted"):
        folder = self.work / out / "scans"
        count = len(list(folder.iterdir())) if folder.is_dir() else 0
        return self.check(count in expected, f"{count} scans")

    def positions(self, file, truth, bound=WRONG_M, columns=(1, 2, 3)):
        """Compares the first positions of a TUM file with the true ones, if it is there."""
        rows = tum(file)
        if rows is None or len(rows) < len(truth):
            self.check(False, f"{len(truth)} poses in {file.name}, found {0 if rows is None else len(rows)}")
            return
        away = np.linalg.norm(rows[:len(truth), columns] - np.asarray(truth), axis=1).max()
        self.check(away <= bound, f"{away:.3f} m off at most")

    def pose(self, ended, truth):
        """Compares the printed pose with x y z roll pitch yaw, or with x y z alone."""
        got = printed_pose(ended.text)
        if got is None:
            self.check(False, f"prints a pose, exit {ended.code} {last_line(ended.text)}")
            return
        away = np.linalg.norm(got[:3] - truth[:3])
        degrees = np.degrees(np.linalg.norm(got[3:len(truth)] - truth[3:]))
        self.check(away <= WRONG_M and degrees <= WRONG_DEG, f"{away:.3f} m, {degrees:.2f} deg off")

    def verdicts(self, ok, truth=None, out="localized", of=None):
        """Expects so many ok scans (a number or a range), and no ok scan that is wrong by the truth (TUM rows, one a scan)."""
        counts, away, degrees = judged(self.work / out, truth)
        wanted = ok if isinstance(ok, range) else range(ok, ok + 1)
        self.check(counts.get("ok", 0) in wanted, " ".join(f"{n} {verdict}" for verdict, n in counts.items()) or "no scan")
        if of is not None:
            self.check(sum(counts.values()) in of, f"{sum(counts.values())} rows")
        if truth is not None and counts.get("ok"):
            self.check(away <= WRONG_M and degrees <= WRONG_DEG, f"ok ones {away:.3f} m, {degrees:.2f} deg off at most")


@dataclass
class Case:
    """Its name is that of its folder."""
    name: str
    expected: str
    run: Callable[[Trial], None]
    needs_extras: bool = False
    own_input: bool = False  # no folder: the case makes its input


CASES = []


def case(expected, name=None, **more):
    """A decorator that adds a function to CASES, under its name."""
    def add(run):
        CASES.append(Case(name or run.__name__, expected, run, **more))
        return run
    return add


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("[")]
    return f"({lines[-1][:160]})" if lines else ""


def shown_line(text, found):
    start = text.rfind("\n", 0, found.start()) + 1
    return " ".join(text[start:].split("\n", 1)[0].split())[:110]


def tum(file):
    if not file.is_file():
        return None
    rows = np.atleast_2d(np.loadtxt(file))
    return rows if rows.size else None


def printed_pose(text):
    place = re.search(r"^position +x (\S+) +y (\S+) +z (\S+) m", text, re.MULTILINE)
    angles = re.search(r"^angles +roll (\S+) +pitch (\S+) +yaw (\S+) rad", text, re.MULTILINE)
    return np.array([*place.groups(), *angles.groups()], float) if place and angles else None


def judged(folder, truth=None):
    """How often each verdict was given, and how far the ok poses are from the truth at most, in metres and degrees."""
    scans = judged_scans(folder, truth)
    counts = {}
    for verdict, _, _ in scans:
        counts[verdict] = counts.get(verdict, 0) + 1
    ok = [errors for verdict, *errors in scans if verdict == "ok"]
    return counts, max((metres for metres, _ in ok), default=0.0), max((degrees for _, degrees in ok), default=0.0)


def judged_scans(folder, truth=None):
    """(verdict, metres, degrees) of each scan of a localisation; the errors are 0 where the truth is not given."""
    try:
        with open(folder / "frames.csv") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        return []
    return [(row["verdict"], *(errors(row, truth[int(row["frame"])]) if truth is not None else (0.0, 0.0))) for row in rows]


def errors(row, truth):
    """Metres and degrees between a row of frames.csv and a row of a TUM file."""
    place = np.array([float(row[key]) for key in ("x_m", "y_m", "z_m")])
    turn = rotation_of_angles(*(float(row[key]) for key in ("roll_rad", "pitch_rad", "yaw_rad"))).T @ rotation(truth[4:8])
    cosine = np.clip((np.trace(turn) - 1) / 2, -1, 1)
    return np.linalg.norm(place - truth[1:4]), np.degrees(np.arccos(cosine))


def rotation(q):
    x, y, z, w = np.asarray(q) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def rotation_of_angles(roll, pitch, yaw):
    """R = Rx(roll) Ry(pitch) Rz(yaw), as everywhere in this project."""
    def about(axis, angle):
        half = angle / 2
        return rotation([*(np.sin(half) * np.eye(3)[axis]), np.cos(half)])
    return about(0, roll) @ about(1, pitch) @ about(2, yaw)
