"""How uncertain the localizer takes its poses to be, and whether it is right."""

import numpy as np
from matplotlib.patches import Ellipse

from ..figures import Drawing
from ..page_numbers import number
from ..figures.style import BAD, GOOD, MUTED, finish, log_axis, panels
from .nees import CITED, POSITION, interval
from .words import length

MOST_ELLIPSES = 40
VISIBLE = 0.04  # of the drive's extent: half axis of the largest ellipse
DENSE = 400
LEAST_NEES = 1e-9  # drawn: a logarithmic axis has no 0


def draw(run, nees):
    columns = ["number", "time_s", "x_m", "y_m", "variance_x_m2", "covariance_xy_m2", "variance_y_m2"]
    data = run.frames[[*columns, "nees_2", "nees_6"]]
    known = data.dropna(subset=columns)
    axes_of = _axes_of(known)
    known, axes_of = known[axes_of[0] > 0], [values[axes_of[0] > 0] for values in axes_of]
    if not len(known):
        return None
    judged = known.nees_2.notna().any()
    figure, axes = panels(2 if judged else 1, columns=2, height_in=3.4)
    scale = _draw_ellipses(axes[0], known, axes_of)
    if judged:
        _draw_nees(axes[1], data.dropna(subset=["nees_2"]))
    largest = length(float(np.sqrt(axes_of[1].max())))
    finding = f"{run.label}: the standard deviation of a position is {largest} at most"
    own = nees[(nees.run == run.label) & (nees.freedom == POSITION)]
    finding += f"; by the truth that is {own.finding.iloc[0]}." if len(own) else "."
    step = _step(known)
    every = "every frame" if step == 1 else f"every {step}th frame"
    note = f"Ellipses of one standard deviation, drawn {number(scale)} times as large, around {every}."
    if judged:
        note += f" NEES is the squared error in standard deviations; dashed: 95 % of frames lie between [{CITED}]."
    title = f"Covariance: {run.label}"
    return Drawing(f"localization_covariance_{run.label}", title, finding, finish(figure, axes), data, note)


def _axes_of(known):
    """Smaller and larger eigenvalue of the covariance of x and y, and the larger one's direction, rad."""
    xx, cross, yy = (known[name].to_numpy(float) for name in ("variance_x_m2", "covariance_xy_m2", "variance_y_m2"))
    middle, spread = (xx + yy) / 2, np.hypot((xx - yy) / 2, cross)
    return middle - spread, middle + spread, np.arctan2(2 * cross, xx - yy) / 2


def _step(known) -> int:
    return max(1, -(-len(known) // MOST_ELLIPSES))


def _draw_ellipses(ax, known, axes_of) -> float:
    x, y = known.x_m.to_numpy(float), known.y_m.to_numpy(float)
    extent = max(np.ptp(x), np.ptp(y), 1.0)
    sigma_small, sigma_large = np.sqrt(axes_of[0]), np.sqrt(axes_of[1])
    scale = float(f"{max(VISIBLE * extent / sigma_large.max(), 1.0):.1g}")
    ax.plot(x, y, color=MUTED, linewidth=1)
    for i in range(0, len(known), _step(known)):
        size = 2 * scale * sigma_large[i], 2 * scale * sigma_small[i]
        ax.add_patch(Ellipse((x[i], y[i]), *size, angle=np.degrees(axes_of[2][i]), fill=False, color=GOOD))
    ax.set(xlabel="x, m", ylabel="y, m", title="standard deviation of x and y")
    ax.set_aspect("equal", adjustable="datalim")
    return scale


def _draw_nees(ax, data):
    low, high = interval(POSITION)
    for outside, colour, marker, label in ((False, GOOD, "o", "within"), (True, BAD, "X", "outside")):
        own = data[~data.nees_2.between(low, high) == outside]
        values = own.nees_2.clip(lower=LEAST_NEES)
        ax.plot(own.time_s, values, marker, color=colour, markersize=3, label=label, rasterized=len(own) > DENSE)
    for limit in (low, high):
        ax.axhline(limit, color=MUTED, linestyle="--", linewidth=1)
    log_axis(ax.yaxis)
    ax.set(xlabel="time, s", ylabel="NEES of x and y", title="NEES, 2 degrees of freedom")
