"""Basin of convergence: share of successes over the guess's offset from the truth."""

import numpy as np
import pandas as pd

from ..judge.basin import PLANES, basin_sizes
from ..page_numbers import number
from .style import SEQUENTIAL, panels
from . import Drawing

AXES = {"x_m": "guess off along x, m", "y_m": "guess off along y, m", "yaw_deg": "guess off in yaw, deg"}

MOST_VECTOR_CELLS = 100  # of a panel; more are drawn as pixels, to keep the page small


def finding(cells: pd.DataFrame) -> str:
    sizes = basin_sizes(cells)
    sizes = sizes[
        (sizes.dataset == cells.dataset.iloc[0]) & (sizes.plane == sizes.plane.iloc[0])
    ].sort_values("always_share", kind="stable")
    worst, best = sizes.iloc[0], sizes.iloc[-1]
    said = (
        f"On {best.dataset}, {best.implementation} succeeds from {100 * best.always_share:.0f} % of the"
        f" {best.cells} offsets in the {best.plane} plane"
    )
    if len(sizes) > 1:
        said += f", {worst.implementation} from {100 * worst.always_share:.0f} %"
    if best.nearest_failure_m == best.nearest_failure_m:
        said += f"; the nearest offset that fails is {number(sizes.nearest_failure_m.min(), 2)} m away"
    return said + "."


def draw(cells: pd.DataFrame, dataset: str):
    cells = cells[cells.dataset == dataset]
    if cells.empty:
        return None
    planes = [p for p in PLANES if p in set(cells.plane)]
    names = list(dict.fromkeys(cells.implementation))
    wanted = [(plane, name) for plane in planes for name in names]
    figure, axes = panels(len(wanted), columns=min(len(names), 4), height_in=2.7)
    for ax, (plane, name) in zip(axes, wanted):
        mesh = _panel(ax, cells[(cells.plane == plane) & (cells.implementation == name)], plane)
        ax.set_title(name)
    bar = figure.colorbar(mesh, ax=axes, shrink=0.7, pad=0.02)
    bar.set_label("alignments that succeed, %")
    note = (
        "Every cell is an offset of the initial guess from the truth, in the truth's frame; the middle is the"
        " truth itself."
    )
    return Drawing(
        f"basin_{dataset}", f"Basin of convergence: {dataset}", finding(cells), figure, cells, note
    )


def _edges(centres):
    centres = np.asarray(centres, float)
    if len(centres) == 1:  # of a run that was stopped in the middle of its grid
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middle = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def _panel(ax, cells, plane):
    across, up = PLANES[plane]
    grid = cells.pivot_table(index="up", columns="across", values="success_share")
    few = grid.size <= MOST_VECTOR_CELLS
    mesh = ax.pcolormesh(
        _edges(grid.columns),
        _edges(grid.index),
        100 * grid.to_numpy(),
        cmap=SEQUENTIAL,
        vmin=0,
        vmax=100,
        edgecolors="white" if few else "none",
        linewidth=0.4,
        rasterized=not few,
    )
    ax.plot(0, 0, "+", color="white", markersize=9, markeredgewidth=1.6)
    ax.set_xlabel(AXES[across])
    ax.set_ylabel(AXES[up])
    ax.grid(False)
    return mesh
