"""A trajectory over the map, from above, and the place where it is worst."""

import numpy as np

from ..colours import VERDICT_LOOKS
from ..figures import Drawing, NotDrawable
from ..page_numbers import number
from ..figures.style import BAD, PANEL_IN, finish, panels
from .errors import finite
from .words import length

MAP_GREY = "#A8A8A8"
MOST_VECTORS = 100  # more dots are drawn as pixels
ZOOM_M = 10.0  # around the worst place, at least
MARGIN = 0.12  # of the drive, around it


def draw(run):
    shown = finite(run.poses)
    if not shown.any():
        raise NotDrawable(f"{run.label}: frames.csv holds no pose, so there is no trajectory.")
    data = _tidy(run)
    low, high = _extent(data)
    wide, high_m = high - low
    worst = data.error_m.idxmax() if data.error_m.notna().any() else None
    count = 1 if worst is None else 2
    height = float(np.clip(0.8 * PANEL_IN * high_m / wide, 1.6, 3.4)) + 0.9
    figure, axes = panels(count, columns=2, height_in=height)
    _draw(axes[0], run, data, low, high)
    axes[0].set_title("all of it")
    if worst is not None:
        _draw_worst(axes[1], run, data, worst)
    return Drawing(
        f"localization_map_{run.label}",
        f"Trajectory over the map: {run.label}",
        _finding(run, data, worst),
        finish(figure, axes),
        data,
        "Seen from above. Closed loop: every frame begins where the frames before it lead.",
    )


def _tidy(run):
    data = run.frames[["number", "time_s", "verdict", "x_m", "y_m", "error_x_m", "error_y_m", "error_m"]]
    data = data.assign(truth_x_m=data.x_m - data.error_x_m, truth_y_m=data.y_m - data.error_y_m)
    return data.drop(columns=["error_x_m", "error_y_m"])[finite(run.poses)].reset_index(drop=True)


def _extent(data):
    x, y = (np.r_[data[f"{axis}_m"], data[f"truth_{axis}_m"]] for axis in "xy")
    low, high = np.array([np.nanmin(x), np.nanmin(y)]), np.array([np.nanmax(x), np.nanmax(y)])
    margin = MARGIN * max((high - low).max(), ZOOM_M)
    return low - margin, high + margin


def _draw(ax, run, data, low, high):
    if run.map_points is not None:
        spare = (high - low).max()  # a panel that is wider than high shows more
        near = ((run.map_points[:, :2] > low - spare) & (run.map_points[:, :2] < high + spare)).all(axis=1)
        ax.plot(*run.map_points[near, :2].T, ".", color=MAP_GREY, markersize=0.9, rasterized=True)
        ax.plot([], [], "o", color=MAP_GREY, label="map")
    if data.truth_x_m.notna().any():
        ax.plot(data.truth_x_m, data.truth_y_m, color="#000000", linewidth=1, label="truth")
    for verdict, (colour, marker) in VERDICT_LOOKS.items():
        own = data[data.verdict == verdict]
        if len(own):
            dense = len(own) > MOST_VECTORS
            ax.plot(own.x_m, own.y_m, marker, color=colour, markersize=2.5 if dense else 4, rasterized=dense)
            ax.plot([], [], marker, color=colour, label=verdict or "no verdict")
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="x, m", ylabel="y, m")
    ax.set_aspect("equal", adjustable="datalim")
    ax.grid(False)


def _draw_worst(ax, run, data, worst):
    row = data.loc[worst]
    half = max(1.5 * row.error_m, ZOOM_M)
    middle = np.array([row.x_m + row.truth_x_m, row.y_m + row.truth_y_m]) / 2
    if not np.isfinite(middle).all():
        middle = np.array([row.x_m, row.y_m])
    _draw(ax, run, data, middle - half, middle + half)
    ax.plot([row.truth_x_m, row.x_m], [row.truth_y_m, row.y_m], color=BAD, linewidth=1.2, label="largest error")
    ax.set_title(f"the worst place: frame {row.number:g}, {length(row.error_m)} off")


def _finding(run, data, worst) -> str:
    path_m = float(np.linalg.norm(np.diff(data[["x_m", "y_m"]].to_numpy(float), axis=0), axis=1).sum())
    said = f"{run.label}: {len(data)} poses over {number(path_m)} m"
    if worst is None:
        return said + "."
    return f"{said}, at most {length(data.error_m.max())} from the truth, at frame {data.number[worst]:g}."
