"""Searches for the initial pose: success against time and particles, and the particles of one search from above."""

import numpy as np
import pandas as pd
from matplotlib.patches import Ellipse

from ..page_numbers import number
from ..poses import translation_difference_m
from ..searches import SEARCH_KEY, SETTING, TPE, path_points
from ..style import BAD, MUTED, SPARE_COLOURS, Looks, finish, log_axis, panels
from . import MOST_PANELS, Drawing, and_more

DASHES = {  # of guided searches by strategy, of others by method
    "sequential": ":",
    "batched": (0, (5, 1.5)),
    "batched_persistent": "-",
    "random": (0, (6, 1.5, 1, 1.5)),
    "grid": (0, (3, 1, 1, 1, 1, 1)),
}
ENDS = "osD^vP"  # the end of a line, by size of a round
METHOD_COLOURS = {"tpe": SPARE_COLOURS[1], "random": SPARE_COLOURS[0], "grid": SPARE_COLOURS[3]}
MOST_MAP_POINTS = 20000
MARGIN_M = 2.0
START, MAP = "#8A9099", "#DEDEDE"
NVTL = "viridis"  # the middle of style.SEQUENTIAL is as grey as the map
SIGMAS = 2  # of the prior's ellipse


def kind(row) -> str:
    return row.strategy if row.method == TPE else row.method


def _lines(steps: pd.DataFrame):
    """(first row, its steps) of every curve; of several sizes of a round the smallest first."""
    groups = [(group.iloc[0], group) for _, group in steps.groupby(SEARCH_KEY, sort=False)]
    return sorted(groups, key=lambda pair: pair[0].at_once)


def _ends(steps) -> dict:
    """{proposals a round: marker at the end of its lines}, of guided searches: to others rounds are nothing."""
    return {q: ENDS[i % len(ENDS)] for i, q in enumerate(sorted(set(steps[steps.method == TPE].at_once)))}


def _step(ax, line, over, colour, ends):
    """From the first success on, or from the start if there is none."""
    first = line.iloc[0]
    begun = line[line.success_share > 0]
    shown = begun if len(begun) else line
    x, y = [shown[over].iloc[0], *shown[over]], [0, *(100 * shown.success_share)]
    ax.step(x, y, where="post", color=colour, linestyle=DASHES[kind(first)], linewidth=1.6)
    if first.method == TPE:
        edge = {"markeredgecolor": "white", "markeredgewidth": 0.6}
        ax.plot(x[-1], y[-1], ends[first.at_once], color=colour, markersize=6, clip_on=False, zorder=3, **edge)


def _legend_of_ends(ax, ends):
    if len(ends) > 1:
        for q, end in ends.items():
            ax.plot([], [], end, color=MUTED, label=f"q = {q}")


# --- success against time ---


def time_finding(steps: pd.DataFrame) -> str:
    dataset = steps.dataset.iloc[0]
    ends = steps[steps.dataset == dataset].groupby(SEARCH_KEY, sort=False).tail(1)
    best = ends.sort_values(["success_share", "ms"], ascending=[False, True], kind="stable").iloc[0]
    own = steps[(steps[SEARCH_KEY] == best[SEARCH_KEY]).all(axis=1)]
    half = own[own.success_share >= best.success_share / 2].ms.iloc[0]
    return (
        f"On {dataset}, {best.implementation} {best.search_name} ends with {100 * best.success_share:.3g} % of its {best.n} searches "
        f"within the limits after {number(best.ms)} ms, the longest; half of that is reached after {number(half)} ms."
    )


def draw_time(steps: pd.DataFrame, look: Looks):
    """steps: of success_steps() over ms."""
    if steps.empty:
        return None
    names = list(dict.fromkeys(steps.dataset))
    figure, axes = panels(min(len(names), MOST_PANELS), columns=2, height_in=3.8)
    ends = _ends(steps)
    for ax, name in zip(axes, names):
        own = steps[steps.dataset == name]
        _time_panel(ax, own, ends, look)
        ax.set_title(f"{name} ({_searches(own)} a line)")
    _legend(axes[0], steps, ends, look)
    note = "A step up: the best particle of one more search is a success; a line ends where the longest search does. "
    note += "q: proposals a round."
    note += and_more(len(axes), len(names))
    return Drawing("search_time", "Success against time", time_finding(steps), finish(figure, axes, columns=4), steps, note)


def _searches(steps) -> str:
    low, high = steps.n.min(), steps.n.max()
    return f"{high} searches" if low == high else f"{low} to {high} searches"


def _time_panel(ax, steps, ends, look):
    for first, line in _lines(steps):
        _step(ax, line, "ms", look(first.implementation)["color"], ends)
    log_axis(ax.xaxis)
    ax.set_ylim(-3, 104)
    ax.set_xlabel("time since the search began, ms")
    ax.set_ylabel("searches whose best is a success, %")


def _legend(ax, steps, ends, look):
    """Colours, dashes and ends explained apart: their product would be too many entries."""
    for name in look.in_order(steps.implementation):
        ax.plot([], [], "s", color=look(name)["color"], label=name, markersize=8)
    there = {kind(row) for row in steps[["strategy", "method"]].drop_duplicates().itertuples()}
    for name, dash in DASHES.items():
        if name in there:
            ax.plot([], [], color=MUTED, linestyle=dash, label=name if name not in METHOD_COLOURS else f"{name}, not guided")
    _legend_of_ends(ax, ends)


# --- success against particles ---


def chosen(steps: pd.DataFrame) -> pd.DataFrame:
    """Of every dataset the implementation with the most searches by name: the others walk the same way."""
    if steps.empty:
        return steps
    names = steps.groupby(["dataset", "implementation"], sort=False).search_name.nunique().reset_index()
    most = names.sort_values("search_name", ascending=False, kind="stable").drop_duplicates("dataset")
    return steps.merge(most[["dataset", "implementation"]], on=["dataset", "implementation"])


def particles_finding(steps: pd.DataFrame) -> str:
    own = steps[steps.dataset == steps.dataset.iloc[0]]
    ends = own.groupby(SEARCH_KEY, sort=False).tail(1)
    best = ends.sort_values("success_share", ascending=False, kind="stable").drop_duplicates("method")
    parts = ", ".join(f"{r.method} {100 * r.success_share:.3g} % ({r.search_name})" for r in best.itertuples())
    most = number(own.particles.max(), 6)
    return f"On {own.dataset.iloc[0]}, of searches with up to {most} particles there end as a success: {parts}."


def draw_particles(steps: pd.DataFrame):
    """steps: of success_steps() over particles_done."""
    steps = chosen(steps)
    if steps.empty:
        return None
    names = list(dict.fromkeys(steps.dataset))
    figure, axes = panels(min(len(names), MOST_PANELS), columns=2, height_in=3.6)
    ends = _ends(steps)
    for ax, name in zip(axes, names):
        own = steps[steps.dataset == name]
        _particles_panel(ax, own, ends)
        ax.set_title(f"{name}: {own.implementation.iloc[0]} ({_searches(own)} a line)")
    _particles_legend(axes[0], steps, ends)
    note = "The best particle so far, after this number of particles in the order of their proposal. q: proposals a round. "
    note += "One implementation a dataset: the others walk alike." + and_more(len(axes), len(names))
    return Drawing("search_particles", "Success against particles", particles_finding(steps), finish(figure, axes, columns=4), steps, note)


def _particles_panel(ax, steps, ends):
    for first, line in _lines(steps):
        _step(ax, line, "particles_done", METHOD_COLOURS[first.method], ends)
    for startup in sorted(set(steps[(steps.method == TPE) & (steps.startup < steps.particles)].startup)):
        ax.axvline(startup, color=MUTED, linewidth=0.9, label="tpe is guided from here on")
    ax.set_xlim(0, 1.03 * steps.particles_done.max())
    ax.set_ylim(-3, 104)
    ax.set_xlabel("particles")
    ax.set_ylabel("searches whose best is a success, %")


def _particles_legend(ax, steps, ends):
    for method, strategy in steps[["method", "strategy"]].drop_duplicates().itertuples(index=False):
        dash = DASHES[strategy if method == TPE else method]
        ax.plot([], [], color=METHOD_COLOURS[method], linestyle=dash, label=f"{method}, {strategy}" if method == TPE else method)
    _legend_of_ends(ax, ends)


# --- one search from above ---


def draw_paths(search, map_points=None):
    """search: a row of search_rows() with paths; map_points [n, 3], in metres, or None."""
    points = path_points(search)
    figure, (ax,) = panels(1, columns=1, height_in=6.4)
    figure.set_figwidth(7.8)  # near square
    low, high = _window(search, points)
    if map_points is not None:
        _draw_map(ax, map_points, low, high)
    ends = _draw_particles(ax, points, max(high - low))
    _draw_marks(ax, search, points)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xlabel="x, m", ylabel="y, m")
    ax.set_title(f"{search.dataset}, {search.frame}: {search.implementation} {search.search_name}, {search.guess_name}")
    ax.grid(False)
    bar = figure.colorbar(ends, ax=ax, shrink=0.7, pad=0.02)
    bar.set_label("NVTL at a particle's end, no unit")
    data = points.assign(**{key: search[key] for key in ("dataset", "frame", "implementation", "search_name", "seed")})
    note = "Seen from above. Tick: where a particle looks at its start; thin line: from there to its end. Ends out of the frame are cut off."
    name = f"search_paths_{search.dataset}"
    return Drawing(name, f"One search: {search.dataset}", paths_finding(search, points), finish(figure, [ax]), data, note)


def paths_finding(search, points) -> str:
    at_best = np.hypot(points.x1_m - search.pose[0, 3], points.y1_m - search.pose[1, 3]) <= 0.5
    said = (
        f"On {search.dataset}, {int(at_best.sum())} of {len(points)} particles end within 0.5 m of the best, "
        f"{translation_difference_m(search.guess, search.pose):.2g} m from the prior's mean, with NVTL {number(search.nvtl)}"
    )
    if search.translation_error_m == search.translation_error_m:
        said += f"; it is {number(search.translation_error_m)} m and {number(search.rotation_error_deg)} deg off the truth"
    return said + "."


def _window(search, points):
    """What the axes show: starts, best, truth and prior, but not ends that went astray."""
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
    ax.plot([x, x + tick * np.cos(points.yaw0_rad)], [y, y + tick * np.sin(points.yaw0_rad)], color=START, linewidth=1.0)
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
    star = {"markerfacecolor": "none", "markeredgecolor": BAD, "markeredgewidth": 1.8, "linestyle": "none", "zorder": 5}
    ax.plot(best.x1_m, best.y1_m, "*", label="best", markersize=19, **star)
