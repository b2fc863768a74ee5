"""Localises damaged copies of sequences with two builds of ndt-bench, and prints tables of how often each verdict was given.

    python3 tests/cases/damage_tables.py [--bench PATH] [--before PATH] [--before-json FILE] [--datasets DIR] [--out FILE.md]

The sequences: a generated town_drive, and pandaset_002 and kitti_raw_0005_a of the folder of datasets (NDT_DATASETS). --before is
the build to compare with; --before-json keeps its numbers, and gives them where --before is absent. The two lidars on one topic
require NDT_EXTRAS_PYTHON; --before-root is the checkout whose converter belongs to --before."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import sequences as q
from trial import FAST, ROOT, WRONG_DEG, WRONG_M, judged_scans

REAL = ("pandaset_002", "kitti_raw_0005_a")
OPTIONS = (*FAST, "--recovery-particles", "0", "--scan-sample", "2000")
FAST_DRIVE = 4  # every so-many-th scan moves so far that a scan needs a prediction
TOLD = {"points": r"no.?returns?\b", "GNSS": "beside the map"}
HEAD = f"""Scans judged ok / doubtful / lost, and those that are *wrong and ok*: ok, but more than {WRONG_M} m or {WRONG_DEG:g} degree from
the truth. Clouds are used as they are, but for 2,000 points drawn of each scan; no search for a lost pose, constant velocity,
`persistent_cpu` with one thread. GNSS of the real sequences is their truth with 0.3 m of noise at 5 Hz; offsets and drift point
along the way from the first pose to the last. Largest ranges are 300 m. Stamps are tried with every {FAST_DRIVE}th scan. *Told*:
the summary names the damage."""


@dataclass
class Damage:
    group: str
    name: str
    points: object = None  # changes the points of a scan
    gnss: object = None  # makes the fixes out of the true ones; None: a run without GNSS
    units_a_second: int = 1  # unit of the stamps
    every: int = 1  # uses every n-th scan
    two_lidars: bool = False


def unchanged(gnss, _):
    return gnss


DAMAGES = (
    [Damage("points", "none")]
    + [Damage("points", f"{share} % of the points are 0 0 0", points=q.zeros(share / 100)) for share in (10, 20, 41, 60)]
    + [Damage("points", f"{share} % of the points at the largest range", points=q.largest_range(share / 100)) for share in (10, 30)]
    + [Damage("points", f"{share} % rays into the sky at the largest range", points=q.sky(share / 100)) for share in (10, 30)]
    + [Damage("GNSS", "as it is", gnss=unchanged)]
    + [Damage("GNSS", f"{metres} m beside", gnss=q.offset(metres)) for metres in (1, 3, 6, 12, 20, 50, 1000)]
    + [Damage("GNSS", "drifts by 1 m a fix", gnss=q.drift), Damage("GNSS", "x and y swapped", gnss=q.swapped)]
    + [Damage("senders", "two lidars take turns on one topic", two_lidars=True)]
    + [Damage("clock", f"stamps in {unit}", units_a_second=10**power, every=FAST_DRIVE) for unit, power in (("s", 0), ("ms", 3), ("us", 6), ("ns", 9))])


@dataclass
class Build:
    bench: Path
    root: Path  # the checkout of its converter


# --- one run ---

def outcome(build, sequence, damage, work):
    """The counts of one damaged copy: [ok, doubtful, lost, wrong and ok], and a word on what happened on the way."""
    sequence = replace(sequence, scans=sequence.scans[::damage.every], truth=sequence.truth[::damage.every])
    scans, stamps, gnss = work / "scans", work / "stamps.txt", work / "gnss.tum"
    truth, note = sequence.truth, ""
    q.write_stamps(stamps, truth[:, 0], damage.units_a_second)
    if damage.two_lidars:
        scans, stamps, truth, note = two_lidars(build, sequence, work)
    else:
        q.write_scans(scans, sequence.scans, damage.points)
    if damage.gnss:
        q.write_gnss(gnss, damage.gnss(sequence.gnss.copy(), truth))
    command = [build.bench, "localize", "--scans", scans, "--map", sequence.map, "--stamps", stamps, "--out", work / "out",
               "--init-ros=" + ",".join(repr(float(value)) for value in truth[0, 1:8]), *OPTIONS, *(("--gnss", gnss) if damage.gnss else ())]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if ended.returncode not in (0, 4):
        note = (note + " " + ended.stderr.strip().splitlines()[-1]).strip()
    if damage.group in TOLD and re.search(TOLD[damage.group], ended.stdout + ended.stderr, re.IGNORECASE):
        note = "told"
    return counts(judged_scans(work / "out", truth)), note


def counts(scans):
    wrong = int(sum(verdict == "ok" and (metres > WRONG_M or degrees > WRONG_DEG) for verdict, metres, degrees in scans))
    verdicts = [verdict for verdict, _, _ in scans]
    ok, lost = verdicts.count("ok"), verdicts.count("lost")
    return [ok, len(verdicts) - ok - lost, lost, wrong]


def two_lidars(build, sequence, work):
    """Converts a bag in which the second lidar has every other scan; if that is refused, the scans of the first lidar."""
    mixed = work / "mixed"
    mixed.mkdir()
    for k, file in enumerate(sequence.scans):
        points = q.read_points(file)
        q.write_points(mixed / file.name, q.in_second_lidar(points) if k % 2 else points)
    extras = os.environ["NDT_EXTRAS_PYTHON"]
    subprocess.run([extras, Path(__file__).with_name("mixed_bag.py"), mixed, work / "stamps.txt", work / "bag"], check=True)
    convert = partial(subprocess.run, env=os.environ | {"PYTHONPATH": str(build.root / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"},
                      capture_output=True, text=True)
    words = [extras, "-m", "ndt_convert", work / "bag", "--out", work / "converted"]
    truth, note = sequence.truth, "not refused"
    if convert(words).returncode:
        convert([*words, "--frame", "lidar_front"], check=True)
        truth, note = truth[::2], "refused; with --frame"
    return work / "converted" / "scans", work / "converted" / "times.txt", truth, note


# --- all runs ---

def column(build, sequences):
    found = {}
    for sequence in sequences:
        for damage in DAMAGES:
            if damage.two_lidars and not os.environ.get("NDT_EXTRAS_PYTHON"):
                continue
            work = Path(tempfile.mkdtemp(prefix="ndt_damage_"))
            try:
                found[f"{sequence.name}: {damage.group}: {damage.name}"] = outcome(build, sequence, damage, work)
            finally:
                shutil.rmtree(work)
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def tables(names, before, after):
    lines = [HEAD]
    for name in names:
        lines += ["", f"## {name}", "| | damage | before: ok / doubtful / lost | wrong and ok | after: ok / doubtful / lost | wrong and ok |",
                  "|---|---|---|---|---|---|"]
        lines += [row(damage, *(side.get(f"{name}: {damage.group}: {damage.name}") for side in (before, after))) for damage in DAMAGES]
    return "\n".join(lines) + "\n"


def row(damage, *sides):
    cells = [damage.group, damage.name]
    for side in sides:
        (ok, doubtful, lost, wrong), note = side or (("-", "-", "-", "-"), "")
        cells += [f"{ok} / {doubtful} / {lost}" + (f" ({note})" if note else ""), str(wrong)]
    return f"| {' | '.join(cells)} |"


def main():
    options = arguments()
    builds = {side: Build(bench.resolve(), root) for side, bench, root in (
        ("after", options.bench, ROOT), ("before", options.before, options.before_root)) if bench}
    if not builds:
        sys.exit("damage_tables: give --bench, --before, or both")
    work = Path(tempfile.mkdtemp(prefix="ndt_town_"))
    try:
        subprocess.run([next(iter(builds.values())).bench, "generate", "town", "--scale", "drive", "--out", work / "drive"], check=True,
                       capture_output=True)
        sequences = [q.sequence(folder) for folder in (work / "drive", *(options.datasets / name for name in REAL))]
        found = {side: column(build, sequences) for side, build in builds.items()}
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if options.before_json and "before" in found:
        options.before_json.write_text(json.dumps(found["before"], indent=1) + "\n")
    elif options.before_json:
        found["before"] = json.loads(options.before_json.read_text())
    text = tables([sequence.name for sequence in sequences], found.get("before", {}), found.get("after", {}))
    options.out.write_text(text) if options.out else print(text, end="")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--before-json", type=Path)
    parser.add_argument("--before-root", type=Path, default=ROOT)
    parser.add_argument("--datasets", type=Path, default=os.environ.get("NDT_DATASETS"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if not options.datasets:
        sys.exit("damage_tables: where are the real sequences? Give --datasets, or set NDT_DATASETS")
    return options


if __name__ == "__main__":
    main()
