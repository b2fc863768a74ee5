"""Every measurement against the oracle's: computed here from the poses, never by the run itself."""

import numpy as np
import pandas as pd

from .load import oracle_of
from .poses import rotation_difference_deg, translation_difference_m

SAME_ALIGNMENT = ["dataset", "frame", "guess_name", "variant"]
EQUAL_TRANSLATION_M = 0.01  # users need 1 cm ...
EQUAL_ROTATION_DEG = 0.1  # ... and 0.1 degrees
COMPARED = [
    "translation_vs_ref_m",
    "rotation_vs_ref_deg",
    "iterations_vs_ref",
    "score_vs_ref",
    "correspondences_vs_ref",
]


def add_reference_errors(measurements: pd.DataFrame, oracle: str) -> pd.DataFrame:
    """Adds COMPARED, same_stop, and ref_stop: how the oracle ended from the same guess, None where it has no
    pose.

    The oracle's pose is that of its smallest thread count. Its own measurements, and those
    without it, have NaN.
    """
    measurements = measurements.copy()
    own = measurements[(measurements.implementation == oracle) & measurements.error.isna()].sort_values(
        "threads", kind="stable"
    )
    own = own.drop_duplicates(SAME_ALIGNMENT).set_index(SAME_ALIGNMENT)
    found = dict(zip(own.index, own.itertuples()))
    columns = {name: np.full(len(measurements), np.nan) for name in COMPARED}
    same_stop, ref_stop = np.full(len(measurements), None, object), np.full(len(measurements), None, object)
    for i, row in enumerate(measurements.itertuples()):
        ref = found.get((row.dataset, row.frame, row.guess_name, row.variant))
        if ref is None:
            continue
        ref_stop[i] = ref.stop
        if row.implementation == oracle or row.error is not None:
            continue
        columns["translation_vs_ref_m"][i] = translation_difference_m(row.pose, ref.pose)
        columns["rotation_vs_ref_deg"][i] = rotation_difference_deg(row.pose, ref.pose)
        columns["iterations_vs_ref"][i] = row.iterations - ref.iterations
        columns["score_vs_ref"][i] = (row.score - ref.score) / ref.score if ref.score else np.nan
        columns["correspondences_vs_ref"][i] = row.correspondences - ref.correspondences
        same_stop[i] = row.stop == ref.stop
    return measurements.assign(**columns, same_stop=same_stop, ref_stop=ref_stop)


def within_equal_bound(measurements: pd.DataFrame) -> pd.Series:
    """Final pose within 1 cm and 0.1 degrees of the oracle's; False where there is nothing to compare."""
    return (measurements.translation_vs_ref_m <= EQUAL_TRANSLATION_M) & (
        measurements.rotation_vs_ref_deg <= EQUAL_ROTATION_DEG
    )


def reference_threads(measurements: pd.DataFrame, implementations: pd.DataFrame) -> pd.DataFrame:
    """For every (dataset, variant, threads, implementation) the thread count of the oracle to compare its
    speed with.

    The same count where there is one. For an implementation on a GPU, or with a count the oracle was not run
    with, the oracle's largest: the best that it can do on this machine. NaN where the oracle was not run.
    """
    keys = (
        measurements[["dataset", "variant", "threads", "implementation"]]
        .drop_duplicates()
        .reset_index(drop=True)
    )
    counts = (
        measurements[measurements.implementation == oracle_of(implementations)]
        .groupby(["dataset", "variant"])
        .threads.agg(set)
    )
    chosen = []
    for key in keys.itertuples():
        there = counts.get((key.dataset, key.variant), set())
        same = key.threads in there and not on_gpu(key.implementation, implementations)
        chosen.append(key.threads if same else max(there, default=np.nan))
    return keys.assign(ref_threads=chosen)


def on_gpu(implementation: str, implementations: pd.DataFrame) -> bool:
    return "GPU" in implementations.loc[implementation, "runs_on"]
