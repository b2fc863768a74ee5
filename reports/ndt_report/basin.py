"""From how far off a guess an alignment still succeeds: the grid of guess offsets."""

import numpy as np
import pandas as pd

from .grids import LEAST_OFFSETS

PLANES = {"x-y": ("x_m", "y_m"), "yaw-x": ("yaw_deg", "x_m")}


def _rectangle(cells: pd.DataFrame, across: str, up: str) -> pd.DataFrame:
    """Without lines of the plane that only another plane's grid has: they meet this plane in one point
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
