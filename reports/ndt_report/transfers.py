"""What an alignment moves to and from a device and asks of it: counts, never estimates."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from .reference import on_gpu

COUNTS = [
    "upload_bytes",
    "uploads",
    "download_bytes",
    "downloads",
    "launches",
    "synchronisations",
    "allocations",
    "peak_device_bytes",
]
BYTES = ["upload_bytes", "download_bytes"]
# "Total per iteration" of the pipeline that document 15 replaced, by its own estimate under "Current Problems": Jacobians and
# point Hessians down, combined on the host and up again (480 KB), correspondences (3 KB), sums, transform and pose (260 bytes).
REPLACED_BYTES_PER_ITERATION = 490_000
# What a row may do in one alignment: (what, column of transfers_table(), at most).
_ONE_LAUNCH = [
    ("bytes in an iteration", "bytes_per_iteration", 0),
    ("launches", "launches_max", 1),
    ("waits", "synchronisations_max", 1),
]
# A round is an iteration, or a line search that ended without a step: the host waits for the flag of each, and for the result.
_FLAG = [("bytes in a round", "bytes_per_round", 4), ("bytes of the final download", "final_download_bytes", 400)]
_STEADY = [("allocations after the first alignment", "allocations_max", 0)]
PROMISED = {
    "multikernel_cuda": _FLAG + _STEADY,
    "multikernel_graph_cuda": _ONE_LAUNCH + _STEADY,
    "persistent_cuda": _ONE_LAUNCH + _STEADY,
    "persistent_cluster_cuda": _ONE_LAUNCH + _STEADY,
}


class Fit(NamedTuple):
    slope: float  # per iteration
    constant: float  # of an alignment, median over scans
    worst: float  # largest residual: how far from a line


def iteration_fit(rows: pd.DataFrame, columns, over=None) -> Fit | None:
    """A line through the columns' sum over iterations (or another count, `over`), scans of one dataset and size compared with one another, so that what an
    alignment moves for its points is no slope. None if no such scans differ in their iterations: constant and slope cannot be
    told apart then."""
    rows = rows.dropna(subset=columns)
    count = rows.iterations if over is None else over[rows.index]
    total = rows[columns].sum(axis=1)
    scans = [rows.dataset, rows.points]
    x = count - count.groupby(scans).transform("mean")
    y = total - total.groupby(scans).transform("mean")
    if not (x != 0).any():
        return None
    slope = float((x * y).sum() / (x * x).sum())
    return Fit(slope, float((total - slope * count).median()), float((y - slope * x).abs().max()))


def transfers_table(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per (implementation, variant) with counts: medians and largest of COUNTS, iteration fits (NaN if unknown), promises
    as text, and whether all are kept."""
    out = []
    counted = rows[rows.error.isna() & rows.upload_bytes.notna()]
    for (implementation, variant), group in counted.groupby(["implementation", "variant"], sort=False):
        row = {"implementation": implementation, "variant": variant, "n": len(group)}
        row |= {"iterations_min": group.iterations.min(), "iterations_max": group.iterations.max()}
        for name in COUNTS:
            row |= {f"{name}_p50": group[name].dropna().median(), f"{name}_max": group[name].max()}
        row |= _per_iteration(group)
        out.append(row | _promises(implementation, row))
    return pd.DataFrame(out)


def _per_iteration(group) -> dict:
    out = {}
    for name, columns in {"bytes": BYTES, "launches": ["launches"], "synchronisations": ["synchronisations"]}.items():
        fit = iteration_fit(group, columns)
        out[f"{name}_per_iteration"] = fit.slope if fit else np.nan
        out[f"{name}_off_the_line"] = fit.worst if fit else np.nan
    rounds = iteration_fit(group, ["download_bytes"], over=group.synchronisations - 1)
    final = rounds or iteration_fit(group, ["download_bytes"])
    return out | {
        "bytes_per_round": rounds.slope if rounds else np.nan,
        "final_download_bytes": final.constant if final else np.nan,
    }


def kept(value: float, most: float) -> bool:
    """Of a slope too, which rounding may put just above a whole number."""
    return value <= most + 1e-6 * max(1.0, most)


def _promises(implementation: str, row: dict) -> dict:
    known = [(what, row[column], most) for what, column, most in PROMISED.get(implementation, []) if row[column] == row[column]]
    broken = [f"{what}: {value:.4g}, promised {most}" for what, value, most in known if not kept(value, most)]
    held = [f"{what}: {'none' if most == 0 else f'at most {most}'}" for what, value, most in known if kept(value, most)]
    return {"broken": "; ".join(broken), "held": "; ".join(held)}


def without_counts(rows: pd.DataFrame, implementations: pd.DataFrame) -> list:
    """(implementation, why its row has no counts), in report order."""
    counted = set(rows[rows.upload_bytes.notna()].implementation)
    there, failed = set(rows.implementation), rows[rows.error.isna()].implementation
    out = []
    for entry in implementations.itertuples():
        if entry.name in counted:
            continue
        if not entry.available:
            why = entry.reason
        elif not on_gpu(entry.name, implementations):
            why = "no device"
        elif entry.name not in there:
            why = "not in this run"
        else:
            why = "not counted" if entry.name in set(failed) else "all its measurements failed"
        out.append((entry.name, why))
    return out
