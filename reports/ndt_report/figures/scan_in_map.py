"""The scan in the map, before (at the guess) and after (at the returned pose)."""

import numpy as np
import pandas as pd

from ..page_numbers import number
from ..read.poses import moved, rotation_difference_deg, translation_difference_m
from .style import BAD, GOOD, finish, panels
from . import Drawing, NotDrawable

MOST_POINTS = 15000  # drawn, of each cloud
MARGIN_M = 5.0


def draw(measurement, map_points: np.ndarray, scan_points: np.ndarray):
    """measurement: the measurement that is shown (a row of judged_measurements())."""
    cells, scan = _thinned(map_points), _thinned(scan_points)
    if not len(scan):
        raise NotDrawable(
            f"The scan {measurement.frame} of {measurement.dataset} has no points, so that there is no picture"
            " of it in the map."
        )
    poses = {"before: at the guess": (measurement.guess, BAD), "after: at the pose": (measurement.pose, GOOD)}
    figure, axes = panels(2, columns=2, height_in=4.6)
    after = moved(measurement.pose, scan)
    low, high = (
        np.percentile(after[:, :2], 1, axis=0) - MARGIN_M,
        np.percentile(after[:, :2], 99, axis=0) + MARGIN_M,
    )
    for ax, (title, (pose, colour)) in zip(axes, poses.items()):
        placed = moved(pose, scan)
        ax.plot(cells[:, 0], cells[:, 1], ".", color="#A8A8A8", markersize=1.4, rasterized=True)
        ax.plot(placed[:, 0], placed[:, 1], ".", color=colour, markersize=1.6, rasterized=True)
        ax.plot([], [], "o", color=colour, label="scan " + title.split(":")[0])
        ax.set(
            xlim=(low[0], high[0]),
            ylim=(low[1], high[1]),
            aspect="equal",
            xlabel="x, m",
            ylabel="y, m",
            title=title,
        )
        ax.grid(False)
    axes[0].plot([], [], "o", color="#A8A8A8", label="map")
    data = pd.DataFrame(
        [
            {
                "dataset": measurement.dataset,
                "frame": measurement.frame,
                "implementation": measurement.implementation,
                "placed": title.split(":")[0],
                **{f"m{i}{j}": pose[i, j] for i in range(3) for j in range(4)},
            }
            for title, (pose, _) in poses.items()
        ]
    )
    note = "Seen from above. The CSV holds the two matrices map_from_scan; the clouds are in the run folder."
    return Drawing(
        f"scan_in_map_{measurement.dataset}",
        f"Scan in map: {measurement.dataset}",
        _finding(measurement),
        finish(figure, axes),
        data,
        note,
    )


def _finding(measurement):
    moved_m, turned_deg = translation_difference_m(
        measurement.guess, measurement.pose
    ), rotation_difference_deg(measurement.guess, measurement.pose)
    finding = (
        f"{measurement.implementation} moved this scan ({measurement.dataset}, {measurement.frame})"
        f" by {number(moved_m, 2)} m and"
        f" {number(turned_deg, 2)} deg in {measurement.iterations:g} iterations"
    )
    finding += (
        f", to {number(1000 * measurement.translation_error_m, 2)} mm from the truth."
        if measurement.translation_error_m == measurement.translation_error_m
        else "."
    )
    return finding


def _thinned(points):
    points = points[np.isfinite(points).all(axis=1)]
    return points[:: max(1, len(points) // MOST_POINTS)]
