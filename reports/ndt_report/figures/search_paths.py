"""The particles of one search for the initial pose, from above."""

import numpy as np
from matplotlib.patches import Ellipse

from ..page_numbers import number
from ..read.poses import translation_difference_m
from ..judge.searches import path_points
from .style import BAD, MUTED, finish, panels
from . import Drawing

MOST_MAP_POINTS = 20000
MARGIN_M = 2.0
START, MAP = "#8A9099", "#DEDEDE"
NVTL = "viridis"  # the middle of style.SEQUENTIAL is as grey as the map
SIGMAS = 2  # of the prior's ellipse


def draw_paths(search, map_points=None):
    """search: a row of search_measurements() with paths; map_points [n, 3], in metres, or None."""
    points = path_points(search)
    figure, (ax,) = panels(1, columns=1, height_in=6.4)
    figure.set_figwidth(7.8)  # near square
    low, high = _window(search, points)
    if map_points is not None:
        _draw_map(ax, map_points, low, high)
    ends = _draw_particles(ax, points, max(high - low))
    _draw_marks(ax, search, points)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xlabel="x, m", ylabel="y, m")
    ax.set_title(
        f"{search.dataset}, {search.frame}: {search.implementation} {search.search_name}, {search.guess_name}"
    )
    ax.grid(False)
    bar = figure.colorbar(ends, ax=ax, shrink=0.7, pad=0.02)
    bar.set_label("NVTL at a particle's end, no unit")
    data = points.assign(
        **{key: search[key] for key in ("dataset", "frame", "implementation", "search_name", "seed")}
    )
    note = (
        "Seen from above. Tick: where a particle looks at its start; thin line: from there to its end. Ends"
        " out of the frame are cut off."
    )
    name = f"search_paths_{search.dataset}"
    return Drawing(
        name, f"One search: {search.dataset}", paths_finding(search, points), finish(figure, [ax]), data, note
    )


def paths_finding(search, points) -> str:
    at_best = np.hypot(points.x1_m - search.pose[0, 3], points.y1_m - search.pose[1, 3]) <= 0.5
    said = (
        f"On {search.dataset}, {int(at_best.sum())} of {len(points)} particles end within 0.5 m of the best,"
        f" {number(translation_difference_m(search.guess, search.pose), 2)} m from the prior's mean, with NVTL"
        f" {number(search.nvtl)}"
    )
    if search.translation_error_m == search.translation_error_m:
        said += (
            f"; it is {number(search.translation_error_m)} m and {number(search.rotation_error_deg)} deg off"
            " the truth"
        )
    return said + "."


def _window(search, points):
    """Returns the limits of the axes: they show starts, best, truth and prior, but not ends that went astray."""
    mean, reach = search.guess[:2, 3], SIGMAS * np.array(search.sigma[:2], float)
    shown = [points[["x0_m", "y0_m"]].to_numpy(), [mean - reach, mean + reach], [search.pose[:2, 3]]]
    if search.truth is not None:
        shown.append([search.truth[:2, 3]])
    shown = np.concatenate(shown)
    return shown.min(axis=0) - MARGIN_M, shown.max(axis=0) + MARGIN_M


def _draw_map(ax, map_points, low, high):
    near = map_points[((map_points[:, :2] >= low) & (map_points[:, :2] <= high)).all(axis=1)]
    near = near[:: max(1, len(near) // MOST_MAP_POINTS)]
    ax.plot(near[:, 0], near[:, 1], ".", color=MAP, markersize=1.6, rasterized=True)
    ax.plot([], [], "o", color=MAP, label="map")


def _draw_particles(ax, points, width_m):
    """Returns the coloured ends. The worst are drawn first."""
    points = points.sort_values("nvtl", kind="stable")
    ax.plot(points[["x0_m", "x1_m"]].T, points[["y0_m", "y1_m"]].T, color=MUTED, linewidth=0.5, alpha=0.7)
    tick = 0.018 * width_m
    x, y = points.x0_m, points.y0_m
    ax.plot(
        [x, x + tick * np.cos(points.yaw0_rad)],
        [y, y + tick * np.sin(points.yaw0_rad)],
        color=START,
        linewidth=1.0,
    )
    ax.plot(x, y, ".", color=START, markersize=4, label="start, where it looks")
    dots = {"cmap": NVTL, "s": 26, "edgecolors": "white", "linewidths": 0.4, "zorder": 3}
    return ax.scatter(points.x1_m, points.y1_m, c=points.nvtl, label="end", **dots)


def _draw_marks(ax, search, points):
    size = [2 * SIGMAS * s for s in search.sigma[:2]]
    line = {"fill": False, "color": MUTED, "linestyle": "--", "linewidth": 1.2}
    ax.add_patch(Ellipse(search.guess[:2, 3], *size, label=f"prior, {SIGMAS} sigma", **line))
    if search.truth is not None:  # larger than the star, which may lie on it
        cross = {"marker": "+", "color": "black", "markeredgewidth": 1.6, "linestyle": "none", "zorder": 4}
        ax.plot(*search.truth[:2, 3], markersize=30, **cross)
        ax.plot([], [], label="truth", markersize=12, **cross)
    best = points[points.best].iloc[0]
    star = {
        "markerfacecolor": "none",
        "markeredgecolor": BAD,
        "markeredgewidth": 1.8,
        "linestyle": "none",
        "zorder": 5,
    }
    ax.plot(best.x1_m, best.y1_m, "*", label="best", markersize=19, **star)
