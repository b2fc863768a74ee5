"""From the guess to the pose: error by iteration."""

import numpy as np
import pandas as pd

from ..judge.convergence import convergence_curves
from .style import Looks, finish, log_axis, panels
from . import MOST_PANELS, Drawing, and_more


def tidy(points: pd.DataFrame) -> pd.DataFrame:
    """Curves of the translation error where there is truth, of NVTL elsewhere. points: one thread count,
    variant autoware."""
    known = points.groupby("dataset").translation_error_m.transform(lambda v: v.notna().any())
    errors = convergence_curves(
        points[known].assign(translation_error_mm=1000 * points.translation_error_m), "translation_error_mm"
    )
    parts = [part for part in (errors, convergence_curves(points[~known], "nvtl")) if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else errors


def finding(curves: pd.DataFrame) -> str:
    dataset = curves.dataset.iloc[0]
    parts = []
    for name, curve in curves[curves.dataset == dataset].groupby("implementation", sort=False):
        first, last = curve["median"].iloc[0], curve["median"].iloc[-1]
        close = curve[abs(curve["median"] - last) <= 0.05 * abs(first - last)].iteration.min()
        parts.append(f"{name} after {close:g}")
    return (
        f"On {dataset}, 95 % of the way from guess to result is made by iteration: {', '.join(parts)} (median"
        f" of n = {curves[curves.dataset == dataset].n.iloc[0]})."
    )


def draw(points: pd.DataFrame, shown: list, look: Looks):
    curves = tidy(points[points.dataset.isin(shown)]) if len(points) else pd.DataFrame()
    if curves.empty:
        return None
    names = list(dict.fromkeys(curves.dataset))
    figure, axes = panels(min(len(names), MOST_PANELS), columns=2 if len(names) < 3 else 3, height_in=3.0)
    for ax, name in zip(axes, names):
        _panel(ax, curves[curves.dataset == name], look)
        ax.set_title(f"{name} (n = {curves[curves.dataset == name].n.max()})")
    note = (
        "Median, and quartiles as a band (one for implementations that agree); iteration 0 is the guess; an"
        " alignment that has stopped counts on with its last value. Schedules of the same algorithm lie on"
        " one another: that is the point."
        + and_more(len(axes), len(names))
    )
    return Drawing("convergence", "Convergence", finding(curves), finish(figure, axes), curves, note)


def _panel(ax, curves, look):
    bands = []
    for size, (name, curve) in enumerate(curves.groupby("implementation", sort=False)):
        style = look(name)
        band = curve[["p25", "p75"]].to_numpy()
        if not any(band.shape == other.shape and np.allclose(band, other, rtol=0.02) for other in bands):
            ax.fill_between(
                curve.iteration, curve.p25, curve.p75, color=style["color"], alpha=0.13, linewidth=0
            )
            bands.append(band)
        ax.plot(
            curve.iteration,
            curve["median"],
            label=name,
            **style | {"markersize": 11 - 2 * min(size, 3), "linewidth": 3.4 - 0.7 * min(size, 3)},
        )
    error = curves.measure.iloc[0] == "translation_error_mm"
    if error and (curves.p25 > 0).all():
        log_axis(ax.yaxis)
    ax.set_xlabel("iteration")
    ax.set_ylabel("translation error, mm" if error else "NVTL")
    ax.xaxis.get_major_locator().set_params(integer=True)
