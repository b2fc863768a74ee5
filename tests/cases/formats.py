"""Files of users that were refused or misnamed, and what is expected of them.

Both outcomes pass if the report leaves a choice:
- `tilted_map_whole_search` may find the pose, or name the tilt (`--up`, `map level`).
- `mcap_base_link_is_the_scanner` may move the poses to base_link, or name the frame of the cloud.
- `N05_las_vlr_count` may refuse the file or read it, in less than 60 s.
The cases N03, N06 and N12 have no folder and are not here."""

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np

from case import MAP, NEAR, TRUE_POSE, registrar, vehicle
from trial import ROOT

CASES = []
case = registrar("q2", CASES)
TILTED_TRUTH = np.array([1.896, -2.089, 1.429])


# --- clouds ---

def aligned(scan, says=None):
    def run(trial):
        ended = trial.bench("align", *MAP, "--scan", scan, *NEAR)
        trial.pose(ended, TRUE_POSE)
        if says:
            trial.says(ended, *says)
    return run


def converted_too(scan, trial):
    """A dataset that the converter makes of the same file must be one that ndt-bench reads."""
    folder = trial.work / "three"
    folder.mkdir()
    for k in range(3):
        (folder / f"{k}.pcd").write_bytes((trial.folder / scan).read_bytes())
    if trial.code(trial.convert(folder), 0):
        written = min((trial.work / "converted" / "scans").iterdir())
        trial.pose(trial.bench("align", *MAP, "--scan", written, *NEAR), TRUE_POSE)


NAN_SAID = (r"\b(nan|not finite|non-finite|invalid)", "the dropped points")
for name, scan, says in (("ascii_nan_of_windows", "scan.pcd", NAN_SAID), ("ascii_qnan_of_windows", "scan.ply", NAN_SAID),
                         ("pcd_old_version", "scan.pcd", None), ("pcd_repeated_other_field", "scan.pcd", None),
                         ("pcd_upper_case_names", "scan.pcd", None), ("ply_list_in_vertex", "scan.ply", None),
                         ("ply_upper_case_names", "scan.ply", None)):
    case("read, right pose" + (", dropped points counted" if says else ""), name=name)(aligned(scan, says))


@case("read by ndt-bench, and by the converter: right pose from both", needs_extras=True)
def pcd_count_0_padding(trial):
    aligned("scan.pcd")(trial)
    converted_too("scan.pcd", trial)


# --- maps in tiles ---

def tiles(*words):
    def run(trial):
        ended = trial.bench("align", *words, "--scan", "../common/scan.pcd", *NEAR)
        trial.pose(ended, TRUE_POSE)
        trial.says(ended, r"(?m)^map tiles +\d+ of 30", "that it is a map in 30 tiles")
    return run


case("PREFIX_metadata.yaml is found: right pose, 30 tiles", name="autoware_divider_prefix")(tiles("--map", "tiles", "--map-radius", "30"))
case("tiles are found one folder down: right pose, 30 tiles", name="autoware_divider_large_grid")(tiles("--map", "tiles/site_metadata.yaml"))


@case("the pose is found, or the tilt is named with a remedy")
def tilted_map_whole_search(trial):
    ended = trial.bench("initial-pose", "--map", "map.pcd", "--scan", "scan.pcd", "--prior", "map")
    if re.search(r"--up\b|map level|level (scan|map)", ended.text):
        trial.says(ended, r"--up\b|map level|level (scan|map)", "the tilt")
    else:
        trial.says(ended, r"(?m)^verdict +reliable", "reliable")
        trial.pose(ended, TILTED_TRUTH)


# --- bags ---

def bag(recording, says=None, counts=(8,)):
    def run(trial):
        for name in recording if isinstance(recording, tuple) else (recording,):
            converted = trial.convert(name)
            trial.code(converted, 0)
            trial.scans(*counts)
            if says:
                trial.says(converted, *says)
    return run


for name, recording, says, counts in (
        ("bag_message_zstd_no_metadata", "rec_0.db3", None, (8,)),
        ("bag_metadata_count_0", "rec", None, (8,)),
        ("bag_storage_id_empty", "rec", None, (8,)),
        ("bag_zstd_alone", ("rec", "rec/rec_0.db3.zstd"), None, (8,)),
        ("first_message_empty_topic_choice", "rec", (r"topic /lidar_top", "that it takes /lidar_top"), (7, 8)),
        ("mcap_of_ros1", "rec.mcap", None, (8,)),
        ("row_step_of_another_width", "rec", (r"row_step|packed", "how rows are read"), (8,))):
    case(f"converted: {' or '.join(map(str, counts))} scans" + (f", says {says[1]}" if says else ""), name=name, needs_extras=True)(
        bag(recording, says, counts))


@case("converted: 8 scans with the times of their points as field t", needs_extras=True)
def livox_custom_msg(trial):
    bag("rec")(trial)
    scans = trial.work / "converted" / "scans"
    header = next(scans.iterdir()).read_bytes()[:400].decode(errors="replace") if scans.is_dir() else ""
    trial.check(bool(re.search(r"FIELDS .*\bt\b", header)), "field t")


@case("exit 2, called a compressed bag")
def compressed_bag_to_ndt_bench(trial):
    ended = trial.localize("--scans", "rec_0.db3.zstd", *MAP, "--init", "0,0,0,0,0,0")
    trial.code(ended, 1, 2)
    trial.says(ended, "compressed|zstd.*bag|bag.*zstd", "that it is compressed")
    trial.check("unknown dataset" not in ended.text, "not called a dataset")


# Prints child frame, x, y and z of each transform out of frame map.
TRANSFORMS_OF_MCAP = """import sys
from pathlib import Path
from rosbags.highlevel import AnyReader
with AnyReader([Path(sys.argv[1])]) as bag:
    for connection, _, raw in bag.messages():
        if connection.topic == "/tf":
            for t in bag.deserialize(raw, connection.msgtype).transforms:
                if t.header.frame_id == "map":
                    print("tf", t.child_frame_id, *(getattr(t.transform.translation, axis) for axis in "xyz"))
"""


@case("the MCAP has the poses of base_link, or names the frame of the cloud", needs_extras=True)
def mcap_base_link_is_the_scanner(trial):
    trial.code(trial.run([trial.setup.extras, "-m", "ndt_localize", "--bench", trial.setup.bench, "--scans", "rec", *MAP,
                          "--init", "1,-1.5,1.8,0,0,0.1", "--implementation", "persistent_cpu", "--out", trial.work / "out",
                          "--mcap", trial.work / "localized.mcap"]), 0)
    text = trial.run([trial.setup.extras, "-c", TRANSFORMS_OF_MCAP, trial.work / "localized.mcap"]).text
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith("tf ")]
    heights = {"base_link": 0.0, "velodyne": 1.8}
    for frame, height in heights.items():
        places = np.array([row[1:] for row in rows if row[0] == frame], float)
        if len(places):
            away = np.linalg.norm(places - vehicle(heights=height, count=len(places)), axis=1).max()
            trial.check(away < 0.2, f"{frame} {away:.2f} m off in {len(places)} transforms")
    trial.check(any(row[0] in heights for row in rows), f"transforms of {sorted({row[0] for row in rows})}")


# --- bounds and manners: scripts of the attack ---

BIG_BAG = """from bags import *
bag("big", [("/p", PC, 1 + 0.1 * k, cloud(1 + 0.1 * k, pts(20000))) for k in range(200)])
"""


@case("after SIGTERM and SIGHUP no work folder is left", needs_extras=True)
def N04_work_folder_left(trial):
    """The script of the case sends its signal after 1.6 s, when a fast machine is ready: here it follows the work folder."""
    big = trial.work / "big"
    trial.code(trial.run([trial.setup.extras, "-c", BIG_BAG.replace('"big"', repr(str(big)), 1)],
                         PYTHONPATH=str(trial.setup.cases)), 0)
    for number in (signal.SIGTERM, signal.SIGHUP):
        converter = subprocess.Popen([trial.setup.extras, "-m", "ndt_convert", big, "--out", trial.work / "out"],
                                     env=os.environ | {"PYTHONPATH": str(ROOT / "datasets")}, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
        begun = wait_until(lambda: hidden(trial) or converter.poll() is not None, 30) and converter.poll() is None
        converter.send_signal(number)
        code = converter.wait(30)
        left = hidden(trial)
        trial.check(begun and code != 0 and not left, f"{number.name}: exit {code}, {len(left)} folders left")
        for folder in left:
            shutil.rmtree(folder)


def hidden(trial):
    return list(trial.work.glob(".out*"))


def wait_until(holds, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.01)
    return False


@case("ends in less than 60 s, with exit 0 or 2", needs_extras=True)
def N05_las_vlr_count(trial):
    ended = trial.script("run.sh").text
    code = re.search(r"rc (\d+)", ended)
    trial.check(code is not None and code[1] in ("0", "2"), f"exit {code and code[1]}")


@case("no escape sequence reaches the terminal", needs_extras=True)
def N10_terminal_escapes(trial):
    runs = re.findall(r"(?m)^(topic|frame|field|file) (RAW|ok) (\d+)$", trial.script("run.py").text)
    trial.check(len(runs) == 4, f"{len(runs)} of 4 runs")
    for name, result, code in runs:
        trial.check(result == "ok", f"{name} {'raw' if result == 'RAW' else 'escaped'} (exit {code})")


@case("each is refused with exit 2, or read with exit 0, without a traceback", needs_extras=True)
def N11_tracebacks(trial):
    runs = re.findall(r"(?m)^(.+?) (\d+) (TRACEBACK.*)?$", trial.script("run.py").text)
    trial.check(len(runs) == 7, f"{len(runs)} of 7 runs")
    for name, code, trace in runs:
        trial.check(code in "02" and not trace, f"{name}: exit {code}" + (" with a traceback" if trace else ""))


@case("a FIFO as --map, --poses or --stamps is refused with exit 2", needs_extras=True)
def N13_fifo(trial):
    runs = re.findall(r"(?m)^(--\w+) \S+ rc (\d+)", trial.script("run.sh").text)
    trial.check(len(runs) == 3, f"{len(runs)} of 3 runs")
    for option, code in runs:
        trial.check(code == "2", f"{option}: exit {code}")


@case("root is the folder of the called script, one line", needs_extras=True)
def N15_cdpath(trial):
    root = re.search(r"root=\[([^\]]*)\]", trial.script("run.sh").text)
    trial.check(root is not None and re.fullmatch(r"\S+/b/ndt", root[1]) is not None, f"root {root and root[1]!r}")


LINGERING_PEER = """
import json, os, subprocess, sys, time
for line in sys.stdin:
    subprocess.Popen(["sleep", "4327"], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "4327"])
        os._exit(0)
    os.wait()
    print("two are asleep", file=sys.stderr, flush=True)
    time.sleep(60)
"""


@case("SIGINT, SIGTERM, SIGHUP and SIGKILL of align leave nothing that its peer started", own_input=True)
def N16_peer_left_behind(trial):
    (trial.work / "peers").mkdir()
    (trial.work / "peers" / "lingers.py").write_text(LINGERING_PEER)
    (trial.work / "peers" / "lingers.toml").write_text(
        'about = "lingers"\nversion = "1"\nlicence = "none"\nstop_rule = "none"\ncommand = ["python3", "lingers.py"]\n')
    trial.code(trial.run([trial.setup.bench, "export", "--dataset", "courtyard", "--out", trial.work / "yard"]), 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        align = subprocess.Popen([trial.setup.bench, "align", "--map", trial.work / "yard" / "map.pcd", "--scan",
                                  trial.work / "yard" / "scan.pcd", "--implementation", "exec:lingers"],
                                 env=os.environ | {"NDT_PEERS": str(trial.work / "peers")}, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        begun = any("two are asleep" in line for line in align.stderr)
        align.send_signal(number)
        align.wait(60)
        align.stderr.close()
        patience = time.monotonic() + 10  # the guard ends them after align has ended
        while (left := sleeping("4327")) and time.monotonic() < patience:
            time.sleep(0.1)
        for process in left:
            os.kill(process, signal.SIGKILL)
        trial.check(begun and not left, f"{number.name}: {len(left)} left")


def sleeping(seconds):
    """The processes that run `sleep SECONDS`."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if file.read_bytes().split(b"\0")[:2] == [b"sleep", seconds.encode()]:
                found.append(int(file.parent.name))
        except OSError:  # it has ended
            pass
    return found


@case("cmake -DNDT_PROGRAMS=OFF configures without an error", needs_extras=True)
def N17_docs_programs_off(trial):
    text = trial.script("run.sh").text
    trial.check("CMake Error" not in text, " ".join(text.split()) or "no error")
