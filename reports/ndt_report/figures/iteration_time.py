"""The time of one Newton iteration against the points of the scan."""

import pandas as pd

from ..judge.iteration_time import by_size
from ..page_numbers import number
from .style import Looks, finish, log_axis, panels
from . import Drawing


def finding(points: pd.DataFrame) -> str:
    largest = points[points.points == points.points.max()]
    parts = [f"{r.implementation} {number(r.iteration_us)} us" for r in largest.itertuples()]
    return (
        f"An iteration over {largest.points.iloc[0]:,.0f} points takes, on {largest.family.iloc[0]}:"
        f" {', '.join(parts)}."
    )


def draw(table: pd.DataFrame, look: Looks):
    """table: of iteration_time_table()."""
    points = by_size(table)
    if points.empty:
        return None
    families = list(dict.fromkeys(points.family))
    figure, axes = panels(len(families), columns=2, height_in=3.6)
    for ax, family in zip(axes, families):
        shown = points[points.family == family]
        for name in look.in_order(shown.implementation):
            line = shown[shown.implementation == name].sort_values("points")
            ax.plot(line.points, line.iteration_us, label=name, **look(name))
        log_axis(ax.xaxis)
        log_axis(ax.yaxis)
        ax.set_xlabel("points of the scan")
        ax.set_ylabel("time of an iteration, us")
        ax.set_title(f"{family}: {shown.voxels.iloc[0]:,.0f} voxels")
    note = (
        "Slopes over iterations, line search off; implementations on a CPU with their largest number of"
        " threads."
    )
    return Drawing(
        "iteration_time", "Time of an iteration", finding(points), finish(figure, axes), points, note
    )
