"""How the time grows with the scan, the map and the threads: medians, and a line through them."""

import re

import numpy as np
import pandas as pd

from .latency import timed

VARIABLES = {"points": "points of the scan", "map_points": "points of the map"}
LEAST_SIZES = 3


def family(dataset: str) -> str:
    """courtyard_4000 and courtyard_16000 are one family."""
    return re.sub(r"_?\d+k?$", "", dataset)


def fit_line(x, y):
    """(constant, slope, worst) of y = constant + slope x, by least squares of *relative* residuals, so that
    small sizes count as much as large ones. worst: largest relative residual."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    design = np.c_[np.ones_like(x), x] / y[:, None]
    (constant, slope), *_ = np.linalg.lstsq(design, np.ones_like(y), rcond=None)
    return float(constant), float(slope), float(np.max(np.abs((constant + slope * x) / y - 1)))


def scaling_points(measurements: pd.DataFrame) -> pd.DataFrame:
    """Medians per (variable, family, implementation, threads, size): evaluation_us = align time per pass over
    the scan, align_ms, build_ms, peak_device_mb (NaN without a device). Only families with at least
    LEAST_SIZES sizes of that variable, more than a factor 2 apart.
    """
    kept = timed(measurements[measurements.variant == "autoware"])
    kept = kept[kept.evaluations.notna()]  # peers from outside count none
    kept = kept.assign(
        family=kept.dataset.map(family),
        evaluation_us=1000 * kept.align_ms / kept.evaluations,
        build_ms=kept.build_us / 1000,
        peak_device_mb=kept.peak_device_bytes / 1e6,
    )
    out = []
    for name, group in kept.groupby("family", sort=False):
        sizes = group.groupby("dataset")[list(VARIABLES)].median()
        for variable in VARIABLES:
            values = sizes[variable].unique()
            if len(values) < LEAST_SIZES or values.max() <= 2 * values.min():
                continue
            medians = group.assign(size=group.dataset.map(sizes[variable])).groupby(
                ["implementation", "threads", "size"], sort=False
            )
            medians = medians.agg(
                evaluation_us=("evaluation_us", "median"),
                align_ms=("align_ms", "median"),
                build_ms=("build_ms", "median"),
                peak_device_mb=("peak_device_mb", "median"),
                n=("align_ms", "size"),
            ).reset_index()
            out.append(medians.assign(variable=variable, family=name))
            break  # where the map grows with the scan, only the scan's size is a variable of its own
    columns = ["variable", "family", "implementation", "threads", "size"]
    columns += ["evaluation_us", "align_ms", "build_ms", "peak_device_mb", "n"]
    return pd.concat(out, ignore_index=True)[columns] if out else pd.DataFrame(columns=columns)


def scaling_fits(points: pd.DataFrame, value: str = "evaluation_us") -> pd.DataFrame:
    """Per (variable, family, implementation, threads): constant and slope of `value` over size, and the worst
    relative residual."""
    out = []
    keys = ["variable", "family", "implementation", "threads"]
    for key, group in points.groupby(keys, sort=False):
        if len(group) < LEAST_SIZES:
            continue
        constant, slope, worst = fit_line(group["size"], group[value])
        out.append(
            dict(zip(keys, key)) | {
                "constant": constant,
                "slope": slope,
                "worst_residual": worst,
                "sizes": len(group),
            }
        )
    return pd.DataFrame(out, columns=keys + ["constant", "slope", "worst_residual", "sizes"])


def thread_points(measurements: pd.DataFrame) -> pd.DataFrame:
    """Per (dataset, implementation, threads): median time and speed-up over one thread, for those with three
    thread counts."""
    kept = timed(measurements[measurements.variant == "autoware"])
    medians = kept.groupby(["dataset", "implementation", "threads"], sort=False).agg(
        align_ms=("align_ms", "median"), n=("align_ms", "size")
    )
    out = []
    for _, group in medians.reset_index().groupby(["dataset", "implementation"], sort=False):
        one = group[group.threads == 1]
        if len(group) >= LEAST_SIZES and len(one):
            out.append(group.assign(speed_up=one.align_ms.iloc[0] / group.align_ms))
    columns = ["dataset", "implementation", "threads", "align_ms", "n", "speed_up"]
    return pd.concat(out, ignore_index=True)[columns] if out else pd.DataFrame(columns=columns)


def scaling_datasets(measurements: pd.DataFrame) -> set:
    """Datasets that exist for their size: members of a family that scaling_points() shows."""
    families = set(scaling_points(measurements).family)
    return {name for name in measurements.dataset.unique() if family(name) in families}
