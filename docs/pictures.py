"""Draws the pictures of README.md, pyramid.md, troubleshooting.md and glossary.md: python3 docs/pictures.py <ndt-bench>

It needs numpy and matplotlib.

align.png: a scan of the built-in courtyard over the map, at the guess and where an alignment puts it.
error_time.png: median error against median time of the published run reports/2026-11-29-h200-comparison.
pyramid.png: the courtyard's score along x on each level of the profile pyramid, and the path of an alignment.
corridor.png: five alignments in a corridor, and what a push along and across it costs (scenes_corridor).
voxels.png: a corner of the courtyard as voxels, with covariances that start from the identity and from zero.
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
RUN = ROOT / "reports" / "2026-11-29-h200-comparison"
COMPARED = (  # name, variant, implementation: ours, then the peers
    ("persistent_cuda", "autoware", "persistent_cuda"),
    ("persistent_cuda, pyramid", "pyramid", "persistent_cuda"),
    ("persistent_cpu", "autoware", "persistent_cpu"),
    ("persistent_cpu, pyramid", "pyramid", "persistent_cpu"),
    ("cpu_pclomp_ref", "autoware", "cpu_pclomp_ref"),
    ("Autoware", "autoware", "exec:autoware_ndt"),
    ("ndt_omp, DIRECT7", "autoware", "exec:ndt_omp_direct7"),
    ("fast_gicp's NDT, GPU", "autoware", "exec:fast_ndt_cuda_d2d"),
    ("fast_gicp: GICP", "autoware", "exec:fast_gicp"),
    ("fast_gicp: VGICP", "autoware", "exec:fast_vgicp"),
    ("small_gicp: GICP", "autoware", "exec:small_gicp_gicp"),
    ("small_gicp: VGICP", "autoware", "exec:small_gicp_vgicp"),
)
GUESS = "0.9,-0.7,0,0,0,0.12"  # x, y, z [m], roll, pitch, yaw [rad]
MAP_GREY, SCAN_BLUE, ORANGE, INK = "#B5B5B5", "#0072B2", "#E69F00", "#222222"
LEVELS = ((6, "#7FBFE3", "o"), (2.5, SCAN_BLUE, "s"), (1, "#00334F", "^"))  # edge / resolution, colour, marker
RESOLUTION_M, FAR_GUESS_M = 2, 6
CORRIDOR_GUESSES_M, CORRIDOR_REST = (-8, -4, 0, 4, 8), "0,2,0,0,-1.17"  # x; y, z, roll, pitch, yaw
PUSH_M = 1.5  # 3/4 of a voxel edge, as the alignment pushes


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


def exported(bench: str, dataset: str, folder: Path) -> Path:
    subprocess.run([bench, "export", "--dataset", dataset, "--out", folder], check=True, capture_output=True)
    return folder


def voxels_of(bench: str, folder: Path, *options: str) -> list[dict]:
    """The voxel table of an exported map."""
    words = [bench, "voxels", "--map", folder / "map.pcd", *options, "--threads", "1", "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["voxels"]


def guess_matrix() -> np.ndarray:
    x, y, z, _, _, yaw = (float(word) for word in GUESS.split(","))
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1]])


def draw_alignment(bench: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = exported(bench, "courtyard", Path(name) / "c")
        map_points, scan = points_of(folder / "map.pcd"), points_of(folder / "scan.pcd")
        after = aligned(bench, folder, 30)
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
        rows = {(r["dataset"], r["variant"], r["implementation"]): r for r in csv.DictReader(file) if r["align_ms_p50"]}
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), sharey=True, layout="constrained")
    for axis, dataset in zip(axes, ("kitti00", "kitti07_submaps", "handheld_a_map")):
        for k, (name, variant, implementation) in enumerate(COMPARED):
            if row := rows.get((dataset, variant, implementation)):
                at = float(row["align_ms_p50"]), float(row["translation_error_mm_p50"])
                ours = not implementation.startswith("exec:")
                axis.plot(*at, "o" if ours else "s", ms=8, color=plt.cm.tab20(k), label=name, markeredgecolor=INK if ours else "none")
        axis.set(title=dataset, xscale="log", yscale="log", xlim=(0.04, 100), ylim=(4, 100))
        axis.set_xticks([0.1, 1, 10], labels=["0.1", "1", "10"])
        axis.set_yticks([10, 100], labels=["10", "100"])
        axis.set_xlabel("time of an alignment, median [ms]")
        axis.grid(color="#E4E4E4")
    axes[0].set_ylabel("error of the position, median [mm]")
    handles = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels())}
    axes[-1].legend(handles.values(), handles, loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=8.5, frameon=False)
    figure.savefig(PICTURES / "error_time.png", dpi=80)


def measured(bench: str, command: str, folder: Path, options: list[str]) -> dict:
    """Runs a command on exported clouds and returns its JSON."""
    clouds = ["--map", folder / "map.pcd", "--scan", folder / "scan.pcd"]
    words = [bench, command, *clouds, *options, "--threads", "1", "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)


def score_at(bench: str, folder: Path, x: float, level: float) -> float:
    """The score on one level's map, x metres from the truth."""
    options = ["--profile", "pyramid", "--levels", str(level), "--pose", f"{x:.4f},0,0,0,0,0"]
    return measured(bench, "evaluate", folder, options)["score"]


def path_of(bench: str, folder: Path, *options: str) -> list[dict]:
    """An alignment's trace from the far guess, with positions."""
    options = [*options, "--guess", f"{FAR_GUESS_M},0,0,0,0,0", "--trace"]
    rows = measured(bench, "align", folder, options)["trace"]
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
        folder = exported(bench, "courtyard", Path(name) / "c")
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


def draw_ends(axis, map_points: np.ndarray, scan: np.ndarray, ends: list[np.ndarray]) -> None:
    middle = ends[len(ends) // 2]
    moved = scan @ middle[:3, :3].T + middle[:3, 3]
    for cloud, size, colour in ((map_points, 0.5, MAP_GREY), (moved, 1, SCAN_BLUE)):
        walls = cloud[(cloud[:, 2] > 0.5) & (cloud[:, 2] < 3)]
        axis.plot(*walls[:, :2].T, ".", ms=size, color=colour, rasterized=True)
    for k, (guess_m, end) in enumerate(zip(CORRIDOR_GUESSES_M, ends)):
        axis.plot(guess_m, 0, "x", color=ORANGE, ms=9, mew=2, label=None if k else "guess")
        axis.annotate("", (end[0, 3], end[1, 3]), (guess_m, 0), arrowprops={"arrowstyle": "->", "color": INK})
        axis.plot(end[0, 3], end[1, 3], "o", color=INK, ms=6, label=None if k else "where its alignment ends")
    axis.set(xlim=(-13, 13), ylim=(-4.4, 4.4), xlabel="x, along the corridor [m]", ylabel="y [m]", title="five alignments, all degenerate")
    axis.legend(loc="lower center", ncols=2, fontsize=9)


def draw_corridor(bench: str) -> None:
    pushes = np.arange(-2.5, 2.51, 0.25)
    with tempfile.TemporaryDirectory() as name:
        folder = exported(bench, "scenes_corridor", Path(name) / "c")
        map_points, scan = points_of(folder / "map.pcd"), points_of(folder / "scan.pcd")
        answers = [measured(bench, "align", folder, ["--profile", "pyramid", "--guess", f"{x},{CORRIDOR_REST}"]) for x in CORRIDOR_GUESSES_M]
        assert all(answer["stop"] == "degenerate" for answer in answers)
        ends = [np.array(answer["matrix"]).reshape(4, 4) for answer in answers]

        def nvtl(along_m: float, across_m: float) -> float:
            pose = ends[2].copy()
            pose[:2, 3] += along_m, across_m
            return measured(bench, "evaluate", folder, ["--profile", "pyramid", "--pose", ",".join(map(str, pose.ravel()))])["nvtl"]

        along, across = [nvtl(push, 0) for push in pushes], [nvtl(0, push) for push in pushes]
    figure, (plan, scores) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(1.25, 1))
    draw_ends(plan, map_points, scan, ends)
    scores.plot(pushes, along, color=SCAN_BLUE, lw=2, marker="o", ms=4, label="along the corridor: costs nothing")
    scores.plot(pushes, across, color=ORANGE, lw=2, marker="s", ms=4, label="across it")
    for push in (-PUSH_M, PUSH_M):
        scores.axvline(push, color=MAP_GREY, ls="--", lw=1)
    scores.set(xlabel="push [m]; dashed: as far as an alignment pushes", ylabel="NVTL", ylim=(0, 4.4), title="the score of the pushed pose")
    scores.legend(loc="upper center", fontsize=9)
    scores.grid(color="#E4E4E4")
    figure.savefig(PICTURES / "corridor.png", dpi=80)


def ellipse_of(voxel: dict, deviations: float) -> np.ndarray:
    """[n][2]: where a voxel's distribution, seen from above, is so many standard deviations from its mean."""
    xx, xy, _, yy, _, _ = voxel["covariance_m2"]
    values, vectors = np.linalg.eigh([[xx, xy], [xy, yy]])
    turn = np.linspace(0, 2 * np.pi, 60)
    circle = np.stack([np.cos(turn), np.sin(turn)]) * deviations * np.sqrt(values)[:, None]
    return (vectors @ circle).T + voxel["mean_m"][:2]


def draw_voxels(bench: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = exported(bench, "courtyard", Path(name) / "c")
        map_points = points_of(folder / "map.pcd")
        tables = [voxels_of(bench, folder, "--covariance-start", start) for start in ("identity", "zero")]
    layer = map_points[(map_points[:, 2] >= 2) & (map_points[:, 2] < 4)]
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.9), sharex=True, sharey=True, layout="constrained")
    for axis, table, title in zip(axes, tables, ("covariances start from the identity (autoware)", "from zero (textbook, pyramid)")):
        for voxel in (voxel for voxel in table if voxel["key"][2] == 1):
            axis.fill(*ellipse_of(voxel, 1).T, color="#7FBFE3", alpha=0.45, lw=0)
            axis.plot(*ellipse_of(voxel, 1).T, color=SCAN_BLUE, lw=1)
            axis.plot(*voxel["mean_m"][:2], "o", ms=4, color=INK)
        axis.plot(*layer[:, :2].T, ".", ms=1.5, color="#777777")
        axis.set(title=title, xlabel="x [m]", aspect="equal", xlim=(-6.2, 4.2), ylim=(6.6, 13.6))
        axis.set_xticks(np.arange(-6, 5, 2))
        axis.set_yticks(np.arange(8, 14, 2))
        axis.grid(color="#DDDDDD")
        axis.set_axisbelow(True)
    axes[0].set_ylabel("y [m]")
    figure.savefig(PICTURES / "voxels.png", dpi=80)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 docs/pictures.py <path of ndt-bench>")
    PICTURES.mkdir(parents=True, exist_ok=True)
    draw_alignment(sys.argv[1])
    draw_error_against_time()
    draw_pyramid(sys.argv[1])
    draw_corridor(sys.argv[1])
    draw_voxels(sys.argv[1])
