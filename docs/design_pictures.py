"""Draws the pictures of docs/design.md: python3 docs/design_pictures.py <ndt-bench>

It needs numpy and matplotlib. ndt-bench gives the voxels of candidates.png; the other two are drawn from what the code does.

timeline.png: one alignment in three schedules: what the host does, what crosses PCIe, what the GPU does.
sums.png: how the sums of a scan are cut and folded, and what becomes of them.
candidates.png: the near voxels of a cell of the built-in courtyard, and the arrays that hold them.
"""

import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle  # noqa: E402
from pictures import INK, MAP_GREY, ORANGE, PICTURES, ROOT, SCAN_BLUE, exported, points_of, voxels_of  # noqa: E402

PALE_BLUE, DARK_BLUE, PALE_GREY = "#CFE5F3", "#00334F", "#EEEEEE"
POINTS = 5000
CHUNKS_HPP = ROOT / "modules/common/include/ndt/exec/chunks.hpp"
EDGE_M, CELL, LAYER = 2.0, (0, 4), 1  # a cell of the courtyard between two walls, and its layer


def blank(size: tuple[float, float], width: float, height: float):
    figure, axis = plt.subplots(figsize=size, layout="constrained")
    axis.set(xlim=(0, width), ylim=(0, height))
    axis.axis("off")
    return figure, axis


def box(axis, x: float, y: float, width: float, height: float, text: str = "", fill: str = PALE_BLUE, size: float = 9,
        ink: str = INK) -> None:
    axis.add_patch(Rectangle((x, y), width, height, facecolor=fill, edgecolor="white", lw=1))
    axis.text(x + width / 2, y + height / 2, text, ha="center", va="center", size=size, color=ink, linespacing=1.15)


def arrow(axis, start: tuple[float, float], end: tuple[float, float], colour: str = INK, bend: float = 0) -> None:
    style = f"arc3,rad={bend}"
    axis.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=10, lw=1.1, color=colour, connectionstyle=style,
                                   shrinkA=0, shrinkB=0))


# timeline.png: a schedule has three rows of height 1: host, PCIe, GPU.

def rows(axis, y: float, title: str) -> None:
    axis.text(0, y + 3.3, title, size=10.5, weight="bold")
    for level, name in enumerate(("GPU", "PCIe", "host")):
        axis.text(6.2, y + level + 0.45, name, ha="right", va="center", size=9, color="#555555")
        axis.plot([6.6, 100], [y + level, y + level], color=PALE_GREY, lw=0.8, zorder=0)


def up(axis, x: float, y: float, text: str) -> None:
    arrow(axis, (x, y + 1.95), (x, y + 1.02), ORANGE)
    axis.text(x + 0.7, y + 1.45, text, va="center", size=8.5)


def down(axis, x: float, y: float, text: str, after: bool = True) -> None:
    arrow(axis, (x, y + 1.02), (x, y + 1.95), DARK_BLUE)
    axis.text(x + (0.7 if after else -0.7), y + 1.45, text, va="center", ha="left" if after else "right", size=8.5)


def kernels(axis, begin: float, end: float, y: float, count: int, text: str, fill: str = SCAN_BLUE) -> None:
    width = (end - begin) / count
    for step in range(count):
        box(axis, begin + step * width, y + 0.1, width, 0.8, fill=fill)
    axis.text((begin + end) / 2, y - 0.1, text, ha="center", va="top", size=8.5)


def draw_staged(axis, y: float) -> None:
    rows(axis, y, "multikernel_cuda: the host drives the loop")
    box(axis, 7, y + 2.1, 6, 0.8, "copy", ORANGE)
    up(axis, 10, y, "pose, scan")
    box(axis, 13.3, y + 2.1, 20.5, 0.8, "launch step after step", PALE_BLUE)
    kernels(axis, 17, 28, y, 9, "1 to 8, 15")
    kernels(axis, 28.4, 45.5, y, 15, "9 to 14, then 1 to 8, 15")
    for begin, end in ((46.5, 66), (66, 85.5)):
        box(axis, begin, y + 2.1, 10, 0.8, "launch", PALE_BLUE)
        kernels(axis, begin + 1.5, end - 1, y, 15, "9 to 14, then 1 to 8, 15")
    for begin, end in ((33.8, 46.2), (56.5, 65.7), (76, 85.2)):
        box(axis, begin, y + 2.1, end - begin, 0.8, "wait", PALE_GREY)
        down(axis, end, y, "flag, 4 B", after=False)
    box(axis, 85.5, y + 2.1, 6, 0.8, "launch", PALE_BLUE)
    box(axis, 91.5, y + 2.1, 8.5, 0.8, "wait", PALE_GREY)
    kernels(axis, 87, 99, y, 6, "ending", DARK_BLUE)
    down(axis, 99.8, y, "result, 400 B", after=False)


def draw_graph(axis, y: float) -> None:
    rows(axis, y, "multikernel_graph_cuda: one launch of a graph that ends itself")
    box(axis, 7, y + 2.1, 6, 0.8, "copy", ORANGE)
    up(axis, 10, y, "pose, header, scan")
    box(axis, 13.3, y + 2.1, 6, 0.8, "launch", PALE_BLUE)
    box(axis, 19.3, y + 2.1, 64.5, 0.8, "wait", PALE_GREY)
    box(axis, 22, y + 0.1, 5, 0.8, "begin", PALE_BLUE, 8.5)
    for turn in range(2):
        left = 28 + turn * 22.5
        box(axis, left - 0.4, y + 0.02, 21.8, 0.96, fill=PALE_GREY)
        for k in range(4):
            box(axis, left + k * 5.25, y + 0.1, 5.25, 0.8, "pass", SCAN_BLUE, 8.5, "white")
    axis.text(50, y + 1.2, "WHILE node, four passes a turn", ha="center", size=8.5)
    box(axis, 73.2, y + 0.1, 9.5, 0.8, "conclude", DARK_BLUE, 8.5, "white")
    down(axis, 83.3, y, "result, 400 B", after=False)


def draw_persistent(axis, y: float) -> None:
    rows(axis, y, "persistent_cuda: one cooperative launch, every block runs the whole loop")
    box(axis, 7, y + 2.1, 6, 0.8, "copy", ORANGE)
    up(axis, 10, y, "pose and its matrices, scan")
    box(axis, 13.3, y + 2.1, 6, 0.8, "launch", PALE_BLUE)
    box(axis, 19.3, y + 2.1, 42.2, 0.8, "free until collect(), then polls the result's last word", PALE_GREY)
    for lane in range(3):
        low = y + 0.66 - 0.3 * lane
        for k in range(4):
            left = 22 + k * 7.8
            box(axis, left, low, 3.9 + 0.5 * ((lane + k) % 2), 0.28, fill=SCAN_BLUE)
            box(axis, left + 5.1, low, 2.4, 0.28, fill=ORANGE)
        box(axis, 53.2, low, 7.3, 0.28, fill=DARK_BLUE)
    down(axis, 61.2, y, "result, 400 B, written by the kernel")


def legend(axis, y: float, entries: list[tuple[str, str, float]]) -> None:
    for fill, text, x in entries:
        axis.add_patch(Rectangle((x, y), 2, 0.45, facecolor=fill))
        axis.text(x + 2.6, y + 0.22, text, va="center", size=9)


def draw_timeline() -> None:
    figure, axis = blank((10, 6.2), 100.5, 14.6)
    draw_staged(axis, 10.5)
    draw_graph(axis, 5.5)
    draw_persistent(axis, 0.9)
    legend(axis, 0, [(SCAN_BLUE, "sums of the scan, and steps of the loop", 0), (ORANGE, "copy; on the GPU: the crew's solve", 38),
                     (DARK_BLUE, "surfaces, pushes, result", 74)])
    figure.savefig(PICTURES / "timeline.png", dpi=100)


# sums.png

def constant(name: str) -> int:
    return int(re.search(rf"\bint {name} = (\d+);", CHUNKS_HPP.read_text(encoding="utf-8"))[1])


def cut(points: int) -> tuple[int, int, int, int]:
    """Points of a chunk, chunks, chunks of a group, groups: ChunkPlan in tuning latency."""
    even = math.ceil(points / constant("kMaxChunks"))
    multiple = constant("kChunkMultiple")
    size = max(constant("kMinChunkItems"), math.ceil(even / multiple) * multiple)
    chunks = math.ceil(points / size)
    per_group = math.ceil(chunks / constant("kChunkGroups"))
    return size, chunks, per_group, math.ceil(chunks / per_group)


def draw_sums() -> None:
    size, chunks, per_group, groups = cut(POINTS)
    figure, axis = blank((10, 4.6), 100, 46)
    shown, height = per_group * 2, 2.9
    tops = [36 - (k + (0.35 if k >= per_group else 0)) * height for k in range(shown)]
    for k, y in enumerate(tops):
        box(axis, 1, y, 14, height - 0.5, f"points {size * k:,} … {size * (k + 1) - 1:,}", PALE_GREY, 8)
        arrow(axis, (15.3, y + 1.2), (21, y + 1.2))
        box(axis, 21.3, y, 11, height - 0.5, f"chunk {k}", PALE_BLUE, 8.5)
    for group in range(2):
        mine = tops[group * per_group:(group + 1) * per_group]
        middle = (mine[0] + mine[-1] + height - 0.5) / 2
        for y in mine:
            arrow(axis, (32.6, y + 1.2), (43.6, middle))
        box(axis, 44, middle - 2.2, 11, 4.4, f"group {group}", "#9CCBE8")
        arrow(axis, (55.3, middle), (62.6, 21.5 + 1.5 - 3 * group))
    axis.text(8, 4.4, "⋮", size=14, ha="center")
    axis.text(26.8, 4.4, "⋮", size=14, ha="center")
    axis.text(49.5, 4.4, "⋮", size=14, ha="center")
    box(axis, 63, 17.5, 11, 8, "total\n35 sums,\n2 counts", SCAN_BLUE, 9, "white")
    arrow(axis, (74.3, 21.5), (79.6, 21.5))
    box(axis, 80, 12.5, 19, 18, "crew: one warp\n\ngradient, Hessian\nLDLᵀ, direction\nstop, or next pose", ORANGE, 9)
    arrow(axis, (89.5, 30.8), (8, 39.5), ORANGE, 0.13)
    axis.text(57, 43.2, "next pose: all points are summed again", ha="center", size=9)
    last = chunks - per_group * (groups - 1)
    for x, text in ((8, f"{POINTS:,} points"), (26.8, f"{chunks} chunks,\nfloat32 inside"),
                    (49.5, f"{groups} groups of {per_group}, the last of {last}:\nchunks in order, double"), (68.5, "groups as a tree,\nneighbours first"), (89.5, "on every block alike")):
        axis.text(x, 0.2, text, ha="center", va="bottom", size=9, color="#444444")
    figure.savefig(PICTURES / "sums.png", dpi=100)


# candidates.png

def gaps(centroids: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """Distance from each centroid to a cell: the cell lists the voxels within one edge."""
    low, high = cell * EDGE_M, (cell + 1) * EDGE_M
    return np.linalg.norm(np.maximum(np.maximum(low - centroids, centroids - high), 0), axis=1)


def draw_lists(axis, voxels: list[dict], map_points: np.ndarray) -> None:
    cell = np.array([*CELL, LAYER])
    centroids = np.array([voxel["centroid_m"] for voxel in voxels])
    in_layer = np.array([voxel["key"][2] for voxel in voxels]) == LAYER
    listed = gaps(centroids, cell) <= EDGE_M
    low = cell[:2] * EDGE_M
    point = low + (0.45, 1.25)
    near = np.linalg.norm(centroids - [*point, (LAYER + 0.5) * EDGE_M], axis=1) < EDGE_M
    heights = map_points[:, 2] / EDGE_M
    slab = map_points[(heights >= LAYER) & (heights < LAYER + 1)]
    axis.plot(*slab[:, :2].T, ".", ms=1.2, color=MAP_GREY, zorder=1)
    axis.add_patch(FancyBboxPatch(low, EDGE_M, EDGE_M, f"round,pad={EDGE_M},rounding_size={EDGE_M}", facecolor=PALE_BLUE, alpha=0.5,
                                  edgecolor=SCAN_BLUE, ls="--", zorder=0))
    axis.add_patch(Rectangle(low, EDGE_M, EDGE_M, facecolor="#9CCBE8", zorder=1))
    axis.add_patch(Circle(point, EDGE_M, fill=False, edgecolor=ORANGE, lw=1.5, zorder=3))
    for chosen, fill, label in ((in_layer & ~listed, "white", "not in the cell's list"), (in_layer & listed & ~near, "#5AAAD8", "listed"),
                                (in_layer & listed & near, DARK_BLUE, "listed, nearer than the edge: a pair")):
        axis.plot(*centroids[chosen, :2].T, "o", ms=8, mfc=fill, mec=DARK_BLUE, label=label, ls="", zorder=4)
    axis.plot(*point, "X", ms=9, color=ORANGE, mec="white", label="point of the scan, and its radius", zorder=5, ls="")
    axis.set(xlim=(low[0] - 4.2, low[0] + 6.2), ylim=(low[1] - 4.2, low[1] + 6.2), aspect="equal", xlabel="x [m]", ylabel="y [m]")
    axis.set_xticks(np.arange(low[0] - 4, low[0] + 7, EDGE_M))
    axis.set_yticks(np.arange(low[1] - 4, low[1] + 7, EDGE_M))
    axis.grid(color="#DDDDDD", zorder=0)
    axis.set_axisbelow(True)
    axis.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, handletextpad=0.2, columnspacing=1)
    axis.set_title(f"one layer: {np.count_nonzero(listed & in_layer)} of the {np.count_nonzero(listed)} voxels that the cell lists", size=10)


def draw_arrays(axis) -> None:
    axis.set(xlim=(0, 66), ylim=(0, 46))
    axis.axis("off")
    for y, name, words, fill in ((36, "starts\n4 bytes a cell", ("…", "c", "c + 1", "…"), PALE_GREY),
                                 (21, "lists\n16 bytes an entry", ("…", "x y z, i", "x y z, j", "x y z, k", "…"), PALE_BLUE),
                                 (6, "voxels\n48 bytes each", ("…", "voxel j", "…"), "#9CCBE8")):
        axis.text(0, y + 2.5, name, size=9.5, va="center", linespacing=1.3)
        width = 48 / len(words)
        for k, word in enumerate(words):
            box(axis, 17 + k * width, y, width, 5, word, fill, 9)
    arrow(axis, (35, 35.8), (27.5, 26.4))
    arrow(axis, (47, 35.8), (55, 26.4))
    axis.text(41, 31, "first, and\nbehind the last", ha="center", va="center", size=8.5)
    arrow(axis, (41, 20.8), (41, 11.4))
    axis.text(42.5, 16, "where the centroid\nis within the radius", va="center", size=8.5)
    axis.text(41, 3.8, "centroid, mean - centroid, inverse covariance", ha="center", size=8.5, color="#444444")


def draw_candidates(bench: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = exported(bench, "courtyard", Path(name) / "c")
        map_points, voxels = points_of(folder / "map.pcd"), voxels_of(bench, folder)
    figure, (plan, arrays) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained", width_ratios=(1, 1.05))
    draw_lists(plan, voxels, map_points)
    draw_arrays(arrays)
    figure.savefig(PICTURES / "candidates.png", dpi=90)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 docs/design_pictures.py <path of ndt-bench>")
    PICTURES.mkdir(parents=True, exist_ok=True)
    try:
        draw_timeline()
        draw_sums()
        draw_candidates(sys.argv[1])
    except subprocess.CalledProcessError as error:
        sys.exit(f"design_pictures.py: {error.cmd[0]} failed: {error.stderr.decode()}")
