"""Error, verdict and time of every frame, over the drive."""

import numpy as np
import pandas as pd

from ..figures import MOST_PANELS, Drawing
from ..page_numbers import number
from ..figures.style import MUTED, finish, log_axis, panels
from ..colours import VERDICT_LOOKS
from .frames import VERDICTS
from .summary import LIMITS_MS
from .words import length

MOST_LINES = 6
DENSE = 5000  # points of a line that is drawn as pixels
TAIL = 0.98  # of the errors: what is far beyond it does not set the scale
FAR = 5.0  # times that


def _line(ax, run, column, look, factor=1.0):
    values = run.frames[["time_s", column]].dropna()
    style = dict(look(run.label), marker="", linewidth=1.1)
    ax.plot(values.time_s, factor * values[column], label=run.label, rasterized=len(values) > DENSE, **style)


def _tidy(runs, columns) -> pd.DataFrame:
    own = [run.frames[["number", "time_s", *columns]].assign(run=run.label) for run in runs]
    return pd.concat(own, ignore_index=True)


def _with(runs, column) -> list:
    return [run for run in runs if run.frames[column].notna().any()]


def draw_errors(runs, look):
    columns = ["error_along_m", "error_across_m"]
    shown = [run for run in _with(runs, columns[0]) if run.frames[columns[1]].notna().any()]
    if not shown:
        return None
    data = _tidy(shown, [*columns, "error_up_m", "error_yaw_deg"])
    figure, axes = panels(2, columns=2, height_in=3.0)
    size = data[columns].abs()
    most, usual = float(size.max().max()), float(np.nanquantile(size.to_numpy(float), TAIL))
    unit, factor = ("mm", 1000.0) if usual < 1 else ("m", 1.0)
    cut = most > FAR * usual > 0
    for ax, column, title in zip(axes, columns, ("along", "across")):
        for run in shown[:MOST_LINES]:
            _line(ax, run, column, look, factor)
        ax.axhline(0, color=MUTED, linewidth=0.8)
        if cut:
            ax.set_ylim(-2 * factor * usual, 2 * factor * usual)
        ax.set(xlabel="time, s", ylabel=f"error, {unit}", title=f"{title} the road")
    note = "In the truth's own axes: along is ahead, across is to the left. The CSV has height and heading too."
    beyond = int((size > 2 * usual).any(axis=1).sum()) if cut else 0
    note += f" {beyond} frames are beyond the scale." if beyond else ""
    finding = _error_finding(shown, data)
    return Drawing("localization_errors", "Error along and across the road", finding, finish(figure, axes, 3), data, note)


def _error_finding(shown, data) -> str:
    rms = data.groupby("run", sort=False)[["error_along_m", "error_across_m"]].agg(lambda e: np.sqrt(np.mean(e**2)))
    first = rms.loc[shown[0].label]
    along, across = map(length, first)
    return f"{shown[0].label} errs by {along} along the road and {across} across it (root mean square)."


def draw_verdicts(runs):
    shown = [run for run in runs if (run.frames.verdict != "").any()]
    if not shown:
        return None
    drawn = shown[:MOST_PANELS]
    figure, axes = panels(len(drawn), columns=2, height_in=1.7)
    for ax, run in zip(axes, drawn):
        for level, verdict in enumerate(reversed(VERDICTS)):
            own = run.frames.time_s[run.frames.verdict == verdict]
            colour, marker = VERDICT_LOOKS[verdict]
            level_of = np.full(len(own), level)
            ax.plot(own, level_of, marker, color=colour, markersize=4, label=verdict, rasterized=len(own) > 100)
        ax.set(yticks=range(len(VERDICTS)), yticklabels=VERDICTS[::-1], ylim=(-0.5, 2.5), xlabel="time, s")
        ax.set_title(run.label if len(run.label) < 45 else run.label[:44] + "…")
    data = _tidy(shown, ["verdict", "reason", "source", "rejected"])
    lost = data[data.verdict == "lost"]
    finding = (
        f"{len(lost)} of {len(data)} frames are lost, in {lost.run.nunique()} of {len(shown)} runs."
        if len(lost)
        else f"No frame of {'this run' if len(shown) == 1 else 'these runs'} is lost."
    )
    note = f"{len(drawn)} of {len(shown)} runs are drawn; the CSV has all." if len(shown) > len(drawn) else ""
    return Drawing("localization_verdicts", "Verdict of every frame", finding, finish(figure, axes), data, note)


def draw_latency(runs, look):
    shown = _with(runs, "execution_ms")
    if not shown:
        return None
    figure, axes = panels(2, columns=2, height_in=3.0)
    for run in shown[:MOST_LINES]:
        _line(axes[0], run, "execution_ms", look)
        times = np.sort(run.frames.execution_ms.dropna())
        shares = 100 * np.arange(1, len(times) + 1) / len(times)
        style = dict(look(run.label), marker="")
        axes[1].plot(times, shares, drawstyle="steps-post", label=run.label, rasterized=len(times) > DENSE, **style)
    for limit in LIMITS_MS:
        axes[0].axhline(limit, color=MUTED, linestyle="--", linewidth=1)
        axes[1].axvline(limit, color=MUTED, linestyle="--", linewidth=1)
    _include_limits(axes)
    axes[0].set(xlabel="time, s", ylabel="time of a frame, ms", title="over the drive")
    axes[1].set(xlabel="time of a frame, ms", ylabel="frames within it, %", title="share of frames")
    first = shown[0].frames.execution_ms.dropna()
    finding = f"{shown[0].label} takes {number(first.median())} ms for a frame (median), {number(first.max())} ms at most."
    note = "Dashed: 100 ms, a scanner's 10 scans a second, and 10 ms. Of the localisation, without reading and filters."
    data = _tidy(shown, ["execution_ms", "frame_ms"])
    return Drawing("localization_latency", "Time of every frame", finding, finish(figure, axes, 3), data, note)


def _include_limits(axes):
    """Both limits are in the picture, whatever the times are."""
    for axis in (axes[0].yaxis, axes[1].xaxis):
        low, high = axis.get_data_interval()
        bounds = max(min(low, min(LIMITS_MS)) / 1.5, 1e-6), max(high, max(LIMITS_MS)) * 1.5
        (axes[0].set_ylim if axis is axes[0].yaxis else axes[1].set_xlim)(*bounds)
        log_axis(axis)
