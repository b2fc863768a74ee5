"""Draws the pictures of README.md and docs/pyramid.md: python3 docs/pictures.py <ndt-bench>

It needs numpy and matplotlib.

align.png: a scan of the built-in courtyard over the map, at the guess and where an alignment puts it.
error_time.png: median error against median time of the published run reports/2026-11-22-h200-tracking.
pyramid.png: the courtyard's score along x on each level of the profile pyramid, and the path of an alignment.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
RUN = ROOT / "reports" / "2026-11-22-h200-tracking"
GUESS = "0.9,-0.7,0,0,0,0.12"  # x, y, z [m], roll, pitch, yaw [rad]
MAP_GREY, SCAN_BLUE = "#B5B5B5", "#0072B2"
LEVELS = ((6, "#7FBFE3", "o"), (2.5, SCAN_BLUE, "s"), (1, "#00334F", "^"))  # edge / resolution, colour, marker
RESOLUTION_M, FAR_GUESS_M = 2, 6


def points_of(pcd: Path) -> np.ndarray:
    """[n][3] of a binary PCD file of three float32 fields, as ndt-bench export writes it."""
    data = pcd.read_bytes()
    body = data.index(b"DATA binary\n") + len(b"DATA binary\n")
    return np.frombuffer(data[body:], np.float32).reshape(-1, 3)


def aligned(bench: str, folder: Path, iterations: int) -> np.ndarray:
    """map_from_scan [4][4] of the scan after at most so many iterations."""
    command = [bench, "align", "--map", folder / "map.pcd", "--scan", folder / "scan.pcd", "--guess", GUESS]
    out = subprocess.run(command + ["--max-iterations", str(iterations), "--json"], check=True, capture_output=True)
    return np.array(json.loads(out.stdout)["matrix"]).reshape(4, 4)


def guess_matrix() -> np.ndarray:
    x, y, z, _, _, yaw = (float(word) for word in GUESS.split(","))
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1]])


def draw_alignment(bench: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([bench, "export", "--dataset", "courtyard", "--out", folder / "c"], check=True, capture_output=True)
        map_points, scan = points_of(folder / "c" / "map.pcd"), points_of(folder / "c" / "scan.pcd")
        after = aligned(bench, folder / "c", 30)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), sharex=True, sharey=True, layout="constrained")
    for axis, matrix, title in zip(axes, (guess_matrix(), after), ("at the guess", "after the alignment")):
        moved = scan @ matrix[:3, :3].T + matrix[:3, 3]
        high = map_points[:, 2] > 0.3  # walls and posts; the ground says nothing from above
        axis.plot(*map_points[high, :2].T, ".", ms=0.6, color=MAP_GREY, rasterized=True)
        axis.plot(*moved[moved[:, 2] > 0.3, :2].T, ".", ms=1.4, color=SCAN_BLUE, rasterized=True)
        axis.set(title=title, xlabel="x [m]", aspect="equal")
    axes[0].set_ylabel("y [m]")
    figure.savefig(PICTURES / "align.png", dpi=80)


def draw_error_against_time() -> None:
    with open(RUN / "summary.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["variant"] == "autoware" and row["align_ms_p50"]]
    datasets = [name for name in ("town", "kitti00", "handheld_a_map") if any(r["dataset"] == name for r in rows)]
    figure, axes = plt.subplots(1, len(datasets), figsize=(10, 3.6), layout="constrained")
    for axis, dataset in zip(axes, datasets):
        highest = 0.0
        for row in (row for row in rows if row["dataset"] == dataset):
            time_ms, error_mm = float(row["align_ms_p50"]), float(row["translation_error_mm_p50"])
            axis.plot(time_ms, error_mm, "o", ms=8, label=row["implementation"])
            highest = max(highest, error_mm)
        axis.set(title=dataset, xscale="log", xlim=(0.05, 10), ylim=(0, 1.6 * highest))
        axis.set_xticks([0.1, 1, 10], labels=["0.1", "1", "10"])
        axis.set_xlabel("time of an alignment, median [ms]")
        axis.grid(color="#E4E4E4")
    axes[0].set_ylabel("error of the position, median [mm]")
    axes[-1].legend(fontsize=8, loc="lower left")
    figure.savefig(PICTURES / "error_time.png", dpi=80)


def courtyard(bench: str, command: str, folder: Path, options: list[str]) -> dict:
    """What a command on the exported courtyard prints with --json."""
    clouds = ["--map", folder / "map.pcd", "--scan", folder / "scan.pcd"]
    words = [bench, command, *clouds, *options, "--threads", "1", "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)


def score_at(bench: str, folder: Path, x: float, level: float) -> float:
    """The score on one level's map, x metres from the truth."""
    options = ["--profile", "pyramid", "--levels", str(level), "--pose", f"{x:.4f},0,0,0,0,0"]
    return courtyard(bench, "evaluate", folder, options)["score"]


def path_of(bench: str, folder: Path, *options: str) -> list[dict]:
    """An alignment's trace from the far guess, with positions."""
    options = [*options, "--guess", f"{FAR_GUESS_M},0,0,0,0,0", "--trace"]
    rows = courtyard(bench, "align", folder, options)["trace"]
    return [{**row, "position": np.array(row["matrix"]).reshape(4, 4)[:3, 3]} for row in rows]


def distances_of(path: list[dict]) -> list[float]:
    return [np.linalg.norm(row["position"]) for row in path]  # the truth is at the origin


def draw_levels(along, error, offsets: np.ndarray, curves: list[np.ndarray], path: list[dict]) -> None:
    distances = distances_of(path)
    for index, ((level, colour, marker), scores) in enumerate(zip(LEVELS, curves)):
        label = f"{'' if level == 1 else level}R = {level * RESOLUTION_M:g} m"
        dots = {"color": colour, "marker": marker, "ms": 7, "mec": "white", "mew": 0.8, "ls": "", "zorder": 3}
        here = [k for k, row in enumerate(path) if row["level"] == index]
        along.plot(offsets, scores / scores.max(), color=colour, lw=2, label=label)
        heights = [path[k]["score"] / scores.max() for k in here]
        along.plot([path[k]["position"][0] for k in here], heights, **dots)
        error.plot(here, [distances[k] for k in here], label=label, **dots)
    along.annotate("guess", (path[0]["position"][0], path[0]["score"] / curves[0].max()), (-6, 12),
                   textcoords="offset points")


def draw_pyramid(bench: str) -> None:
    half = np.concatenate([np.arange(0, 1, 0.05), np.arange(1, 2, 0.25), np.arange(2, 8.1, 0.5)])
    offsets = np.concatenate([-half[:0:-1], half])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "c"
        export = [bench, "export", "--dataset", "courtyard", "--out", folder]
        subprocess.run(export, check=True, capture_output=True)
        curves = [np.array([score_at(bench, folder, x, level) for x in offsets]) for level, _, _ in LEVELS]
        path = path_of(bench, folder, "--profile", "pyramid", "--levels", ",".join(str(level) for level, *_ in LEVELS))
        autoware = path_of(bench, folder)
    figure, (along, error) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    draw_levels(along, error, offsets, curves, path)
    error.plot(distances_of(path), color=SCAN_BLUE, lw=1)
    error.plot(distances_of(autoware), color=MAP_GREY, lw=2, label="profile autoware")
    along.set(title="score along x, and an alignment's path", ylim=(0.2, 1.06))
    along.set(xlabel="x of the pose, truth at 0 [m]", ylabel="score / largest of its curve")
    error.set(title="the same path, and autoware's", yscale="log", xlabel="evaluations after the guess's")
    error.set_ylabel("distance from the truth [m]")
    error.set_yticks([0.01, 0.1, 1, 10], labels=["0.01", "0.1", "1", "10"])
    along.legend(title="voxel edge", loc="lower center", fontsize=9)
    error.legend(fontsize=9)
    for axis in (along, error):
        axis.grid(color="#E4E4E4")
    figure.savefig(PICTURES / "pyramid.png", dpi=80)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 docs/pictures.py <path of ndt-bench>")
    PICTURES.mkdir(parents=True, exist_ok=True)
    draw_alignment(sys.argv[1])
    draw_error_against_time()
    draw_pyramid(sys.argv[1])
