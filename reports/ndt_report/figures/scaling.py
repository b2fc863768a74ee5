"""Time against the size of scan and map, with the fitted lines, and speed-up against threads."""

import numpy as np
import pandas as pd

from ..page_numbers import number
from ..judge.scaling import VARIABLES, scaling_fits
from .style import MUTED, Looks, finish, log_axis, panels
from . import Drawing

VALUES = {
    "evaluation_us": "time of one pass over the scan, us",
    "build_ms": "time to build the map, ms",
    "peak_device_mb": "peak device memory, MB",
}


def finding(points: pd.DataFrame) -> str:
    first = points[(points.variable == points.variable.iloc[0]) & (points.family == points.family.iloc[0])]
    fits = scaling_fits(first[first.threads == first.groupby("implementation").threads.transform("min")])
    parts = [
        f"{f.implementation} {number(f.constant)} us + {number(1000 * f.slope)} ns per "
        f"{'point' if f.variable == 'points' else 'map point'}"
        for f in fits.itertuples()
    ]
    return (
        f"One pass over the scan with {first.threads.min():g} thread takes, on {first.family.iloc[0]}: "
        f"{'; '.join(parts)} ({fits.sizes.max()} sizes)."
    )


def draw(points: pd.DataFrame, look: Looks):
    if points.empty:
        return None
    wanted = [
        (variable, family, "evaluation_us")
        for variable, family in points[["variable", "family"]].drop_duplicates().itertuples(index=False)
    ]
    wanted += [(variable, family, "build_ms") for variable, family, _ in wanted if variable == "map_points"]
    held = points[points.peak_device_mb.notna()]
    wanted += [
        (v, f, "peak_device_mb")
        for v, f in held[["variable", "family"]].drop_duplicates().itertuples(index=False)
    ]
    figure, axes = panels(len(wanted), columns=2, height_in=3.6)
    for ax, (variable, family, value) in zip(axes, wanted):
        shown = (points.variable == variable) & (points.family == family) & points[value].notna()
        _panel(ax, points[shown], variable, value, look)
        ax.set_title(family)
    fits = scaling_fits(points).rename(
        columns={
            "constant": "fit_constant_us",
            "slope": "fit_slope_us",
            "worst_residual": "fit_worst_residual",
        }
    )
    data = points.merge(
        fits.drop(columns="sizes"), on=["variable", "family", "implementation", "threads"], how="left"
    )
    note = (
        "Points are medians; lines are constant + slope x size, fitted to relative residuals. Lighter: more "
        "threads, as marked at the end."
    )
    return Drawing("scaling", "Scaling", finding(points), finish(figure, axes), data, note)


def _panel(ax, points, variable, value, look):
    ends = points.groupby("implementation").threads
    points = points[(points.threads == ends.transform("min")) | (points.threads == ends.transform("max"))]
    for (name, threads), group in points.groupby(["implementation", "threads"], sort=False):
        style, lightest = look(name), points.threads.min()
        group = group.sort_values("size")
        own = points[points.implementation == name].threads
        label = name if threads == own.min() else None
        alpha = 1.0 if threads == lightest or label else 0.5
        ax.plot(group["size"], group[value], label=label, alpha=alpha, **style | {"linestyle": "none"})
        if own.max() > 1:  # the one host thread of a GPU's implementation says nothing
            ax.annotate(
                f"{threads:g}",
                (group["size"].iloc[-1], group[value].iloc[-1]),
                xytext=(6, -3),
                textcoords="offset points",
                color=MUTED,
            )
        for fit in scaling_fits(group, value).itertuples():
            x = np.geomspace(group["size"].min(), group["size"].max(), 60)
            ax.plot(
                x,
                fit.constant + fit.slope * x,
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=1.2,
                alpha=alpha,
            )
    log_axis(ax.xaxis)
    log_axis(ax.yaxis)
    ax.set_xlabel(VARIABLES[variable])
    ax.set_ylabel(VALUES[value])


def thread_finding(points: pd.DataFrame) -> str:
    most = points[points.threads == points.threads.max()].sort_values(
        "speed_up", ascending=False, kind="stable"
    )
    parts = ", ".join(
        f"{p.implementation} {p.speed_up:.2f}"
        for p in most[most.dataset == most.dataset.iloc[0]].itertuples()
    )
    return (
        f"On {most.dataset.iloc[0]}, {points.threads.max():g} threads are this many times as fast as one:"
        f" {parts} (n = {most.n.iloc[0]})."
    )


def draw_threads(points: pd.DataFrame, look: Looks):
    if points.empty:
        return None
    names = list(dict.fromkeys(points.dataset))[:6]
    figure, axes = panels(len(names), columns=3, height_in=3.0)
    for ax, dataset in zip(axes, names):
        for name, group in points[points.dataset == dataset].groupby("implementation", sort=False):
            ax.plot(group.threads, group.speed_up, label=name, **look(name))
        top = points[points.dataset == dataset].threads.max()
        perfect = np.geomspace(1, top, 60)  # a line between the ends would be straight on a logarithmic axis, and wrong
        ax.plot(perfect, perfect, color=MUTED, linewidth=0.8, linestyle=":", label="perfect")
        ax.set_xlabel("threads")
        ax.set_ylabel("speed-up over one thread")
        ax.set_title(dataset)
        ax.set_xscale("log", base=2)  # counts mostly double
        ax.set_xticks(counts := sorted(points[points.dataset == dataset].threads.unique()), map("{:g}".format, counts))
        ax.minorticks_off()
        ax.set_ylim(0, max(1.2 * points[points.dataset == dataset].speed_up.max(), 2.0))
    return Drawing(
        "threads",
        "Threads",
        thread_finding(points),
        finish(figure, axes),
        points,
        "Medians over the same alignments; dotted: as many times as fast as there are threads.",
    )
