"""Trajectories from above, coloured by their error."""

import numpy as np
import pandas as pd

from ..page_numbers import number
from .style import MUTED, WIDTH_IN, panels
from . import Drawing

MOST_COLUMNS = 3


def tidy(of_one_dataset) -> pd.DataFrame:
    """One row per pose: x_m, y_m, error_mm against the truth, or else against the first trajectory (the
    oracle if it is there)."""
    base = of_one_dataset[0]
    out = []
    for t in of_one_dataset:
        if t.truth is not None:
            against, name = t.truth, "truth"
        elif len(t.poses) == len(base.poses):
            against, name = base.poses, base.implementation
        else:
            against, name = np.full_like(t.poses, np.nan), "nothing"
        error = 1000 * np.linalg.norm(t.poses[:, :3, 3] - against[:, :3, 3], axis=1)
        out.append(
            pd.DataFrame(
                {
                    "dataset": t.dataset,
                    "implementation": t.implementation,
                    "frame": t.frames,
                    "x_m": t.poses[:, 0, 3],
                    "y_m": t.poses[:, 1, 3],
                    "error_mm": error,
                    "truth_x_m": against[:, 0, 3],
                    "truth_y_m": against[:, 1, 3],
                    "against": name,
                }
            )
        )
    return pd.concat(out, ignore_index=True)


def finding(points: pd.DataFrame, errors: pd.DataFrame) -> str:
    dataset = points.dataset.iloc[0]
    own = errors[errors.dataset == dataset].sort_values("ate_rmse_m", kind="stable")
    if own.empty:
        worst = points.sort_values("error_mm").iloc[-1]
        return (
            f"On {dataset} there is no truth: the farthest from {worst.against} is {worst.implementation}, by"
            f" {number(worst.error_mm)} mm (n = {points.frame.nunique()} poses)."
        )
    parts = [f"{e.implementation} {number(100 * e.ate_rmse_m)} cm" for e in own.itertuples()]
    return (
        f"Over {dataset} ({own.poses.max()} poses, open loop{_guesses(own.iloc[0])}) the absolute trajectory error"
        f" is, root mean square: {', '.join(parts)}; from frame to frame "
        f"{own.implementation.iloc[0]} errs by {number(100 * own.rpe_translation_rmse_m.iloc[0])} cm and "
        f"{number(own.rpe_rotation_rmse_deg.iloc[0], 2)} deg."
    )


def _guesses(row) -> str:
    if row.guess_rms_m != row.guess_rms_m:
        return ""
    return f": guesses around the truth, {number(row.guess_rms_m, 2)} m and {number(row.guess_rms_deg, 2)} deg off"


def _height_in(points, columns) -> float:
    """Returns the height of a panel as wide as its share of the figure, for the drive's shape and the titles."""
    wide, high = (max(float(points[axis].max() - points[axis].min()), 1.0) for axis in ("x_m", "y_m"))
    return min(max(0.75 * WIDTH_IN / columns * high / wide, 1.0), 3.6) + 0.9


def draw(of_one_dataset, errors: pd.DataFrame):
    points = tidy(of_one_dataset)
    dataset, names = points.dataset.iloc[0], list(dict.fromkeys(points.implementation))
    columns = 2 if len(names) in (2, 4) else min(len(names), MOST_COLUMNS)
    figure, axes = panels(len(names), columns, _height_in(points, columns))
    top = max(float(np.nanquantile(points.error_mm, 0.98)) if points.error_mm.notna().any() else 1.0, 1e-3)
    for ax, name in zip(axes, names):
        own = points[points.implementation == name]
        ax.plot(own.truth_x_m, own.truth_y_m, color=MUTED, linewidth=1, zorder=1)
        dots = ax.scatter(
            own.x_m,
            own.y_m,
            c=own.error_mm,
            cmap="viridis_r",
            vmin=0,
            vmax=top,
            s=22,
            zorder=2,
            edgecolors="none",
            rasterized=len(own) > 100,
        )
        of = errors[(errors.dataset == dataset) & (errors.implementation == name)]
        ax.set_title(
            f"{name}\nATE {number(100 * of.ate_rmse_m.iloc[0])} cm, RPE"
            f" {number(100 * of.rpe_translation_rmse_m.iloc[0])} cm"
            if len(of)
            else name
        )
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel("x, m")
        ax.set_ylabel("y, m")
    bar = figure.colorbar(dots, ax=axes, shrink=0.8, pad=0.02)
    bar.set_label(f"distance from the {'truth' if points.against.iloc[0] == 'truth' else 'oracle'}, mm")
    note = (
        "Seen from above; the grey line is the truth. Colours above the 98th percentile are cut off. ATE and"
        " RPE are root mean squares, not aligned."
    )
    return Drawing(
        f"trajectory_{dataset}", f"Trajectory, open loop: {dataset}", finding(points, errors), figure, points, note
    )
