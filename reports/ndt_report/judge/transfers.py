"""The copies, launches and waits of an alignment on a device: counts, never estimates. The gain of zero transfer: steps that keep
everything on the device, beside others that bring every point's terms to the host in every iteration."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ..page_numbers import number
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
ZERO, STUDY = "multikernel_cuda", "multikernel_transfers_cuda"
SAME = ["dataset", "frame", "guess_name", "variant", "poses", "iterations"]
MEETINGS = ["exchanges", "barriers"]  # inside the kernels
BYTES = ["upload_bytes", "download_bytes"]
# Every key of a budget in implementations.json: what it limits, in words, and the column of
# transfers_table().
BUDGETED = {
    "bytes_per_iteration": ("bytes in an iteration", "bytes_per_iteration"),
    "bytes_per_round": ("bytes in a round", "bytes_per_round"),
    "final_download_bytes": ("bytes of the final download", "final_download_bytes"),
    "launches": ("launches", "launches_max"),
    "waits": ("waits", "synchronisations_max"),
    "allocations": ("allocations after the first alignment", "allocations_max"),
}


class Fit(NamedTuple):
    slope: float  # per iteration
    constant: float  # of an alignment, median over scans
    worst: float  # largest residual: how far from a line


def iteration_fit(measurements: pd.DataFrame, columns, over=None) -> Fit | None:
    """A line through the columns' sum over iterations (or another count, `over`), scans of one dataset and
    size compared with one another, so that what an alignment moves for its points is no slope. None if no
    such scans differ in their iterations: constant and slope cannot be told apart then."""
    measurements = measurements.dropna(subset=columns)
    count = measurements.iterations if over is None else over[measurements.index]
    total = measurements[columns].sum(axis=1)
    scans = [measurements.dataset, measurements.points]
    x = count - count.groupby(scans).transform("mean")
    y = total - total.groupby(scans).transform("mean")
    if not (x != 0).any():
        return None
    slope = float((x * y).sum() / (x * x).sum())
    return Fit(slope, float((total - slope * count).median()), float((y - slope * x).abs().max()))


def meetings_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """One row per (implementation, variant) of which the blocks' meetings are known: n, iterations_min, _max,
    and of MEETINGS the median, the largest, the slope over iterations and the largest residual (NaN if
    unknown)."""
    out = []
    known = measurements[measurements.error.isna() & measurements.exchanges.notna()]
    for (implementation, variant), group in known.groupby(["implementation", "variant"], sort=False):
        row = {"implementation": implementation, "variant": variant, "n": len(group)}
        row |= {"iterations_min": group.iterations.min(), "iterations_max": group.iterations.max()}
        for name in MEETINGS:
            fit = iteration_fit(group, [name])
            row |= {f"{name}_p50": group[name].median(), f"{name}_max": group[name].max()}
            row |= {f"{name}_per_iteration": fit.slope if fit else np.nan}
            row |= {f"{name}_off_the_line": fit.worst if fit else np.nan}
        out.append(row)
    return pd.DataFrame(out)


def transfers_table(measurements: pd.DataFrame, implementations: pd.DataFrame) -> pd.DataFrame:
    """One row per (implementation, variant) with counts: medians and largest of COUNTS, iteration fits (NaN
    if unknown), and what of its budget is broken and held, as text."""
    out = []
    counted = measurements[measurements.error.isna() & measurements.upload_bytes.notna()]
    for (implementation, variant), group in counted.groupby(["implementation", "variant"], sort=False):
        row = {"implementation": implementation, "variant": variant, "n": len(group)}
        row |= {"iterations_min": group.iterations.min(), "iterations_max": group.iterations.max()}
        for name in COUNTS:
            row |= {f"{name}_p50": group[name].dropna().median(), f"{name}_max": group[name].max()}
        row |= _per_iteration(group)
        out.append(row | _against_budget(implementations.budget[implementation], row))
    return pd.DataFrame(out)


def _per_iteration(group) -> dict:
    out = {}
    for name, columns in {
        "bytes": BYTES,
        "launches": ["launches"],
        "synchronisations": ["synchronisations"],
    }.items():
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
    """True if the value is at most `most`; rounding may put a slope just above it."""
    return value <= most + 1e-6 * max(1.0, most)


def _against_budget(budget, row: dict) -> dict:
    """Returns what of the budget is broken and what is held, as text; both empty without a budget."""
    broken, held = [], []
    for key, (what, column) in BUDGETED.items():
        most, value = (budget or {}).get(key), row[column]
        if most is None or value != value:
            continue
        if kept(value, most):
            held.append(f"{what}: {'none' if most == 0 else f'at most {most:g}'}")
        else:
            broken.append(f"{what}: {number(value, 4)}, at most {most:g} allowed")
    return {"broken": "; ".join(broken), "held": "; ".join(held)}


def without_counts(measurements: pd.DataFrame, implementations: pd.DataFrame) -> list:
    """(implementation, why it has no counts), in report order."""
    counted = set(measurements[measurements.upload_bytes.notna()].implementation)
    there, failed = set(measurements.implementation), measurements[measurements.error.isna()].implementation
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


def zero_transfer_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """Returns one row per (dataset, variant). n: pairs of one alignment by ZERO and by STUDY in as many
    iterations. Medians: points, iterations, and of both the bytes and times [ms] of an alignment. Slopes over
    iterations, NaN if unknown: bytes and waits of an iteration of both. times: median of STUDY's time over
    ZERO's. more_us: median of what STUDY takes longer for an iteration."""
    counted = measurements[measurements.error.isna() & measurements.upload_bytes.notna()]
    counted = counted.assign(ms=[np.median(us) / 1000 for us in counted.align_us], bytes=counted[BYTES].sum(axis=1))
    ours = [counted[counted.implementation == name] for name in (ZERO, STUDY)]
    pairs = ours[0].merge(ours[1], on=SAME, suffixes=("_zero", "_study"))
    out = []
    for (dataset, variant), both in pairs.groupby(["dataset", "variant"], sort=False):
        row = {"dataset": dataset, "variant": variant, "n": len(both)}
        row |= {"points": both.points_zero.median(), "iterations": both.iterations.median()}
        for side, rows in zip(("zero", "study"), ours):
            own = rows[(rows.dataset == dataset) & (rows.variant == variant)]
            for name, columns in {"bytes": BYTES, "waits": ["synchronisations"]}.items():
                fit = iteration_fit(own, columns)
                row[f"{name}_per_iteration_{side}"] = fit.slope if fit else np.nan
            row |= {f"{name}_{side}": both[f"{name}_{side}"].median() for name in ("bytes", "ms")}
        longer = 1000 * (both.ms_study - both.ms_zero)
        row |= {"times": (both.ms_study / both.ms_zero).median()}
        out.append(row | {"more_us": (longer / both.iterations.clip(lower=1)).median()})
    return pd.DataFrame(out)
