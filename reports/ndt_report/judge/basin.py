"""From how far off a guess an alignment still succeeds: the grid of guess offsets."""

import numpy as np
import pandas as pd

from .grids import LEAST_OFFSETS

PLANES = {"x-y": ("x_m", "y_m"), "yaw-x": ("yaw_deg", "x_m")}
# Upper ends of the bands: distances of guesses without yaw [m], and yaws [deg] of those that are off along x.
BANDS = {"x-y": (1, 2, 3, np.inf), "yaw-x": (10, 20, 30, np.inf)}
BAND = ["dataset", "implementation", "plane", "above", "to"]


def _rectangle(cells: pd.DataFrame, across: str, up: str) -> pd.DataFrame:
    """Drops lines of the plane that only another plane's grid has: they meet this plane in one point
    each."""
    partners_up = cells.groupby(across)[up].transform("nunique")
    partners_across = cells.groupby(up)[across].transform("nunique")
    return cells[(partners_up > 1) & (partners_across > 1)]


def basin_cells(measurements: pd.DataFrame) -> pd.DataFrame:
    """One row per (dataset, implementation, plane, cell): n and share of successes. Plane x-y has yaw 0,
    yaw-x has y 0. The implementation is named with its variant where that is not autoware.

    measurements: with success. Those without a guess offset are left out; planes with fewer than
    LEAST_OFFSETS cells too.
    """
    known = measurements[measurements.guess_offset.notna() & measurements.success.notna()]
    offsets = pd.DataFrame(list(known.guess_offset), index=known.index)
    if len(known):
        named = known.implementation.where(known.variant == "autoware", known.implementation + ", " + known.variant)
        known = pd.concat([known[["dataset", "success"]].assign(implementation=named), offsets], axis=1)
    out = []
    for (dataset, implementation), group in known.groupby(["dataset", "implementation"], sort=False):
        for plane, (across, up) in PLANES.items():
            zero = "yaw_deg" if plane == "x-y" else "y_m"
            cells = _rectangle(group[group[zero] == 0], across, up)
            if len(cells[[across, up]].drop_duplicates()) < LEAST_OFFSETS:
                continue
            for (x, y), cell in cells.groupby([across, up]):
                out.append(
                    {
                        "dataset": dataset,
                        "implementation": implementation,
                        "plane": plane,
                        "across": x,
                        "up": y,
                        "n": len(cell),
                        "success_share": cell.success.mean(),
                    }
                )
    return pd.DataFrame(
        out, columns=["dataset", "implementation", "plane", "across", "up", "n", "success_share"]
    )


def basin_sizes(cells: pd.DataFrame) -> pd.DataFrame:
    """Per (dataset, implementation, plane): share of all cells that always succeed, and the distance of the
    nearest one to the middle that does not (in x-y: metres; in yaw-x: NaN, the axes have different units)."""
    out = []
    for key, group in cells.groupby(["dataset", "implementation", "plane"], sort=False):
        failing = group[group.success_share < 1]
        nearest = np.hypot(failing.across, failing.up).min() if key[2] == "x-y" and len(failing) else np.nan
        out.append(
            dict(zip(["dataset", "implementation", "plane"], key)) | {
                "cells": len(group),
                "always_share": float((group.success_share == 1).mean()),
                "nearest_failure_m": nearest,
            }
        )
    return pd.DataFrame(
        out, columns=["dataset", "implementation", "plane", "cells", "always_share", "nearest_failure_m"]
    )


def basin_bands(cells: pd.DataFrame) -> pd.DataFrame:
    """Per (dataset, implementation, band of BANDS): guesses, and the share of them that succeed. A band is `above`
    its lower end up to and with `to`, its farthest guess; without guesses there is none. The middle belongs to the
    first band of x-y, and guesses without yaw to no band of yaw-x."""
    off = pd.Series(np.where(cells.plane == "x-y", np.hypot(cells.across, cells.up), cells.across.abs()), cells.index, dtype=float)
    out = []
    for key, group in cells.groupby(["dataset", "implementation", "plane"], sort=False):
        low, distance = (-np.inf if key[2] == "x-y" else 0), off[group.index]
        for high in BANDS[key[2]]:
            band = group[(distance > low) & (distance <= high)]
            if len(band):
                n = int(band.n.sum())
                share = (band.n * band.success_share).sum() / n
                out.append([*key, max(low, 0), distance[band.index].max(), n, share])
            low = high
    return pd.DataFrame(out, columns=[*BAND, "n", "success_share"])


def band_rows(bands: pd.DataFrame) -> list:
    """Returns tables of the page: of each dataset and plane the names of its bands, and for each implementation a cell in each."""
    tables = []
    for (dataset, plane), group in bands.groupby(["dataset", "plane"], sort=False):
        ends = sorted(set(zip(group.above, group.to)))
        rows = {name: {(r.above, r.to): r for r in rows.itertuples()} for name, rows in group.groupby("implementation", sort=False)}
        tables.append(
            {
                "dataset": dataset,
                "of": "distance of a guess without yaw, m" if plane == "x-y" else "yaw of a guess that is off along x too, deg",
                "bands": [f"{above:g} to {to:.3g}" for above, to in ends],
                "rows": [(name, [of.get(band) for band in ends]) for name, of in rows.items()],
            }
        )
    return tables
