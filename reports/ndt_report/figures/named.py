"""Every method as a named point: one panel for paper, and all datasets as a Chart for the page."""

from dataclasses import dataclass, field

import pandas as pd
from matplotlib.transforms import ScaledTranslation

from .names import placed
from .style import BAND, FONT_PT, MUTED, Looks, log_axis, panels

ROOM = 1.35  # around the points: the axes end this many times beyond them
LEAST_SPAN = 8.0  # of an axis: its high end over its low one
HEIGHT_IN = 4.1
NAME_PT = FONT_PT - 0.5


@dataclass
class Chart:
    """Points that the page draws so that a reader can filter them."""

    points: pd.DataFrame  # dataset, method, x, y, floor (of y; 0 without)
    x: str  # titles of the axes
    y: str
    look: Looks
    strong: list = field(default_factory=list)  # methods whose names stand out
    beside: dict = field(default_factory=dict)  # {column: its title} of what else is said of a point


def limits(values) -> tuple:
    """The ends of an axis: around the points, and LEAST_SPAN apart at least, so that ticks fit."""
    low, high = float(min(values)), float(max(values))
    room = max(ROOM, (LEAST_SPAN * low / high) ** 0.5)
    return low / room, high * room


def draw_named(chart: Chart, dataset: str):
    """Returns a figure of one dataset's points."""
    points = chart.points[chart.points.dataset == dataset]
    figure, (ax,) = panels(1, columns=1, height_in=HEIGHT_IN)
    ax.set(xscale="log", yscale="log", xlim=limits(points.x), ylim=limits(points.y), xlabel=chart.x, ylabel=chart.y, title=dataset)
    log_axis(ax.xaxis)
    log_axis(ax.yaxis)
    if (floor := points.floor.max()) > ax.get_ylim()[0]:
        ax.axhspan(ax.get_ylim()[0], floor, color=BAND, zorder=0)
    for p in points.itertuples():
        size = 11 if p.method in chart.strong else 8
        ax.plot(p.x, p.y, **chart.look(p.method) | {"linestyle": "none", "markersize": size})
    _name(figure, ax, points, chart)
    return figure


def _name(figure, ax, points, chart):
    figure.draw_without_rendering()  # places the axes
    frame, scale = ax.get_window_extent(), figure.dpi / 72
    at = [(x - frame.x0, y - frame.y0) for x, y in ax.transData.transform(points[["x", "y"]].to_numpy())]
    texts = [_text(ax, p, chart) for p in points.itertuples()]
    extents = [text.get_window_extent() for text in texts]
    offsets = placed([(x / scale, y / scale) for x, y in at], [(e.width / scale, e.height / scale) for e in extents],
                     (frame.width / scale, frame.height / scale))
    for p, text, (dx, dy, lead) in zip(points.itertuples(), texts, offsets):
        text.set_transform(ax.transData + ScaledTranslation(dx / 72, dy / 72, figure.dpi_scale_trans))
        if lead:
            ax.annotate("", (p.x, p.y), lead, textcoords="offset points", arrowprops=_leader(), annotation_clip=False).set_in_layout(False)


def _text(ax, p, chart):
    weight = "bold" if p.method in chart.strong else "normal"
    text = ax.text(p.x, p.y, p.method, fontsize=NAME_PT, weight=weight, ha="center", va="center", color=chart.look(p.method)["color"])
    text.set_in_layout(False)
    return text


def _leader() -> dict:
    return {"arrowstyle": "-", "linewidth": 0.6, "color": MUTED, "shrinkA": 0, "shrinkB": 4}
