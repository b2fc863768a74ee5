"""Errors at every density of the scans, and how far the answers of one scan scatter when only the voxel grid moves. Scatter needs
no truth."""

import re

import numpy as np
import pandas as pd

from .accuracy import KEY

AT_DENSITY = re.compile("@[^@_]*")  # kitti00@0.25m is kitti00 with other scans, and so is kitti00@0.25m_grid
PEER = "exec:"
FACTS = ["base", "density", "points_p50"]
SCATTER = ["scatter_mm_p50", "scatter_scans", "grids"]
SETTINGS = ["settings", "best"]
OF_SUMMARY = [
    "measurements", "success_kind", "successes", "success_share", "success_low", "success_high", "translation_error_mm_p50", "translation_error_mm_p90",
    "rotation_error_deg_p50", "rotation_error_deg_p90", "align_ms_p50", "prepare_ms_p50",
]  # fmt: skip


def density_table(table: pd.DataFrame, measurements: pd.DataFrame, alone: pd.DataFrame, shifted: pd.DataFrame):
    """Returns KEY, FACTS, OF_SUMMARY, SCATTER and SETTINGS, with the datasets that differ in their density together.
    Empty for a run without densities. table: of summary_table(). alone, shifted: of grid_scatter()."""
    facts = measurements[measurements.density.notna()].groupby(KEY, sort=False)
    facts = facts.agg(density=("density", "first"), points_p50=("points", "median")).reset_index()
    out = table[KEY + OF_SUMMARY].merge(facts, on=KEY).merge(grid_scatter(alone, shifted), on=KEY, how="left")
    out = out.assign(base=out.dataset.str.replace(AT_DENSITY, "", regex=True))
    out = out.join(_settings(out))
    place = {name: i for i, name in enumerate(dict.fromkeys(out.base))}
    out = out.sort_values("base", key=lambda names: names.map(place), kind="stable")
    return out[KEY + FACTS + OF_SUMMARY + SCATTER + SETTINGS].reset_index(drop=True)


def _settings(rows: pd.DataFrame) -> pd.DataFrame:
    """SETTINGS: how many settings of a peer, exec:NAME:ARGUMENTS, were measured alike, and whether a row is the best of them. The best
    has the most successes, and of several the lowest median error."""
    peer = [name[: name.find(":", len(PEER))] if name.count(":") > 1 else name for name in rows.implementation]
    groups = rows.assign(peer=peer).groupby(["dataset", "variant", "threads", "peer"], sort=False)
    best = pd.Series(False, rows.index)
    for _, group in groups:
        order = group.sort_values("translation_error_mm_p50", kind="stable")
        best[order.sort_values("successes", ascending=False, kind="stable").index[0]] = True
    return pd.DataFrame({"settings": groups.implementation.transform("nunique"), "best": best})


def grid_scatter(alone: pd.DataFrame, shifted: pd.DataFrame) -> pd.DataFrame:
    """KEY and SCATTER: the median of the scans. Alignments from one guess end at a position with each grid, and scatter by the root mean
    square distance from their mean. Of a scan the median of its guesses counts. Guesses from which an alignment failed have no part.
    alone: measurements with the grid as it is; shifted: the same with other grids."""
    keys = set(map(tuple, shifted[KEY].drop_duplicates().to_numpy()))
    rows = pd.concat([alone.assign(grid_shift=0.0), shifted])
    rows = rows[rows.error.isna() & rows.search.isna() & (rows.poses == 1)]
    out = []
    for key, group in rows.groupby(KEY, sort=False):
        if key not in keys:
            continue
        grids = group.grid_shift.nunique()
        scans = {}
        for (frame, _), answers in group.groupby(["frame", "guess_name"], sort=False):
            if len(answers) == grids:
                scans.setdefault(frame, []).append(_rms_m(answers.pose))
        if grids > 1 and scans:
            medians = [np.median(of_scan) for of_scan in scans.values()]
            out.append(dict(zip(KEY, key)) | dict(zip(SCATTER, (1000 * np.median(medians), len(scans), grids))))
    return pd.DataFrame(out, columns=KEY + SCATTER).astype({name: float for name in SCATTER})


def _rms_m(poses) -> float:
    places = np.array([pose[:3, 3] for pose in poses])
    return float(np.sqrt(((places - places.mean(axis=0)) ** 2).sum(axis=1).mean()))


def density_sentence(table: pd.DataFrame) -> str:
    """Says which density all scans have; empty where there are several or none."""
    densities = list(dict.fromkeys(table.density))
    return f"The density of all scans: {densities[0]}." if len(densities) == 1 else ""
